package io.bulwark.protocol.ordering.replica;

import static io.bulwark.protocol.ordering.replica.ClusterAssertions.allEqual;
import static io.bulwark.protocol.ordering.replica.ClusterAssertions.finish;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.checkpoint.StateTransfer;
import io.bulwark.protocol.ordering.driver.JournalApplication;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.ConfigurationStart;
import io.bulwark.protocol.ordering.membership.Handover;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Checkpoint;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Executed;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.normal.Execution;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.KnownRecovery;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import io.bulwark.protocol.ordering.recovery.ReplicaRecovery;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A configuration ends at a checkpoint, and the next one begins there (decision 20). K = 8, L = 16. */
@NullMarked
class SuccessionTest {
    private static final long KEY_MILLIS = 1_000;
    private int numbers;

    private static TestCluster cluster() {
        return cluster(ReplicaConfig.Batches.DEFAULT);
    }

    private static TestCluster cluster(ReplicaConfig.Batches batches) {
        return new TestCluster(
                1,
                1,
                config -> config.withLog(8, 16)
                        .withBatches(batches)
                        .withRecoveries(new ReplicaConfig.Recoveries(20_000, KEY_MILLIS, 5_000)));
    }

    private void submit(TestCluster cluster, int count) {
        for (int i = 0; i < count; i++) {
            cluster.submit(i % 3, numbers, TestCluster.operation(numbers++));
            cluster.run(10);
        }
    }

    /** Asks for another replica in a place; what follows the configuration that all are in. */
    private Configuration replacing(TestCluster cluster, int place) {
        Configuration now = cluster.nodes.get(place).term.configuration();
        int name = 4 + (int) now.number();
        Configuration next = now.replacing(place, new Member(PrincipalId.replica(name), Bytes.EMPTY, ""));
        cluster.submit(0, numbers++, JournalApplication.replacement(next));
        return next;
    }

    private static Handover ended(TestCluster cluster, int replica) {
        Handover ended = cluster.nodes.get(replica).ended;
        assertThat(ended).as(cluster::toString).isNotNull();
        return Objects.requireNonNull(ended);
    }

    private static ConfigurationStart termOf(Handover handover) {
        return new ConfigurationStart(handover.next(), handover.checkpoint());
    }

    /** All go on; another replica has the place. */
    private static void advance(TestCluster cluster, int place) {
        ConfigurationStart next = termOf(ended(cluster, (place + 1) % 4));
        for (int replica = 0; replica < 4; replica++) {
            if (replica == place) {
                cluster.replace(replica, next);
            } else {
                cluster.advance(replica, next, StartReason.NORMAL);
            }
        }
    }

    @Test
    void itEndsAtTheNextCheckpointWithoutAnyOtherWork() {
        TestCluster cluster = cluster();
        submit(cluster, 3);
        Configuration next = replacing(cluster, 2);
        finish(cluster, 1_000);
        cluster.run(1_000);
        Handover first = ended(cluster, 0);
        assertThat(first.next()).isEqualTo(next);
        assertThat(first.previous()).isEqualTo(Configuration.fixed(1).digest());
        assertThat(first.checkpoint().sequence() % 8).isZero();
        for (int replica = 0; replica < 4; replica++) {
            assertThat(ended(cluster, replica)).isEqualTo(first);
            assertThat(cluster.replica(replica).executed())
                    .isEqualTo(first.checkpoint().sequence());
        }
    }

    @Test
    void nothingIsExecutedOrReadAfterTheEnd() {
        TestCluster cluster = cluster();
        submit(cluster, 3);
        var _ = replacing(cluster, 2);
        finish(cluster, 1_000);
        cluster.run(1_000);
        long last = ended(cluster, 0).checkpoint().sequence();
        int journal = cluster.nodes.getFirst().application.journal().size();
        submit(cluster, 30);
        cluster.run(20_000);
        for (TestCluster.Node node : cluster.nodes) {
            assertThat(node.up().executed()).isEqualTo(last);
            assertThat(node.application.journal()).hasSize(journal);
            assertThat(node.up().view()).as("nobody is suspected of that").isZero();
            node.up().onQuery(PrincipalId.client(1), 77, Bytes.EMPTY);
            assertThat(node.up().drain(cluster.nowMillis))
                    .anyMatch(effect -> effect instanceof ReplicaEffect.Refuse refuse && refuse.call() == 77)
                    .noneMatch(effect -> effect instanceof ReplicaEffect.Reply);
        }
    }

