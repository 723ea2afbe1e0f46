package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.HandoverProof.Signed;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;

/** Common fixtures of the tests of this package. */
@NullMarked
public final class Proofs {
    public static final Configuration GENESIS = Configuration.fixed(1);

    private Proofs() {}

    public static Member member(int number) {
        return new Member(PrincipalId.replica(number), Bytes.EMPTY, "host-" + number + ":1");
    }

    public static Handover handover(Configuration ended, Configuration next) {
        long sequence = 8 * next.number();
        return new Handover(ended.digest(), new Numbered(sequence, Hashes.sha256(next.digest())), next);
    }

    /** OperatorAuthorizations of the tests: the operator's signature is the digest of the named configuration. */
    public static final OperatorAuthorizations OPERATOR =
            (ended, next, authorization) -> authorization.equals(next.digest());

    /** With the operator's word. */
    public static MembershipMessage.Successor successor(HandoverProof proof) {
        return new MembershipMessage.Successor(proof, proof.handover().next().digest());
    }

    /** Signed by the replicas in these places. */
    public static HandoverProof proof(Configuration ended, Handover handover, Integer... places) {
        List<Signed> signatures = new ArrayList<>();
        for (int place : places) {
            PrincipalId replica = ended.members().get(place).replica();
            signatures.add(new Signed(place, TestSignatures.signature(replica, handover.content())));
        }
        return new HandoverProof(handover, signatures);
    }
}
