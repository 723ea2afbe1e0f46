package io.bulwark.protocol.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.StoreRefusal;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.EpochClaim;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectContent;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Objects that are written and read whole, in parts, and with pin lists; extents are a map, completed in any order. */
class ObjectPutGetTest {
    private static final int BLOCK = 512;
    private static final Volume SMALL = volume(BLOCK);
    private static final Volume LARGE = volume(4 << 20);
    private static final ObjectPut.Target TARGET =
            new ObjectPut.Target("bucket", "key", Condition.NONE, ObjectAttributes.NONE);
    private static final ObjectGet.ReadAheadQuota ROOM = new ObjectGet.ReadAheadQuota() {
        @Override
        public boolean take(int bytes) {
            return true;
        }

        @Override
        public void giveBack(int bytes) {}
    };

    private final BlockAllocator blocks = new BlockAllocator(1, PrincipalId.client(0), 1);
    private final Map<BlockId, Bytes> extents = new HashMap<>();
    private final Random random = new Random(5);

    private static Volume volume(int blockBytes) {
        ProtectionPolicy policy = new ProtectionPolicy(1, 2, 4, blockBytes);
        return new Volume(1, "v", VolumeKind.OBJECT, policy, 0, List.of(new PlacementGroup(1, List.of(0, 1, 2, 3))));
    }

    private static Bytes pin(Bytes content) {
        return Hashes.sha256(content);
    }

    private ObjectPut put(Volume volume) {
        return new ObjectPut(volume, TARGET, -1, blocks);
    }

    /** Writes an object, its extents completed in any order, and gives the command that shows it. */
    private Command.PutObject written(Bytes content) {
        ObjectPut put = put(SMALL);
        List<ObjectStep> open = new ArrayList<>();
        int offered = 0;
        while (true) {
            while (put.canTakeBlock() && offered < content.length()) {
                int end = Math.min(content.length(), offered + BLOCK);
                open.addAll(put.offer(content.slice(offered, end - offered)));
                offered = end;
            }
            if (offered == content.length() && put.canTakeBlock()) {
                open.addAll(put.finish());
            }
            assertThat(open.size()).isBetween(1, ObjectPut.WINDOW_BLOCKS);
            ObjectStep step = open.remove(random.nextInt(open.size()));
            if (step instanceof ObjectStep.Submit submit) {
                assertThat(open).as("all extents are complete").isEmpty();
                assertThat(put.storedBytes()).isEqualTo(content.length());
                put.onReply(submit.token(), new Reply.ObjectStored(1, 1, 0, true, ObjectLock.NONE));
                assertThat(put.outcome()).containsInstanceOf(PutOutcome.Stored.class);
                return (Command.PutObject) submit.command();
            }
            ObjectStep.StoreExtent store = (ObjectStep.StoreExtent) step;
            extents.put(store.block(), store.content());
            open.addAll(put.onStored(store.token(), new WriteOutcome.Complete(pin(store.content()), 1)));
        }
    }

    private Bytes content(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }

    /** Returns the answer of the nodes: the extent, padded to m fragments, if the pin matches. */
    private ReadOutcome fetch(ObjectStep.FetchExtent fetch) {
        Bytes stored = extents.getOrDefault(fetch.block(), Bytes.EMPTY);
        assertThat(fetch.pin()).isEqualTo(pin(stored));
        assertThat(fetch.length()).isEqualTo(stored.length());
        return new ReadOutcome.Whole(
                Bytes.of(Arrays.copyOf(stored.toByteArray(), 2 * Math.ceilDiv(stored.length(), 2))));
    }

    private static ObjectVersion object(ObjectContent content) {
        return new ObjectVersion("bucket", "key", 3, new Inode(7, content, 0));
    }

