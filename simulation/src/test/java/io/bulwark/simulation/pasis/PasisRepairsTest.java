package io.bulwark.simulation.pasis;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.ScrubMessage;
import io.bulwark.protocol.pasis.PasisMessage;
import io.bulwark.protocol.pasis.PasisReadOutcome;
import io.bulwark.protocol.pasis.PasisRefusal;
import io.bulwark.protocol.pasis.ValidatingTimestamp;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.engine.SimulatedRecords;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests how much repair peers may cause at a node. Faulty clients write to few nodes, and a faulty node names these
 * versions to others. Here b = 1, m = 2, N = 5; node 4 is faulty.
 */
@NullMarked
class PasisRepairsTest {
    private static final int LIAR = 4;
    private static final int FAULTY = 30;
    /** Limit of one client, or peer, in one block. */
    private static final int MOST = PasisCluster.LIMITS.possiblePerBlock();

    private static final List<Integer> HOLDERS = List.of(0, 1, 2, 3, 4);

    private final PasisCluster cluster = new PasisCluster(1, 2, 5, Verification.LAZY, PasisCluster.LIMITS);

    /** Versions of faulty clients, as many of each as are taken, at node 0 and at the liar. */
    private List<ValidatingTimestamp> versions(int count) {
        List<ValidatingTimestamp> versions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int client = FAULTY + i / MOST;
            List<Bytes> fragments = cluster.fragments(0);
            ValidatingTimestamp version = ValidatingTimestamp.of(10 + i, PrincipalId.client(client), fragments);
            cluster.send(client, 0, version, fragments, 0, LIAR);
            versions.add(version);
        }
        return versions;
    }

    private void send(int from, int target, ValidatingTimestamp version) {
        cluster.simulation.send(
                PrincipalId.node(from),
                PrincipalId.node(target),
                1L << 41,
                new PasisMessage.Repair(cluster.group(0).target(target), version));
    }

    /** Again while the target hears first of those that do not hold it. */
    private void ask(int from, int target, List<ValidatingTimestamp> versions) {
        for (ValidatingTimestamp version : versions) {
            boolean again = true;
            for (int i = 0; i < 40 && again; i++) {
                cluster.sent.clear();
                send(from, target, version);
                cluster.simulation.runFor(300);
                again = cluster.sent.stream()
                        .anyMatch(message -> message instanceof PasisMessage.Refused refused
                                && refused.refusal() == PasisRefusal.NOT_FOUND);
            }
        }
    }

    /**
     * Each peer has its own room for repairs. Without it, no correct node could have others make the fragments that it
     * needs.
     */
    @Test
    void aLiarsRequestsKeepNobodyFromConfirming() {
        cluster.write(1, 0);
        int each = 13;
        List<ValidatingTimestamp> versions = versions(3 * each);
        for (int target = 1; target <= 3; target++) {
            ask(LIAR, target, versions.subList((target - 1) * each, target * each));
            assertThat(cluster.held(target, 0)).isEqualTo(1 + MOST);
        }
        cluster.simulation.crash(PrincipalId.node(LIAR));
        cluster.place(new PlacementGroup(2, HOLDERS, List.of(), HOLDERS, null));
        Set<Integer> done = new TreeSet<>();
        for (int round = 0; round < 5; round++) {
            for (int node = 0; node < 4; node++) {
                if (cluster.settle(node, 0, 2)) {
                    done.add(node);
                }
            }
        }
        assertThat(done).containsExactly(0, 1, 2, 3);
        assertThat(cluster.read(0)).isInstanceOf(PasisReadOutcome.Value.class);
    }

    /** The bound holds for versions sent one after the other or all at once, and after a restart. */
    @Test
    void aPeerHasSoManyVersionsMadeInABlock() {
        List<ValidatingTimestamp> versions = versions(5 * MOST);
        versions.forEach(version -> send(LIAR, 1, version));
        cluster.simulation.runFor(5_000);
        assertThat(cluster.held(1, 0)).isEqualTo(MOST);
        ask(LIAR, 1, versions);
        assertThat(cluster.held(1, 0)).isEqualTo(MOST);
        cluster.simulation.crash(PrincipalId.node(1));
        cluster.simulation.restart(PrincipalId.node(1));
        cluster.simulation.runFor(500);
        ask(LIAR, 1, versions);
        assertThat(cluster.held(1, 0)).isEqualTo(MOST);
        ask(2, 1, versions);
        assertThat(cluster.held(1, 0)).as("of another peer").isEqualTo(2L * MOST);
    }

    /** There is no room for more, but this is known here. */
    @Test
    void whatIsHeldIsMadeAgainForWhoeverAsks() {
        List<ValidatingTimestamp> versions = versions(MOST);
        ask(LIAR, 1, versions);
        assertThat(cluster.held(1, 0)).isEqualTo(MOST);
        SimulatedRecords records = cluster.simulation.records(PrincipalId.node(1));
        cluster.versions(1, 0).forEach(records::damage);
        cluster.simulation.crash(PrincipalId.node(0));
        cluster.simulation.crash(PrincipalId.node(LIAR));
        assertThat(cluster.look(1, 0)).isEqualTo(ScrubMessage.ScrubOutcome.UNFINISHED);
        cluster.simulation.restart(PrincipalId.node(0));
        cluster.simulation.restart(PrincipalId.node(LIAR));
        cluster.simulation.runFor(500);
        cluster.sent.clear();
        ask(LIAR, 1, versions.subList(0, 1));
        assertThat(cluster.sent).anyMatch(PasisMessage.Repaired.class::isInstance);
    }
}
