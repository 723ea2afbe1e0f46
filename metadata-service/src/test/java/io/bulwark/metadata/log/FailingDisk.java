package io.bulwark.metadata.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.NullMarked;

/** A disk that fails with one step, and with all after it; and one that does not give some of its pages back. */
@NullMarked
final class FailingDisk implements WriteAheadLogSegment.Disk {
    /** Number of writes and syncs that still succeed. */
    int stepsLeft = Integer.MAX_VALUE;

    /** A write that fails has written so much all the same. */
    int bytesOfLast;

    /** Comes before each sync. */
    Runnable beforeSync = () -> {};

    /** Number of syncs requested. */
    int syncs;

    /** Numbers of pages of any file. */
    final Set<Long> unreadable = new HashSet<>();

    @Override
    public FileChannel open(Path path, OpenOption... options) throws IOException {
        return new Channel(FileChannel.open(path, options));
    }

    private boolean fails() {
        return stepsLeft-- <= 0;
    }

    private final class Channel extends FileChannel {
        private final FileChannel real;

        private Channel(FileChannel real) {
            this.real = real;
        }

        @Override
        public int write(ByteBuffer bytes, long position) throws IOException {
            if (fails()) {
                real.write(bytes.slice().limit(Math.min(bytesOfLast, bytes.remaining())), position);
                throw new IOException("No space left on device");
            }
            return real.write(bytes, position);
        }

        @Override
        public void force(boolean metaData) throws IOException {
            syncs++;
            beforeSync.run();
            if (fails()) {
                throw new IOException("Input/output error");
            }
            real.force(metaData);
        }

        @Override
        public int read(ByteBuffer into, long position) throws IOException {
            long first = position / WriteAheadLogSegment.PAGE_BYTES;
            if (unreadable.contains(first)) {
                throw new IOException("Input/output error");
            }
            long next = first + 1;
            while (next * WriteAheadLogSegment.PAGE_BYTES < position + into.remaining() && !unreadable.contains(next)) {
                next++;
            }
            int whole = into.limit();
            into.limit((int) Math.min(whole, into.position() + next * WriteAheadLogSegment.PAGE_BYTES - position));
            try {
                return real.read(into, position);
            } finally {
                into.limit(whole);
            }
        }

        @Override
        public long size() throws IOException {
            return real.size();
        }

        @Override
        protected void implCloseChannel() throws IOException {
            real.close();
        }

        @Override
        public int read(ByteBuffer into) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long read(ByteBuffer[] into, int offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int write(ByteBuffer bytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long write(ByteBuffer[] bytes, int offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long position() {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileChannel position(long newPosition) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileChannel truncate(long size) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long transferTo(long position, long count, WritableByteChannel target) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long transferFrom(ReadableByteChannel source, long position, long count) {
            throw new UnsupportedOperationException();
        }

        @Override
        public MappedByteBuffer map(MapMode mode, long position, long size) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileLock lock(long position, long size, boolean shared) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileLock tryLock(long position, long size, boolean shared) {
            throw new UnsupportedOperationException();
        }
    }
}
