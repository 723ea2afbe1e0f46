package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.extent.ExtentMessage.Answer;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests that a read's finding on a slot reaches all holders as a hint, if it says that the slot's bytes are corrupt.
 */
@NullMarked
class ExtentReadHintsTest {
    private static final Volume VOLUME = new Volume(
            1,
            "default",
            VolumeKind.OBJECT,
            new ProtectionPolicy(1, 2, 4, 512),
            0,
            List.of(new PlacementGroup(3, List.of(14, 13, 12, 11))));
    private static final BlockId BLOCK = new BlockId(1, PrincipalId.client(0), 1, 5);
    private static final BlockCode.Encoded ENCODED = BlockCode.ofAll(2, 4).encode(Bytes.of(new byte[100]));
    private static final Bytes PIN = ENCODED.fpcc().pin();

    private final ExtentRead read = started(new ExtentRead(VOLUME, BLOCK, PIN, Set.of(), ExtentTiming.standard()));

    private static ExtentRead started(ExtentRead read) {
        read.start(0);
        return read;
    }

    private static List<Effect> hints(ExtentRead read, int slot, Answer answer) {
        int node = VOLUME.group(BLOCK).holders().get(slot);
        return read.onMessage(1, PrincipalId.node(node), answer).stream()
                .filter(effect -> effect instanceof Effect.Send send && send.message() instanceof ExtentMessage.Suspect)
                .toList();
    }

    private static Answer found(int slot, Bytes fragment) {
        assertThat(ENCODED.fragments().get(slot).length()).isEqualTo(fragment.length());
        return new Found(BLOCK, 3, ENCODED.fpcc(), fragment, true);
    }

    private static Answer refused(ReadRefusal reason) {
        return new NotFound(BLOCK, 3, reason);
    }

    private static Effect hint(int node, int slot, int suspect) {
        return new Effect.Send(PrincipalId.node(node), 0, new ExtentMessage.Suspect(BLOCK, 3, slot, PIN, suspect));
    }

    @Test
    void allHoldersAreToldOnceOfACorruptSlot() {
        byte[] wrong = ENCODED.fragments().get(1).toByteArray();
        wrong[0] ^= 1;
        assertThat(hints(read, 1, found(1, Bytes.of(wrong)))).isEmpty();
        assertThat(hints(read, 0, found(0, ENCODED.fragments().get(0)))).isEmpty();
        assertThat(hints(read, 2, found(2, ENCODED.fragments().get(2))))
                .containsExactly(hint(14, 0, 1), hint(13, 1, 1), hint(12, 2, 1), hint(11, 3, 1));
    }

    @Test
    void allHoldersAreToldOnceOfASlotThatSaysItIsDamaged() {
        assertThat(hints(read, 1, refused(ReadRefusal.DAMAGED)))
                .containsExactly(hint(14, 0, 1), hint(13, 1, 1), hint(12, 2, 1), hint(11, 3, 1));
        assertThat(hints(read, 1, refused(ReadRefusal.NONE))).isEmpty();
        assertThat(hints(read, 1, refused(ReadRefusal.DAMAGED))).isEmpty();
    }

    @Test
    void whatAccusesNobodyIsNotPassedOn() {
        assertThat(hints(read, 0, refused(ReadRefusal.NONE))).isEmpty();
        assertThat(hints(read, 1, refused(ReadRefusal.OTHER_VERSION))).isEmpty();
        assertThat(read.onTick(ExtentTiming.standard().retryMillis()))
                .noneMatch(effect ->
                        effect instanceof Effect.Send send && send.message() instanceof ExtentMessage.Suspect);
    }

    @Test
    void aHolderThatReadsForItselfTellsNobody() {
        ExtentRead own =
                started(ExtentRead.forJudgement(VOLUME, BLOCK, PIN, Set.of(1), Set.of(0), ExtentTiming.standard()));
        assertThat(hints(own, 1, refused(ReadRefusal.DAMAGED))).isEmpty();
    }
}
