package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.Runs;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Batches;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Quotas;
import io.bulwark.protocol.ordering.message.Request;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Measures the cost of k attacking clients for another client, against the bound in docs/ordering/overload.md. It takes
 * the worst of some seeds, with all replicas up and with f of them down. Each batch occupies the primary's link for
 * some time.
 */
@NullMarked
@Execution(ExecutionMode.CONCURRENT)
class ClientBoundTest {
    private static final int SEEDS = Runs.of(1);
    private static final int CALLS = 20;
    private static final int FIRST_ATTACKER = 60;
    private static final int LARGE_BYTES = 4 << 10;
    private static final long BURST_MILLIS = 10;

    private static final Quotas ROOM = new Quotas(16, 8 << 20, 4_096, 64, 32 << 20);

    /** Limits under which fewer vouches of a peer are remembered than four attackers have requests. */
    private static final Quotas FORGETFUL = new Quotas(16, 8 << 20, 64, 64, 32 << 20);

    private static final Batches BATCHES = new Batches(8, 16 << 10, 2);

    /** Behaviour of each attacker every few milliseconds. */
    enum Attack {
        /** As many requests as it can, to all replicas. */
        FLOOD,
        /** Requests that f+1 replicas get, others each time. */
        TO_F_PLUS_ONE,
        /** Requests that one replica gets. */
        TO_ONE,
        /** Under one number, something else for each of some replicas. */
        SEVERAL_BODIES,
        /** Requests of which few fill a batch. */
        LARGE,
        /** The same requests again and again, some of them forgotten by then. */
        REPEATED
    }

    private final List<String> told = new ArrayList<>();

    /** One group under attack. */
    private static final class Siege {
        private final TestCluster cluster;
        private final Random random;
        private final int attackers;
        private final Attack attack;
        private long number = 1_000_000;

        Siege(Quotas room, int faulty, int attackers, Attack attack, long seed) {
            cluster = new TestCluster(
                    faulty, seed, config -> config.withRoom(room).withBatches(BATCHES));
            random = new Random(seed);
            this.attackers = attackers;
            this.attack = attack;
            cluster.wire = new SlowLinks(cluster);
        }

        private void attack() {
            for (int i = 0; i < attackers; i++) {
                PrincipalId liar = PrincipalId.client(FIRST_ATTACKER + i);
                for (int j = 0; j < 2 * ROOM.requestsPerClient(); j++) {
                    attack(liar);
                }
            }
            cluster.at(BURST_MILLIS, this::attack);
        }

        private void attack(PrincipalId liar) {
            number++;
            switch (attack) {
                case FLOOD -> tell(new Request(liar, number, false, TestCluster.operation(number)), all());
                case TO_F_PLUS_ONE ->
                    tell(
                            new Request(liar, number, false, TestCluster.operation(number)),
                            all().subList(0, cluster.faulty + 1));
                case TO_ONE ->
                    tell(new Request(liar, number, false, TestCluster.operation(number)), all().subList(0, 1));
                case SEVERAL_BODIES -> {
                    for (int to : all()) {
                        long other = 2 * number + random.nextInt(2);
                        tell(new Request(liar, number, false, TestCluster.operation(other)), List.of(to));
                    }
                }
                case LARGE -> tell(new Request(liar, number, false, TestCluster.operation(number, LARGE_BYTES)), all());
                case REPEATED -> {
                    long again = 1_000_000L + random.nextInt(4 * ROOM.resultsPerClient());
                    tell(new Request(liar, again, false, TestCluster.operation(again)), all());
                }
            }
        }

        private List<Integer> all() {
            List<Integer> all = new ArrayList<>();
            cluster.nodes.forEach(node -> all.add(node.self));
            Collections.shuffle(all, random);
            return all;
        }

        private void tell(Request request, List<Integer> replicas) {
            replicas.forEach(to -> cluster.deliver(request, to));
        }

        /** The longest that a correct client waited. */
        long worst() {
            if (attackers > 0) {
                attack();
            }
            cluster.run(300);
            long worst = 0;
            for (int i = 0; i < CALLS; i++) {
                TestCluster.Call call = cluster.submit(1, i, TestCluster.operation(i));
                while (!call.done() && cluster.nowMillis - call.askedMillis < 20_000) {
                    cluster.run(10);
                }
                assertThat(call.done()).as(this::toString).isTrue();
                worst = Math.max(worst, call.doneMillis - call.askedMillis);
                cluster.run(1 + random.nextInt(40));
            }
            return worst;
        }

