package io.bulwark.client.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests of a client whose map is outdated. */
@NullMarked
class EpochFollowerTest {
    private static final BlockId BLOCK = new BlockId(1, PrincipalId.client(1), 1, 0);
    private static final Bytes PIN = Bytes.of(new byte[32]);
    private static final ReadOutcome WHOLE = new ReadOutcome.Whole(Bytes.of(new byte[10]));

    private final List<Long> epochsAsked = new ArrayList<>();
    private final List<CompletableFuture<ReadOutcome>> reads = new ArrayList<>();
    private long opened = 2;

    private final ExtentAccess nodes = new ExtentAccess() {
        @Override
        public CompletableFuture<WriteOutcome> write(Volume volume, BlockId block, Bytes content) {
            throw new AssertionError("reads only");
        }

        @Override
        public CompletableFuture<ReadOutcome> read(Volume volume, BlockId block, Bytes pin, int length) {
            epochsAsked.add(volume.group(block).epoch());
            CompletableFuture<ReadOutcome> read = new CompletableFuture<>();
            reads.add(read);
            return read;
        }
    };

    private final EpochFollower extents =
            new EpochFollower(nodes, _ -> CompletableFuture.completedFuture(volume(opened)));

    private static Volume volume(long epoch) {
        return new Volume(
                1,
                "v",
                VolumeKind.OBJECT,
                new ProtectionPolicy(1, 2, 4, 512),
                0,
                List.of(new PlacementGroup(epoch, List.of(0, 1, 2, 3))));
    }

    @Test
    void aReadBeginsAgainWithTheNewMap() {
        CompletableFuture<ReadOutcome> read = extents.read(volume(1), BLOCK, PIN, 10);
        reads.get(0).complete(new ReadOutcome.StaleMap(2));
        assertThat(read).isNotDone();
        reads.get(1).complete(WHOLE);
        assertThat(read).isCompletedWithValue(WHOLE);
        assertThat(epochsAsked).containsExactly(1L, 2L);
    }

    @Test
    void aReadEndsWhereTheReplicasKnowOfNoLaterEpoch() {
        opened = 1;
        CompletableFuture<ReadOutcome> read = extents.read(volume(1), BLOCK, PIN, 10);
        reads.getFirst().complete(new ReadOutcome.StaleMap(2));
        assertThat(read).isCompletedWithValue(new ReadOutcome.StaleMap(2));
        assertThat(reads).hasSize(1);
    }

    @Test
    void whoMeetsAnUnknownGenerationGetsALaterMap() {
        opened = 5;
        assertThat(extents.later(volume(1))).isCompletedWithValue(volume(5));
    }

    @Test
    void aReadIsNotBegunForEver() {
        CompletableFuture<ReadOutcome> read = extents.read(volume(1), BLOCK, PIN, 10);
        for (int i = 0; i < reads.size() && i < 50; i++) {
            opened++;
            reads.get(i).complete(new ReadOutcome.StaleMap(opened));
        }
        assertThat(read).isDone();
        assertThat(reads).hasSizeLessThan(10);
    }

    @Test
    void aReadThatIsGivenUpIsGivenUpAtTheNodes() {
        CompletableFuture<ReadOutcome> read = extents.read(volume(1), BLOCK, PIN, 10);
        reads.getFirst().complete(new ReadOutcome.StaleMap(2));
        read.cancel(false);
        assertThat(reads.get(1)).isCancelled();
    }
}
