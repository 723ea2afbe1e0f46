package io.bulwark.client;

import io.bulwark.client.object.ObjectReader;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Objects;

/** An {@link ObjectReader} as a stream. Not safe for use by several threads. */
final class ReaderStream extends InputStream {
    private final ObjectReader reader;
    private final ProgressListener progress;
    private final long total;
    private Bytes block = Bytes.EMPTY;
    private boolean closed;

    ReaderStream(ObjectReader reader, ProgressListener progress) {
        this.reader = reader;
        this.progress = progress;
        this.total = reader.remaining();
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        if (length == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        int count = Math.min(length, block.length());
        block.copyTo(0, target, offset, count);
        block = block.slice(count, block.length() - count);
        return count;
    }

    @Override
    public long transferTo(OutputStream target) throws IOException {
        long moved = 0;
        while (fill()) {
            target.write(block.array(), block.offset(), block.length());
            moved += block.length();
            block = Bytes.EMPTY;
        }
        return moved;
    }

    @Override
    public int available() {
        return block.length();
    }

    @Override
    public void close() {
        closed = true;
        block = Bytes.EMPTY;
        reader.close();
    }

    private boolean fill() throws IOException {
        if (closed) {
            throw new IOException("the stream is closed");
        }
        if (block.isEmpty()) {
            block = reader.next();
            if (!block.isEmpty()) {
                progress.onProgress(total - reader.remaining(), total);
            }
        }
        return !block.isEmpty();
    }
}
