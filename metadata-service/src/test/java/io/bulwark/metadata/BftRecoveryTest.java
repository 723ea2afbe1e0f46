package io.bulwark.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.bulwark.metadata.bft.ReplicaRestarter;
import io.bulwark.metadata.ordering.StateMachine;
import io.bulwark.metadata.pages.RocksPageStore;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.Phase;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Recoveries;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.recovery.RecoveryReport;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.OwnRecovery;
import io.bulwark.protocol.state.KeyValueState;
import io.bulwark.protocol.state.PageBatch;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Recoveries of running replicas (proactive recovery paper, sections 4.1, 4.4), over TLS with identities. */
@NullMarked
@Tag("long")
class BftRecoveryTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final int SNAPSHOT_BATCHES = 16;
    private static final Recoveries SELDOM = new Recoveries(600_000, 1_000, 30_000);
    /** Under keys that also last where replicas have little of the processor. */
    private static final Recoveries NEVER = new Recoveries(600_000, 15_000, 30_000);

    private static final Recoveries OFTEN = new Recoveries(2_000, 1_000, 30_000);

    /** Keeps each text under its number, and reads nothing when it begins. */
    private record TextMachine(KeyValueState state) implements StateMachine {
        @Override
        public Bytes execute(PrincipalId client, Bytes command, long agreedMillis) {
            Bytes key = new WireWriter().u8(1).raw(command.slice(0, Long.BYTES)).toBytes();
            state.put(key, command.slice(Long.BYTES, command.length() - Long.BYTES));
            return Bytes.EMPTY;
        }

        @Override
        public Bytes query(PrincipalId client, Bytes query) {
            return Bytes.EMPTY;
        }
    }

    @TempDir
    private Path directory = Path.of("");

    private int numbers;

    @Test
    void eachReplicaRecoversInTurnUnderLoadAndNothingIsLost() throws Exception {
        try (ReplicaGroup group = open(ReplicaGroup.Starter.bft(), SELDOM)) {
            write(group, 20);
            AtomicInteger acknowledged = new AtomicInteger();
            AtomicBoolean over = new AtomicBoolean();
            Thread load = Thread.ofVirtual().start(() -> {
                while (!over.get()) {
                    submit(group, 1_000_000 + acknowledged.get()).join();
                    acknowledged.incrementAndGet();
                }
            });
            for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
                int recovering = replica;
                group.recover(replica);
                await().atMost(LONG).until(() -> group.hasRecovered(recovering));
                OwnRecovery own = group.recovery(replica).own();
                assertThat(own.estimatedMillis()).isGreaterThanOrEqualTo(own.startedMillis());
                assertThat(own.answeredMillis()).isGreaterThanOrEqualTo(own.estimatedMillis());
                assertThat(own.recoveredMillis()).isGreaterThanOrEqualTo(own.answeredMillis());
                assertThat(own.checkedPages()).isPositive();
                assertThat(own.damagedPages()).isZero();
            }
            int before = acknowledged.get();
            await().atMost(LONG).until(() -> acknowledged.get() > before);
            over.set(true);
            load.join();
            assertAllEqual(group, 20 + acknowledged.get());
            for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
                RecoveryProgress standing =
                        group.replica(replica).status().recovery().orElseThrow();
                assertThat(standing.report().known()).hasSize(ReplicaGroup.REPLICAS);
                assertThat(standing.oldestKeyMillis()).isLessThanOrEqualTo(SELDOM.keyMillis());
                assertThat(standing.windowMillis(ReplicaGroup.REPLICAS, System.currentTimeMillis()))
                        .isPresent();
            }
        }
    }

    @Test
    void aPageThatRotsIsFoundAndReplacedByTheRecovery() throws Exception {
        ReplicaGroup.Starter starter = (config, credentials, start) -> new ReplicaGroup.Started(
                ReplicaRestarter.start(config, credentials, TextMachine::new, start), List::of);
        Bytes digest;
        Bytes right;
        Path pages;
        try (ReplicaGroup group = open(starter, SELDOM)) {
            for (int i = 0; i < 150; i++) {
                submit(group, i, "x".repeat(400) + "-needle-" + i + "-").join();
            }
            // A leaf that no command touches any more.
            group.stop(1);
            pages = group.directoryOf(1).resolve("pages");
            try (RocksPageStore store = RocksPageStore.open(pages)) {
                Bytes[] found = {Bytes.EMPTY};
                store.forEach(each -> {
                    if (text(store.get(each).orElseThrow()).contains("-needle-60-")) {
                        found[0] = each;
                    }
                });
                digest = found[0];
                right = store.get(digest).orElseThrow();
                byte[] rotten = right.toByteArray();
                rotten[rotten.length / 2] ^= 1;
                store.write(new PageBatch(
                        Map.of(digest, Bytes.of(rotten)), Map.of(), List.of(), Map.of(), Set.of(), false, true));
            }
            group.start(1, StartReason.RECOVERING);
            await().atMost(LONG).until(() -> group.hasRecovered(1));
            assertThat(group.recovery(1).own().damagedPages()).isEqualTo(1);
            assertThat(group.recovery(1).own().checkedPages()).isGreaterThan(3);
        }
        try (RocksPageStore store = RocksPageStore.open(pages)) {
            assertThat(store.get(digest)).hasValue(right);
        }
    }

    @Test
    void whoForgotItsPromisesVotesAgainOnceItHasRecovered() throws Exception {
        try (ReplicaGroup group = open(ReplicaGroup.Starter.bft(), SELDOM)) {
            write(group, 40);
            forget(group, 2);
            assertThat(group.recovery(2).forgotten()).isTrue();
            write(group, 10);
            await().atMost(LONG).until(() -> group.hasRecovered(2));
            group.stop(0);
            write(group, 10);
            group.start(0);
            assertAllEqual(group, 60);
        }
    }

    @Test
    void promisesThatRotInBothPlacesAreForgottenWhateverTheStartIs() throws Exception {
        try (ReplicaGroup group = open(ReplicaGroup.Starter.bft(), SELDOM)) {
            write(group, 40);
            group.stop(2);
            try (var files = Files.list(group.directoryOf(2).resolve("promises"))) {
                for (Path file : files.toList()) {
                    Files.write(file, new byte[(int) Files.size(file)]);
                }
            }
            group.start(2);
            assertThat(group.recovery(2).forgotten()).isTrue();
            write(group, 10);
            await().atMost(LONG).until(() -> group.hasRecovered(2));
            group.stop(0);
            write(group, 10);
            group.start(0);
            assertAllEqual(group, 60);
        }
    }

    @Test
    void moreThanFWhoForgotStopTheGroupAndSaySo() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(ReplicaRestarter.class.getPackageName());
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        try (ReplicaGroup group = open(ReplicaGroup.Starter.bft(), NEVER)) {
            write(group, 20);
            group.stop(3);
            forget(group, 2);
            forget(group, 3);
            CompletableFuture<Bytes> asked = submit(group, 5_000);
            await().during(Duration.ofSeconds(2)).atMost(LONG).untilAsserted(() -> {
                for (int replica = 2; replica < ReplicaGroup.REPLICAS; replica++) {
                    RecoveryReport report = group.recovery(replica);
                    assertThat(report.phase()).isEqualTo(RecoveryReport.Phase.ESTIMATING);
                    assertThat(report.forgotten()).isTrue();
                    assertThat(group.replica(replica).status().phase()).isEqualTo(Phase.FOLLOWING);
                }
                assertThat(asked).isNotDone();
            });
            await().atMost(LONG).untilAsserted(() -> {
                for (int replica = 2; replica < ReplicaGroup.REPLICAS; replica++) {
                    assertThat(group.replica(replica).status().waiting())
                            .contains("has had no estimate from 2f others", "the group stalls");
                }
            });
            assertThat(asked).isNotDone();
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list.stream()
                        .filter(event -> event.getLevel() == Level.ERROR)
                        .map(ILoggingEvent::getFormattedMessage)
                        .filter(said -> said.contains("has had no estimate from 2f others"))
                        .map(said -> said.substring(0, said.indexOf(' '))))
                .contains("replica-2", "replica-3")
                .doesNotContain("replica-0", "replica-1");
    }

    @Test
    void allThatStopWhileTheyRecoverComeBackAndGoOn() throws Exception {
        try (ReplicaGroup group = open(ReplicaGroup.Starter.bft(), OFTEN)) {
            int sent = write(group, 20);
            for (StartReason start : List.of(StartReason.RECOVERING, StartReason.NORMAL)) {
                for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
                    group.stop(replica);
                }
                for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
                    group.start(replica, start);
                }
                sent += write(group, 5);
            }
            int[] all = {sent};
            await().atMost(LONG).until(() -> {
                all[0] += write(group, 1);
                for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
                    if (group.recovery(replica).phase() != RecoveryReport.Phase.NONE) {
                        return false;
                    }
                }
                return true;
            });
            assertAllEqual(group, all[0]);
        }
    }

    @Test
    void whoHasAnotherPeriodIsNotHeard() throws Exception {
        try (ReplicaGroup group = open(ReplicaGroup.Starter.bft(), SELDOM)) {
            write(group, 5);
            group.stop(1);
            group.start(1, StartReason.NORMAL, OFTEN);
            write(group, 5);
            group.stop(2);
            CompletableFuture<Bytes> asked = submit(group, 5_000);
            await().during(Duration.ofSeconds(1)).atMost(LONG).until(() -> !asked.isDone());
            group.start(2);
            asked.orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join();
        }
    }

    @Test
    void withoutIdentitiesNobodyRecovers() throws Exception {
        try (ReplicaGroup group = new ReplicaGroup(directory, ReplicaGroup.Starter.bft(), SNAPSHOT_BATCHES)) {
            group.startAll();
            group.recover(3);
            assertThat(group.replica(3).status().recovery()).isEmpty();
            write(group, 5);
            assertAllEqual(group, 5);
            assertThatThrownBy(() -> forget(group, 3)).hasMessageContaining("no identities");
        }
    }

    private ReplicaGroup open(ReplicaGroup.Starter starter, Recoveries recoveries) {
        ReplicaGroup group = ReplicaGroup.withIdentities(directory, starter, SNAPSHOT_BATCHES, recoveries);
        group.startAll();
        return group;
    }

    private static void forget(ReplicaGroup group, int replica) throws IOException {
        group.stop(replica);
        try (var segments = Files.list(group.directoryOf(replica).resolve("promises"))) {
            for (Path segment : segments.toList()) {
                Files.delete(segment);
            }
        }
        group.start(replica, StartReason.FORGOTTEN);
    }

    private int write(ReplicaGroup group, int count) {
        for (int i = 0; i < count; i++) {
            submit(group, numbers++).join();
        }
        return count;
    }

    private static CompletableFuture<Bytes> submit(ReplicaGroup group, int number) {
        return submit(group, number, "text-" + number);
    }

    private static CompletableFuture<Bytes> submit(ReplicaGroup group, int number, String text) {
        return group.client()
                .submit(RecordingApplication.command(number, text))
                .orTimeout(LONG.toSeconds(), TimeUnit.SECONDS);
    }

    private static void assertAllEqual(ReplicaGroup group, int count) {
        await().atMost(LONG).untilAsserted(() -> {
            List<String> first = group.texts(0);
            assertThat(first).hasSize(count).doesNotHaveDuplicates();
            for (int replica = 1; replica < ReplicaGroup.REPLICAS; replica++) {
                // The check leaves out votes: a replica that asked alone for a view on a busy machine votes again with
                // the next view.
                assertThat(group.texts(replica)).isEqualTo(first);
            }
        });
    }

    private static String text(Bytes page) {
        return new String(page.toByteArray(), StandardCharsets.ISO_8859_1);
    }
}
