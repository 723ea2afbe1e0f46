package io.bulwark.protocol.mutation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The files of the repository that differ from those of a commit, as Git says. */
final class ChangedFiles {
    private final Set<Path> files;

    /** @param directory within the repository */
    ChangedFiles(Path directory, String sinceCommit) {
        Path root = Path.of(git(directory, "rev-parse", "--show-toplevel").strip());
        this.files = git(directory, "diff", "--name-only", sinceCommit, "--")
                .lines()
                .map(root::resolve)
                .collect(Collectors.toUnmodifiableSet());
    }

    boolean contains(Path file) {
        return files.contains(file.toAbsolutePath().normalize());
    }

    private static String git(Path directory, String... arguments) {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new AssertionError(command + " failed; bulwark.mutation.since must name a commit of this clone");
            }
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
