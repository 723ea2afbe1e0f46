package io.bulwark.protocol.ordering.view;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.ordering.message.ViewMessages;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;

/** Digest by which acknowledgements and NEW-VIEW name a VIEW-CHANGE: SHA-256 of its canonical bytes. */
public final class ViewDigest {
    private ViewDigest() {}

    public static Bytes of(ViewChange message) {
        WireWriter out = new WireWriter(4_096);
        ViewMessages.write(message, out);
        return Hashes.sha256(out.toBytes());
    }
}
