package io.bulwark.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.fp.FpReadOutcome;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.engine.NetworkFaults;
import io.bulwark.simulation.engine.SimulatedRecords;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class FpClusterTest {
    private static final PrincipalId ALICE = PrincipalId.client(1);
    private static final PrincipalId BOB = PrincipalId.client(2);

    private static FpCluster calm(int f, int m) {
        FpCluster cluster = new FpCluster(7, f, m, NetworkFaults.calm(), FpLimits.standard());
        cluster.open(ALICE, 11);
        return cluster;
    }

    @Test
    void whatWasNeverWrittenReadsAsZeros() {
        FpCluster cluster = calm(1, 2);
        FpReadOutcome outcome = cluster.await(cluster.read(BOB, 0, 3));
        assertThat(outcome).isEqualTo(new FpReadOutcome.NeverWritten(Bytes.of(new byte[cluster.policy.blockBytes()])));
    }

    @Test
    void whatWasWrittenIsRead() {
        for (int[] policy : new int[][] {{1, 2}, {1, 3}, {2, 3}, {2, 6}}) {
            FpCluster cluster = calm(policy[0], policy[1]);
            for (int i = 0; i < 3; i++) {
                Bytes value = cluster.value();
                assertThat(cluster.await(cluster.write(ALICE, 11, 3, value)))
                        .isInstanceOf(FpWriteOutcome.Written.class);
                assertThat(value(cluster.await(cluster.read(BOB, 0, 3)))).isEqualTo(value);
            }
            assertThat(cluster.simulation.sightings()).isEmpty();
        }
    }

    @Test
    void anAcknowledgedWriteSurvivesAnyFNodes() {
        for (int gone = 0; gone < 5; gone++) {
            FpCluster cluster = calm(1, 3);
            Bytes value = cluster.value();
            cluster.await(cluster.write(ALICE, 11, 3, value));
            cluster.simulation.crash(PrincipalId.node(gone));
            assertThat(value(cluster.await(cluster.read(BOB, 0, 3)))).isEqualTo(value);
            Bytes next = cluster.value();
            assertThat(cluster.await(cluster.write(ALICE, 11, 3, next))).isInstanceOf(FpWriteOutcome.Written.class);
            assertThat(value(cluster.await(cluster.read(ALICE, 11, 3)))).isEqualTo(next);
        }
    }

    @Test
    void aDamagedFragmentIsNotServedAndIsMadeAgain() {
        FpCluster cluster = calm(1, 2);
        Bytes value = cluster.value();
        cluster.await(cluster.write(ALICE, 11, 3, value));
        cluster.simulation.runFor(100);
        SimulatedRecords records = cluster.simulation.records(PrincipalId.node(0));
        records.keys().stream()
                .filter(key -> key.kind() == RecordKind.REGISTER_VERSION)
                .forEach(records::damage);
        assertThat(value(cluster.await(cluster.read(BOB, 0, 3)))).isEqualTo(value);
        cluster.simulation.runFor(2_000);
        assertThat(records.keys().stream()
                        .filter(key -> key.kind() == RecordKind.REGISTER_VERSION)
                        .map(records::get))
                .hasSize(1)
                .allSatisfy(content -> {
                    assertThat(content).isNotNull();
                    assertThat(content.fragment()).isNotNull();
                });
    }

    @Test
    void aNodeThatMissedTheWriteIsRepairedOnRequest() {
        FpCluster cluster = calm(1, 2);
        cluster.simulation.crash(PrincipalId.node(1));
        Bytes value = cluster.value();
        cluster.await(cluster.write(ALICE, 11, 3, value));
        cluster.simulation.restart(PrincipalId.node(1));
        cluster.simulation.crash(PrincipalId.node(3));
        // 0 and 2 alone have it of the first 3f + 1: the reader without a grant must see a third.
        assertThat(value(cluster.await(cluster.read(BOB, 0, 3)))).isEqualTo(value);
        cluster.simulation.runFor(1_000);
        cluster.simulation.crash(PrincipalId.node(0));
        cluster.simulation.restart(PrincipalId.node(3));
        assertThat(value(cluster.await(cluster.read(BOB, 0, 3)))).isEqualTo(value);
    }

    static Bytes value(FpReadOutcome outcome) {
        assertThat(outcome).isInstanceOf(FpReadOutcome.Value.class);
        return ((FpReadOutcome.Value) outcome).block();
    }
}
