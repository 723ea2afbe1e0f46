package io.bulwark.protocol.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.Composition;
import io.bulwark.protocol.object.InlineContent;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.Slice;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ObjectGetTest {
    private static final int BLOCK = 512;
    private static final Volume VOLUME = new Volume(
            1,
            "default",
            VolumeKind.OBJECT,
            new ProtectionPolicy(1, 2, 4, BLOCK),
            0,
            List.of(new PlacementGroup(1, List.of(0, 1, 2, 3))));
    private static final BlockRange BLOCKS = new BlockRange(1, PrincipalId.client(0), 1, 0, 3);
    private static final Inode INODE = new Inode(
            7,
            new ObjectLayout(1, BLOCK, 3 * BLOCK, List.of(BLOCKS), Bytes.of(new byte[3 * ObjectLayout.PIN_BYTES])),
            0);
    private static final ObjectVersion OBJECT = new ObjectVersion("bucket", "key", 3, INODE);
    private static final ReadOutcome WHOLE = new ReadOutcome.Whole(Bytes.of(new byte[BLOCK]));

    private int taken;

    private final ObjectGet.ReadAheadQuota room = new ObjectGet.ReadAheadQuota() {
        @Override
        public boolean take(int bytes) {
            taken += bytes;
            return true;
        }

        @Override
        public void giveBack(int bytes) {
            taken -= bytes;
        }
    };
    private final ObjectGet get = new ObjectGet(VOLUME, OBJECT, 0, Long.MAX_VALUE, room);

    @Test
    void aBlockThatFailedBeforeItWasWantedIsNoEnd() {
        assertThat(get.readAhead()).hasSize(3);
        get.onFetched(2, new ReadOutcome.Incomplete());
        get.onFetched(3, WHOLE);
        assertThat(get.failure()).isEmpty();
        get.onFetched(1, WHOLE);
        assertThat(get.next()).isPresent();
        assertThat(get.readAhead()).isEmpty();
        assertThat(get.failure())
                .hasValueSatisfying(failure -> assertThat(failure)
                        .isInstanceOfSatisfying(
                                GetFailure.Extent.class,
                                extent -> assertThat(extent.failure().reason())
                                        .isEqualTo(ExtentFailure.Reason.INCOMPLETE)));
        assertThat(get.next()).isEmpty();
        assertThat(get.isAtEnd()).isFalse();
        assertThat(taken).isZero();
    }

    @Test
    void freedIsAskedAboutOnceAndTheMetadataDecides() {
        get.readAhead();
        List<ObjectStep> steps = get.onFetched(1, new ReadOutcome.Freed());
        assertThat(steps).containsExactly(new ObjectStep.Ask(4, new Query.FindInode(7, BLOCKS.at(0))));
        assertThat(get.onFetched(2, new ReadOutcome.Freed())).isEmpty();
        get.onReply(4, new Reply.InodeFound(true, true, true));
        assertThat(get.failure())
                .hasValueSatisfying(failure -> assertThat(failure).isInstanceOf(GetFailure.NotFreed.class));
    }

    @Test
    void aRefilledObjectIsReadOnFromItsOtherExtents() {
        get.readAhead();
        get.onFetched(1, WHOLE);
        assertThat(get.next()).isPresent();
        get.onFetched(2, new ReadOutcome.Freed());
        ObjectStep.Ask again = asked(get.onReply(4, new Reply.InodeFound(true, true, false)));
        assertThat(again.query()).isEqualTo(new Query.FindSlices("bucket", "key", 3, BLOCK, Query.PAGE_MAX));
        assertThat(taken).as("of the read-ahead").isZero();
        ProtectionPolicy three = new ProtectionPolicy(1, 3, 5, BLOCK);
        BlockRange other = new BlockRange(1, PrincipalId.client(4), 1, BlockId.firstOf(1), 3);
        get.follow(new Volume(
                1,
                "default",
                VolumeKind.OBJECT,
                three,
                0,
                List.of(VOLUME.groups().getFirst(), new PlacementGroup(1, List.of(0, 1, 2, 3, 4))),
                List.of(new Volume.Generation(VOLUME.policy(), 1))));
        ObjectLayout refilled =
                new ObjectLayout(1, BLOCK, 3 * BLOCK, List.of(other), Bytes.of(new byte[3 * ObjectLayout.PIN_BYTES]));
        List<ObjectStep> fetches = get.onReply(
                again.token(),
                new Reply.SliceList(List.of(new Reply.SliceEntry(0, new Slice(7, 0, 3 * BLOCK), refilled))));
        assertThat(fetches)
                .extracting(step -> ((ObjectStep.FetchExtent) step).block())
                .containsExactly(other.at(1), other.at(2));
        ReadOutcome padded = new ReadOutcome.Whole(Bytes.of(new byte[three.paddedBytes(BLOCK)]));
        fetches.forEach(step -> get.onFetched(((ObjectStep.FetchExtent) step).token(), padded));
        assertThat(get.next())
                .hasValueSatisfying(bytes -> assertThat(bytes.length()).isEqualTo(BLOCK));
        assertThat(get.next()).isPresent();
        assertThat(get.isAtEnd()).isTrue();
    }

    @Test
    void aBlockOfAnotherLengthIsNotCutToSize() {
        get.readAhead();
        get.onFetched(1, new ReadOutcome.Whole(Bytes.of(new byte[2 * BLOCK])));
        assertThat(get.failure()).isPresent();
    }

    @Test
    void inlineBytesNeedNoFetch() {
        Inode inode = new Inode(7, new InlineContent(1, Bytes.of((byte) 1, (byte) 2, (byte) 3)), 0);
        ObjectVersion small = new ObjectVersion("bucket", "key", 3, inode);
        ObjectGet range = new ObjectGet(VOLUME, small, 1, 5, room);
        assertThat(range.remaining()).isEqualTo(2);
        assertThat(range.readAhead()).isEmpty();
        assertThat(range.next()).contains(Bytes.of((byte) 2, (byte) 3));
        assertThat(range.isAtEnd()).isTrue();
        ObjectGet behind = new ObjectGet(VOLUME, small, 3, 5, room);
        assertThat(behind.readAhead()).isEmpty();
        assertThat(behind.isAtEnd()).isTrue();
        assertThat(taken).isZero();
    }

    @Test
    void slicesOfExtentsAndOfInlineBytesComeInOrder() {
        ObjectVersion object = new ObjectVersion("films", "c", 5, new Inode(9, new Composition(1, 514, 3), 0));
        ObjectGet mixed = new ObjectGet(VOLUME, object, 0, Long.MAX_VALUE, room);
        InlineContent bytes = new InlineContent(1, Bytes.of((byte) 1, (byte) 2, (byte) 3));
        long token = mixed.readAhead().getFirst().token();
        List<ObjectStep> steps = mixed.onReply(
                token,
                new Reply.SliceList(List.of(
                        new Reply.SliceEntry(0, new Slice(4, 2, 1), bytes),
                        entry(1, 5, 0, BLOCK),
                        new Reply.SliceEntry(1 + BLOCK, new Slice(4, 0, 1), bytes))));
        assertThat(mixed.next()).contains(Bytes.of((byte) 3));
        mixed.onFetched(steps.getFirst().token(), WHOLE);
        assertThat(mixed.next().orElseThrow().length()).isEqualTo(BLOCK);
        assertThat(mixed.next()).contains(Bytes.of((byte) 1));
        assertThat(mixed.isAtEnd()).isTrue();
    }

    @Test
    void allBlocksAreTheEnd() {
        get.readAhead();
        for (int token = 3; token >= 1; token--) {
            get.onFetched(token, WHOLE);
        }
        for (int block = 0; block < 3; block++) {
            assertThat(get.isAtEnd()).isFalse();
            assertThat(get.next()).isPresent();
        }
        assertThat(get.isAtEnd()).isTrue();
        assertThat(get.remaining()).isZero();
    }

    private static Inode own(long inode, long length) {
        int blocks = (int) Math.ceilDiv(length, (long) BLOCK);
        return new Inode(
                inode,
                new ObjectLayout(
                        1,
                        BLOCK,
                        length,
                        List.of(new BlockRange(1, PrincipalId.client(0), inode, 0, blocks)),
                        Bytes.of(new byte[blocks * ObjectLayout.PIN_BYTES])),
                0);
    }

    private static Reply.SliceEntry entry(long start, long inode, long offset, long length) {
        return new Reply.SliceEntry(start, new Slice(inode, offset, length), (ObjectLayout)
                own(inode, 2 * BLOCK).content());
    }

    private ObjectGet composed(long length, int slices, long offset, long count) {
        ObjectVersion object = new ObjectVersion("films", "c", 5, new Inode(9, new Composition(1, length, slices), 0));
        return new ObjectGet(VOLUME, object, offset, count, room);
    }

    private static ObjectStep.Ask asked(List<ObjectStep> steps) {
        assertThat(steps).hasSize(1);
        return (ObjectStep.Ask) steps.getFirst();
    }

    @Test
    void slicesAreAskedForByTheVersionAndReadAheadInOrder() {
        ObjectGet composed = composed(1300, 3, 0, Long.MAX_VALUE);
        ObjectStep.Ask first = asked(composed.readAhead());
        assertThat(first.query()).isEqualTo(new Query.FindSlices("films", "c", 5, 0, Query.PAGE_MAX));
        assertThat(composed.readAhead()).as("one question at a time").isEmpty();
        List<ObjectStep> fetches = composed.onReply(
                first.token(), new Reply.SliceList(List.of(entry(0, 11, 500, 20), entry(20, 12, 0, 1024))));
        assertThat(fetches).as("both blocks of each slice, and the next page").hasSize(5);
        ObjectStep.Ask second = (ObjectStep.Ask) fetches.getLast();
        assertThat(second.query()).isEqualTo(new Query.FindSlices("films", "c", 5, 1044, Query.PAGE_MAX));
        composed.onReply(second.token(), new Reply.SliceList(List.of(entry(1044, 11, 0, 256))));
        fetches.subList(0, 4).forEach(step -> composed.onFetched(step.token(), WHOLE));
        long read = 0;
        for (Optional<Bytes> next = composed.next(); next.isPresent(); next = composed.next()) {
            read += next.get().length();
        }
        assertThat(read).isEqualTo(1044);
        assertThat(composed.isAtEnd()).isFalse();
        assertThat(composed.blocks()).hasSize(2);
    }

    @Test
    void aRangeBeginsAndEndsWithinSlices() {
        ObjectGet composed = composed(5000, 5, 600, 10);
        ObjectStep.Ask ask = asked(composed.readAhead());
        assertThat(ask.query()).isEqualTo(new Query.FindSlices("films", "c", 5, 600, Query.PAGE_MAX));
        List<ObjectStep> fetches = composed.onReply(
                ask.token(), new Reply.SliceList(List.of(entry(50, 11, 0, 1000), entry(1050, 12, 0, 1000))));
        assertThat(fetches).hasSize(1);
        ObjectStep.FetchExtent fetch = (ObjectStep.FetchExtent) fetches.getFirst();
        assertThat(fetch.block()).isEqualTo(new BlockRange(1, PrincipalId.client(0), 11, 0, 2).at(1));
        composed.onFetched(fetch.token(), WHOLE);
        assertThat(composed.next())
                .hasValueSatisfying(bytes -> assertThat(bytes.length()).isEqualTo(10));
        assertThat(composed.isAtEnd()).isTrue();
    }

    @Test
    void slicesThatDoNotFollowEachOtherAreRefused() {
        for (Reply wrong : List.of(
                new Reply.SliceList(List.of()),
                new Reply.SliceList(List.of(entry(1, 11, 0, 1299))),
                new Reply.SliceList(List.of(entry(0, 11, 0, 20), entry(21, 11, 0, 900))),
                new Reply.SliceList(List.of(entry(0, 11, 0, 20), entry(19, 11, 0, 900))),
                new Reply.SliceList(List.of(entry(0, 11, 100, 1000))),
                new Reply.Done())) {
            ObjectGet composed = composed(1300, 3, 0, Long.MAX_VALUE);
            composed.onReply(asked(composed.readAhead()).token(), wrong);
            assertThat(composed.failure()).as(wrong.toString()).contains(new GetFailure.Refused(wrong));
            assertThat(composed.isAtEnd()).isFalse();
        }
    }

    @Test
    void aVersionThatIsGoneEndsTheRead() {
        ObjectGet composed = composed(1300, 3, 0, Long.MAX_VALUE);
        composed.onReply(
                asked(composed.readAhead()).token(), new Reply.Failed(MetadataError.NO_SUCH_VERSION, "films/c"));
        assertThat(composed.failure()).contains(new GetFailure.Gone());
        assertThat(composed.next()).isEmpty();
        assertThat(composed.isAtEnd()).isFalse();
    }

    @Test
    void aFreedSliceIsAskedAboutByItsInode() {
        ObjectGet composed = composed(1024, 1, 0, Long.MAX_VALUE);
        List<ObjectStep> fetches = composed.onReply(
                asked(composed.readAhead()).token(), new Reply.SliceList(List.of(entry(0, 11, 0, 1024))));
        ObjectStep.Ask ask = asked(composed.onFetched(fetches.getFirst().token(), new ReadOutcome.Freed()));
        assertThat(ask.query())
                .isInstanceOfSatisfying(
                        Query.FindInode.class, of -> assertThat(of.inode()).isEqualTo(11));
        composed.onReply(ask.token(), Reply.InodeFound.GONE);
        assertThat(composed.failure()).containsInstanceOf(GetFailure.Changed.class);
        assertThat(taken).isZero();
    }

    @Test
    void anEmptyCompositionIsAtItsEnd() {
        ObjectGet composed = composed(0, 0, 0, Long.MAX_VALUE);
        assertThat(composed.readAhead()).isEmpty();
        assertThat(composed.isAtEnd()).isTrue();
    }
}