    private Bytes read(ObjectLayout layout, long offset, long length) {
        ObjectGet get = new ObjectGet(SMALL, object(layout), offset, length, ROOM);
        Deque<ObjectStep> steps = new ArrayDeque<>(get.readAhead());
        WireWriter all = new WireWriter();
        while (!get.isAtEnd()) {
            assertThat(steps).hasSizeLessThanOrEqualTo(ObjectPut.WINDOW_BLOCKS + 1);
            ObjectStep.FetchExtent next =
                    (ObjectStep.FetchExtent) (random.nextBoolean() ? steps.removeFirst() : steps.removeLast());
            steps.addAll(get.onFetched(next.token(), fetch(next)));
            for (Optional<Bytes> bytes = get.next(); bytes.isPresent(); bytes = get.next()) {
                all.raw(bytes.get());
                steps.addAll(get.readAhead());
            }
            assertThat(get.failure()).isEmpty();
        }
        assertThat(get.remaining()).isZero();
        return all.toBytes();
    }

    @Test
    void whatIsWrittenIsReadWholeAndInParts() {
        for (int length : new int[] {1, BLOCK, BLOCK + 1, 5 * BLOCK - 7, 256 * BLOCK, 256 * BLOCK + 1, 3_900 * BLOCK}) {
            Bytes content = content(length);
            Command.PutObject command = written(content);
            ObjectLayout layout = (ObjectLayout) command.content();
            assertThat(layout.length()).isEqualTo(length);
            assertThat(layout.ranges().stream().mapToLong(BlockRange::count).sum())
                    .isEqualTo(layout.extents());
            assertThat(command.epochs()).isEqualTo(EpochClaim.of(SMALL));
            assertThat(command.pending()).isEmpty();
            assertThat(read(layout, 0, Long.MAX_VALUE)).isEqualTo(content);
            int from = length / 3;
            int count = Math.min(3 * BLOCK / 2, length - from);
            assertThat(read(layout, from, count)).isEqualTo(content.slice(from, count));
        }
    }

    @Test
    void anEmptyObjectNeedsNoExtentsAndNoEpochs() {
        ObjectPut put = put(SMALL);
        ObjectStep.Submit submit = (ObjectStep.Submit) put.finish().getFirst();
        Command.PutObject command = (Command.PutObject) submit.command();
        assertThat(((ObjectLayout) command.content()).extents()).isZero();
        assertThat(command.epochs()).isEmpty();
        assertThat(read((ObjectLayout) command.content(), 0, 10)).isEqualTo(Bytes.EMPTY);
    }

    @Test
    void behindTheEndNothingIsRead() {
        ObjectLayout layout = (ObjectLayout) written(content(100)).content();
        assertThat(read(layout, 100, 5)).isEqualTo(Bytes.EMPTY);
        assertThat(read(layout, Long.MAX_VALUE, Long.MAX_VALUE)).isEqualTo(Bytes.EMPTY);
    }

    @Test
    void onlyTheLastBlockMayBeShort() {
        ObjectPut put = put(SMALL);
        assertThatThrownBy(() -> put.offer(Bytes.EMPTY)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> put.offer(content(BLOCK + 1))).isInstanceOf(IllegalStateException.class);
        put.offer(content(100));
        assertThat(put.length()).isEqualTo(100);
        assertThatThrownBy(() -> put.offer(content(BLOCK))).isInstanceOf(IllegalStateException.class);
        put.finish();
        assertThat(put.canTakeBlock()).isFalse();
    }

