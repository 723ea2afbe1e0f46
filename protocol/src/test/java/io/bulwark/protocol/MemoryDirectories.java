package io.bulwark.protocol;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Makes the temporary directories of tests in memory, where a sync costs nothing: members sync each promise, and no test
 * takes the power away. A machine without much memory for files has them where the system puts them.
 */
@NullMarked
public final class MemoryDirectories implements TempDirFactory {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long FREE_BYTES_MIN = 8L << 30;
    private static final boolean USED = canServe();

    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context) throws IOException {
        return create("junit-");
    }

    /** Creates a directory that the caller deletes. */
    public static Path create(String prefix) throws IOException {
        return USED ? Files.createTempDirectory(MEMORY, prefix) : Files.createTempDirectory(prefix);
    }

    /** Some tests run or load what they have put there, which some machines forbid. */
    private static boolean canServe() {
        try {
            if (!Files.isWritable(MEMORY) || Files.getFileStore(MEMORY).getUsableSpace() < FREE_BYTES_MIN) {
                return false;
            }
            Path program = Files.createTempFile(MEMORY, "program", "");
            Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
            boolean runs = Files.isExecutable(program);
            Files.delete(program);
            return runs;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
