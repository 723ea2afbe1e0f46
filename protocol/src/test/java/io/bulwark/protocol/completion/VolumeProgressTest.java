package io.bulwark.protocol.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class VolumeProgressTest {
    private static final PrincipalId HONEST = PrincipalId.client(1);
    private static final PrincipalId HOSTILE = PrincipalId.client(2);
    private static final Volume VOLUME = new Volume(
            3,
            "objects",
            VolumeKind.OBJECT,
            new ProtectionPolicy(1, 2, 4, ProtectionPolicy.BLOCK_BYTES_MIN),
            0,
            List.of(new PlacementGroup(1, List.of(0, 1, 2, 3))));

    private static ReferencedExtent extent(PrincipalId owner, long inode, long counter) {
        return new ReferencedExtent(VOLUME, inode, new BlockId(3, owner, 1, counter), Bytes.of(new byte[32]), 512);
    }

    private static VolumeProgress withHostileExtents(int count) {
        VolumeProgress progress = new VolumeProgress();
        progress.markUnfinished(extent(HONEST, 7, 0));
        for (int i = 0; i < count; i++) {
            progress.markUnfinished(extent(HOSTILE, 10 + i, i));
        }
        progress.advance(10 + count, true);
        return progress;
    }

    @Test
    void whatAnOwnerLeftUnfinishedDoesNotGrowForEver() {
        VolumeProgress progress = withHostileExtents(25_000);
        assertThat(progress.unfinished()).isEqualTo(25_001);
        assertThat(progress.toRetry()).hasSizeLessThanOrEqualTo(10_000).contains(extent(HONEST, 7, 0));
    }

    @Test
    void whatWasForgottenIsLearnedAgain() {
        VolumeProgress progress = withHostileExtents(10_000);
        progress.done(extent(HONEST, 7, 0));
        assertThat(progress.isRetryDue(100_000, 1_000)).isTrue();
        assertThat(progress.cursor()).isEqualTo(9);
        assertThat(progress.isCaughtUp()).isFalse();
    }

    @Test
    void fewUnfinishedExtentsAreTriedAgainWithoutLearningAnew() {
        VolumeProgress progress = withHostileExtents(100);
        assertThat(progress.isRetryDue(100_000, 1_000)).isTrue();
        assertThat(progress.cursor()).isEqualTo(110);
        assertThat(progress.isCaughtUp()).isTrue();
        assertThat(progress.toRetry()).hasSize(101);
    }
}