    /** One request to a batch, as many batches as the log has room for: those above the checkpoint are proposed before anybody knows. */
    @PlantedBug(
            in = Execution.class,
            rule = "a configuration that has ended executes nothing more",
            replace = "suspended || successor() != null ||",
            with = "suspended ||")
    @Test
    void whatWasAgreedAboveTheEndIsVoid() {
        TestCluster cluster = cluster(new ReplicaConfig.Batches(1, 1 << 20, 16));
        var _ = replacing(cluster, 2);
        cluster.run(2);
        for (int i = 0; i < 20; i++) {
            cluster.submit(i % 3, numbers, TestCluster.operation(numbers++));
        }
        boolean decided = false;
        for (int i = 0; i < 1_000; i++) {
            cluster.run(1);
            decided |= cluster.nodes.stream().anyMatch(node -> node.up().decided(9) != null);
        }
        assertThat(decided).isTrue();
        for (int replica = 0; replica < 4; replica++) {
            assertThat(ended(cluster, replica).checkpoint().sequence()).isEqualTo(8);
            assertThat(cluster.replica(replica).executed()).isEqualTo(8);
        }
        advance(cluster, 2);
        finish(cluster, 3_000);
        allEqual(cluster);
        assertThat(cluster.nodes.getFirst().application.journal()).hasSize(numbers);
    }

