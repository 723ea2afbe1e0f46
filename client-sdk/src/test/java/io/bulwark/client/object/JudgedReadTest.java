package io.bulwark.client.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JudgedReadTest {
    private static final Volume VOLUME = new Volume(
            1,
            "default",
            VolumeKind.OBJECT,
            new ProtectionPolicy(1, 2, 4, 512),
            0,
            List.of(new PlacementGroup(3, List.of(14, 13, 12, 11))));
    private static final BlockId BLOCK = new BlockId(1, PrincipalId.client(0), 1, 5);
    private static final Bytes PIN = Bytes.of(new byte[32]);

    /** A read that has seen these verdicts about node 12 when it starts. */
    private record Judging(List<Verdict> verdicts) implements ClientOperation<ReadOutcome> {
        @Override
        public List<Effect> start(long nowMillis) {
            return verdicts.stream()
                    .map(verdict -> (Effect) new Effect.Evidence(PrincipalId.node(12), BLOCK, verdict, ""))
                    .toList();
        }

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
            return List.of();
        }

        @Override
        public List<Effect> onTick(long nowMillis) {
            return List.of();
        }

        @Override
        public Optional<ReadOutcome> outcome() {
            return Optional.empty();
        }

        @Override
        public boolean finished() {
            return false;
        }
    }

    @Test
    void allHoldersAreToldOfACorruptSlot() {
        List<Effect> effects = new JudgedRead(new Judging(List.of(Verdict.CORRUPT)), VOLUME, BLOCK, PIN).start(0);
        assertThat(effects.stream().filter(Effect.Send.class::isInstance))
                .containsExactly(hint(14, 0), hint(13, 1), hint(12, 2), hint(11, 3));
    }

    @Test
    void whatAccusesNobodyIsNotPassedOn() {
        Judging read = new Judging(List.of(Verdict.BEHIND, Verdict.UNREACHABLE, Verdict.OTHER_VERSION));
        assertThat(new JudgedRead(read, VOLUME, BLOCK, PIN).start(0))
                .hasSize(3)
                .noneMatch(Effect.Send.class::isInstance);
    }

    private static Effect hint(int node, int slot) {
        return new Effect.Send(PrincipalId.node(node), 0, new ExtentMessage.Suspect(BLOCK, 3, slot, PIN, 2));
    }
}
