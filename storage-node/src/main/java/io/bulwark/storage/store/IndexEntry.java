package io.bulwark.storage.store;

import io.bulwark.protocol.wire.Bytes;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Index entry of one record: the place of its fragment, and its meta data. On disk: version (1), place (1), segment
 * (4), offset (4), length (4), sequence (8), change (8), checksum of the fragment (4), meta data, CRC-32C of the key
 * and all before (4).
 *
 * @param segment the segment's number, 0 unless the place is a segment
 * @param offset of the record's header in the segment
 * @param length of the fragment
 * @param sequence a number that no other write has
 * @param change a number that no other change of an entry has, and all later ones exceed: it tells the later of two
 *     entries of one key
 * @param checksum see {@link RecordHeader#checksum}
 */
record IndexEntry(
        Place place, int segment, int offset, int length, long sequence, long change, int checksum, Bytes meta) {
    /** Place of a fragment. The order is part of the format on disk. */
    enum Place {
        /** The fragment is in the index itself. */
        INLINE,
        /** The fragment is in a segment. */
        SEGMENT,
        /** Nowhere: it was found damaged when it should have been moved, or its place was unreadable. */
        LOST
    }

    private static final int VERSION = 1;
    private static final int FIXED_BYTES = 34;
    private static final Place[] PLACES = Place.values();

    static IndexEntry lost(Bytes meta) {
        return new IndexEntry(Place.LOST, 0, 0, 0, 0, 0, 0, meta);
    }

    IndexEntry withMeta(Bytes value) {
        return new IndexEntry(place, segment, offset, length, sequence, change, checksum, value);
    }

    IndexEntry changed(long number) {
        return new IndexEntry(place, segment, offset, length, sequence, number, checksum, meta);
    }

    /** Returns whether both point to the same write of a fragment at the same place. */
    boolean hasSamePlace(IndexEntry other) {
        return place == other.place && segment == other.segment && offset == other.offset && sequence == other.sequence;
    }

    /** The bytes that count towards the capacity. */
    long bytes() {
        return (long) length + meta.length();
    }

    byte[] encode(Bytes key) {
        byte[] value = new byte[FIXED_BYTES + meta.length() + Integer.BYTES];
        ByteBuffer out = ByteBuffer.wrap(value)
                .put((byte) VERSION)
                .put((byte) place.ordinal())
                .putInt(segment)
                .putInt(offset)
                .putInt(length)
                .putLong(sequence)
                .putLong(change)
                .putInt(checksum)
                .put(meta.array(), meta.offset(), meta.length());
        out.putInt(crc(key, value));
        return value;
    }

    /** The entry, or null if it is damaged. */
    static @Nullable IndexEntry decode(Bytes key, byte[] value) {
        if (value.length < FIXED_BYTES + Integer.BYTES) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(value);
        if (in.getInt(value.length - Integer.BYTES) != crc(key, value) || in.get() != VERSION) {
            return null;
        }
        int place = in.get();
        if (place < 0 || place >= PLACES.length) {
            return null;
        }
        return new IndexEntry(
                PLACES[place],
                in.getInt(),
                in.getInt(),
                in.getInt(),
                in.getLong(),
                in.getLong(),
                in.getInt(),
                Bytes.of(value, FIXED_BYTES, value.length - FIXED_BYTES - Integer.BYTES));
    }

    private static int crc(Bytes key, byte[] value) {
        CRC32C crc = new CRC32C();
        crc.update(key.array(), key.offset(), key.length());
        crc.update(value, 0, value.length - Integer.BYTES);
        return (int) crc.getValue();
    }
}