    @Test
    void whoRestartsAtTheEndSaysSoAgainAndReadsNothing() {
        TestCluster cluster = cluster();
        submit(cluster, 3);
        var _ = replacing(cluster, 2);
        finish(cluster, 1_000);
        cluster.run(1_000);
        Handover before = ended(cluster, 0);
        for (int replica = 0; replica < 4; replica++) {
            cluster.crash(replica);
            cluster.nodes.get(replica).ended = null;
        }
        for (int replica = 0; replica < 4; replica++) {
            cluster.start(replica);
        }
        cluster.run(1_000);
        for (int replica = 0; replica < 4; replica++) {
            assertThat(ended(cluster, replica)).isEqualTo(before);
            cluster.replica(replica).onQuery(PrincipalId.client(1), 77, Bytes.EMPTY);
            assertThat(cluster.replica(replica).drain(cluster.nowMillis))
                    .noneMatch(effect -> effect instanceof ReplicaEffect.Reply);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void theNextOneGoesOnFromThereAndTheNewReplicaFetchesTheState(int place) {
        TestCluster cluster = cluster();
        submit(cluster, 20);
        var _ = replacing(cluster, place);
        finish(cluster, 1_000);
        cluster.run(1_000);
        advance(cluster, place);
        submit(cluster, 20);
        finish(cluster, 1_000);
        allEqual(cluster);
    }

    /** The others do not wait for their timers, of 2 s. */
    @Test
    void aNewReplicaThatIsTheFirstPrimaryHandsOverAtOnce() {
        TestCluster cluster = cluster();
        submit(cluster, 20);
        var _ = replacing(cluster, 0);
        finish(cluster, 1_000);
        cluster.run(1_000);
        cluster.holdsStates = true;
        advance(cluster, 0);
        submit(cluster, 5);
        finish(cluster, 1_500);
        cluster.holdsStates = false;
        allEqual(cluster);
    }

    @Test
    void manyFollowEachOther() {
        TestCluster cluster = cluster();
        for (int i = 0; i < 9; i++) {
            submit(cluster, 5);
            var _ = replacing(cluster, i % 4);
            finish(cluster, 2_000);
            cluster.run(1_500);
            advance(cluster, i % 4);
        }
        submit(cluster, 20);
        finish(cluster, 2_000);
        allEqual(cluster);
        assertThat(cluster.nodes.getFirst().term.number()).isEqualTo(9);
    }

    @PlantedBug(
            in = ReplicaRecovery.class,
            rule = "a replica without the state of the beginning does not vote",
            replace = "&& execution.executed() >= config.term().checkpoint().sequence()",
            with = "")
    @Test
    void nothingWithANumberLeavesBeforeTheStateIsHere() {
        TestCluster cluster = cluster();
        submit(cluster, 20);
        var _ = replacing(cluster, 1);
        finish(cluster, 1_000);
        cluster.run(1_000);
        List<ReplicaMessage> said = new ArrayList<>();
        cluster.wire = (from, to, message) -> {
            if (from == 1) {
                said.add(message);
            }
            return List.of(message);
        };
        cluster.holdsStates = true;
        advance(cluster, 1);
        submit(cluster, 30);
        finish(cluster, 10_000);
        assertThat(said).isNotEmpty().noneMatch(SuccessionTest::hasNumber);
        cluster.holdsStates = false;
        submit(cluster, 5);
        finish(cluster, 2_000);
        allEqual(cluster);
        assertThat(said).anyMatch(SuccessionTest::hasNumber);
    }

    /** Two that are behind, and a liar, would be enough for what was true before. */
    @Test
    void nothingIsReadBeforeTheStateIsHereNotEvenAtFirst() {
        ConfigurationStart term = new ConfigurationStart(
                Configuration.fixed(1).replacing(2, new Member(PrincipalId.replica(4), Bytes.EMPTY, "")),
                new Numbered(24, Hashes.sha256(Bytes.EMPTY)));
        Replica begun = new Replica(ReplicaConfig.of(0, 1).in(term, 2), new JournalApplication(), List.of());
        begun.onQuery(PrincipalId.client(1), 77, Bytes.EMPTY);
        assertThat(begun.drain(0)).noneMatch(effect -> effect instanceof ReplicaEffect.Reply);
    }

    private static boolean hasNumber(ReplicaMessage message) {
        return message instanceof ReplicaMessage.Phase || message instanceof Checkpoint || message instanceof Executed;
    }

    @Test
    void whoMissedTheEndGoesOnWithTheStateOfTheNextOne() {
        TestCluster cluster = cluster();
        submit(cluster, 20);
        cluster.wire = (from, to, message) -> from == 3 || to == 3 ? List.of() : List.of(message);
        submit(cluster, 40);
        var _ = replacing(cluster, 1);
        finish(cluster, 2_000);
        cluster.run(1_000);
        cluster.wire = (from, to, message) -> List.of(message);
        assertThat(cluster.nodes.get(3).ended).isNull();
        advance(cluster, 1);
        submit(cluster, 20);
        finish(cluster, 2_000);
        allEqual(cluster);
    }

    @PlantedBug(
            in = StateTransfer.class,
            rule = "the state of a beginning is the one that was handed over",
            replace = "|| (executed == low.sequence() && checkpoints.hasOther(low))",
            with = "")
    @Test
    void aStateThatIsNotTheOneThatWasHandedOverIsReplaced() {
        TestCluster cluster = cluster();
        submit(cluster, 20);
        var _ = replacing(cluster, 1);
        finish(cluster, 1_000);
        cluster.run(1_000);
        cluster.crash(2);
        cluster.nodes.get(2).application.corruptOnDisk();
        cluster.nodes.get(2).isRotten = true;
        advance(cluster, 1);
        cluster.run(1_000);
        cluster.nodes.get(2).isRotten = false;
        assertThat(cluster.nodes.get(2).application.journal())
                .isEqualTo(cluster.nodes.get(0).application.journal());
        submit(cluster, 3);
        finish(cluster, 2_000);
        allEqual(cluster);
    }

    @Test
    void aRecoveryThatWasOpenGoesOnInTheNextOne() {
        TestCluster cluster = cluster();
        submit(cluster, 20);
        cluster.crash(3);
        cluster.start(3, StartReason.RECOVERING);
        cluster.run(200);
        var _ = replacing(cluster, 1);
        finish(cluster, 2_000);
        cluster.run(2_000);
        ConfigurationStart next = termOf(ended(cluster, 0));
        for (int replica = 0; replica < 3; replica++) {
            if (replica == 1) {
                cluster.replace(replica, next);
            } else {
                cluster.advance(replica, next, StartReason.NORMAL);
            }
        }
        cluster.advance(3, next, StartReason.RECOVERING);
        submit(cluster, 20);
        finish(cluster, 3_000);
        cluster.run(5_000);
        assertThat(cluster.replica(3).recoveries(cluster.nowMillis).phase()).isEqualTo(Phase.NONE);
        assertThat(cluster.replica(3).recoveries(cluster.nowMillis).own().recoveredMillis())
                .isPositive();
        allEqual(cluster);
    }

    /** From f = 1 to 2, one of the new ones and one of the old ones are lost, and back. */
    @Test
    void threeMoreAndThreeFewer() {
        TestCluster cluster = cluster();
        submit(cluster, 20);
        List<Member> three = new ArrayList<>();
        for (int name = 4; name < 7; name++) {
            three.add(new Member(PrincipalId.replica(name), Bytes.EMPTY, ""));
        }
        Configuration four = cluster.nodes.getFirst().term.configuration();
        cluster.submit(0, numbers++, JournalApplication.replacement(four.adding(three)));
        finish(cluster, 2_000);
        cluster.run(1_000);
        cluster.resize(termOf(ended(cluster, 0)));
        submit(cluster, 20);
        finish(cluster, 2_000);
        allEqual(cluster);
        cluster.crash(0);
        cluster.crash(5);
        submit(cluster, 20);
        finish(cluster, 10_000);
        cluster.start(0);
        cluster.start(5);
        Configuration seven = cluster.nodes.getFirst().term.configuration();
        assertThat(seven.faulty()).isEqualTo(2);
        cluster.submit(0, numbers++, JournalApplication.replacement(seven.without(Set.of(4, 5, 6))));
        finish(cluster, 5_000);
        cluster.run(1_000);
        cluster.resize(termOf(ended(cluster, 1)));
        submit(cluster, 20);
        finish(cluster, 2_000);
        allEqual(cluster);
        assertThat(cluster.nodes).hasSize(4);
    }

    /** Replica 3 had recovered, and does so again, less than half of T_w after it: the one before it counts for the window, and not against it. */
    @Test
    void theLastRecoveriesAreKnownInTheNextOne() {
        TestCluster cluster = cluster();
        submit(cluster, 20);
        for (int replica = 0; replica < 4; replica++) {
            cluster.crash(replica);
            cluster.start(replica, StartReason.RECOVERING);
            submit(cluster, 20);
            cluster.run(3_000);
        }
        List<KnownRecovery> before = known(cluster, 0);
        assertThat(before).hasSize(4).noneMatch(KnownRecovery::open);
        var _ = replacing(cluster, 1);
        finish(cluster, 2_000);
        cluster.run(2_000);
        assertThat(known(cluster, 0))
                .as("until it is over")
                .extracting(KnownRecovery::sequence)
                .containsExactlyElementsOf(
                        before.stream().map(KnownRecovery::sequence).toList());
        Handover end = ended(cluster, 0);
        advance(cluster, 1);
        submit(cluster, 20);
        finish(cluster, 3_000);
        for (int replica = 0; replica < 4; replica++) {
            List<KnownRecovery> after = known(cluster, replica);
            assertThat(after).hasSize(4).noneMatch(KnownRecovery::open);
            assertThat(after.get(3).agreedMillis()).isEqualTo(before.get(3).agreedMillis());
            assertThat(after).filteredOn(KnownRecovery::hasRecovered).hasSize(3);
            assertThat(after.get(1).hasRecovered()).as("it is new").isFalse();
            assertThat(after.get(1).sequence()).isEqualTo(end.checkpoint().sequence());
        }
        cluster.crash(3);
        cluster.start(3, StartReason.RECOVERING);
        submit(cluster, 20);
        cluster.run(3_000);
        assertThat(cluster.replica(3).recoveries(cluster.nowMillis).phase())
                .as(cluster::toString)
                .isEqualTo(Phase.NONE);
        assertThat(known(cluster, 0).get(3).agreedMillis())
                .isGreaterThan(before.get(3).agreedMillis());
        allEqual(cluster);
    }

    private static List<KnownRecovery> known(TestCluster cluster, int at) {
        return cluster.replica(at).recoveries(cluster.nowMillis).known();
    }

    /** Its state is that of seven, in which the sixth has recovered, and now there are four. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1})
    void whoIsBehindKnowsOfNoRecoveryInTheConfigurationBefore(long number) {
        Configuration seven = new Configuration(number, Configuration.fixed(2).members());
        WireWriter state =
                new WireWriter().i64(1_000).u8(1).u8(5).i64(7).i64(1).i64(1_000).i64(24);
        if (number > 0) {
            seven.write(state);
        }
        JournalApplication application = new JournalApplication();
        application.checkpoint(8, state.toBytes());
        assertThat(application.makeDurable(8)).isTrue();
        Replica before = new Replica(
                ReplicaConfig.of(0, 2)
                        .in(
                                new ConfigurationStart(
                                        seven, application.checkpoints().getFirst()),
                                0),
                application,
                List.of());
        before.onTick(0);
        assertThat(before.recoveries(0).known()).hasSize(1);
        ConfigurationStart term =
                new ConfigurationStart(seven.without(Set.of(4, 5, 6)), new Numbered(24, Hashes.sha256(Bytes.EMPTY)));
        Replica begun = new Replica(ReplicaConfig.of(0, 1).in(term, 0), application, List.of());
        begun.onTick(0);
        assertThat(begun.recoveries(0).known()).isEmpty();
    }

    @Test
    void theFirstCheckpointOfATermIsItsLowWaterMark() {
        ConfigurationStart term = new ConfigurationStart(
                Configuration.fixed(1).replacing(2, new Member(PrincipalId.replica(4), Bytes.EMPTY, "")),
                new Numbered(24, TestCluster.operation(1)));
        RecoveredLog memory = new RecoveredLog(
                term,
                StartReason.NORMAL,
                List.of(),
                new JournalApplication().checkpoints().getFirst());
        assertThat(memory.low()).isEqualTo(term.checkpoint());
    }
}
