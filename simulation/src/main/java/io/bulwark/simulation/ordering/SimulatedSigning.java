package io.bulwark.simulation.ordering;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.membership.Signatures;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;

/** Signatures that nobody in a simulation forges: no faulty replica computes another's. */
record SimulatedSigning(int self) implements Signatures {
    @Override
    public Bytes sign(Bytes content) {
        return signature(self, content);
    }

    @Override
    public boolean verify(Member member, Bytes content, Bytes signature) {
        return signature(member.replica().number(), content).equals(signature);
    }

    private static Bytes signature(int replica, Bytes content) {
        return Hashes.sha256(
                new WireWriter(4 + content.length()).i32(replica).raw(content).toBytes());
    }
}
