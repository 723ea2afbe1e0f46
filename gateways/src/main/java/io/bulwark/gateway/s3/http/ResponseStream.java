package io.bulwark.gateway.s3.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.IOException;
import java.io.OutputStream;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Body of a response on its way to the event loop. A writer waits while the client is slow. */
final class ResponseStream extends OutputStream {
    private static final int BUFFER_BYTES = 128 << 10;

    private final Channel channel;
    private final WriteGate gate;
    private final Shape shape;
    private @Nullable ByteBuf buffer;
    private long written;
    private boolean closed;
    private boolean complete;

    /**
     * Form of a body.
     *
     * @param length number of bytes, if that is known
     * @param isDiscarded nothing is sent, whatever is written
     */
    record Shape(OptionalLong length, boolean isDiscarded) {}

    ResponseStream(Channel channel, WriteGate gate, Shape shape) {
        this.channel = channel;
        this.gate = gate;
        this.shape = shape;
    }

    boolean isComplete() {
        return complete;
    }

    long sentBytes() {
        return written;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int count) throws IOException {
        if (closed) {
            throw new IOException("the response is closed");
        }
        if (shape.isDiscarded()) {
            return;
        }
        if (shape.length().isPresent() && count > shape.length().getAsLong() - written) {
            throw new IOException("the response has more bytes than its Content-Length says");
        }
        int from = offset;
        int end = offset + count;
        while (from < end) {
            ByteBuf current = buffer;
            if (current == null) {
                gate.await();
                current = channel.alloc().directBuffer(bufferBytes(), BUFFER_BYTES);
                buffer = current;
            }
            int copied = Math.min(end - from, current.maxCapacity() - current.readableBytes());
            current.writeBytes(bytes, from, copied);
            from += copied;
            written += copied;
            if (current.readableBytes() == current.maxCapacity()) {
                send();
            }
        }
    }

    /** Small responses have small buffers. */
    private int bufferBytes() {
        return (int) Math.min(BUFFER_BYTES, Math.max(256, shape.length().orElse(4 << 10) - written));
    }

    private void send() {
        ByteBuf full = buffer;
        if (full != null) {
            buffer = null;
            var _ = channel.writeAndFlush(new DefaultHttpContent(full), channel.voidPromise());
        }
    }

    @Override
    public void flush() throws IOException {
        if (!closed) {
            send();
            var _ = channel.flush();
        }
    }

    /** Ends the response. If bytes are missing, the connection ends instead, so that the client sees it. */
    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        if (shape.length().isPresent() && written != shape.length().getAsLong()) {
            abort();
            return;
        }
        ByteBuf rest = buffer;
        buffer = null;
        if (rest != null) {
            var _ = channel.write(new DefaultHttpContent(rest), channel.voidPromise());
        }
        complete = gate.await(channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT));
    }

    /** Ends the connection without the end of the response. */
    void abort() {
        closed = true;
        ByteBuf rest = buffer;
        buffer = null;
        if (rest != null) {
            rest.release();
        }
        var _ = channel.close();
    }
}
