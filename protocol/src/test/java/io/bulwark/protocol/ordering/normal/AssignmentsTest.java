package io.bulwark.protocol.ordering.normal;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.log.Slot;
import io.bulwark.protocol.ordering.log.SlotLog;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.ordering.request.RecentResults;
import io.bulwark.protocol.ordering.request.RequestPool;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests which number a request has as views end and the log is cut. */
@NullMarked
class AssignmentsTest {
    private static final RequestId ID = new Request(PrincipalId.client(1), 1, false, Bytes.of((byte) 7)).id();

    private final ReplicaConfig config = ReplicaConfig.of(3, 1);
    private final SlotLog log = new SlotLog(config.logSize(), 0);
    private final BatchStore batches = new BatchStore(new RequestPool(config, new RecentResults(1)));
    private final Assignments assignments = new Assignments(log);

    private Slot accept(long sequence) {
        Batch batch = new Batch(sequence, List.of(ID));
        Slot slot = log.slot(sequence);
        slot.proposed = batch.digest();
        slot.accepted = true;
        batches.put(batch.digest(), batch);
        assignments.onAccepted(slot, batch.digest(), batch);
        return slot;
    }

    @Test
    void ofTwoNumbersTheHigherOneHolds() {
        accept(8);
        accept(5);
        assertThat(assignments.hasOtherNumber(ID, 8)).isFalse();
        assertThat(assignments.hasOtherNumber(ID, 5)).isTrue();
        assignments.onExecuted(5);
        assertThat(assignments.hasNumber(ID)).isTrue();
        assignments.onExecuted(8);
        assertThat(assignments.hasNumber(ID)).isFalse();
    }

    /** A recovery discards what lies above its estimate. */
    @PlantedBug(
            in = Assignments.class,
            rule = "a log that was cut above gives a request its next lower number",
            replace = "onAccepted(slot, digest, batch);",
            with = "{}")
    @Test
    void whoseHigherNumberIsCutHasTheLowerOne() {
        accept(5);
        accept(8);
        log.discardAbove(6);
        assignments.rebuild(batches);
        assertThat(assignments.hasNumber(ID)).isTrue();
        assertThat(assignments.hasOtherNumber(ID, 5)).isFalse();
    }

    @Test
    void whatIsExecutedIsNotReadAgain() {
        accept(5);
        assignments.onExecuted(5);
        assignments.rebuild(batches);
        assertThat(assignments.hasNumber(ID)).isFalse();
    }

    @Test
    void withTheViewItsNumbersEnd() {
        Slot slot = accept(5);
        slot.leaveView();
        assertThat(assignments.hasNumber(ID)).as("not accepted any more").isFalse();
        assignments.clear();
        accept(9);
        assertThat(assignments.hasOtherNumber(ID, 9)).isFalse();
    }
}
