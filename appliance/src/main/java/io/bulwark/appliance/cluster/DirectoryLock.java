package io.bulwark.appliance.cluster;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Lock of a data directory, until it is closed or its process ends. The file of the lock has two ranges of their own:
 *
 * <pre>
 * TAKEN   a process has the directory
 * TOLD    and the file has the number of that process
 * </pre>
 *
 * The number stays in the file when the process ends. Without the second range a reader could take it for that of the next
 * process, which has not written its own yet, and signal a stranger to which the system has given the number meanwhile.
 */
public final class DirectoryLock implements Closeable {
    private static final long TAKEN = Long.MAX_VALUE - 2;
    private static final long TOLD = Long.MAX_VALUE - 1;
    private static final int DIGITS_MAX = 18;

    /** Readers hold a range for a moment, to look whether it is free. */
    private static final int ATTEMPTS = 4;

    private static final long PAUSE_MILLIS = 25;

    private final FileChannel channel;

    private DirectoryLock(FileChannel channel) {
        this.channel = channel;
    }

    /** Takes a lock for this process; empty if somebody has it. */
    static Optional<DirectoryLock> take(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (canTake(channel)) {
                DirectoryLock lock = new DirectoryLock(channel);
                lock.tell();
                return Optional.of(lock);
            }
        } catch (OverlappingFileLockException e) {
            // The same answer as for another process: somebody has it.
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        channel.close();
        return Optional.empty();
    }

    private static boolean canTake(FileChannel channel) throws IOException {
        for (int attempt = 1; ; attempt++) {
            if (channel.tryLock(TAKEN, 1, false) != null) {
                return true;
            }
            if (attempt == ATTEMPTS) {
                return false;
            }
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }

    private void tell() throws IOException {
        channel.truncate(0);
        channel.write(StandardCharsets.US_ASCII.encode(
                Long.toString(ProcessHandle.current().pid())));
        var _ = channel.lock(TOLD, 1, false);
    }

    /** Returns the process that has a lock; 0 if it has not told its number yet. */
    static OptionalLong holder(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            if (isFree(channel, TAKEN)) {
                return OptionalLong.empty();
            }
            if (isFree(channel, TOLD)) {
                return OptionalLong.of(0);
            }
            long pid = number(channel);
            // Read again, since another process may have taken the directory meanwhile.
            return OptionalLong.of(isFree(channel, TOLD) || number(channel) != pid ? 0 : pid);
        } catch (NoSuchFileException e) {
            return OptionalLong.empty();
        }
    }

    private static boolean isFree(FileChannel channel, long range) throws IOException {
        try (FileLock lock = channel.tryLock(range, 1, true)) {
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false; // This process has it.
        }
    }

    private static long number(FileChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(DIGITS_MAX + 1);
        int read;
        do {
            read = channel.read(bytes, bytes.position());
        } while (read > 0);
        String text = StandardCharsets.US_ASCII.decode(bytes.flip()).toString().strip();
        return text.matches("[0-9]{1," + DIGITS_MAX + "}") ? Long.parseLong(text) : 0;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
