package io.bulwark.protocol.ordering;

import static io.bulwark.protocol.ordering.membership.Proofs.GENESIS;
import static io.bulwark.protocol.ordering.membership.Proofs.handover;
import static io.bulwark.protocol.ordering.membership.Proofs.member;
import static io.bulwark.protocol.ordering.membership.Proofs.proof;
import static io.bulwark.protocol.ordering.membership.Proofs.successor;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.MembershipMessage.AskSuccessor;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests that a party that knows the current replicas learns how they followed those of the genesis (decision 20). */
@NullMarked
class HistoryCallTest {
    private static final Configuration FIRST = GENESIS.replacing(2, member(4));
    private static final Configuration NOW = FIRST.replacing(0, member(5));
    private static final Successor ONE = successor(proof(GENESIS, handover(GENESIS, FIRST), 0, 1, 3));
    private static final Successor TWO = successor(proof(FIRST, handover(FIRST, NOW), 1, 2, 3));

    private final HistoryCall call = new HistoryCall(GENESIS, NOW, 4_000);

    private List<Effect> say(int replica, Successor said) {
        return call.onMessage(10, PrincipalId.replica(replica), said);
    }

    private static Effect ask(int replica, long number) {
        return new Effect.Send(PrincipalId.replica(replica), 0, new AskSuccessor(number));
    }

    @Test
    void eachIsAskedForOneAfterTheOtherAndTheFirstThatShowsAllIsEnough() {
        assertThat(call.start(0)).containsExactlyInAnyOrder(ask(5, 0), ask(1, 0), ask(4, 0), ask(3, 0));
        assertThat(say(1, ONE)).containsExactly(ask(1, 1));
        assertThat(say(3, ONE)).containsExactly(ask(3, 1));
        assertThat(call.isFinished()).isFalse();
        assertThat(call.onTick(500)).containsExactlyInAnyOrder(ask(5, 0), ask(1, 1), ask(4, 0), ask(3, 1));
        say(3, TWO);
        assertThat(call.outcome()).contains(Optional.of(List.of(ONE, TWO)));
    }

    /** His list ends elsewhere, or in the same names with other keys or addresses; he is not asked again, others are. */
    @Test
    void whatLeadsElsewhereIsNone() {
        call.start(0);
        say(1, ONE);
        Configuration elsewhere = FIRST.replacing(0, member(6));
        say(1, successor(proof(FIRST, handover(FIRST, elsewhere), 1, 2, 3)));
        assertThat(call.isFinished()).isFalse();
        assertThat(say(1, TWO)).isEmpty();
        assertThat(call.isFinished()).isFalse();
        say(3, TWO);
        assertThat(call.isFinished()).as("nothing leads there").isFalse();
        Configuration other = GENESIS.replacing(2, member(7));
        say(3, successor(proof(GENESIS, handover(GENESIS, other), 0, 1, 3)));
        say(3, TWO);
        assertThat(call.isFinished()).as("it follows another one").isFalse();
        say(9, ONE);
        say(9, TWO);
        assertThat(call.isFinished()).as("it is none of the replicas").isFalse();
        say(4, ONE);
        say(4, TWO);
        assertThat(call.outcome()).contains(Optional.of(List.of(ONE, TWO)));
    }

    @Test
    void itEndsWithNothing() {
        call.start(0);
        assertThat(call.onTick(3_999)).isNotEmpty();
        assertThat(call.onTick(4_000)).isEmpty();
        assertThat(call.outcome()).contains(Optional.empty());
    }
}
