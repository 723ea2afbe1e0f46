package io.bulwark.appliance.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.appliance.cluster.Member;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import io.bulwark.protocol.ordering.recovery.RecoveryStatus;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One supervisor over a replica that only remembers what was done to it, by a clock that the test sets. */
@NullMarked
class SupervisorTest {
    private static final Duration LONG = Duration.ofSeconds(40);
    private static final int REPLICAS = 4;
    private static final int OWN = 1;
    private static final long PERIOD = 600_000;
    private static final long START = 1_000_000 * PERIOD;

    @TempDir
    Path directory = Path.of("");

    private final AtomicLong wall = new AtomicLong(START);
    private final FakeReplica replica = new FakeReplica();
    private final FakeGroup group = new FakeGroup();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private Path release = Path.of("");

    @BeforeEach
    void install() throws IOException {
        release = Files.createDirectories(directory.resolve("release"));
        Files.writeString(release.resolve("Main.class"), "released");
    }

    @Test
    void itsReplicaRecoversInItsTurnAndNotBefore() {
        try (Supervisor supervisor = start()) {
            long due = supervisor.nextMillis().orElseThrow();
            wall.set(due);
            await().atMost(LONG).until(() -> replica.done.contains("recover"));
            await().atMost(LONG).until(() -> supervisor.nextMillis().orElseThrow() == due + PERIOD);
        }
        assertThat(replica.done).containsExactly("recover", "listening");
        assertThat(counted("recoveries")).isEqualTo(1);
    }

    @Test
    void theTurnWaitsForTheOthers() {
        try (Supervisor supervisor = start()) {
            group.silent = 3;
            long due = supervisor.nextMillis().orElseThrow();
            wall.set(due);
            group.awaitAsked();
            assertThat(replica.done).isEmpty();
            group.silent = -1;
            wall.set(due + PERIOD / 4);
            await().atMost(LONG).until(() -> replica.done.contains("listening"));
            assertThat(supervisor.problem()).isEmpty();
        }
    }

    @Test
    void whatStandsInTheWayOfATurnForTooLongIsAnAlarm() {
        try (Supervisor supervisor = start()) {
            group.silent = 3;
            long due = supervisor.nextMillis().orElseThrow();
            wall.set(due);
            group.awaitAsked();
            wall.set(due + PERIOD / 2 + 1);
            await().atMost(LONG).until(() -> counted("missed") == 1);
            await().atMost(LONG).until(() -> supervisor.problem().equals("replica-3 does not answer"));
            group.silent = -1;
            wall.set(due + PERIOD);
            await().atMost(LONG).until(() -> counted("recoveries") == 1);
            await().atMost(LONG).until(() -> supervisor.problem().isEmpty());
        }
    }

    @Test
    void aChangedReleaseIsNotStartedInATurn() throws Exception {
        group.allowed = List.of(new Release(release.toString()).hash());
        Files.writeString(release.resolve("Main.class"), "tampered");
        try (Supervisor supervisor = start()) {
            wall.set(supervisor.nextMillis().orElseThrow());
            await().atMost(LONG).until(() -> counted("missed") == 1);
            await().atMost(LONG).until(() -> supervisor.problem().contains("is not allowed"));
            assertThat(supervisor.recoverNow()).contains("is not allowed");
            assertThat(replica.done).isEmpty();
            Files.writeString(release.resolve("Main.class"), "released");
            assertThat(supervisor.recoverNow()).isEmpty();
            assertThat(supervisor.problem()).isEmpty();
        }
        assertThat(replica.done).containsExactly("recover", "listening");
    }

    @Test
    void theLastListOfReleasesCountsWhileTheReplicasGiveNone() throws Exception {
        group.allowed = List.of(new Release(release.toString()).hash());
        try (Supervisor supervisor = start()) {
            group.fails = true;
            assertThat(supervisor.recoverNow()).contains("never said");
            group.fails = false;
            assertThat(supervisor.recoverNow()).isEmpty();
            group.fails = true;
            assertThat(supervisor.recoverNow()).isEmpty();
            Files.writeString(release.resolve("Main.class"), "tampered");
            assertThat(supervisor.recoverNow()).contains("is not allowed");
        }
    }

