package io.bulwark.protocol.state;

import io.bulwark.protocol.wire.Bytes;

/**
 * Digests by their first eight bytes, 16 to 32 bytes of memory for each. May take one digest for another, but nobody can
 * make it do so; used only to decide what is kept, never what is right.
 */
final class DigestSet {
    private long[] slots = new long[1 << 10];
    private int size;

    void add(Bytes digest) {
        if (2 * ++size > slots.length) {
            long[] old = slots;
            slots = new long[2 * old.length];
            for (long each : old) {
                slots[place(each)] = each;
            }
        }
        long key = key(digest);
        slots[place(key)] = key;
    }

    boolean contains(Bytes digest) {
        return slots[place(key(digest))] != 0;
    }

    private int place(long key) {
        int at = (int) key & (slots.length - 1);
        while (slots[at] != 0 && slots[at] != key) {
            at = (at + 1) & (slots.length - 1);
        }
        return at;
    }

    /** Never 0, which marks an empty slot. */
    private static long key(Bytes digest) {
        long key = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            key = key << 8 | (digest.get(i) & 0xFF);
        }
        return key == 0 ? 1 : key;
    }
}
