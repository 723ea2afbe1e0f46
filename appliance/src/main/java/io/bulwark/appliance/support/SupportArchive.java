package io.bulwark.appliance.support;

import io.bulwark.transport.file.FileFailure;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * A zip file in the making. Files are taken by name from a short list, so that keys cannot slip in; what they hold
 * passes the {@link Redaction}. A part that cannot be read says so in its place.
 */
public final class SupportArchive implements AutoCloseable {
    /** The newest part of a log. */
    static final int LOG_BYTES_MAX = 1 << 20;

    /** The newest logs. */
    static final int LOGS_MAX = 16;

    private static final int CONFIGURATION_BYTES_MAX = 256 << 10;
    private static final int CONFIGURATIONS_MAX = 200;
    private static final int LISTED_MAX = 5_000;
    private static final int LISTED_DEPTH = 4;

    /** Settings, addresses and public keys; keys themselves lie in other files. */
    private static final List<String> CONFIGURATION = List.of(
            "cluster.properties",
            "client.properties",
            "console.properties",
            "addresses.properties",
            "genesis.properties",
            "role.yaml");

    private final ZipOutputStream zip;
    private final FileTime now;
    private final Map<String, Integer> parts = new TreeMap<>();

    /**
     * Begins an archive.
     *
     * @param now the time of all parts
     */
    public SupportArchive(OutputStream out, FileTime now) {
        this.zip = new ZipOutputStream(out, StandardCharsets.UTF_8);
        this.now = now;
    }

    /** Supplies the text of a part. */
    public interface Part {
        String text() throws Exception;
    }

    /** Adds a part; its failure is its content. */
    public void add(String name, Part part) throws IOException {
        String text;
        try {
            text = part.text();
        } catch (Exception e) {
            text = "not available: " + (e instanceof IOException io ? FileFailure.text(io) : e.toString()) + "\n";
        }
        byte[] bytes = Redaction.of(text).getBytes(StandardCharsets.UTF_8);
        ZipEntry entry = new ZipEntry(name);
        entry.setLastModifiedTime(now);
        zip.putNextEntry(entry);
        zip.write(bytes);
        zip.closeEntry();
        parts.put(name, bytes.length);
    }

    /** Adds the configuration and the logs of a data directory, and the names and sizes of its files. */
    public void addDirectory(Path data) throws IOException {
        for (String name : CONFIGURATION) {
            if (isPlainFile(data.resolve(name))) {
                add("configuration/" + name, () -> tail(data.resolve(name), CONFIGURATION_BYTES_MAX));
            }
        }
        for (Path role : newest(data.resolve("config"), ".yaml", CONFIGURATIONS_MAX)) {
            add("configuration/config/" + role.getFileName(), () -> tail(role, CONFIGURATION_BYTES_MAX));
        }
        for (Path log : newest(data.resolve("logs"), ".log", LOGS_MAX)) {
            add("logs/" + log.getFileName(), () -> tail(log, LOG_BYTES_MAX));
        }
        add("files.txt", () -> listing(data));
    }

    /** Returns the bytes of each part. */
    public Map<String, Integer> parts() {
        return new TreeMap<>(parts);
    }

    @Override
    public void close() throws IOException {
        zip.close();
    }

    private static boolean isPlainFile(Path file) {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
    }

    /** Returns the newest plain files of a directory, by name. A link may lead to anything, and is left out. */
    private static List<Path> newest(Path directory, String ending, int max) throws IOException {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            return List.of();
        }
        Map<Path, FileTime> found = new TreeMap<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(ending)).toList()) {
                if (isPlainFile(file)) {
                    found.put(file, Files.getLastModifiedTime(file));
                }
            }
        }
        return found.entrySet().stream()
                .sorted(Map.Entry.<Path, FileTime>comparingByValue().reversed())
                .limit(max)
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    private static String tail(Path file, int bytesMax) throws IOException {
        try (SeekableByteChannel channel =
                Files.newByteChannel(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            long skipped = Math.max(0, channel.size() - bytesMax);
            channel.position(skipped);
            ByteBuffer bytes = ByteBuffer.allocate(bytesMax);
            while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
                // The rest follows.
            }
            String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
            return skipped == 0 ? text : text + "\n[the first " + skipped + " bytes are left out]\n";
        }
    }

    /** Files come and go while members run: one that is gone is left out. */
    private static String listing(Path data) throws IOException {
        List<String> lines = new ArrayList<>();
        Files.walkFileTree(data, Set.of(), LISTED_DEPTH, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes is) {
                return list(directory, is);
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes is) {
                return list(file, is);
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) {
                return FileVisitResult.CONTINUE;
            }

            private FileVisitResult list(Path file, BasicFileAttributes is) {
                lines.add(String.format(
                        Locale.ROOT,
                        "%s\t%s %,16d %s",
                        data.relativize(file),
                        is.isDirectory() ? "d" : is.isSymbolicLink() ? "l" : "-",
                        is.size(),
                        is.lastModifiedTime()));
                return lines.size() < LISTED_MAX ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
            }
        });
        lines.sort(Comparator.naturalOrder());
        return String.join("\n", lines) + "\n";
    }
}
