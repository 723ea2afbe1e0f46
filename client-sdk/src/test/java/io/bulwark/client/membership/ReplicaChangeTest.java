package io.bulwark.client.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.Replicas;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.wire.Bytes;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** A repeated command continues to wait only if it was executed before; the replicas reject a mistyped one. */
@NullMarked
class ReplicaChangeTest {
    private static final Configuration GENESIS =
            new Configuration(0, List.of(member(0), member(1), member(2), member(3)));
    private static final Configuration REPLACED = GENESIS.replacing(2, member(4));
    private static final Configuration SEVEN = REPLACED.adding(List.of(member(5), member(6), member(7)));
    private static final Configuration FOUR_AGAIN = SEVEN.without(Set.of(0, 4, 6));
    private static final List<Configuration> ALL = List.of(GENESIS, REPLACED, SEVEN, FOUR_AGAIN);

    private static Member member(int number) {
        return new Member(PrincipalId.replica(number), Bytes.of((byte) number), "host:" + (7600 + number));
    }

    private static List<PrincipalId> replicas(int... numbers) {
        return Arrays.stream(numbers).mapToObj(PrincipalId::replica).toList();
    }

    private static ReplicaChange replace(int old, Member fresh) {
        return new ReplicaChange(replicas(old), List.of(fresh));
    }

    private static ReplicaChange remove(int... numbers) {
        return new ReplicaChange(replicas(numbers), List.of());
    }

    @Test
    void whatWasDoneIsDone() {
        assertThat(replace(2, member(4)).wasDone(ALL)).isTrue();
        assertThat(remove(0, 5, 7).wasDone(ALL)).isTrue();
        assertThat(new ReplicaChange(List.of(), List.of(member(5), member(6), member(7)))
                        .wasDone(List.of(REPLACED, SEVEN)))
                .isTrue();
    }

    @Test
    void whoNeverWasAReplicaHasNotGone() {
        assertThat(remove(14, 15, 16).wasDone(ALL)).isFalse();
        assertThat(remove(0, 5, 16).wasDone(ALL)).as("one of them typed wrong").isFalse();
        assertThat(remove(0, 5, 2).wasDone(ALL))
                .as("by two changes, and not by this one")
                .isFalse();
    }

    @Test
    void whoCameInThePlaceOfAnotherDidNotComeInThisOnes() {
        assertThat(replace(9, member(4)).wasDone(ALL)).isFalse();
        assertThat(replace(0, member(4)).wasDone(ALL)).isFalse();
        assertThat(replace(2, member(3)).wasDone(ALL))
                .as("which was there before")
                .isFalse();
    }

    @Test
    void anotherKeyIsAnotherReplica() {
        assertThat(replace(2, new Member(PrincipalId.replica(4), Bytes.of((byte) 9), "host:7604"))
                        .wasDone(ALL))
                .isFalse();
    }

    @Test
    void whatWasUndoneSinceIsNotDone() {
        ReplicaChange added = new ReplicaChange(List.of(), List.of(member(5), member(6), member(7)));
        assertThat(added.wasDone(ALL)).isFalse();
    }

    @Test
    void whatIsAgreedAndHasNotBegunIsDoneToo() {
        List<Configuration> known = List.of(GENESIS);
        Replicas.GroupMembership agreed = new Replicas.GroupMembership(GENESIS, Optional.of(REPLACED));
        assertThat(replace(2, member(4)).wasDone(ReplicaChange.with(known, agreed)))
                .isTrue();
        assertThat(ReplicaChange.with(known, new Replicas.GroupMembership(REPLACED, Optional.of(SEVEN))))
                .containsExactly(GENESIS, REPLACED, SEVEN);
        assertThat(ReplicaChange.with(ALL, agreed)).isEqualTo(ALL);
    }
}
