package io.bulwark.protocol.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlacementGroupTest {
    /** Clients and replicas have the same numbers. */
    @Test
    void onlyNodesHoldSlots() {
        PlacementGroup group = new PlacementGroup(1, List.of(4, 2, 7));
        assertThat(group.slotOf(PrincipalId.node(7))).isEqualTo(2);
        assertThat(group.slotOf(PrincipalId.node(0))).isNegative();
        assertThat(group.slotOf(PrincipalId.client(7))).isNegative();
        assertThat(group.slotOf(PrincipalId.replica(7))).isNegative();
    }
}