        private long executed() {
            return cluster.nodes.getFirst().application.journal().size() - (long) CALLS;
        }

        private void assertNobodyChangedTheView() {
            cluster.nodes.stream().filter(node -> node.replica != null).forEach(node -> {
                assertThat(node.up().view()).as(this::toString).isZero();
                assertThat(node.up().isActive()).as(this::toString).isTrue();
            });
        }

        @Override
        public String toString() {
            return attackers + " attackers, " + attack + ": " + cluster;
        }
    }

    /** The bound of docs/ordering/overload.md, in milliseconds. */
    private static long bound(TestCluster cluster, int attackers, Attack attack) {
        long ahead = 2L * attackers * ROOM.requestsPerClient();
        long bytes = Math.min(
                ahead * (attack == Attack.LARGE ? LARGE_BYTES : Long.BYTES),
                2 * Math.min((long) attackers * ROOM.bytesPerClient(), ROOM.bytesOfAll()));
        long batches = Math.ceilDiv(ahead, BATCHES.requestsMax())
                + Math.ceilDiv(2 * bytes, BATCHES.bytesMax())
                + (attackers > 0 ? BATCHES.inFlight() : 0);
        long agreement = 6 * cluster.maxDelayMillis + 4 * cluster.syncMillis + SlowLinks.BATCH_MILLIS;
        ReplicaConfig.Timers timers = ReplicaConfig.Timers.DEFAULT;
        long fetch = TestCluster.TICK_MILLIS
                + timers.fetchMillis() / 4
                + (cluster.faulty + 1) * timers.fetchMillis()
                + 2 * cluster.maxDelayMillis;
        return batches * SlowLinks.BATCH_MILLIS + 3 * agreement + (attackers > 0 ? fetch : 0);
    }

    private void measure(Quotas room, int faulty, int attackers, int down, Attack attack) {
        long worst = 0;
        long executed = 0;
        long bound = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            Siege siege = new Siege(room, faulty, attackers, attack, seed);
            for (int i = 0; i < down; i++) {
                siege.cluster.crash(3 * faulty - i);
            }
            bound = bound(siege.cluster, attackers, attack);
            long longest = siege.worst();
            siege.assertNobodyChangedTheView();
            assertThat(longest).as("seed %d, %s", seed, siege).isLessThanOrEqualTo(bound);
            worst = Math.max(worst, longest);
            executed += siege.executed();
        }
        told.add("f = " + faulty + ", " + down + " down, " + attackers + " attackers, " + attack + ": worst " + worst
                + " ms, bound " + bound + " ms; so many of theirs executed: " + executed);
        if (attackers > 0 && attack != Attack.TO_ONE) {
            assertThat(executed).as("what the attack came to").isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource(Attack.class)
    void whatClientsThatAttackCostAnotherOneIsWithinTheBoundAndChangesNoView(Attack attack) {
        for (int attackers : List.of(1, 4)) {
            measure(ROOM, 1, attackers, 0, attack);
            measure(ROOM, 1, attackers, 1, attack);
        }
        measure(ROOM, 2, 2, 2, attack);
        System.out.println(String.join("\n", told));
    }

    /** A request that was vouched for and has lost its room is still proposed, and must not block others. */
    @ParameterizedTest
    @EnumSource(Attack.class)
    void thoughVouchesAreForgottenItIsSo(Attack attack) {
        measure(FORGETFUL, 1, 4, 0, attack);
        measure(FORGETFUL, 1, 4, 1, attack);
        System.out.println(String.join("\n", told));
    }

    @Test
    void withoutAttackersTheBoundIsThatOfThreeAgreements() {
        measure(ROOM, 1, 0, 0, Attack.FLOOD);
        measure(ROOM, 1, 0, 1, Attack.FLOOD);
        measure(ROOM, 2, 0, 2, Attack.FLOOD);
        System.out.println(String.join("\n", told));
    }
}
