package io.bulwark.protocol.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.fp.FpScrub;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.pasis.PasisBackground;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a node's servers are asked for registers, by the protocol of their volume. */
class CompletionStepTest {
    private static final BlockId BLOCK = BlockId.register(3, 1);

    private static Volume volume(ProtectionPolicy policy) {
        List<Integer> holders = IntStream.range(0, policy.n()).boxed().toList();
        return new Volume(3, "disk", VolumeKind.REGISTER, policy, 9, List.of(new PlacementGroup(1, holders)));
    }

    @Test
    void aRegisterIsLookedForAndSeenToUnderTheProtocolOfItsVolume() {
        Volume fp = volume(new ProtectionPolicy(1, 2, 4, 512));
        assertThat(new CompletionStep.FindRegister(1, fp, 0, 0).kind()).isEqualTo(RecordKind.REGISTER_VERSION);
        assertThat(new CompletionStep.Settle(1, fp, BLOCK, 2).question()).isEqualTo(new FpScrub.Settle(BLOCK, 2));
        Volume pasis = volume(ProtectionPolicy.pasis(1, 2, 5, 512, Verification.LAZY));
        assertThat(new CompletionStep.FindRegister(1, pasis, 0, 0).kind()).isEqualTo(RecordKind.PASIS_VERSION);
        assertThat(new CompletionStep.Settle(1, pasis, BLOCK, 2).question())
                .isEqualTo(new PasisBackground.Settle(BLOCK, 2));
    }

    @Test
    void aRegisterWasSeenToOnlyIfItsServerSaysSo() {
        assertThat(CompletionStep.Settle.done(new FpScrub.Settled(BLOCK, true))).isTrue();
        assertThat(CompletionStep.Settle.done(new FpScrub.Settled(BLOCK, false)))
                .isFalse();
        assertThat(CompletionStep.Settle.done(new PasisBackground.Settled(BLOCK, true)))
                .isTrue();
        assertThat(CompletionStep.Settle.done(new PasisBackground.Settled(BLOCK, false)))
                .isFalse();
        assertThat(CompletionStep.Settle.done(null)).isFalse();
    }
}
