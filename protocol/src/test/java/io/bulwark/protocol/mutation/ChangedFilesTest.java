package io.bulwark.protocol.mutation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChangedFilesTest {
    @TempDir
    Path repository;

    @BeforeEach
    void commitTwoFiles() throws IOException, InterruptedException {
        Files.writeString(repository.resolve("a.txt"), "a");
        Files.writeString(repository.resolve("b.txt"), "b");
        git("init", "--quiet");
        git("add", ".");
        git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "Two files");
    }

    private void git(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .directory(repository.toFile())
                .inheritIO()
                .start();
        assertThat(process.waitFor()).isZero();
    }

    @Test
    void onlyFilesThatDifferFromTheCommitAreNamed() throws IOException {
        Files.writeString(repository.resolve("b.txt"), "c");
        Path root = repository.toRealPath();
        ChangedFiles changed = new ChangedFiles(root, "HEAD");
        assertThat(changed.contains(root.resolve("b.txt"))).isTrue();
        assertThat(changed.contains(root.resolve("a.txt"))).isFalse();
    }

    @Test
    void anUnknownCommitIsRefused() {
        assertThatThrownBy(() -> new ChangedFiles(repository, "no-such-commit"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("must name a commit");
    }
}
