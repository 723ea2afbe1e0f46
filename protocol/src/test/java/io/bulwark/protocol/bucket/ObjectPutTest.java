package io.bulwark.protocol.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.extent.StoreRefusal;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ObjectPutTest {
    private static final int BLOCK = 512;
    private static final Volume VOLUME = new Volume(
            1,
            "default",
            VolumeKind.OBJECT,
            new ProtectionPolicy(1, 2, 4, BLOCK),
            0,
            List.of(new PlacementGroup(1, List.of(0, 1, 2, 3))));
    private static final WriteOutcome COMPLETE = new WriteOutcome.Complete(Bytes.of(new byte[32]), 1);

    private final BlockAllocator blocks = new BlockAllocator(1, PrincipalId.client(0), 1);
    private final ObjectPut put = new ObjectPut(
            VOLUME, new ObjectPut.Target("bucket", "key", Condition.NONE, ObjectAttributes.NONE), -1, blocks);

    private static Bytes block() {
        return Bytes.of(new byte[BLOCK]);
    }

    @Test
    void noMoreThanTheWindowIsUnderWayAndTheCommandComesLast() {
        List<ObjectStep> steps = new ArrayList<>();
        while (put.canTakeBlock()) {
            steps.addAll(put.offer(block()));
        }
        assertThat(steps).hasSize(ObjectPut.WINDOW_BLOCKS);
        assertThat(put.finish()).isEmpty();
        for (ObjectStep step : steps.subList(1, steps.size())) {
            assertThat(put.onStored(step.token(), COMPLETE)).isEmpty();
        }
        List<ObjectStep> last = put.onStored(steps.getFirst().token(), COMPLETE);
        assertThat(last)
                .singleElement()
                .isInstanceOfSatisfying(
                        ObjectStep.Submit.class,
                        submit -> assertThat(submit.command()).isInstanceOf(Command.PutObject.class));
        assertThat(put.abort()).as("the command may be executed").isEmpty();
        put.onReply(last.getFirst().token(), new Reply.ObjectStored(1, 1, 0, true, ObjectLock.NONE));
        assertThat(put.outcome())
                .contains(new PutOutcome.Stored(new Reply.ObjectStored(1, 1, 0, true, ObjectLock.NONE)));
    }

    @Test
    void aFailedBlockAbandonsAllThatWasSent() {
        put.offer(block());
        List<ObjectStep> second = put.offer(block());
        List<ObjectStep> steps = put.onStored(
                second.getFirst().token(),
                new WriteOutcome.Refused(Map.of(PrincipalId.node(0), StoreRefusal.DEVICE_FAILED)));
        assertThat(steps)
                .singleElement()
                .isInstanceOfSatisfying(
                        ObjectStep.Submit.class,
                        submit -> assertThat(submit.command())
                                .isInstanceOfSatisfying(
                                        Command.AbandonRanges.class,
                                        abandon -> assertThat(abandon.ranges()
                                                        .getFirst()
                                                        .count())
                                                .isEqualTo(2)));
        assertThat(put.outcome())
                .hasValueSatisfying(outcome -> assertThat(outcome).isInstanceOf(PutOutcome.Failed.class));
        assertThat(blocks.take(1).first())
                .as("what was not sent is given out again")
                .isEqualTo(2);
    }

    @Test
    void aCommandWithoutAnswerAbandonsNothing() {
        long extent = put.offer(block()).getFirst().token();
        put.finish();
        long commit = put.onStored(extent, COMPLETE).getFirst().token();
        assertThat(put.onSilence(commit, "nobody answers")).isEmpty();
        assertThat(put.outcome()).contains(new PutOutcome.Unknown("nobody answers"));
        assertThat(put.onReply(commit, new Reply.Failed(MetadataError.CONDITION_FAILED, "")))
                .isEmpty();
    }

    private List<ObjectStep> answerTheCommand(MetadataError error) {
        long extent = put.offer(block()).getFirst().token();
        put.finish();
        long commit = put.onStored(extent, COMPLETE).getFirst().token();
        return put.onReply(commit, new Reply.Failed(error, ""));
    }

    @Test
    void aRefusedCommandAbandons() {
        assertThat(answerTheCommand(MetadataError.CONDITION_FAILED)).hasSize(1);
        assertThat(put.outcome())
                .hasValueSatisfying(outcome -> assertThat(outcome).isInstanceOf(PutOutcome.Refused.class));
    }

    @Test
    void aLaterEpochOfNodesOrOfReplicasStoresNothing() {
        assertThat(answerTheCommand(MetadataError.STALE_EPOCH))
                .as("abandons its ranges")
                .hasSize(1);
        assertThat(put.outcome()).containsInstanceOf(PutOutcome.StaleEpoch.class);
        ObjectPut other = new ObjectPut(
                VOLUME, new ObjectPut.Target("bucket", "other", Condition.NONE, ObjectAttributes.NONE), -1, blocks);
        long extent = other.offer(block()).getFirst().token();
        assertThat(other.onStored(extent, new WriteOutcome.StaleMap(4))).hasSize(1);
        assertThat(other.outcome()).containsInstanceOf(PutOutcome.StaleEpoch.class);
    }

    /**
     * The command may have been executed before, with its replies lost: a caller that repeats the put may put twice.
     */
    @ParameterizedTest
    @EnumSource(names = {"SESSION_CLOSED", "NUMBER_TOO_OLD"})
    void whatASessionExecutedBeforeItClosedIsNotKnown(MetadataError error) {
        assertThat(answerTheCommand(error)).isEmpty();
        assertThat(put.outcome())
                .hasValueSatisfying(outcome -> assertThat(outcome).isInstanceOf(PutOutcome.Unknown.class));
    }

    @Test
    void aSessionThatNobodyKnowsHasExecutedNothing() {
        assertThat(answerTheCommand(MetadataError.SESSION_UNKNOWN)).isEmpty();
        assertThat(put.outcome())
                .hasValueSatisfying(outcome -> assertThat(outcome).isInstanceOf(PutOutcome.SessionLost.class));
    }

    @Test
    void aSessionThatClosedBeforeTheCommandIsLost() {
        long extent = put.offer(block()).getFirst().token();
        put.onStored(extent, new WriteOutcome.Refused(Map.of(PrincipalId.node(0), StoreRefusal.SESSION_CLOSED)));
        assertThat(put.outcome())
                .hasValueSatisfying(outcome -> assertThat(outcome).isInstanceOf(PutOutcome.SessionLost.class));
    }
}
