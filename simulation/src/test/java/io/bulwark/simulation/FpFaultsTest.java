package io.bulwark.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.Runs;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.FpRead;
import io.bulwark.protocol.fp.FpReadOutcome;
import io.bulwark.protocol.fp.FpWrite;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.simulation.engine.NetworkFaults;
import io.bulwark.simulation.engine.RunningOperation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Readers and writers, f lying nodes, faulty clients, crashes: the history stays linearizable and nothing is lost. */
@NullMarked
class FpFaultsTest {
    private static final long SEED = Long.getLong("bulwark.seed", 1);
    private static final int RUNS = Runs.of(8);
    private static final int STEPS = 24;
    private static final int BLOCKS = 2;
    private static final FpLimits LIMITS = new FpLimits(64, 4, 2, 400, 50, 1, 256, 2_000, 4_000);

    @PlantedBug(
            in = FpWrite.class,
            rule = "a COMMIT carries nonces of its own timestamp only",
            replace = "member.atChosen = first != null && first.version().ts() == choice ? first : null;",
            with = "member.atChosen = first;")
    @PlantedBug(
            in = FpWrite.class,
            rule = "each node gets the MACs that are meant for it",
            replace = "prepared.macs().get(member.slot)",
            with = "prepared.macs().get(0)")
    @PlantedBug(
            inClass = "io.bulwark.protocol.fp.FpRegister",
            rule = "the latest version outlives a restart",
            replace = ": new Mutation.UpdateMeta(committed.key(block()), committed.encoded()));",
            with = ": new Mutation.UpdateMeta(committed.key(block()), staged.encoded()));")
    @PlantedBug(
            inClass = "io.bulwark.protocol.fp.FpRegister",
            rule = "a COMMIT keeps the fragment",
            replace = ": new Mutation.UpdateMeta(committed.key(block()), committed.encoded()));",
            with = ": new Mutation.Put(committed.key(block()), committed.encoded(), Bytes.EMPTY));")
    @ParameterizedTest
    @CsvSource({"1,2", "1,3", "2,3"})
    void historiesAreLinearizableAndNothingAcknowledgedIsLost(int f, int m) {
        for (long seed = SEED; seed < SEED + RUNS; seed++) {
            try {
                Run run = new Run(seed, f, m);
                run.go();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("f=" + f + " m=" + m + " bulwark.seed=" + seed + ": " + e.getMessage(), e);
            }
        }
        System.out.println("FpFaultsTest f=" + f + " m=" + m + " bulwark.seed=" + SEED + " runs=" + RUNS);
    }

    @ParameterizedTest
    @CsvSource({"1,2", "2,3"})
    void aSeedGivesTheSameTraceTwice(int f, int m) {
        Run first = new Run(SEED, f, m);
        Run second = new Run(SEED, f, m);
        first.go();
        second.go();
        assertThat(first.cluster.simulation.traceDigest()).isEqualTo(second.cluster.simulation.traceDigest());
    }

    /**
     * Writes that only a few nodes commit, and successive readers that each see other nodes. A value that one reader
     * has returned must not be missed by a later one.
     */
    @PlantedBug(
            in = FpRead.class,
            rule = "a reader writes back what may be incomplete",
            replace = "settling == SettlingMode.NONE || done || reports.settled(attempt.version)",
            with = "true || done")
    @ParameterizedTest
    @CsvSource({"1,2", "1,3", "2,3"})
    void readersInTurnNeverGoBack(int f, int m) {
        for (long seed = SEED; seed < SEED + RUNS; seed++) {
            try {
                new Run(seed, f, m).inTurn();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("f=" + f + " m=" + m + " bulwark.seed=" + seed + ": " + e.getMessage(), e);
            }
        }
        System.out.println("FpFaultsTest in turn f=" + f + " m=" + m + " bulwark.seed=" + SEED + " runs=" + RUNS);
    }

    private static final class Run {
        private final Random random;
        private final FpCluster cluster;
        private final List<Integer> liars = new ArrayList<>();
        private final List<RunningOperation<?>> running = new ArrayList<>();
        private final int f;

        Run(long seed, int f, int m) {
            this.random = new Random(seed * 31 + m);
            this.f = f;
            Map<Integer, UnaryOperator<ProtocolServer>> byzantine = new HashMap<>();
            while (liars.size() < f) {
                int node = random.nextInt(m + 2 * f);
                if (!liars.contains(node)) {
                    liars.add(node);
                    LyingFpServer.Lie[] lies = LyingFpServer.Lie.values();
                    LyingFpServer.Lie always = random.nextBoolean() ? null : lies[random.nextInt(lies.length)];
                    byzantine.put(node, server -> new LyingFpServer(server, seed, always));
                }
            }
            NetworkFaults faults = random.nextBoolean() ? NetworkFaults.calm() : NetworkFaults.rough();
            this.cluster = new FpCluster(seed, f, m, faults, LIMITS, byzantine);
            for (int client = 1; client <= 4; client++) {
                cluster.open(PrincipalId.client(client), client);
            }
        }