    @Test
    void largeObjectsRegisterTheirRangesBeforeTheyUseThem() {
        ObjectPut put = put(LARGE);
        ObjectStep.Submit register = (ObjectStep.Submit)
                put.offer(content(LARGE.policy().blockBytes())).getFirst();
        BlockRange range = new BlockRange(1, PrincipalId.client(0), 1, 0, 16);
        assertThat(register.command()).isEqualTo(new Command.RegisterPending(List.of(range)));
        assertThat(put.canTakeBlock()).isFalse();
        assertThat(put.finish()).isEmpty();
        assertThat(put.onReply(99, new Reply.PendingRegistered(8))).isEmpty();
        ObjectStep.StoreExtent store = (ObjectStep.StoreExtent)
                put.onReply(register.token(), new Reply.PendingRegistered(8)).getFirst();
        assertThat(store.block()).isEqualTo(range.at(0));
        ObjectStep.Submit commit =
                (ObjectStep.Submit) put.onStored(store.token(), new WriteOutcome.Complete(pin(store.content()), 1))
                        .getFirst();
        assertThat(((Command.PutObject) commit.command()).pending()).containsExactly(8L);
        assertThat(put.onReply(commit.token(), new Reply.Failed(MetadataError.QUOTA_EXCEEDED, "")))
                .containsExactly(
                        new ObjectStep.Submit(ObjectStep.NO_ANSWER, new Command.AbandonRanges(List.of(), List.of(8L))));
        assertThat(put.outcome()).containsInstanceOf(PutOutcome.Refused.class);
    }

    @Test
    void aRegistrationThatIsRefusedOrNotAnsweredEndsThePut() {
        for (boolean silent : new boolean[] {true, false}) {
            ObjectPut put = put(LARGE);
            long token =
                    put.offer(content(LARGE.policy().blockBytes())).getFirst().token();
            assertThat(put.onSilence(99, "another question")).isEmpty();
            assertThat(put.outcome()).isEmpty();
            assertThat(
                            silent
                                    ? put.onSilence(token, "nobody")
                                    : put.onReply(token, new Reply.Failed(MetadataError.QUOTA_EXCEEDED, "")))
                    .as("nothing was stored")
                    .isEmpty();
            assertThat(put.outcome()).containsInstanceOf(silent ? PutOutcome.Unknown.class : PutOutcome.Refused.class);
        }
    }

    @Test
    void aRefusedCommandGivesUpWhatWasStored() {
        ObjectPut put = put(SMALL);
        long commit = committing(put);
        assertThat(put.onReply(commit, new Reply.Failed(MetadataError.CONDITION_FAILED, "")))
                .containsExactly(abandoned(1));
        assertThat(put.outcome()).containsInstanceOf(PutOutcome.Refused.class);
    }

    @Test
    void anAnswerToAnotherQuestionLeavesTheResultOpen() {
        ObjectPut put = put(SMALL);
        assertThat(put.onReply(committing(put), new Reply.PendingRegistered(1))).isEmpty();
        assertThat(put.outcome()).containsInstanceOf(PutOutcome.Unknown.class);
    }

    @Test
    void whatIsGivenUpOrHasLostItsSessionBeforeTheCommandIsAbandoned() {
        ObjectPut put = put(SMALL);
        long token = put.offer(content(BLOCK)).getFirst().token();
        assertThat(put.abort()).containsExactly(abandoned(1));
        assertThat(put.outcome()).containsInstanceOf(PutOutcome.GivenUp.class);
        assertThat(put.onStored(token, new WriteOutcome.Complete(pin(Bytes.EMPTY), 1)))
                .isEmpty();
        assertThat(put.abort()).isEmpty();
        ObjectPut lost = put(SMALL);
        long block = lost.offer(content(BLOCK)).getFirst().token();
        assertThat(lost.onStored(
                        block, new WriteOutcome.Refused(Map.of(PrincipalId.node(0), StoreRefusal.SESSION_CLOSED))))
                .hasSize(1);
        assertThat(lost.outcome()).containsInstanceOf(PutOutcome.SessionLost.class);
    }

    private long committing(ObjectPut put) {
        long token = put.offer(content(BLOCK)).getFirst().token();
        put.finish();
        return put.onStored(token, new WriteOutcome.Complete(pin(Bytes.EMPTY), 1))
                .getFirst()
                .token();
    }

