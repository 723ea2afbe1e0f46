package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import org.jspecify.annotations.NullMarked;

/** Nobody in the tests computes another's. */
@NullMarked
public record TestSignatures(PrincipalId self) implements Signatures {
    @Override
    public Bytes sign(Bytes content) {
        return signature(self, content);
    }

    @Override
    public boolean verify(Member member, Bytes content, Bytes signature) {
        return signature(member.replica(), content).equals(signature);
    }

    static Bytes signature(PrincipalId replica, Bytes content) {
        return Hashes.sha256(new WireWriter().i32(replica.number()).raw(content).toBytes());
    }
}
