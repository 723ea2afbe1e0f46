package io.bulwark.appliance.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import io.bulwark.protocol.ordering.recovery.RecoveryStatus;
import io.bulwark.transport.identity.Pkcs11Token;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** One supervisor over a replica that only remembers what was done to it, by a clock that the test sets. */
@NullMarked
class SupervisorTest {
    static final Duration LONG = Duration.ofSeconds(40);
    private static final int REPLICAS = 4;
    static final int OWN = 1;
    private static final Supervisor.Pace PACE = new Supervisor.Pace(20, 100, 50);
    private static final long PERIOD = 600_000;
    private static final long START = 1_000_000 * PERIOD;

    @TempDir
    Path directory = Path.of("");

    private final AtomicLong wall = new AtomicLong(START);
    private final FakeGroup group = new FakeGroup();
    private final FakeReplica replica = new FakeReplica(group);
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private Path release = Path.of("");
    private List<Path> files = List.of();
    private Optional<Path> key = Optional.empty();

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
            group.awaitAskedAfter(() -> wall.set(due));
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
            group.awaitAskedAfter(() -> wall.set(due));
            wall.set(due + PERIOD / 2 + 1);
            await().atMost(LONG).until(() -> counted("missed") == 1);
            await().atMost(LONG).until(() -> supervisor.problem().equals("replica-3 does not answer"));
            group.silent = -1;
            wall.set(due + PERIOD);
            await().atMost(LONG).until(() -> counted("recoveries") == 1);
            await().atMost(LONG).until(() -> supervisor.problem().isEmpty());
        }
    }

    @PlantedBug(
            in = ReleaseCheck.class,
            rule = "a supervisor starts only releases that the group allows",
            replace = "return known.contains(hash)",
            with = "return hash != null")
    @Test
    void aChangedReleaseEndsTheReplicaInItsTurnAfterAWhileUntilItIsPutRight() throws Exception {
        allowWhatIsInstalled();
        tamper();
        try (Supervisor supervisor = start()) {
            long due = supervisor.nextMillis().orElseThrow();
            wall.set(due);
            await().atMost(LONG).until(() -> supervisor.problem().contains("is not allowed"));
            assertThat(supervisor.recoverNow()).contains("is not allowed");
            assertThat(replica.done).as("not before the operator had time").isEmpty();
            wall.set(due + PERIOD / 4);
            await().atMost(LONG).until(() -> counted("missed") == 1 && !replica.running);
            assertThat(supervisor.problem()).contains("is not allowed");
            Files.writeString(release.resolve("Main.class"), "released");
            await().atMost(LONG)
                    .until(() -> replica.running && supervisor.problem().isEmpty());
        }
        assertThat(replica.done).containsExactly("stop", "recover");
    }

    @Test
    void aChangedReleaseWaitsWhileOneLessWouldBeOneTooFew() throws Exception {
        allowWhatIsInstalled();
        tamper();
        try (Supervisor supervisor = start()) {
            group.silent = 3;
            long due = supervisor.nextMillis().orElseThrow();
            group.awaitAskedAfter(() -> wall.set(due));
            group.awaitAskedAfter(() -> wall.set(due + PERIOD / 4));
            wall.set(due + PERIOD / 2 + 1);
            await().atMost(LONG).until(() -> counted("missed") == 1);
            await().atMost(LONG).until(() -> supervisor.problem().equals("replica-3 does not answer"));
        }
        assertThat(replica.done).isEmpty();
    }

    @Test
    void whoHasEndedByItselfIsNotStartedFromAChangedRelease() throws Exception {
        allowWhatIsInstalled();
        try (Supervisor supervisor = start()) {
            assertThat(supervisor.recoverNow())
                    .as("it has learnt what is allowed")
                    .isEmpty();
            group.fails = true;
            tamper();
            replica.running = false;
            await().atMost(LONG).until(() -> supervisor.problem().contains("is not allowed"));
            assertThat(replica.running).isFalse();
            Files.writeString(release.resolve("Main.class"), "released");
            await().atMost(LONG)
                    .until(() -> replica.running && supervisor.problem().isEmpty());
        }
        assertThat(replica.done).containsExactly("recover", "listening", "start");
    }

    @Test
    void anotherRoleFileGenesisOrLibraryOfADeviceIsNotStartedUntilTheSupervisorIs() throws Exception {
        Path role = Files.writeString(directory.resolve("role.yaml"), "listen: here");
        Path genesis = Files.writeString(directory.resolve("genesis"), "these keys");
        Path library = Files.writeString(directory.resolve("device.so"), "code");
        Path identity = Files.writeString(
                directory.resolve("own.pem"), new Pkcs11Token(library, "token", "key", Optional.of(role)).text());
        files = List.of(role, genesis);
        key = Optional.of(identity);
        try (Supervisor supervisor = start()) {
            for (Path changed : List.of(role, genesis, library)) {
                String before = Files.readString(changed);
                Files.writeString(changed, "otherwise");
                assertThat(supervisor.recoverNow()).contains("has changed");
                Files.writeString(changed, before);
            }
            Files.writeString(identity, new Pkcs11Token(library, "token", "another key", Optional.of(role)).text());
            assertThat(supervisor.recoverNow()).as("another key").isEmpty();
            Files.writeString(identity, new Pkcs11Token(role, "token", "key", Optional.of(role)).text());
            assertThat(supervisor.recoverNow()).as("another library").contains("own.pem");
        }
        try (Supervisor after = start()) {
            assertThat(after.recoverNow()).isEmpty();
            Files.writeString(identity, "a key in the file");
            assertThat(after.recoverNow()).contains("own.pem");
        }
        try (Supervisor after = start()) {
            Files.writeString(identity, "another key in the file");
            assertThat(after.recoverNow()).isEmpty();
        }
    }

    @Test
    void theOthersAreLookedAtLast() throws Exception {
        allowWhatIsInstalled();
        try (Supervisor supervisor = start()) {
            wall.set(supervisor.nextMillis().orElseThrow());
            await().atMost(LONG).until(() -> counted("recoveries") == 1);
            assertThat(replica.stoppedAfter).isEqualTo("recoveries");
            assertThat(supervisor.recoverNow()).isEmpty();
            assertThat(replica.stoppedAfter).isEqualTo("recoveries");
        }
    }

    @Test
    void theLastListOfReleasesCountsWhileTheReplicasGiveNone() throws Exception {
        allowWhatIsInstalled();
        group.fails = true;
        try (Supervisor supervisor = start()) {
            assertThat(supervisor.recoverNow()).contains("never reported");
            group.fails = false;
            assertThat(supervisor.recoverNow()).isEmpty();
            group.fails = true;
            assertThat(supervisor.recoverNow()).isEmpty();
            tamper();
            assertThat(supervisor.recoverNow()).contains("is not allowed");
        }
    }

    @Test
    void whereNoListWasEverSaidWhoHasEndedIsStartedAgainSinceNobodyElseMayBeLeft() {
        group.fails = true;
        try (Supervisor supervisor = start()) {
            replica.running = false;
            await().atMost(LONG).until(() -> replica.done.contains("start"));
            assertThat(supervisor.problem()).isEmpty();
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
        try (Supervisor without = withoutRecoveries()) {
            assertThat(without.recoverNow()).contains("does not recover");
            assertThat(without.nextMillis()).isEmpty();
        }
    }

    @Test
    void whoHasEndedByItselfIsStartedAgainAndHowItEndedIsSaid() {
        Logger logger = (Logger) LoggerFactory.getLogger(Supervisor.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        try (Supervisor _ = start()) {
            replica.ended = "with exit code 137; see LOG";
            replica.running = false;
            await().atMost(LONG).until(() -> replica.done.contains("start"));
            assertThat(counted("restarts")).isEqualTo(1);
        } finally {
            logger.detachAppender(log);
        }
        assertThat(replica.done).containsExactly("start");
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .anyMatch(line ->
                        line.startsWith("replica-1 terminated unexpectedly with exit code 137; see LOG; restart in "));
    }

    @Test
    void whoWasRemovedIsNotStartedAgain() throws Exception {
        group.members = List.of(0, OWN, 2, 3);
        try (Supervisor supervisor = start()) {
            group.remove();
            assertThat(supervisor.recoverNow()).contains("was removed from the group");
            assertThat(supervisor.nextMillis()).isEmpty();
            assertThat(supervisor.problem()).contains("was removed from the group");
            replica.running = false;
            replica.awaitLookedAt();
            wall.set(START + 3 * PERIOD);
            replica.awaitLookedAt();
        }
        assertThat(replica.done).isEmpty();
        assertThat(counted("missed")).isZero();
    }

    /** A supervisor that begins after that has never seen it as a member. */
    @Test
    void whoWasRemovedBeforeIsNotStartedAgain() throws Exception {
        group.remove();
        try (Supervisor supervisor = start()) {
            replica.running = false;
            await().atMost(LONG).until(() -> !supervisor.problem().isEmpty());
            assertThat(supervisor.recoverNow()).contains("was removed from the group");
            replica.awaitLookedAt();
        }
        assertThat(replica.done).isEmpty();
    }

    @Test
    void whoWasRemovedIsLeftRunningAndWhenItEndsItsSupervisionIsOverAlsoWithoutRecoveries() {
        for (boolean recovers : List.of(true, false)) {
            group.members = List.of(0, OWN, 2, 3);
            group.removed = false;
            replica.running = true;
            try (Supervisor supervisor = recovers ? start() : withoutRecoveries()) {
                group.remove();
                await().atMost(LONG).until(supervisor::isRemoved);
                replica.awaitLookedAt();
                assertThat(supervisor.over()).isNotDone();
                replica.running = false;
                await().atMost(LONG).until(() -> supervisor.over().isDone());
                assertThat(supervisor.over()).isCompletedWithValueMatching(why -> why.contains("was removed"));
                replica.awaitLookedAt();
            }
        }
        assertThat(replica.done).isEmpty();
    }

    @Test
    void whoHasEndedByItselfIsStartedAgainWithoutRecoveries() {
        try (Supervisor supervisor = withoutRecoveries()) {
            replica.running = false;
            await().atMost(LONG).until(() -> replica.done.contains("start"));
            assertThat(supervisor.over()).isNotDone();
        }
    }

    /** Nobody would answer it. */
    @Test
    void whoIsNotLetInYetAsksForNothingBeforeItIs() {
        group.members = List.of(0, 4, 2, 3);
        try (Supervisor supervisor = start()) {
            replica.awaitLookedAt();
            assertThat(group.last).isEmpty();
            assertThat(supervisor.nextMillis()).isEmpty();
            group.members = List.of(0, 4, 2, OWN);
            await().atMost(LONG).until(() -> group.last.equals("releases"));
            await().atMost(LONG).until(() -> supervisor.nextMillis().isPresent());
        }
    }

    @Test
    void whoIsNotLetInYetIsStartedAgain() {
        group.members = List.of(0, 4, 2, 3);
        try (Supervisor _ = start()) {
            replica.running = false;
            await().atMost(LONG).until(() -> replica.done.contains("start"));
        }
    }

    @Test
    void itsTurnsAreThoseOfItsPlaceAmongTheReplicasOfNow() throws Exception {
        group.members = List.of(0, OWN, 2, 3);
        try (Supervisor supervisor = start()) {
            assertThat(supervisor.nextMillis()).hasValue(START + PERIOD + PERIOD / 4);
            group.members = List.of(0, 4, 2, OWN);
            assertThat(supervisor.recoverNow()).contains("replica-4 does not answer");
            assertThat(supervisor.nextMillis()).hasValue(START + PERIOD / 4 * 3);
        }
    }

    @Test
    void whoKeepsItsPlaceKeepsItsTurnWhenOthersChange() throws Exception {
        group.members = List.of(0, OWN, 2, 3);
        try (Supervisor supervisor = start()) {
            long due = supervisor.nextMillis().orElseThrow();
            // Less than half of T_w before it.
            wall.set(due - PERIOD / 4);
            group.members = List.of(0, OWN, 2, 4);
            assertThat(supervisor.recoverNow()).contains("replica-4 does not answer");
            assertThat(supervisor.nextMillis()).hasValue(due);
        }
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
                new Supervisor.Watchdog(
                        group,
                        Optional.of(new Installation(new Release(release.toString()), files, key)),
                        REPLICAS,
                        OptionalLong.of(PERIOD)),
                wall::get,
                PACE,
                meters);
    }

    private Supervisor withoutRecoveries() {
        return Supervisor.start(
                replica,
                OWN,
                new Supervisor.Watchdog(group, Optional.empty(), REPLICAS, OptionalLong.empty()),
                wall::get,
                PACE,
                meters);
    }

    private void allowWhatIsInstalled() throws IOException {
        group.allowed = List.of(new Release(release.toString()).hash());
    }

    private void tamper() throws IOException {
        Files.writeString(release.resolve("Main.class"), "tampered");
    }

    private double counted(String what) {
        return meters.get("bulwark.supervisor." + what).counter().count();
    }

    static final class FakeGroup implements Group {
        volatile int silent = -1;
        volatile boolean fails;
        volatile @Nullable List<String> allowed;
        volatile String last = "";
        volatile List<Integer> members = List.of();
        private volatile int asked;

        volatile boolean removed;

        @Override
        public List<Integer> members() {
            return members;
        }

        void remove() {
            members = List.of(0, 4, 2, 3);
            removed = true;
        }

        @Override
        public boolean hasRemoved(int replica) {
            return removed && replica == OWN;
        }

        void awaitAskedAfter(Runnable change) {
            int before = asked;
            change.run();
            await().atMost(LONG).until(() -> asked > before);
        }

        @Override
        public synchronized SortedMap<Integer, RecoveryStatus> recoveries() {
            asked = asked + 1;
            last = "recoveries";
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
            last = "releases";
            List<String> list = allowed;
            if (fails) {
                throw new IOException("too few answer");
            }
            return list == null ? List.of() : list;
        }
    }
}
