package io.bulwark.protocol.ordering.view;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.nio.charset.StandardCharsets;

/** What acknowledgements and NEW-VIEW name a VIEW-CHANGE by: SHA-256 of all that it says. */
public final class ViewDigest {
    private static final Bytes TAG = Bytes.of("VIEW-CHANGE".getBytes(StandardCharsets.US_ASCII));

    private ViewDigest() {}

    public static Bytes of(ViewChange message) {
        WireWriter out = new WireWriter(4_096).i64(message.view()).i64(message.stable());
        out.i32(message.checkpoints().size());
        for (Numbered entry : message.checkpoints()) {
            out.i64(entry.sequence()).raw(entry.digest());
        }
        out.i32(message.prepared().size());
        for (Prepared entry : message.prepared()) {
            out.i64(entry.sequence()).raw(entry.digest()).i64(entry.view());
        }
        out.i32(message.prePrepared().size());
        for (PrePrepared entry : message.prePrepared()) {
            out.i64(entry.sequence()).i32(entry.pairs().size());
            entry.pairs().forEach(pair -> out.raw(pair.digest()).i64(pair.view()));
        }
        return Hashes.sha256(TAG, out.toBytes());
    }
}