    @Test
    void anOperatorIsToldWhyItCannotRecoverNow() throws Exception {
        try (Supervisor supervisor = start()) {
            group.silent = 0;
            assertThat(supervisor.recoverNow()).contains("replica-0 does not answer");
            group.silent = OWN;
            assertThat(supervisor.recoverNow()).contains("replica-1 does not answer");
            assertThat(replica.done).isEmpty();
        }
        try (Supervisor without = Supervisor.start(replica, OWN, Optional.empty(), wall::get, meters)) {
            assertThat(without.recoverNow()).contains("does not recover");
            assertThat(without.nextMillis()).isEmpty();
        }
    }

    @Test
    void whoHasEndedByItselfIsStartedAgain() {
        try (Supervisor _ = start()) {
            replica.running = false;
            await().atMost(LONG).until(() -> replica.done.contains("start"));
            assertThat(counted("restarts")).isEqualTo(1);
        }
        assertThat(replica.done).containsExactly("start");
    }

    @Test
    void aRecoveryWhoseProcessEndedBeforeItListenedBeginsAgain() {
        replica.endsOnce = true;
        try (Supervisor supervisor = start()) {
            wall.set(supervisor.nextMillis().orElseThrow());
            await().atMost(LONG).until(() -> counted("restarts") == 1 && replica.running);
        }
        assertThat(replica.done).startsWith("recover", "recover").doesNotContain("start");
    }

    private Supervisor start() {
        return Supervisor.start(
                replica,
                OWN,
                Optional.of(
                        new Supervisor.Watchdog(group, Optional.of(new Release(release.toString())), REPLICAS, PERIOD)),
                wall::get,
                meters);
    }

    private double counted(String what) {
        return meters.get("bulwark.supervisor." + what).counter().count();
    }

    private static final class FakeReplica implements Member {
        final Queue<String> done = new ConcurrentLinkedQueue<>();
        volatile boolean running = true;
        volatile boolean endsOnce;

        @Override
        public String name() {
            return "replica-" + OWN;
        }

        @Override
        public String address() {
            return "nowhere";
        }

        @Override
        public void start() {
            done.add("start");
            running = true;
        }

        @Override
        public void recover() {
            done.add("recover");
            running = !endsOnce;
        }

        @Override
        public void awaitListening() throws IOException {
            if (endsOnce) {
                endsOnce = false;
                throw new IOException("it ended");
            }
            done.add("listening");
        }

        @Override
        public void stop() {
            running = false;
        }

        @Override
        public boolean running() {
            return running;
        }

        @Override
        public OptionalLong pid() {
            return OptionalLong.empty();
        }
    }

    private static final class FakeGroup implements Group {
        volatile int silent = -1;
        volatile boolean fails;
        volatile @Nullable List<String> allowed;
        private volatile int asked;

        void awaitAsked() {
            int before = asked;
            await().atMost(LONG).until(() -> asked > before);
        }

        @Override
        public synchronized SortedMap<Integer, RecoveryStatus> recoveries() {
            asked = asked + 1;
            SortedMap<Integer, RecoveryStatus> answers = new TreeMap<>();
            for (int replica = 0; replica < REPLICAS; replica++) {
                if (replica != silent) {
                    answers.put(
                            replica,
                            new RecoveryStatus(
                                    PERIOD, 0, START, true, Phase.NONE, false, RecoveryStatus.Steps.NONE, List.of()));
                }
            }
            return answers;
        }

        @Override
        public List<String> allowedReleases() throws IOException {
            List<String> list = allowed;
            if (fails) {
                throw new IOException("too few answer");
            }
            return list == null ? List.of() : list;
        }
    }
}
