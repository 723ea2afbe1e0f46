package io.bulwark.protocol.bucket;

import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.wire.Bytes;
import java.util.Arrays;

/** The pins of one level of an object, one after the other, 32 bytes each. */
final class PinCollector {
    private byte[] pins = new byte[8 * ObjectLayout.PIN_BYTES];
    private long count;

    /** The place of one more pin. */
    long next() {
        return count++;
    }

    void set(long index, Bytes pin) {
        if (pin.length() != ObjectLayout.PIN_BYTES) {
            throw new IllegalArgumentException("a pin of " + pin.length() + " bytes");
        }
        int at = Math.toIntExact(index * ObjectLayout.PIN_BYTES);
        if (at + ObjectLayout.PIN_BYTES > pins.length) {
            pins = Arrays.copyOf(pins, Math.max(2 * pins.length, at + ObjectLayout.PIN_BYTES));
        }
        pin.copyTo(0, pins, at, ObjectLayout.PIN_BYTES);
    }

    Bytes all() {
        return Bytes.of(pins, 0, Math.toIntExact(count * ObjectLayout.PIN_BYTES));
    }

    /** Begins another level. */
    void clear() {
        pins = new byte[8 * ObjectLayout.PIN_BYTES];
        count = 0;
    }
}
