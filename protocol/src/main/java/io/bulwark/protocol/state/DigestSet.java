package io.bulwark.protocol.state;

import io.bulwark.protocol.wire.Bytes;

/**
 * Digests by their first sixteen bytes, 32 to 64 bytes of memory for each. May take one digest for another, but nobody can
 * make it do so.
 */
final class DigestSet {
    /** Two for each digest. */
    private long[] slots = new long[1 << 11];

    private int size;

    void add(Bytes digest) {
        add(key(digest, 0), key(digest, Long.BYTES));
    }

    /** Adds the digests that are in one set and not in the other. */
    void addAll(DigestSet added, DigestSet except) {
        for (int i = 0; i < added.slots.length; i += 2) {
            long first = added.slots[i];
            long second = added.slots[i + 1];
            if (first != 0 && except.slots[except.place(first, second)] == 0) {
                add(first, second);
            }
        }
    }

    private void add(long first, long second) {
        int at = place(first, second);
        if (slots[at] != 0) {
            return;
        }
        slots[at] = first;
        slots[at + 1] = second;
        if (4 * ++size > slots.length) {
            long[] old = slots;
            slots = new long[2 * old.length];
            for (int i = 0; i < old.length; i += 2) {
                if (old[i] != 0) {
                    int to = place(old[i], old[i + 1]);
                    slots[to] = old[i];
                    slots[to + 1] = old[i + 1];
                }
            }
        }
    }

    boolean contains(Bytes digest) {
        return slots[place(key(digest, 0), key(digest, Long.BYTES))] != 0;
    }

    /** Returns the index of the digest, or of the free slot for it. */
    private int place(long first, long second) {
        int at = 2 * (int) first & (slots.length - 1);
        while (slots[at] != 0 && (slots[at] != first || slots[at + 1] != second)) {
            at = (at + 2) & (slots.length - 1);
        }
        return at;
    }

    /** Never 0, which marks an empty slot. */
    private static long key(Bytes digest, int from) {
        long key = 0;
        for (int i = from; i < from + Long.BYTES; i++) {
            key = key << 8 | (digest.get(i) & 0xFF);
        }
        return key == 0 ? 1 : key;
    }
}
