package io.bulwark.protocol.state;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Record of a checkpoint in the store, beside its pages: the root, and which pages of the previous checkpoint are not
 * among its own. So a checkpoint is discarded without reading pages. A page belongs to all checkpoints from the one
 * that is its lm to the last before the one that retired it. The record ends with its own digest.
 */
record CheckpointRecord(Bytes root, List<Child.Ref> retired) {
    private static final int REF_BYTES = 8 + Hashes.LENGTH;

    CheckpointRecord {
        retired = List.copyOf(retired);
    }

    Bytes encode() {
        WireWriter out = new WireWriter(2 * Hashes.LENGTH + 4 + REF_BYTES * retired.size())
                .raw(root)
                .i32(retired.size());
        retired.forEach(ref -> out.i64(ref.lm()).raw(ref.digest()));
        Bytes content = out.toBytes();
        return new WireWriter(content.length() + Hashes.LENGTH)
                .raw(content)
                .raw(Hashes.sha256(content))
                .toBytes();
    }

    /** The record, or none if it is damaged. */
    static Optional<CheckpointRecord> decode(Bytes bytes) {
        int length = bytes.length() - Hashes.LENGTH;
        if (length < 0 || !Hashes.sha256(bytes.slice(0, length)).equals(bytes.slice(length, Hashes.LENGTH))) {
            return Optional.empty();
        }
        try {
            WireReader in = new WireReader(bytes.slice(0, length));
            Bytes root = in.raw(Hashes.LENGTH);
            int count = in.i32(0, in.remaining() / REF_BYTES);
            List<Child.Ref> retired = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                long lm = in.nonNegative64();
                retired.add(new Child.Ref(in.raw(Hashes.LENGTH), lm));
            }
            in.end();
            return Optional.of(new CheckpointRecord(root, retired));
        } catch (MalformedException e) {
            return Optional.empty();
        }
    }
}
