package io.bulwark.transport.file;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

/**
 * The content of a regular file at one moment. It ends after the length that the file had when it was opened. Before it
 * reports the end, it makes sure that these bytes were in the file together:
 *
 * <ul>
 * <li>Size, identity, time of modification and, where the platform has it, time of the inode's change are as before,
 * and a later change would have another time.
 * <li>Or the file has only grown, or changed so shortly before that a later change may have the same time. Then the
 * stream reads the bytes once more and compares: bytes that are the same both times were there together between the
 * two.
 * </ul>
 *
 * <p>Otherwise reading the end throws a {@link FileChangedException}. It does not detect changes through a mapping of
 * the file that the kernel has not stamped yet.
 */
public final class SourceStream extends InputStream {
    /** Two changes within a tick of the kernel's clock may have the same time. */
    private static final long TICK_MILLIS = 20;

    /** Some file systems keep whole seconds, or two. */
    private static final long COARSE_TICK_MILLIS = 2_000;

    /** Maximum number of attempts to read a changing file. */
    public static final int ATTEMPTS_MAX = 4;

    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final int BUFFER_BYTES = 1 << 16;

    private final Path file;
    private final FileChannel channel;
    private final State before;
    private final boolean young;
    private final CRC32C sum = new CRC32C();
    private long position;
    private boolean checked;

    /** Changes of a file that it does not show are not noticed. */
    private record State(long size, FileTime modified, FileTime changed, Object identity) {
        static State of(Path file) throws IOException {
            boolean unix = file.getFileSystem().supportedFileAttributeViews().contains("unix");
            Map<String, Object> all =
                    Files.readAttributes(file, (unix ? "unix:ctime," : "") + "size,lastModifiedTime,fileKey");
            FileTime modified = (FileTime) value(all, "lastModifiedTime");
            return new State(
                    (Long) value(all, "size"),
                    modified,
                    unix ? (FileTime) value(all, "ctime") : modified,
                    Objects.requireNonNullElse(all.get("fileKey"), "none"));
        }

        private static Object value(Map<String, Object> all, String name) {
            return Objects.requireNonNull(all.get(name), name);
        }

        /** Returns whether a change after that moment can still have the times of this state. */
        boolean isYoungAt(long millis) {
            boolean coarse = changed.to(TimeUnit.NANOSECONDS) % 1_000_000_000 == 0;
            return millis - changed.toMillis() < (coarse ? COARSE_TICK_MILLIS : TICK_MILLIS);
        }
    }

    private SourceStream(Path file, FileChannel channel, State before, boolean young) {
        this.file = file;
        this.channel = channel;
        this.before = before;
        this.young = young;
    }

    /** Reads all of the stream, or throws what that throws. */
    public interface Reading<T> {
        T of(SourceStream content) throws IOException;
    }

    /**
     * Opens a regular file and reads it; a few times, if it changes meanwhile.
     *
     * @throws FileChangedException if it changed each time
     */
    public static <T> T read(Path file, Reading<T> reading) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try (SourceStream content = open(file)) {
                return reading.of(content);
            } catch (FileChangedException e) {
                if (attempt == ATTEMPTS_MAX) {
                    throw e;
                }
            }
            pause(FIRST_PAUSE_MILLIS << (2 * (attempt - 1)));
        }
    }

    private static void pause(long millis) throws InterruptedIOException {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted between two reads of a file");
        }
    }

    /** Opens a regular file. */
    public static SourceStream open(Path file) throws IOException {
        State found = State.of(file);
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        try {
            long millis = System.currentTimeMillis();
            State before = State.of(file);
            if (!before.identity.equals(found.identity)) {
                throw new FileChangedException(file.toString(), "another file has replaced it");
            }
            return new SourceStream(file, channel, before, before.isYoungAt(millis));
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Returns the number of bytes to read: the length of the file when it was opened. */
    public long length() {
        return before.size;
    }

    /** Starts reading again; the reference remains the state at the opening. */
    public void rewind() {
        position = 0;
        sum.reset();
        checked = false;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        if (length == 0) {
            return 0;
        }
        if (position == before.size) {
            check();
            return -1;
        }
        int count =
                channel.read(ByteBuffer.wrap(target, offset, (int) Math.min(length, before.size - position)), position);
        if (count < 0) {
            throw shorter();
        }
        sum.update(target, offset, count);
        position += count;
        return count;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private void check() throws IOException {
        if (checked) {
            return;
        }
        State after = State.of(file);
        if (!after.identity.equals(before.identity)) {
            throw new FileChangedException(file.toString(), "another file has replaced it");
        }
        if (after.size < before.size) {
            throw shorter();
        }
        boolean grown = after.size > before.size;
        if (!grown && !after.equals(before)) {
            throw new FileChangedException(file.toString(), "it changed");
        }
        if ((grown || young) && recomputeSum() != sum.getValue()) {
            throw new FileChangedException(file.toString(), grown ? "it changed and grew" : "it changed");
        }
        if (!grown
                && channel.read(ByteBuffer.allocate(1), position) > 0
                && State.of(file).equals(before)) {
            throw new IOException(
                    file + ": it has more bytes than its size, like files in /proc; read it through a " + "pipe");
        }
        checked = true;
    }

    private IOException shorter() throws IOException {
        return State.of(file).equals(before)
                ? new IOException(
                        file + ": it has fewer bytes than its size, like files in /proc; read it through " + "a pipe")
                : new FileChangedException(file.toString(), "it became shorter");
    }

    private long recomputeSum() throws IOException {
        CRC32C again = new CRC32C();
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        for (long at = 0; at < before.size; ) {
            buffer.clear().limit((int) Math.min(BUFFER_BYTES, before.size - at));
            int count = channel.read(buffer, at);
            if (count < 0) {
                throw shorter();
            }
            again.update(buffer.flip());
            at += count;
        }
        return again.getValue();
    }
}
