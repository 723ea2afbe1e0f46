package io.bulwark.appliance.supervisor;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/**
 * An installed release of this software: the files from which a Java process with this class path loads classes. Its
 * hash is SHA-256 over all of them in class path order. Each counts with the length of its name, the name, and the
 * SHA-256 of its content. A jar is followed by the jars that its manifest adds; the files of a directory are ordered by
 * name. Names of jars do not count, since they decide nothing.
 *
 * @param classPath in the form that Java takes
 */
public record Release(String classPath) {
    private static final int CHUNK_BYTES = 1 << 16;

    /** Returns the release from which this process runs. */
    public static Release own() {
        return new Release(System.getProperty("java.class.path", ""));
    }

    /** Returns the release of one jar that is started with {@code java -jar}. */
    public static Release of(Path jar) {
        return new Release(jar.toAbsolutePath().normalize().toString());
    }

    /**
     * Reads all of it.
     *
     * @return its SHA-256 in hexadecimal
     * @throws IOException if a file cannot be read, or there is none
     */
    public String hash() throws IOException {
        MessageDigest all = sha256();
        List<Path> seen = new ArrayList<>();
        for (String entry : classPath.split(File.pathSeparator, -1)) {
            if (!entry.isEmpty()) {
                add(Path.of(entry).toAbsolutePath().normalize(), all, seen);
            }
        }
        if (seen.isEmpty()) {
            throw new IOException("there is no release at " + classPath);
        }
        return HexFormat.of().formatHex(all.digest());
    }

    private static void add(Path entry, MessageDigest all, List<Path> seen) throws IOException {
        // Java passes over what is not there, and loads nothing twice.
        if (!Files.exists(entry) || seen.contains(entry)) {
            return;
        }
        seen.add(entry);
        if (Files.isDirectory(entry)) {
            for (var file : filesOf(entry).entrySet()) {
                add(file.getKey(), file.getValue(), all);
            }
            return;
        }
        add("", entry, all);
        for (Path more : addedBy(entry)) {
            add(more, all, seen);
        }
    }

    private static void add(String name, Path file, MessageDigest all) throws IOException {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        all.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, text.length));
        all.update(text);
        all.update(digest(file));
    }

    private static SortedMap<String, Path> filesOf(Path directory) throws IOException {
        SortedMap<String, Path> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(directory, FileVisitOption.FOLLOW_LINKS)) {
            all.filter(Files::isRegularFile)
                    .forEach(file -> files.put(directory.relativize(file).toString(), file));
        } catch (UncheckedIOException e) {
            throw new IOException(directory + " cannot be read: " + e.getMessage(), e);
        }
        return files;
    }

    private static List<Path> addedBy(Path file) throws IOException {
        List<Path> added = new ArrayList<>();
        try (JarFile jar = new JarFile(file.toFile())) {
            Manifest manifest = jar.getManifest();
            String given =
                    manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            for (String each : given == null ? new String[0] : given.trim().split(" +", -1)) {
                URI found = file.toUri().resolve(each);
                if ("file".equals(found.getScheme())) {
                    added.add(Path.of(found).normalize());
                }
            }
        } catch (IOException | IllegalArgumentException e) {
            throw new IOException(file + " is not a jar: " + e.getMessage(), e);
        }
        return added;
    }

    /** SHA-256 of a file. */
    static byte[] digest(Path file) throws IOException {
        MessageDigest digest = sha256();
        byte[] chunk = new byte[CHUNK_BYTES];
        try (InputStream in = Files.newInputStream(file)) {
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                digest.update(chunk, 0, count);
            }
        }
        return digest.digest();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
