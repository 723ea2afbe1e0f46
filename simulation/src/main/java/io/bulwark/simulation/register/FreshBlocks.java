package io.bulwark.simulation.register;

import io.bulwark.protocol.wire.Bytes;
import java.util.Random;

/** Contents for blocks, each of which is given once. */
public final class FreshBlocks {
    private final int bytes;
    private long last;

    /** @param bytes of a block */
    public FreshBlocks(int bytes) {
        this.bytes = bytes;
    }

    public Bytes next() {
        byte[] block = new byte[bytes];
        new Random(++last).nextBytes(block);
        for (int i = 0; i < Long.BYTES; i++) {
            block[i] = (byte) (last >> (8 * i));
        }
        return Bytes.of(block);
    }
}
