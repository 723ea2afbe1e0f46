package io.bulwark.client;

import io.bulwark.client.encryption.SegmentCipher;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** A stream whose content becomes an encrypted object. */
final class SealedOutputStream extends ObjectOutputStream {
    private final ObjectOutputStream stored;
    private final SegmentCipher.Sealer sealer;
    private final UnaryOperator<ObjectInfo> describing;
    private boolean closed;

    SealedOutputStream(ObjectOutputStream stored, SegmentCipher cipher, UnaryOperator<ObjectInfo> describing) {
        this.stored = stored;
        this.sealer = cipher.sealer();
        this.describing = describing;
    }

    @Override
    public void write(int value) {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] source, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, source.length);
        int at = offset;
        int left = length;
        while (left > 0) {
            if (sealer.isFull()) {
                put(sealer.seal(false));
            }
            int taken = sealer.take(source, at, left);
            at += taken;
            left -= taken;
        }
    }

    @Override
    public void abort() {
        closed = true;
        stored.abort();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            put(sealer.seal(true));
            stored.close();
        }
    }

    @Override
    public ObjectInfo result() {
        return describing.apply(stored.result());
    }

    private void put(byte[] sealed) {
        stored.write(sealed, 0, sealed.length);
    }
}
