package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.drill.Lie;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.VolumeSpec;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.metadata.FaultKind;
import io.bulwark.protocol.metadata.FaultPolicy;
import io.bulwark.protocol.metadata.NodeFault;
import io.bulwark.protocol.metadata.NodeFault.Stage;
import io.bulwark.simulation.history.HistoryCheck;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Under load one node lies, one hangs, and one dies, one after the other (Agile Store, 3.3.1). Each is named with its
 * evidence and loses its slots to others, by the replicas alone. Tagged long: silence takes five windows to show.
 */
@NullMarked
@Tag("nightly")
class FaultyNodesIT {
    private static final int NODES = 7;
    private static final int LIAR = 4;
    private static final int HANGING = 1;
    private static final int DYING = 0;
    private static final int WINDOW_SECONDS = 8;
    private static final Duration LONG = Duration.ofMinutes(4);
    private static final Duration POLL = Duration.ofMillis(500);

    /** The first two have processes of their own, to be stopped and killed. */
    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.ofNodeProcesses(NODES, 2);

    @Test
    void aLiarAHangingNodeAndADeadOneLeaveUnderLoad() throws Exception {
        Bulwark client = CLUSTER.client();
        ProtectionPolicy policy = new ProtectionPolicy(1, 2, 4, 4096);
        client.createVolume(VolumeSpec.objects("things", policy));
        client.createVolume(VolumeSpec.registers("blocks", policy, MixedLoad.BLOCKS));
        client.createBucket(BucketSpec.of("load").inVolume("things"));
        client.faultyNodes().set(new FaultPolicy(true, WINDOW_SECONDS, 3));
        try (MixedLoad load = new MixedLoad("load", "blocks", 4096, LiveCluster.SEED);
                Bulwark other = CLUSTER.freshClient()) {
            load.start(client, "first");
            load.start(other, "second");
            load.awaitOperations(100);

            lieUntilNamed(client);
            NodeFault liar = removed(client, LIAR);
            assertThat(liar.kind()).isEqualTo(FaultKind.WRONG);
            load.awaitOperations(50);

            Member hangs = CLUSTER.member("node-" + HANGING);
            Nemesis.signal(hangs, "STOP");
            NodeFault hanging = removed(client, HANGING);
            assertThat(hanging.kind()).isEqualTo(FaultKind.SILENT);
            assertThat(hanging.suspicions()).hasSizeGreaterThanOrEqualTo(2);
            Nemesis.signal(hangs, "CONT");
            load.awaitOperations(50);

            LiveCluster.kill(CLUSTER.member("node-" + DYING));
            await().pollInterval(POLL)
                    .atMost(LONG)
                    .until(() -> named(client, DYING)
                            .filter(fault -> fault.stage() == Stage.REMOVED)
                            .isPresent());
            load.awaitOperations(50);

            load.stop();
            assertThat(removed(client, DYING).kind()).isEqualTo(FaultKind.SILENT);
            assertThat(load.failures()).isEmpty();
            assertThat(load.readAll(client, "last")).isEmpty();
            assertThat(HistoryCheck.of(load.history()).problem()).isEmpty();
        }
        assertThat(client.faultyNodes().report().faults())
                .extracting(NodeFault::node)
                .containsExactly(DYING, HANGING, LIAR);
        client.faultyNodes().forgive(HANGING);
        assertThat(client.faultyNodes().report().faults())
                .extracting(NodeFault::node)
                .containsExactly(DYING, LIAR);
    }

    /** Its disk lies again and again: it repairs itself as soon as it finds a lie. */
    private static void lieUntilNamed(Bulwark client) throws Exception {
        for (int time = 0; named(client, LIAR).isEmpty(); time++) {
            assertThat(time).as("the liar is not named").isLessThan(20);
            CLUSTER.lie(LIAR, Lie.GARBLE);
            for (int wait = 0; wait < 20 && named(client, LIAR).isEmpty(); wait++) {
                Thread.sleep(POLL);
            }
        }
    }

    /** Waits until a node has lost all of its slots and others have rebuilt them. */
    private static NodeFault removed(Bulwark client, int node) {
        await().pollInterval(POLL).atMost(LONG).untilAsserted(() -> {
            assertThat(named(client, node))
                    .as("node-%s of %s", node, client.faultyNodes().report())
                    .hasValueSatisfying(fault -> assertThat(fault.stage()).isEqualTo(Stage.REMOVED));
            assertThat(client.nodes().map().volumes())
                    .allSatisfy(volume -> assertThat(volume.groups())
                            .allMatch(group -> group.slotOf(node) < 0
                                    && group.fresh().isEmpty()
                                    && group.change().isEmpty()));
        });
        return named(client, node).orElseThrow();
    }

    private static Optional<NodeFault> named(Bulwark client, int node) {
        List<NodeFault> faults = client.faultyNodes().report().faults();
        return faults.stream().filter(fault -> fault.node() == node).findFirst();
    }
}
