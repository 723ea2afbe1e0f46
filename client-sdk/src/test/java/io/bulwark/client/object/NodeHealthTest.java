package io.bulwark.client.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodeHealthTest {
    private static final PlacementGroup GROUP = new PlacementGroup(1, List.of(14, 13, 12, 11));

    private final Set<PrincipalId> disconnected = new HashSet<>();
    private long nowMillis = 1_000;
    private final NodeHealth health = new NodeHealth(disconnected::contains, () -> nowMillis);

    private void see(int node, Verdict verdict) {
        health.onEvidence(new Effect.Evidence(PrincipalId.node(node), BlockId.register(0, 0), verdict, ""));
    }

    @Test
    void silenceMakesASlotDoubtfulForAWhile() {
        see(13, Verdict.SLOW);
        see(12, Verdict.BEHIND);
        assertThat(health.doubtfulSlots(GROUP)).containsExactly(1);
        nowMillis += 5_000;
        assertThat(health.doubtfulSlots(GROUP)).isEmpty();
    }

    @Test
    void wrongBytesMakeASlotDoubtfulForLonger() {
        see(11, Verdict.CORRUPT);
        nowMillis += 29_999;
        assertThat(health.doubtfulSlots(GROUP)).containsExactly(3);
        nowMillis++;
        assertThat(health.doubtfulSlots(GROUP)).isEmpty();
    }

    @Test
    void aNodeWithoutConnectionIsDoubtful() {
        disconnected.add(PrincipalId.node(14));
        assertThat(health.doubtfulSlots(GROUP)).containsExactly(0);
    }
}
