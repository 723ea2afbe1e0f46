package io.bulwark.gateway.s3.body;

import java.io.InputStream;
import java.util.Random;

/** A body that arrives in pieces of random sizes. */
final class PiecesStream extends InputStream {
    private final byte[] bytes;
    private final Random random;
    private int position;

    PiecesStream(byte[] bytes, Random random) {
        this.bytes = bytes;
        this.random = random;
    }

    @Override
    public int read() {
        return position == bytes.length ? -1 : bytes[position++] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int count) {
        if (position == bytes.length) {
            return -1;
        }
        int some = 1 + random.nextInt(Math.min(count, bytes.length - position));
        System.arraycopy(bytes, position, target, offset, some);
        position += some;
        return some;
    }
}
