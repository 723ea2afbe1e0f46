package io.bulwark.transport.file;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Properties;

/** Reads and writes small files that people edit too: configuration, keys and trust. All are in UTF-8. */
public final class TextFile {
    private TextFile() {}

    /**
     * Reads a whole file.
     *
     * @throws UnusableFileException if it is too long, a directory, or not UTF-8
     * @throws IOException if the system cannot read it
     */
    public static String read(Path file, int bytesMax) throws IOException {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(bytesMax + 1);
        } catch (IOException e) {
            if (Files.isDirectory(file)) {
                throw new UnusableFileException(file + " is a directory", e);
            }
            throw e;
        }
        if (bytes.length > bytesMax) {
            throw new UnusableFileException(file + " is longer than " + bytesMax + " bytes");
        }
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        try {
            // A new decoder reports what is malformed, where a string would replace it.
            return StandardCharsets.UTF_8.newDecoder().decode(rest).toString();
        } catch (CharacterCodingException e) {
            throw new UnusableFileException(
                    String.format(Locale.ROOT, "%s is not UTF-8 at byte %,d: save it in UTF-8", file, rest.position()),
                    e);
        }
    }

    /**
     * Reads a file of properties.
     *
     * @throws UnusableFileException if it is none, as {@link #read} too
     */
    public static Properties properties(Path file, int bytesMax) throws IOException {
        return parse(read(file, bytesMax), file);
    }

    /**
     * Parses the text of a file of properties.
     *
     * @throws UnusableFileException if it is none
     */
    public static Properties parse(String text, Path file) throws UnusableFileException {
        Properties properties = new Properties();
        try {
            properties.load(new StringReader(text));
        } catch (IllegalArgumentException | IOException e) {
            throw new UnusableFileException(file + " is no properties file: " + e.getMessage(), e);
        }
        return properties;
    }

    /** Returns the content of a file of properties. */
    public static String text(Properties properties, String comment) {
        StringWriter text = new StringWriter();
        try {
            properties.store(text, comment);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    /**
     * Returns the path as a file names it: relative to the file if it lies in the directory that is moved and copied
     * with the file. A relative path is relative to the file already.
     *
     * @param root the directory that moves as a whole; the file lies in it
     */
    public static String pathText(Path path, Path file, Path root) {
        Path directory = root.toAbsolutePath().normalize();
        Path target = path.normalize();
        if (!path.isAbsolute() || !target.startsWith(directory)) {
            return path.toString();
        }
        Path from = file.toAbsolutePath().normalize().resolveSibling("").normalize();
        return from.relativize(target).toString();
    }
}
