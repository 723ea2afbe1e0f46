package io.bulwark.protocol.effect;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Comparator;

/**
 * Names one stored record.
 *
 * @param suffix tells records of one kind and block apart; at most 64 bytes
 */
public record RecordKey(RecordKind kind, BlockId block, Bytes suffix) implements Comparable<RecordKey> {
    private static final Comparator<RecordKey> ORDER = Comparator.comparing(RecordKey::kind)
            .thenComparing(RecordKey::block)
            .thenComparing(RecordKey::suffix);

    @Override
    public int compareTo(RecordKey other) {
        return ORDER.compare(this, other);
    }

    public static final int SUFFIX_BYTES_MAX = 64;
    private static final RecordKind[] KINDS = RecordKind.values();

    public RecordKey {
        if (suffix.length() > SUFFIX_BYTES_MAX) {
            throw new IllegalArgumentException("suffix of " + suffix.length() + " bytes");
        }
    }

    public static RecordKey of(RecordKind kind, BlockId block) {
        return new RecordKey(kind, block, Bytes.EMPTY);
    }

    /** Kind, block, suffix: keys of one kind and block are neighbours in byte order. */
    public Bytes encoded() {
        WireWriter out = new WireWriter(1 + BlockId.BYTES + suffix.length()).u8(kind.ordinal());
        block.write(out);
        return out.raw(suffix).toBytes();
    }

    public static RecordKey decode(Bytes encoded) {
        WireReader in = new WireReader(encoded);
        int kind = in.u8();
        if (kind >= KINDS.length) {
            throw new MalformedException("unknown kind of record " + kind);
        }
        BlockId block = BlockId.read(in);
        if (in.remaining() > SUFFIX_BYTES_MAX) {
            throw new MalformedException("suffix of " + in.remaining() + " bytes");
        }
        return new RecordKey(KINDS[kind], block, in.raw(in.remaining()));
    }
}
