package io.bulwark.protocol.extent;

import io.bulwark.protocol.wire.Bytes;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Pins of which this process knows, since it wrote the version or read it before, that a block encodes to all hashes of
 * the checksum. That is a property of the pin alone and holds for ever, so a reader need not encode the block again. The
 * least recently used pins are forgotten. Thread-safe.
 */
public final class VerifiedPins {
    private final Map<Bytes, Boolean> pins;

    /** @param pinsMax number of pins that are remembered */
    public VerifiedPins(int pinsMax) {
        pins = new LinkedHashMap<>(64, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Bytes, Boolean> eldest) {
                return size() > pinsMax;
            }
        };
    }

    /** Remembers a pin that this process computed or verified. */
    public synchronized void add(Bytes pin) {
        pins.put(pin, true);
    }

    synchronized boolean contains(Bytes pin) {
        return pins.get(pin) != null;
    }
}
