package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * A configuration has ended: a replica that signs this holds the checkpoint, durably; it is stable, and the state there says
 * what follows. In the configuration that has ended the replica executes nothing more, and answers no query.
 *
 * @param previous the digest of the configuration that has ended
 * @param checkpoint that it has ended with, and that the next one begins with
 * @param next what follows
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
