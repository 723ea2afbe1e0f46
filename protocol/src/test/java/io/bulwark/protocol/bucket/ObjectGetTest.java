package io.bulwark.protocol.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.object.ObjectLayout;
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
    private static final Inode INODE = new Inode(
            7,
            new ObjectLayout(
                    1,
                    BLOCK,
                    3 * BLOCK,
                    List.of(new BlockRange(1, PrincipalId.client(0), 1, 0, 3)),
                    Bytes.of(new byte[3 * ObjectLayout.PIN_BYTES])),
            0);
    private static final ObjectVersion OBJECT = new ObjectVersion("bucket", "key", 3, INODE);
    private static final ReadOutcome WHOLE = new ReadOutcome.Whole(Bytes.of(new byte[BLOCK]));

    private int taken;

    private final ObjectGet get = new ObjectGet(VOLUME, OBJECT, 0, Long.MAX_VALUE, new ObjectGet.ReadAheadQuota() {
        @Override
        public boolean take(int bytes) {
            taken += bytes;
            return true;
        }

        @Override
        public void giveBack(int bytes) {
            taken -= bytes;
        }
    });

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
        assertThat(steps).containsExactly(new ObjectStep.Ask(4, new Query.FindInode(7)));
        assertThat(get.onFetched(2, new ReadOutcome.Freed())).isEmpty();
        get.onReply(4, new Reply.InodeFound(Optional.of(INODE)));
        assertThat(get.failure())
                .hasValueSatisfying(failure -> assertThat(failure).isInstanceOf(GetFailure.NotFreed.class));
    }

    @Test
    void aBlockOfAnotherLengthIsNotCutToSize() {
        get.readAhead();
        get.onFetched(1, new ReadOutcome.Whole(Bytes.of(new byte[2 * BLOCK])));
        assertThat(get.failure()).isPresent();
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
}
