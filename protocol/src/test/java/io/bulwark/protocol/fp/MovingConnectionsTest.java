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
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests that a node with a moving connection is not slow, unless it may be one of f liars that move theirs. With f = 1,
 * m = 2, n = 4.
 */
@NullMarked
class MovingConnectionsTest {
    private static final int BLOCK_BYTES = 512;
    private static final Timeouts TIMES = Timeouts.standard();
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

    /** Returns the recipients of messages between two times, while the connections of these nodes move all the time. */
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

    /** The last node may take a few times as long as the others took on a full link. */
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
        FpRead read = FpRead.withRepairRequests(GROUP, TIMES);
        assertThat(read.start(0)).hasSize(3);
        assertThat(asked(read, 0, TIMES.retryMillis() - 10, 0, 1, 2)).isEmpty();
        FpRead other = FpRead.withRepairRequests(GROUP, TIMES);
        other.start(0);
        for (int slot = 0; slot < 2; slot++) {
            other.onMessage(
                    5, PrincipalId.node(slot), new FpMessage.FoundTimestamp(GROUP.target(slot), Timestamp.NONE, null));
        }
        assertThat(asked(other, 10, TIMES.retryMillis() - 10, 2)).containsExactly(PrincipalId.node(3));
    }

    /** With f = 2: one that talks of something else has the other one, whose connection moves, waited for. */
    @Test
    void whatALiarSaysOfSomethingElseIsNoMeasureOfTheOthers() {
        Volume wide = new Volume(
                1,
                "v",
                VolumeKind.REGISTER,
                new ProtectionPolicy(2, 3, 7, BLOCK_BYTES),
                1,
                List.of(new PlacementGroup(1, List.of(0, 1, 2, 3, 4, 5, 6))));
        FpGroup group = FpGroup.of(wide, BlockId.register(1, 0));
        FpWrite write = new FpWrite(group, 1, BLOCK, TIMES);
        assertThat(write.start(0)).hasSize(5);
        Bytes pin = new BlockCode(3, 2, 7).encode(group.padded(BLOCK)).fpcc().pin();
        Bytes nonce = Bytes.of(new byte[PairwiseKeys.KEY_BYTES]);
        Bytes mac = Bytes.of(new byte[PairwiseKeys.MAC_BYTES]);
        List<PrincipalId> asked =
                new ArrayList<>(List.of(PrincipalId.node(0), PrincipalId.node(1), PrincipalId.node(2)));
        int answered = 0;
        for (long now = 10; now < 500; now += 10) {
            for (; answered < asked.size(); answered++) {
                PrincipalId correct = asked.get(answered);
                FpMessage prepared = new FpMessage.Prepared(
                        group.target(correct.number()), new Version(1, pin), nonce, Collections.nCopies(7, mac));
                write.onMessage(now, correct, prepared);
            }
            write.onMessage(
                    now, PrincipalId.node(3), new FpMessage.FoundTimestamp(group.target(3), Timestamp.NONE, null));
            write.onMoving(PrincipalId.node(4), now);
            asked.addAll(asked(write, now, now + 1));
        }
        assertThat(asked).contains(PrincipalId.node(5), PrincipalId.node(6));
    }

    /** However many are silent, and move. */
    @Test
    void nobodyIsWaitedForWithoutEnd() {
        FpWrite write = new FpWrite(GROUP, 1, BLOCK, TIMES);
        write.start(0);
        assertThat(asked(write, 0, 16_000, 0, 1, 2)).doesNotContain(PrincipalId.node(3));
        assertThat(asked(write, 16_000, 16_200, 0, 1, 2)).contains(PrincipalId.node(3));
    }

    /**
     * Two have reported that one of them has a version. That one is asked for it, and the others as soon as it is
     * overdue.
     */
    @Test
    void aVersionIsWaitedForWhileItMovesAndNotWithoutEnd() {
        Timestamp version =
                new Timestamp(1, new BlockCode(2, 1, 4).encode(BLOCK).fpcc());
        FpRead read = FpRead.withRepairRequests(GROUP, TIMES);
        read.start(0);
        for (int slot = 0; slot < 2; slot++) {
            read.onMessage(5, PrincipalId.node(slot), new FpMessage.FoundTimestamp(GROUP.target(slot), version, null));
        }
        read.onMessage(5, PrincipalId.node(2), new FpMessage.FoundTimestamp(GROUP.target(2), Timestamp.NONE, null));
        assertThat(asked(read, 10, 16_000, 0, 1)).doesNotContain(PrincipalId.node(2));
        assertThat(asked(read, 16_000, 16_200, 0, 1)).contains(PrincipalId.node(2));
    }
}
