package io.bulwark.console.account;

import io.bulwark.transport.file.AtomicFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** A file with one JSON document, which only its owner reads, in a directory that only its owner enters. */
final class JsonFile {
    private static final int BYTES_MAX = 8 << 20;
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private JsonFile() {}

    /** Reads a document; empty if there is no such file. */
    static <T> Optional<T> read(Path file, Class<T> type) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] text = in.readNBytes(BYTES_MAX + 1);
            if (text.length > BYTES_MAX) {
                throw new IOException(file + " is longer than " + BYTES_MAX + " bytes");
            }
            return Optional.of(JSON.readValue(text, type));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (JacksonException e) {
            throw new UncheckedIOException(new IOException(file + " is corrupt: " + e.getOriginalMessage(), e));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Replaces a document. */
    static void write(Path file, Object document) {
        try {
            Path directory = file.toAbsolutePath().resolveSibling(".").normalize();
            makeDirectory(directory);
            // The directory may be one that others enter: the file is its owner's alone from its first byte on.
            Path unfinished = Files.createTempFile(directory, file.getFileName() + ".", AtomicFile.UNFINISHED);
            try {
                try (FileChannel channel = FileChannel.open(unfinished, StandardOpenOption.WRITE)) {
                    ByteBuffer text = ByteBuffer.wrap(JSON.writeValueAsBytes(document));
                    while (text.hasRemaining()) {
                        channel.write(text);
                    }
                    channel.force(true);
                }
                AtomicFile.move(unfinished, file);
            } finally {
                Files.deleteIfExists(unfinished);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Creates a directory that only its owner enters, so that a file in it is private before it has its own mode. */
    static void makeDirectory(Path directory) throws IOException {
        Path normal = directory.normalize();
        if (!Files.isDirectory(normal)) {
            Files.createDirectories(
                    normal, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
    }
}
