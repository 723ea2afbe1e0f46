package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Statement that a configuration has ended. A replica that signs it holds the checkpoint durably; the checkpoint is
 * stable, and its state names the next configuration. In the ended configuration the replica executes nothing more, and
 * answers no query.
 *
 * @param previous the digest of the configuration that has ended
 * @param checkpoint that it has ended with, and that the next one begins with
 * @param next the configuration that follows
 */
public record Handover(Bytes previous, Numbered checkpoint, Configuration next) {
    private static final String PURPOSE = "bulwark handover";

    /** Returns the bytes that are signed. */
    public Bytes content() {
        WireWriter out = new WireWriter().string(PURPOSE);
        write(out);
        return out.toBytes();
    }

    public void write(WireWriter out) {
        out.raw(previous).i64(checkpoint.sequence()).raw(checkpoint.digest());
        next.write(out);
    }

    public static Handover read(WireReader in) {
        return new Handover(
                in.raw(Hashes.LENGTH), new Numbered(in.nonNegative64(), in.raw(Hashes.LENGTH)), Configuration.read(in));
    }
}
