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
import io.bulwark.protocol.object.InlineContent;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.OwnContent;
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

    private ObjectPut inlinePut(int inlineMax) {
        ObjectPut.Target target = new ObjectPut.Target("bucket", "small", Condition.NONE, ObjectAttributes.NONE);
        return new ObjectPut(VOLUME, target, -1, blocks, inlineMax);
    }

    private static OwnContent committed(List<ObjectStep> steps) {
        assertThat(steps).singleElement().isInstanceOf(ObjectStep.Submit.class);
        return ((Command.PutObject) ((ObjectStep.Submit) steps.getFirst()).command()).content();
    }

    @Test
    void aSmallObjectIsOneCommand() {
        ObjectPut small = inlinePut(BLOCK + 10);
        assertThat(small.offer(Bytes.of(new byte[BLOCK]))).isEmpty();
        assertThat(small.canTakeBlock()).isTrue();
        assertThat(small.offer(Bytes.of((byte) 1, (byte) 2))).isEmpty();
        List<ObjectStep> steps = small.finish();
        InlineContent content = (InlineContent) committed(steps);
        assertThat(content.length()).isEqualTo(BLOCK + 2);
        assertThat(content.bytes().get(BLOCK + 1)).isEqualTo((byte) 2);
        assertThat(small.onReply(steps.getFirst().token(), new Reply.ObjectStored(1, 1, 0, true, ObjectLock.NONE)))
                .isEmpty();
        assertThat(small.outcome()).containsInstanceOf(PutOutcome.Stored.class);
        assertThat(small.storedBytes()).isEqualTo(BLOCK + 2);
        assertThat(blocks.take(0, 1).first()).as("no id was used").isZero();
    }

    @Test
    void anObjectAboveTheLimitBecomesExtents() {
        ObjectPut large = inlinePut(BLOCK);
        assertThat(large.offer(block())).isEmpty();
        assertThat(large.offer(Bytes.of((byte) 1))).hasSize(2).allMatch(ObjectStep.StoreExtent.class::isInstance);
        assertThat(inlinePut(BLOCK).finish()).as("empty").hasSize(1);
    }

    @Test
    void bytesThatTheMetadataRefuseBecomeExtents() {
        ObjectPut small = inlinePut(BLOCK);
        small.offer(Bytes.of((byte) 1));
        long refused = small.finish().getFirst().token();
        List<ObjectStep> stores = small.onReply(refused, new Reply.Failed(MetadataError.NOT_INLINE, ""));
        assertThat(stores).singleElement().isInstanceOf(ObjectStep.StoreExtent.class);
        assertThat(small.isRefusedInline()).isTrue();
        List<ObjectStep> again = small.onStored(stores.getFirst().token(), COMPLETE);
        assertThat(committed(again).ranges()).hasSize(1);
        assertThat(small.onReply(again.getFirst().token(), new Reply.Failed(MetadataError.NOT_INLINE, "")))
                .as("only inline bytes are stored again")
                .hasSize(1);
        assertThat(small.outcome()).containsInstanceOf(PutOutcome.Refused.class);
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
        assertThat(blocks.take(0, 1).first())
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