    private static ObjectStep abandoned(long count) {
        BlockRange range = new BlockRange(1, PrincipalId.client(0), 1, 0, count);
        return new ObjectStep.Submit(ObjectStep.NO_ANSWER, new Command.AbandonRanges(List.of(range), List.of()));
    }

    /** The pin lists of a liar are right by their pins, and are no pin lists. */
    @Test
    void aPinListThatIsNoneEndsTheRead() {
        ObjectGet get = listed();
        ObjectStep.FetchExtent list = (ObjectStep.FetchExtent) get.readAhead().getFirst();
        assertThat(get.onFetched(list.token(), new ReadOutcome.Whole(Bytes.of(new byte[list.length()]))))
                .isEmpty();
        assertThat(get.failure()).containsInstanceOf(GetFailure.NoPinList.class);
        assertThat(get.isAtEnd()).isFalse();
    }

    @Test
    void aPinListThatDoesNotComeEndsTheReadAndAFreedOneIsAskedAbout() {
        ObjectGet get = listed();
        ObjectStep.FetchExtent list = (ObjectStep.FetchExtent) get.readAhead().getFirst();
        get.onFetched(list.token(), new ReadOutcome.Unavailable(Map.of()));
        assertThat(get.failure()).containsInstanceOf(GetFailure.Extent.class);
        for (boolean gone : new boolean[] {true, false}) {
            ObjectGet freed = listed();
            ObjectStep.FetchExtent first =
                    (ObjectStep.FetchExtent) freed.readAhead().getFirst();
            ObjectStep ask =
                    freed.onFetched(first.token(), new ReadOutcome.Freed()).getFirst();
            assertThat(ask).isEqualTo(new ObjectStep.Ask(ask.token(), new Query.FindInode(7, first.block())));
            freed.onReply(ask.token() + 1, Reply.InodeFound.GONE);
            assertThat(freed.failure()).isEmpty();
            freed.onReply(ask.token(), gone ? Reply.InodeFound.GONE : new Reply.PendingRegistered(1));
            assertThat(freed.failure()).containsInstanceOf(gone ? GetFailure.Changed.class : GetFailure.Refused.class);
            assertThat(freed.next()).isEmpty();
        }
    }

    private ObjectGet listed() {
        ObjectLayout layout = (ObjectLayout) written(content(300 * BLOCK)).content();
        return new ObjectGet(SMALL, object(layout), 0, Long.MAX_VALUE, ROOM);
    }

    /** One block may always be in flight; the reserved room is released, however the read ends. */
    @Test
    void withoutRoomBlocksComeOneByOne() {
        int[] left = {BLOCK};
        ObjectGet.ReadAheadQuota room = new ObjectGet.ReadAheadQuota() {
            @Override
            public boolean take(int bytes) {
                boolean fits = bytes <= left[0];
                left[0] -= fits ? bytes : 0;
                return fits;
            }

            @Override
            public void giveBack(int bytes) {
                left[0] += bytes;
            }
        };
        ObjectLayout layout = (ObjectLayout) written(content(20 * BLOCK)).content();
        ObjectGet get = new ObjectGet(SMALL, object(layout), 0, Long.MAX_VALUE, room);
        List<ObjectStep> first = get.readAhead();
        assertThat(first).hasSize(2);
        assertThat(left[0]).isZero();
        ObjectStep.FetchExtent fetch = (ObjectStep.FetchExtent) first.getFirst();
        get.onFetched(fetch.token(), fetch(fetch));
        assertThat(get.next()).isPresent();
        assertThat(left[0]).as("the first block took none").isZero();
        ObjectStep.FetchExtent second = (ObjectStep.FetchExtent) first.getLast();
        get.onFetched(second.token(), fetch(second));
        assertThat(get.next()).isPresent();
        assertThat(get.readAhead()).hasSize(2);
        get.close();
        assertThat(left[0]).isEqualTo(BLOCK);
        assertThat(get.isAtEnd()).isTrue();
    }
}
