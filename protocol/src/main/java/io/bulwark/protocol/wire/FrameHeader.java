package io.bulwark.protocol.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Fixed header of 24 bytes before each body: magic (4), version (1), reserved (1, zero), type (2), request id (8), body
 * length (4), CRC-32C of the first 20 header bytes and the body (4). All big-endian.
 */
public record FrameHeader(int type, long requestId, int bodyLength, int checksum) {
    public static final int BYTES = 24;
    public static final int MAGIC = 0x42574B31;
    public static final int VERSION = 1;
    /** No body is longer: the largest block, with room for what accompanies it. */
    public static final int BODY_BYTES_MAX = 20 << 20;

    /** The frame of a body, ready to send: header first. */
    public static List<Bytes> frame(int type, long requestId, WireWriter body) {
        List<Bytes> segments = body.segments();
        int length = body.length();
        if (length > BODY_BYTES_MAX) {
            throw new IllegalArgumentException("body of " + length + " bytes, the limit is " + BODY_BYTES_MAX);
        }
        WireWriter header = head(type, requestId, length);
        CRC32C crc = new CRC32C();
        header.update(crc);
        for (Bytes segment : segments) {
            crc.update(segment.array(), segment.offset(), segment.length());
        }
        List<Bytes> frame = new ArrayList<>(segments.size() + 1);
        frame.add(header.i32((int) crc.getValue()).toBytes());
        frame.addAll(segments);
        return frame;
    }

    /**
     * Reads 24 bytes.
     *
     * @throws MalformedException on a wrong magic, version or reserved byte, or a body length out of bounds
     */
    public static FrameHeader read(Bytes header) {
        WireReader in = new WireReader(header);
        if (in.i32() != MAGIC) {
            throw new MalformedException("wrong magic");
        }
        int version = in.u8();
        if (version != VERSION) {
            throw new MalformedException("unknown version " + version);
        }
        if (in.u8() != 0) {
            throw new MalformedException("reserved byte is not zero");
        }
        FrameHeader read = new FrameHeader(in.u16(), in.i64(), in.i32(0, BODY_BYTES_MAX), in.i32());
        in.end();
        return read;
    }

    /** Returns whether the checksum is that of this header and this body. */
    public boolean covers(Bytes body) {
        if (body.length() != bodyLength) {
            return false;
        }
        CRC32C crc = new CRC32C();
        head(type, requestId, bodyLength).update(crc);
        crc.update(body.array(), body.offset(), body.length());
        return (int) crc.getValue() == checksum;
    }

    private static WireWriter head(int type, long requestId, int bodyLength) {
        return new WireWriter(BYTES)
                .i32(MAGIC)
                .u8(VERSION)
                .u8(0)
                .u16(type)
                .i64(requestId)
                .i32(bodyLength);
    }
}
