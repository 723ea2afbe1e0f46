package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.ordering.driver.JournalApplication;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests how one recovering replica checks its state, and what it fetches meanwhile (4.4, 4.6.2). */
@NullMarked
class RecoveryStateCheckTest {
    private static void others(LoneReplica lone, long sequence) {
        for (int from : List.of(2, 3)) {
            lone.hear(from, new ReplicaMessage.Checkpoint(sequence, Batch.NULL_DIGEST));
        }
        lone.pass(LoneReplica.TICK_MILLIS);
    }

    @Test
    void untilItsStateIsCheckedNoPageIsTrusted() {
        LoneReplica lone = new LoneReplica(1, StartReason.RECOVERING);
        others(lone, 4_000);
        assertThat(lone.effects(ReplicaEffect.FetchState.class))
                .as("before the estimate")
                .isEmpty();
        lone.estimate();
        lone.pass(LoneReplica.TICK_MILLIS);
        assertThat(lone.effects(ReplicaEffect.FetchState.class))
                .containsExactly(new ReplicaEffect.FetchState(new Numbered(4_000, Batch.NULL_DIGEST), true));
        LoneReplica checked = new LoneReplica(1, StartReason.RECOVERING);
        checked.answer(0);
        checked.decide(2, 8);
        checked.stable(8);
        checked.pass(LoneReplica.TICK_MILLIS);
        assertThat(checked.report().own().checkedPages()).isEqualTo(1);
        others(checked, 4_000);
        assertThat(checked.report().phase()).isEqualTo(Phase.REACHING);
        assertThat(checked.effects(ReplicaEffect.FetchState.class))
                .containsExactly(new ReplicaEffect.FetchState(new Numbered(4_000, Batch.NULL_DIGEST), false));
    }

    @Test
    void whoHasForgottenFetchesAStateBeforeItsEstimate() {
        LoneReplica lone = new LoneReplica(1, StartReason.FORGOTTEN);
        others(lone, 4_000);
        assertThat(lone.effects(ReplicaEffect.FetchState.class)).hasSize(1);
    }

    @Test
    void aStateThatWasFetchedMeanwhileIsChecked() {
        LoneReplica lone = new LoneReplica(1, StartReason.RECOVERING);
        lone.answer(0);
        others(lone, 4_000);
        JournalApplication other = new JournalApplication();
        other.checkpoint(4_000, lone.application.engineState());
        other.makeDurable(4_000);
        lone.application.adopt(
                4_000, Objects.requireNonNull(other.saved(other.checkpoints().getLast())));
        lone.replica.onStateFetched(lone.nowMillis, 7, 2);
        lone.settle();
        assertThat(lone.report().own().checkedPages()).isEqualTo(7);
        assertThat(lone.report().own().damagedPages()).isEqualTo(2);
    }

    @Test
    void theStateIsCheckedOnceAndStaysMeanwhile() {
        LoneReplica lone = new LoneReplica(1, StartReason.RECOVERING);
        lone.checksState = false;
        lone.answer(0);
        lone.decide(2, 16);
        lone.stable(8);
        lone.pass(200);
        assertThat(lone.effects(ReplicaEffect.CheckState.class)).hasSize(1);
        lone.stable(16);
        lone.pass(200);
        assertThat(lone.application.checkpoints()).as("8 is being checked").hasSizeGreaterThan(1);
        assertThat(lone.report().phase()).isEqualTo(Phase.REACHING);
        lone.replica.onStateChecked(lone.nowMillis, 1, 0);
        lone.settle();
        assertThat(lone.application.checkpoints()).hasSize(1);
        lone.pass(200);
        assertThat(lone.report().phase()).isEqualTo(Phase.NONE);
        assertThat(lone.effects(ReplicaEffect.CheckState.class)).hasSize(1);
    }

    @Test
    void aCheckThatHasComeToNothingWaitsForAnotherCheckpointOrAKeyPeriod() {
        LoneReplica lone = new LoneReplica(1, StartReason.RECOVERING);
        lone.checksState = false;
        lone.answer(0);
        lone.decide(2, 8);
        lone.stable(8);
        lone.pass(100);
        lone.replica.onCheckGone(lone.nowMillis);
        lone.pass(LoneReplica.KEY_MILLIS - 100);
        assertThat(lone.effects(ReplicaEffect.CheckState.class)).hasSize(1);
        lone.pass(200);
        assertThat(lone.effects(ReplicaEffect.CheckState.class)).hasSize(2);
        lone.pass(2 * LoneReplica.KEY_MILLIS);
        assertThat(lone.effects(ReplicaEffect.CheckState.class))
                .as("one at a time")
                .hasSize(2);
    }

    /** One thing at a time is done with pages: a check would take the place of what is fetched. */
    @Test
    void whileAStateIsFetchedNoneIsChecked() {
        LoneReplica lone = new LoneReplica(1, StartReason.RECOVERING);
        lone.answer(0);
        lone.decide(2, 8);
        others(lone, 4_000);
        assertThat(lone.effects(ReplicaEffect.FetchState.class)).hasSize(1);
        lone.stable(8);
        lone.pass(200);
        assertThat(lone.effects(ReplicaEffect.CheckState.class)).isEmpty();
    }
}
