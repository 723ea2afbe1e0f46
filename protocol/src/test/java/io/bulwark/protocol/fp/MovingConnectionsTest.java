package io.bulwark.protocol.fp;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Whose connection moves is not slow, unless it may be one of f liars that move theirs. With f = 1, m = 2, n = 4. */
@NullMarked
class MovingConnectionsTest {
    private static final int BLOCK_BYTES = 512;
    private static final FpTimes TIMES = FpTimes.standard();
    private static final Volume VOLUME = new Volume(
            1,
            "v",
            VolumeKind.REGISTER,
            new ProtectionPolicy(1, 2, 4, BLOCK_BYTES),
            1,
            List.of(new PlacementGroup(1, List.of(0, 1, 2, 3))));
    private static final FpGroup GROUP = FpGroup.of(VOLUME, BlockId.register(1, 0));
    private static final Bytes BLOCK = Bytes.of(new byte[BLOCK_BYTES]);
    private static final Bytes PIN = new BlockCode(2, 1, 4).encode(BLOCK).fpcc().pin();

    private static FpMessage prepared(int slot) {
        Bytes nonce = Bytes.of(new byte[PairwiseKeys.KEY_BYTES]);
        Bytes mac = Bytes.of(new byte[PairwiseKeys.MAC_BYTES]);
        return new FpMessage.Prepared(GROUP.target(slot), new Version(1, PIN), nonce, Collections.nCopies(4, mac));
    }

    /** Who is sent something between two times, while the connections of these move all the time. */
    private static List<PrincipalId> asked(ClientOperation<?> operation, long from, long to, int... moving) {
        List<PrincipalId> asked = new ArrayList<>();
        for (long now = from; now < to; now += 10) {
            for (int node : moving) {
                operation.onMoving(PrincipalId.node(node), now);
            }
            for (Effect effect : operation.onTick(now)) {
                if (effect instanceof Effect.Send send) {
                    asked.add(send.to());
                }
            }
        }
        return asked;
    }

    @Test
    void aWriteWaitsWhileWhatItSentMoves() {
        FpWrite write = new FpWrite(GROUP, 1, BLOCK, TIMES);
        assertThat(write.start(0)).hasSize(3);
        assertThat(asked(write, 0, 5_000, 0, 1, 2)).doesNotContain(PrincipalId.node(3));
        assertThat(asked(write, 5_000, 5_000 + TIMES.hedgeMillis())).contains(PrincipalId.node(3));
    }

    @Test
    void aLiarThatMovesIsReplacedInAWriteOnceTheOthersHaveAnswered() {
        FpWrite write = new FpWrite(GROUP, 1, BLOCK, TIMES);
        write.start(0);
        write.onMessage(5, PrincipalId.node(0), prepared(0));
        write.onMessage(5, PrincipalId.node(1), prepared(1));
        assertThat(asked(write, 10, 2 * TIMES.hedgeMillis(), 2)).contains(PrincipalId.node(3));
    }

    /** What the others took on a full link the last one may take a few times. */
    @Test
    void theLastOfAWriteMayTakeAFewTimesAsLongAsTheOthers() {
        FpWrite write = new FpWrite(GROUP, 1, BLOCK, TIMES);
        write.start(0);
        assertThat(asked(write, 0, 1_000, 0, 1, 2)).doesNotContain(PrincipalId.node(3));
        write.onMessage(1_000, PrincipalId.node(0), prepared(0));
        write.onMessage(1_000, PrincipalId.node(1), prepared(1));
        assertThat(asked(write, 1_000, 3_000, 2)).doesNotContain(PrincipalId.node(3));
        assertThat(asked(write, 3_000, 3_300, 2)).contains(PrincipalId.node(3));
    }

    @Test
    void aReadWaitsWhileWhatItAskedMovesAndNotForFThatMoveTheirsAlone() {
        FpRead read = FpRead.askingForRepair(GROUP, TIMES);
        assertThat(read.start(0)).hasSize(3);
        assertThat(asked(read, 0, TIMES.retryMillis() - 10, 0, 1, 2)).isEmpty();
        FpRead other = FpRead.askingForRepair(GROUP, TIMES);
        other.start(0);
        for (int slot = 0; slot < 2; slot++) {
            other.onMessage(
                    5, PrincipalId.node(slot), new FpMessage.FoundTimestamp(GROUP.target(slot), Timestamp.NONE, null));
        }
        assertThat(asked(other, 10, TIMES.retryMillis() - 10, 2)).containsExactly(PrincipalId.node(3));
    }
}
