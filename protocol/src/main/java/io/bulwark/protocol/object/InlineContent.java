package io.bulwark.protocol.object;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;

/**
 * Content of a small object that stands in its inode (docs/decisions/0036). It is written with the command that makes
 * the object visible, and read with the inode, which 2f+1 replicas agree on. No node holds any of it.
 *
 * @param volume the object volume whose quota it counts for
 * @param bytes at least one
 */
public record InlineContent(int volume, Bytes bytes) implements OwnContent {
    /** Maximum number of bytes, whatever a client prefers. */
    public static final int BYTES_MAX = 8 << 10;

    public InlineContent {
        if (volume < 0 || bytes.isEmpty() || bytes.length() > BYTES_MAX) {
            throw new IllegalArgumentException("volume " + volume + ", " + bytes.length() + " inline bytes");
        }
    }

    /**
     * Returns whether replicas protect inline content at least as well as nodes under a policy protect extents. The
     * archive class survives more absent nodes than any group of replicas does.
     *
     * @param faulty f of the replicas
     */
    public static boolean isAllowedBy(ProtectionPolicy policy, int faulty) {
        return policy.protocol() != Protocol.ARCHIVE && policy.f() <= faulty;
    }

    @Override
    public long length() {
        return bytes.length();
    }

    @Override
    public List<BlockRange> ranges() {
        return List.of();
    }

    /** Returns zeros in the place of all other bytes. */
    @Override
    public InlineContent reduced(long offset, long count) {
        byte[] kept = new byte[bytes.length()];
        bytes.slice((int) offset, (int) count).copyTo(0, kept, (int) offset, (int) count);
        return new InlineContent(volume, Bytes.of(kept));
    }

    @Override
    public InlineContent merged(OwnContent other) {
        return this;
    }

    public void write(WireWriter out) {
        out.i32(volume).bytes(bytes);
    }

    public static InlineContent read(WireReader in) {
        try {
            return new InlineContent(in.i32(0, Integer.MAX_VALUE), in.bytes(BYTES_MAX));
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }
}
