package io.bulwark.client.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.transport.identity.Identity;
import java.security.SecureRandom;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CandidateReplicaTest {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final PrincipalId FOURTH = PrincipalId.replica(4);
    private static final PrincipalKey KEY = key(FOURTH);

    private final List<PrincipalKey> keys =
            IntStream.range(0, 4).mapToObj(i -> key(PrincipalId.replica(i))).toList();
    private final Configuration now = new Configuration(
            0,
            IntStream.range(0, 4)
                    .mapToObj(i -> member(PrincipalId.replica(i), keys.get(i)))
                    .toList());

    @Test
    void whoItIsToBeIsTaken() {
        assertThat(CandidateReplica.objection(member(FOURTH, KEY), now, KEY, FOURTH))
                .isEmpty();
    }

    @Test
    void whoeverListensIsNamedAndWhetherHeIsAReplicaAlready() {
        assertThat(CandidateReplica.objection(member(PrincipalId.replica(5), KEY), now, KEY, FOURTH))
                .contains("identifies itself as replica-4, not replica-5");
        PrincipalId first = PrincipalId.replica(1);
        assertThat(CandidateReplica.objection(member(FOURTH, keys.get(1)), now, keys.get(1), first))
                .contains("identifies itself as replica-1, a replica already, not replica-4");
    }

    @Test
    void anotherKeyIsShownAndWhoseItIs() {
        assertThat(CandidateReplica.objection(member(FOURTH, KEY), now, keys.get(1), PrincipalId.replica(1)))
                .hasValueSatisfying(said -> assertThat(said)
                        .startsWith("has a different key than the one given for replica-4: given " + KEY + ", shown "
                                + keys.get(1))
                        .endsWith(", which belongs to replica-1, a replica already"));
        assertThat(CandidateReplica.objection(member(FOURTH, KEY), now, key(FOURTH), FOURTH))
                .hasValueSatisfying(said -> assertThat(said).doesNotContain("already"));
    }

    /** Nobody has to listen for that to be seen. */
    @Test
    void aNameThatIsTakenIsRefusedAtOnce() {
        assertThatThrownBy(() -> CandidateReplica.require(member(PrincipalId.replica(1), KEY), now))
                .isInstanceOf(PreconditionFailedException.class)
                .hasMessageContaining("replica-1 is a replica already");
    }

    private static Member member(PrincipalId replica, PrincipalKey key) {
        return new Member(replica, key.encoded(), "127.0.0.1:1");
    }

    private static PrincipalKey key(PrincipalId principal) {
        return Identity.generate(principal, RANDOM).publicKey();
    }
}
