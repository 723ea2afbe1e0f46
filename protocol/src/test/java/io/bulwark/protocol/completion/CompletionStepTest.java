package io.bulwark.protocol.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.epoch.SettleRequest;
import io.bulwark.protocol.id.BlockId;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests the requests to a node's servers for registers, by the protocol of their volume. */
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
        assertThat(asked(fp)).isEqualTo(new SettleRequest(Protocol.FP, BLOCK, 2));
        Volume pasis = volume(ProtectionPolicy.pasis(1, 2, 5, 512, Verification.LAZY));
        assertThat(new CompletionStep.FindRegister(1, pasis, 0, 0).kind()).isEqualTo(RecordKind.PASIS_VERSION);
        assertThat(asked(pasis)).isEqualTo(new SettleRequest(Protocol.PASIS, BLOCK, 2));
    }

    private static SettleRequest asked(Volume volume) {
        PendingSteps calls = new PendingSteps();
        calls.settle(volume, BLOCK, 2, _ -> {});
        return ((CompletionStep.SeeTo) calls.drain().getFirst()).request();
    }
}
