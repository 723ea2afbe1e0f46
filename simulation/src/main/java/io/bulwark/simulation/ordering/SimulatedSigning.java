package io.bulwark.simulation.ordering;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.membership.Signatures;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Signatures that nobody in a simulation forges: no faulty replica computes another's. A replica's key is its name, unless its
 * configuration names another one.
 */
record SimulatedSigning(int key) implements Signatures {
    @Override
    public Bytes sign(Bytes content) {
        return signature(key, content);
    }

    @Override
    public boolean verify(Member member, Bytes content, Bytes signature) {
        int signer = member.key().isEmpty()
                ? member.replica().number()
                : new WireReader(member.key()).i32(0, Integer.MAX_VALUE);
        return signature(signer, content).equals(signature);
    }

    /** Returns the key as a configuration names it. */
    static Bytes keyOf(int key) {
        return new WireWriter(4).i32(key).toBytes();
    }

    private static Bytes signature(int key, Bytes content) {
        return Hashes.sha256(
                new WireWriter(4 + content.length()).i32(key).raw(content).toBytes());
    }
}
