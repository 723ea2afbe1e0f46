package io.bulwark.client;

import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.client.object.ObjectWriter;
import io.bulwark.client.object.RetryableException;
import io.bulwark.protocol.metadata.Reply;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An {@link ObjectWriter} as a stream. */
final class WriterStream extends ObjectOutputStream {
    private final ObjectWriter writer;
    private final Result describing;
    private final Function<RetryableException, UnavailableException> giveUp;
    private final Subject subject;
    private @Nullable ObjectInfo result;
    private boolean closed;
    private boolean failed;

    /** Describes what was stored, of so many bytes. */
    interface Result {
        ObjectInfo of(Reply.Stored reply, long length);
    }

    /**
     * @param giveUp gives the exception for the user when the object cannot be written again
     */
    WriterStream(
            ObjectWriter writer,
            Result describing,
            Function<RetryableException, UnavailableException> giveUp,
            Subject subject) {
        this.writer = writer;
        this.describing = describing;
        this.giveUp = giveUp;
        this.subject = subject;
    }

    @Override
    public void write(int value) {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] source, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, source.length);
        try {
            writer.write(source, offset, length);
        } catch (RuntimeException e) {
            throw failed(e);
        }
    }

    @Override
    public void abort() {
        closed = true;
        writer.abort();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (failed) {
            throw new UnavailableException("the object was not stored, since an earlier write failed", subject);
        }
        long length = writer.length();
        try {
            result = describing.of(writer.finish(), length);
        } catch (RuntimeException e) {
            throw failed(e);
        }
    }

    @Override
    public ObjectInfo result() {
        if (result == null) {
            throw new IllegalStateException("the stream was not closed successfully");
        }
        return result;
    }

    private RuntimeException failed(RuntimeException e) {
        failed = true;
        writer.abort();
        return e instanceof RetryableException repeatable ? giveUp.apply(repeatable) : e;
    }
}
