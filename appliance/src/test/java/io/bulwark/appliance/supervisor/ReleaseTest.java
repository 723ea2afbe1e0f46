package io.bulwark.appliance.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullMarked
class ReleaseTest {
    @TempDir
    Path directory = Path.of("");

    @Test
    void aChangedJarIsFoundAndACopyElsewhereIsTheSame() throws IOException {
        Path jar = jar("bulwark.jar", "", "classes");
        String hash = Release.of(jar).hash();
        assertThat(hash).matches("[0-9a-f]{64}");
        Path copy = Files.copy(jar, directory.resolve("copy.jar"));
        assertThat(Release.of(copy).hash()).isEqualTo(hash);
        byte[] bytes = Files.readAllBytes(copy);
        bytes[bytes.length / 2] ^= 1;
        Path changed = Files.write(directory.resolve("changed.jar"), bytes);
        assertThat(hashOrWhy(changed)).isNotEqualTo(hash);
        Files.delete(changed);
        assertThatThrownBy(() -> Release.of(changed).hash()).isInstanceOf(IOException.class);
    }

    @Test
    void librariesThatTheJarNamesCountWithIt() throws IOException {
        Files.createDirectories(directory.resolve("lib"));
        Path jar = jar("bulwark.jar", "lib/one.jar lib/two%20b.jar lib/missing.jar", "classes");
        Path one = jar("lib/one.jar", "", "one");
        Path two = jar("lib/two b.jar", "../bulwark.jar one.jar", "two");
        String hash = Release.of(jar).hash();
        Path kept = Files.copy(one, directory.resolve("kept"));
        jar("lib/one.jar", "", "another one");
        assertThat(Release.of(jar).hash()).isNotEqualTo(hash);
        Files.copy(kept, one, StandardCopyOption.REPLACE_EXISTING);
        assertThat(Release.of(jar).hash()).isEqualTo(hash);
        Files.copy(one, directory.resolve("lib/missing.jar"));
        assertThat(Release.of(jar).hash()).isNotEqualTo(hash);
        Files.delete(directory.resolve("lib/missing.jar"));
        Files.delete(two);
        assertThat(Release.of(jar).hash()).isNotEqualTo(hash);
    }

    @Test
    void ofAClassPathTheOrderAndInDirectoriesTheNamesCount() throws IOException {
        Path first = jar("first.jar", "", "first");
        Path second = jar("second.jar", "", "second");
        Path classes = Files.createDirectories(directory.resolve("classes"));
        Path inner = Files.createDirectories(classes.resolve("io"));
        Files.writeString(inner.resolve("A.class"), "a");
        Files.writeString(inner.resolve("B.class"), "b");
        String hash = classPath(classes, first, second).hash();
        assertThat(classPath(classes, directory.resolve("absent"), first, second, first)
                        .hash())
                .isEqualTo(hash);
        assertThat(classPath(classes, second, first).hash()).isNotEqualTo(hash);
        Files.writeString(inner.resolve("A.class"), "b");
        Files.writeString(inner.resolve("B.class"), "a");
        assertThat(classPath(classes, first, second).hash()).isNotEqualTo(hash);
        Files.writeString(inner.resolve("A.class"), "a");
        Files.writeString(inner.resolve("B.class"), "b");
        assertThat(classPath(classes, first, second).hash()).isEqualTo(hash);
        Files.move(inner.resolve("B.class"), inner.resolve("D.class"));
        assertThat(classPath(classes, first, second).hash())
                .as("another name at the same place")
                .isNotEqualTo(hash);
        Files.move(inner.resolve("D.class"), inner.resolve("B.class"));
        Files.writeString(inner.resolve("C.class"), "");
        assertThat(classPath(classes, first, second).hash()).isNotEqualTo(hash);
    }

    @Test
    void whatRunsThisTestHasAHash() throws IOException {
        assertThat(Release.own().hash()).hasSize(64);
    }

    private static Release classPath(Path... entries) {
        StringBuilder text = new StringBuilder();
        for (Path entry : entries) {
            text.append(text.isEmpty() ? "" : File.pathSeparator).append(entry);
        }
        return new Release(text.toString());
    }

    private static String hashOrWhy(Path jar) {
        try {
            return Release.of(jar).hash();
        } catch (IOException e) {
            return e.toString();
        }
    }

    private Path jar(String name, String classPath, String content) throws IOException {
        Path file = directory.resolve(name);
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        if (!classPath.isEmpty()) {
            manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, classPath);
        }
        try (OutputStream out = Files.newOutputStream(file);
                JarOutputStream jar = new JarOutputStream(out, manifest)) {
            JarEntry entry = new JarEntry("content");
            entry.setTime(0);
            jar.putNextEntry(entry);
            jar.write(content.getBytes(StandardCharsets.UTF_8));
            jar.closeEntry();
        }
        return file;
    }
}
