package io.bulwark.client;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.function.Function;

/** A file that is there whole or not at all: written beside its place, which it then takes. */
final class WholeFile {
    private WholeFile() {}

    static <T> T write(Path target, Function<OutputStream, T> content) {
        Path whole = target.toAbsolutePath();
        try {
            Path part = Files.createTempFile(whole.getParent(), "." + whole.getFileName(), ".part");
            try {
                T result;
                try (OutputStream out = Files.newOutputStream(part)) {
                    result = content.apply(out);
                }
                Files.move(part, whole, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
                return result;
            } finally {
                Files.deleteIfExists(part);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + whole, e);
        }
    }
}
