package io.bulwark.it;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/**
 * Members of tests that were killed. A member ends when its input does, with the test that holds it. A member that the
 * test had stopped reads nothing, and would stay for ever, with its network. So each carries a mark of its owner, and
 * the next test ends those without one.
 */
@NullMarked
final class Orphans {
    private static final String MARK = "-Dbulwark.test.process=";

    private Orphans() {}

    /** A command of this test's own Java. */
    static List<String> marked(List<String> java) throws IOException {
        List<String> words = new ArrayList<>(java);
        words.add(1, markOf(ProcessHandle.current().pid()));
        return words;
    }

    /** In another namespace the same number is another process. */
    static String markOf(long owner) throws IOException {
        return MARK + Files.readSymbolicLink(Path.of("/proc/self/ns/pid")) + "/" + owner;
    }

    /** Ends all those whose test is gone. */
    static void end() throws IOException {
        String here = markOf(0);
        String prefix = here.substring(0, here.length() - 1);
        ProcessHandle.allProcesses().forEach(process -> {
            Optional<Long> owner = words(process)
                    .filter(word -> word.startsWith(prefix))
                    .map(word -> Long.parseLong(word.substring(prefix.length())))
                    .findFirst();
            if (owner.isPresent() && isGone(owner.get(), process)) {
                System.out.println("process " + process.pid() + " outlived test " + owner.get() + ": it is ended");
                process.destroyForcibly();
            }
        });
    }

    private static Stream<String> words(ProcessHandle process) {
        try {
            Path file = Path.of("/proc", Long.toString(process.pid()), "cmdline");
            return Stream.of(Files.readString(file, StandardCharsets.ISO_8859_1).split("\0"));
        } catch (IOException e) {
            return Stream.empty(); // It has ended, or is another user's.
        }
    }

    /** Returns whether no process has the owner's number, or only a later one. */
    private static boolean isGone(long owner, ProcessHandle process) {
        Instant began = process.info().startInstant().orElse(Instant.MAX);
        return ProcessHandle.of(owner)
                .filter(ProcessHandle::isAlive)
                .flatMap(alive -> alive.info().startInstant())
                .filter(start -> !start.isAfter(began))
                .isEmpty();
    }
}
