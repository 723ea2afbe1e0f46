package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests how long a planned hand-over delays clients, counted in message delays and syncs: no part of it waits for a
 * tick.
 */
@NullMarked
class PrimaryHandOverTest {
    private static final long DELAY_MILLIS = 100;
    private static final long SYNC_MILLIS = 1;
    private static final long NO_TICK_MILLIS = 1_000_000;

    private final List<NewView> begun = new ArrayList<>();

    /**
     * A request that arrives while the primary hands over. The delays: VIEW-CHANGE of the primary, VIEW-CHANGEs of the
     * others, acknowledgements, NEW-VIEW, PREPARE, COMMIT, reply. The syncs: one for each of these except the reply and
     * the acknowledgements; the backups do two for NEW-VIEW and PREPARE.
     *
     * @param before numbers in the log, whose first checkpoint comes with number 128
     */
    @ParameterizedTest
    @CsvSource({"1, 0", "1, 1", "1, 100", "1, 130", "2, 100"})
    void aHandOverTakesSevenMessageDelaysAndSixSyncsAndNoTick(int faulty, int before) {
        TestCluster cluster = new TestCluster(faulty, 1, config -> config);
        cluster.syncMillis = SYNC_MILLIS;
        cluster.minDelayMillis = 1;
        cluster.maxDelayMillis = 1;
        for (int call = 1; call <= before; call++) {
            cluster.submit(1, call, TestCluster.operation(call));
            assertThat(cluster.runUntilDone(1_000)).isTrue();
        }
        cluster.run(1_000);
        cluster.minDelayMillis = DELAY_MILLIS;
        cluster.maxDelayMillis = DELAY_MILLIS;
        cluster.tickMillis = NO_TICK_MILLIS;
        cluster.run(TestCluster.TICK_MILLIS);
        cluster.wire = (from, to, message) -> record(message);
        cluster.handOver(0);
        TestCluster.Call call = cluster.submit(1, 1_000, TestCluster.operation(1_000));
        while (!call.done() && cluster.nowMillis - call.askedMillis < NO_TICK_MILLIS / 2) {
            cluster.run(1);
        }
        assertThat(cluster.replica(1).view()).as(cluster::toString).isEqualTo(1);
        assertThat(call.doneMillis - call.askedMillis).isEqualTo(7 * DELAY_MILLIS + 6 * SYNC_MILLIS);
        assertThat(begun.getFirst().chosen()).as("no number is spent").hasSize(before % 128);
    }

    /** It may stop once it is led: what waited is executed, by the votes of all four. */
    @Test
    void aPrimaryIsLedOnceTheNextViewHasBroughtSomething() {
        TestCluster cluster = new TestCluster(1, 2, config -> config);
        cluster.submit(1, 1, TestCluster.operation(1));
        assertThat(cluster.runUntilDone(1_000)).isTrue();
        cluster.run(1_000);
        assertThat(cluster.replica(0).isLed()).as("it leads").isFalse();
        assertThat(cluster.replica(1).isLed()).isTrue();
        cluster.minDelayMillis = DELAY_MILLIS;
        cluster.maxDelayMillis = DELAY_MILLIS;
        cluster.submit(1, 2, TestCluster.operation(2));
        cluster.run(DELAY_MILLIS);
        cluster.handOver(0);
        boolean wasActive = false;
        while (!cluster.replica(0).isLed()) {
            assertThat(cluster.replica(0).executed()).as(cluster::toString).isEqualTo(1);
            assertThat(cluster.nowMillis).as(cluster::toString).isLessThan(10_000);
            wasActive |= cluster.replica(0).isActive() && cluster.replica(0).view() == 1;
            cluster.run(1);
        }
        assertThat(cluster.replica(0).executed()).isEqualTo(2);
        assertThat(wasActive).as("to be active is not enough").isTrue();
    }

    @Test
    void whereNothingWaitsAPrimaryIsLedOnceTheNextViewIsActive() {
        TestCluster cluster = new TestCluster(1, 3, config -> config);
        cluster.run(100);
        cluster.handOver(0);
        assertThat(cluster.replica(0).isLed()).isFalse();
        cluster.run(200);
        assertThat(cluster.replica(0).executed()).isZero();
        assertThat(cluster.replica(0).isLed()).as(cluster::toString).isTrue();
    }

    private List<ReplicaMessage> record(ReplicaMessage message) {
        if (message instanceof NewView newView) {
            begun.add(newView);
        }
        return List.of(message);
    }
}
