package io.bulwark.storage.store;

import io.bulwark.protocol.wire.Bytes;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The fixed 128 bytes before each fragment in a segment: magic (4), version (1), key length (1), reserved (2), fragment
 * length (4), write sequence (8), checksum (4), key, zeros. All big-endian. The key and the sequence expose a record
 * that was moved, swapped, or left over from an earlier use of its place.
 */
final class RecordHeader {
    static final int BYTES = 128;
    /** Alignment of records within one batch. */
    static final int ALIGNMENT = 64;
    /** Alignment of batches, so that a torn write never touches a page with acknowledged records. */
    static final int PAGE_BYTES = 4096;

    private static final int MAGIC = 0x42574653;
    private static final int VERSION = 1;

    private RecordHeader() {}

    static int align(int value, int alignment) {
        return (value + alignment - 1) & -alignment;
    }

    /** The bytes that a record takes in a segment. */
    static int footprint(int fragmentLength) {
        return align(BYTES + fragmentLength, ALIGNMENT);
    }

    /** CRC-32C of key, sequence and fragment. */
    static int checksum(Bytes key, long sequence, Bytes fragment) {
        CRC32C crc = new CRC32C();
        crc.update(key.array(), key.offset(), key.length());
        byte[] number = new byte[Long.BYTES];
        ByteBuffer.wrap(number).putLong(sequence);
        crc.update(number);
        crc.update(fragment.array(), fragment.offset(), fragment.length());
        return (int) crc.getValue();
    }

    static byte[] encode(Bytes key, int fragmentLength, long sequence, int checksum) {
        byte[] header = new byte[BYTES];
        ByteBuffer.wrap(header)
                .putInt(MAGIC)
                .put((byte) VERSION)
                .put((byte) key.length())
                .putShort((short) 0)
                .putInt(fragmentLength)
                .putLong(sequence)
                .putInt(checksum)
                .put(key.array(), key.offset(), key.length());
        return header;
    }
}
