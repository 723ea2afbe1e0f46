package io.bulwark.transport.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Set;
import java.util.TreeSet;

/**
 * The files that this process has begun and not finished. A process that ends by a signal deletes them: from its shutdown hook on,
 * no file is begun any more, and none is finished. Thread-safe.
 */
final class UnfinishedFiles {
    private static final Set<Path> BEGUN = new TreeSet<>();
    private static boolean hooked;
    private static boolean ending;

    private UnfinishedFiles() {}

    /** Makes a file, which must not be there. */
    interface FileMaker<T> {
        T make() throws IOException;
    }

    /** Makes the file, which is deleted at the end unless it is finished before. */
    static synchronized <T> T begin(Path file, FileMaker<T> making) throws IOException {
        hook();
        if (ending) {
            throw new IOException("this process is shutting down: it does not write " + file);
        }
        T made = making.make();
        BEGUN.add(file);
        return made;
    }

    /** The file is whole, and stays where it is. */
    static synchronized void keep(Path file) throws IOException {
        if (!BEGUN.remove(file)) {
            throw new IOException("this process is shutting down: it does not finish " + file);
        }
    }

    /** The file is whole, and takes the place of the target in one step. */
    static synchronized void move(Path file, Path target) throws IOException {
        keep(file);
        try {
            Files.move(file, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            BEGUN.add(file);
            throw e;
        }
    }

    /** Deletes the file, unless it was finished. */
    static synchronized void discard(Path file) throws IOException {
        if (BEGUN.remove(file)) {
            Files.deleteIfExists(file);
        }
    }

    private static void hook() {
        if (!hooked) {
            hooked = true;
            try {
                Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(UnfinishedFiles::end));
            } catch (IllegalStateException e) {
                ending = true; // It ends already.
            }
        }
    }

    private static synchronized void end() {
        ending = true;
        for (Path file : BEGUN) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                System.err.println("cannot delete the unfinished file " + FileFailure.text(e));
            }
        }
        BEGUN.clear();
    }
}