        void go() {
            for (int step = 0; step < STEPS; step++) {
                step();
                cluster.simulation.runFor(random.nextInt(60));
            }
            for (int node = 0; node < cluster.policy.n(); node++) {
                PrincipalId id = PrincipalId.node(node);
                if (!cluster.simulation.isUp(id)) {
                    cluster.simulation.restart(id);
                }
            }
            finish();
            // With the liars gone too, all that was acknowledged is still there.
            liars.forEach(liar -> cluster.simulation.crash(PrincipalId.node(liar)));
            for (int block = 0; block < BLOCKS; block++) {
                running.add(cluster.read(PrincipalId.client(9), 0, block));
            }
            finish();
            assertThat(cluster.history.check().problem()).isEmpty();
            assertThat(cluster.history.completedReads()).isGreaterThan(BLOCKS);
            // A correct node is never accused.
            assertThat(cluster.simulation.sightings())
                    .filteredOn(sighting -> switch (sighting.evidence().verdict()) {
                        case CORRUPT, MISBEHAVED, POISONOUS -> true;
                        case DAMAGED, OTHER_VERSION, BEHIND, SLOW -> false;
                    })
                    .allSatisfy(sighting -> assertThat(liars)
                            .contains(sighting.evidence().about().number()));
        }

        void inTurn() {
            for (int round = 0; round < 5; round++) {
                if (random.nextBoolean()) {
                    cluster.await(cluster.write(PrincipalId.client(1), 1, 0, cluster.value()));
                }
                int commits = 1 + random.nextInt(cluster.policy.writeQuorum());
                int[] seen = {0};
                cluster.stoppingWrite(
                        PrincipalId.client(4),
                        4,
                        0,
                        (_, send) -> !(send.message() instanceof FpMessage.Commit) || seen[0]++ < commits);
                cluster.simulation.runFor(random.nextInt(400));
                for (int reads = 0; reads < 4; reads++) {
                    PrincipalId away = PrincipalId.node(random.nextInt(cluster.policy.n()));
                    boolean crash = cluster.simulation.isUp(away);
                    if (crash) {
                        cluster.simulation.crash(away);
                    }
                    int client = 1 + random.nextInt(3);
                    running.add(
                            random.nextBoolean()
                                    ? cluster.read(PrincipalId.client(client), client, 0)
                                    : cluster.read(PrincipalId.client(9), 0, 0));
                    cluster.simulation.runFor(random.nextInt(150));
                    if (crash) {
                        cluster.simulation.restart(away);
                    }
                    finish();
                }
            }
            assertThat(cluster.history.check().problem()).isEmpty();
        }

        private void finish() {
            boolean done =
                    cluster.simulation.runUntil(() -> running.stream().allMatch(RunningOperation::isFinished), 120_000);
            assertThat(done).as("operations end").isTrue();
            for (RunningOperation<?> operation : running) {
                Object outcome = operation.outcome().orElseThrow();
                assertThat(outcome)
                        .isNotInstanceOf(FpWriteOutcome.Failed.class)
                        .isNotInstanceOf(FpReadOutcome.Failed.class);
            }
            running.clear();
        }

        private void step() {
            int block = random.nextInt(BLOCKS);
            int client = 1 + random.nextInt(3);
            switch (random.nextInt(10)) {
                case 0, 1, 2 -> running.add(cluster.write(PrincipalId.client(client), client, block, cluster.value()));
                case 3, 4 -> running.add(cluster.read(PrincipalId.client(client), client, block));
                case 5, 6 -> running.add(cluster.read(PrincipalId.client(9), 0, block));
                case 7 -> faultyWrite(block);
                default -> crashOrRestart();
            }
        }

        /** A write that ends after any message, or reaches only some nodes. */
        private void faultyWrite(int block) {
            int last = random.nextInt(4 * cluster.policy.n());
            int some = random.nextInt(1 << cluster.policy.n());
            boolean stops = random.nextBoolean();
            cluster.stoppingWrite(
                    PrincipalId.client(4),
                    4,
                    block,
                    (number, send) -> stops ? number < last : (some >> send.to().number() & 1) == 1);
        }

        /** Correct nodes crash too, at most as many at a time as leaves the liars among f. */
        private void crashOrRestart() {
            PrincipalId node = PrincipalId.node(random.nextInt(cluster.policy.n()));
            if (!cluster.simulation.isUp(node)) {
                cluster.simulation.restart(node);
                return;
            }
            long down = 0;
            for (int other = 0; other < cluster.policy.n(); other++) {
                down += cluster.simulation.isUp(PrincipalId.node(other)) ? 0 : 1;
            }
            if (down < f) {
                cluster.simulation.crash(node);
                if (random.nextBoolean()) {
                    cluster.simulation.restart(node);
                }
            }
        }
    }
}
