package io.bulwark.simulation.pasis;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.pasis.PasisBackground;
import io.bulwark.protocol.pasis.PasisCounters;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.PasisLimits;
import io.bulwark.protocol.pasis.PasisMessage;
import io.bulwark.protocol.pasis.PasisReadOutcome;
import io.bulwark.protocol.pasis.PasisRefusal;
import io.bulwark.protocol.pasis.ValidatingTimestamp;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests how nodes handle versions (lazy verification paper, section 3), with b = 1, m = 2, N = 5. */
@NullMarked
class PasisServerTest {
    private static final int FAULTY = 20;
    private static final int[] ALL = {0, 1, 2, 3, 4};

    private static PasisCluster cluster(Verification verification, PasisLimits limits) {
        return new PasisCluster(1, 2, 5, verification, limits);
    }

    private static PasisCluster lazy() {
        return cluster(Verification.LAZY, PasisCluster.LIMITS);
    }

    /** Charge of a version. */
    private static final long CHARGE = PasisLimits.charge(256);

    private static PasisLimits limits(int perBlock, long clientBytes, long poolBytes, boolean cooperative) {
        return new PasisLimits(perBlock, 64, clientBytes, poolBytes, cooperative, 200, 2, 64, 256, 10_000, 200, 1_000);
    }

    private static List<Bytes> fragments(PasisCluster cluster, long block) {
        return cluster.group(block).encode(cluster.group(block).padded(cluster.value()));
    }

    private static List<PasisRefusal> refusals(PasisCluster cluster) {
        return cluster.sent.stream()
                .filter(PasisMessage.Refused.class::isInstance)
                .map(message -> ((PasisMessage.Refused) message).refusal())
                .distinct()
                .toList();
    }

    @Test
    void everyVersionIsKeptUntilALaterOneIsVerified() {
        PasisCluster cluster = lazy();
        for (int i = 0; i < 3; i++) {
            cluster.write(1, 0);
        }
        cluster.simulation.runFor(1_000);
        for (int node : ALL) {
            assertThat(cluster.held(node, 0)).isEqualTo(3);
            assertThat(cluster.counters(node).possibleVersions()).isEqualTo(3);
        }
        cluster.verify(0, 2);
        assertThat(cluster.held(2, 0)).isEqualTo(1);
        assertThat(cluster.counters(2)).isEqualTo(new PasisCounters(0, 0, 1, 0, 0, 2, 0, 0, 0, 0));
        assertThat(cluster.verified.get(2))
                .containsExactly(new PasisBackground.Verified(
                        cluster.group(0).block(), PasisBackground.VerificationOutcome.VERIFIED, 3));
    }

    @Test
    void whatWasLeftUnverifiedIsListedAfterARestart() {
        PasisCluster cluster = lazy();
        cluster.write(1, 0);
        cluster.write(1, 3);
        cluster.simulation.runFor(1_000);
        cluster.simulation.crash(PrincipalId.node(2));
        cluster.counters.clear();
        cluster.simulation.restart(PrincipalId.node(2));
        cluster.simulation.runFor(1_000);
        assertThat(cluster.counters(2).possibleVersions()).isEqualTo(2);
        assertThat(cluster.counters(2).poolBytes()).isEqualTo(2 * CHARGE);
    }

    @PlantedBug(
            inClass = "io.bulwark.protocol.pasis.BlockWriter",
            rule = "a version is durable before it is acknowledged",
            replace = "store(record, record.sender(), request.fragment(), call, stored, ignored -> {});",
            with = "written.accept(0); store(record, record.sender(), request.fragment(), call, stored, ignored ->"
                    + " {});")
    @Test
    void whatIsNotStoredIsNotAcknowledged() {
        PasisCluster cluster = lazy();
        for (int node : ALL) {
            cluster.simulation.records(PrincipalId.node(node)).setFull(true);
        }
        List<Bytes> fragments = fragments(cluster, 0);
        cluster.send(FAULTY, 0, ValidatingTimestamp.of(1, PrincipalId.client(FAULTY), fragments), fragments, ALL);
        assertThat(refusals(cluster)).containsExactly(PasisRefusal.NO_SPACE);
        assertThat(cluster.sent).noneMatch(PasisMessage.Written.class::isInstance);
        assertThat(cluster.counters(0).possibleVersions()).isZero();
    }

    @PlantedBug(
            in = PasisGroup.class,
            rule = "a fragment matches the hash in its timestamp",
            replace = "&& timestamp.isFragment(holdsCopies() ? 0 : slot, fragment);",
            with = ";")
    @Test
    void aFragmentWhoseHashIsAnotherIsRefused() {
        PasisCluster cluster = lazy();
        List<Bytes> fragments = fragments(cluster, 0);
        ValidatingTimestamp version = ValidatingTimestamp.of(1, PrincipalId.client(FAULTY), fragments);
        cluster.send(FAULTY, 0, version, fragments(cluster, 0), ALL);
        assertThat(refusals(cluster)).containsExactly(PasisRefusal.INCONSISTENT);
        assertThat(cluster.held(0, 0)).isZero();
    }

    @Test
    void aSessionThatIsClosedAndForgottenIsRefusedWhateverIsKnownOfIt() {
        PasisCluster cluster = lazy();
        PrincipalId faulty = PrincipalId.client(FAULTY);
        List<Bytes> first = fragments(cluster, 0);
        cluster.send(FAULTY, 0, ValidatingTimestamp.of(1, faulty, first), first, 0);
        for (int node : ALL) {
            cluster.simulation.tell(PrincipalId.node(node), new Fact.Collapsed(faulty, 1, 1));
        }
        cluster.simulation.runFor(100);
        // Node 1 asks only now, and gets the facts from before the closing.
        List<Bytes> second = fragments(cluster, 0);
        cluster.send(FAULTY, 0, ValidatingTimestamp.of(2, faulty, second), second, 0, 1);
        assertThat(refusals(cluster)).containsExactly(PasisRefusal.SESSION_CLOSED);
        assertThat(cluster.held(0, 0)).isEqualTo(1);
        assertThat(cluster.held(1, 0)).isZero();
    }

    @PlantedBug(
            inClass = "io.bulwark.protocol.pasis.PasisAccess",
            rule = "a revoked client is not served under PASIS",
            replace = "if (revoked.contains(from)) { return new Admission.Refuse(PasisRefusal.NO_GRANT, epoch);",
            with = "if (false) { return new Admission.Refuse(PasisRefusal.NO_GRANT, epoch);")
    @Test
    void nothingOfARevokedClientIsTaken() {
        PasisCluster cluster = lazy();
        List<Bytes> fragments = fragments(cluster, 0);
        for (int node : ALL) {
            cluster.simulation.tell(PrincipalId.node(node), new Fact.Revoked(PrincipalId.client(FAULTY)));
        }
        cluster.send(FAULTY, 0, ValidatingTimestamp.of(1, PrincipalId.client(FAULTY), fragments), fragments, ALL);
        assertThat(refusals(cluster)).containsExactly(PasisRefusal.NO_GRANT);
        assertThat(cluster.held(0, 0)).isZero();
    }

    @PlantedBug(
            inClass = "io.bulwark.protocol.pasis.BlockWriter",
            rule = "a time far ahead is refused",
            replace = "far(nowMillis, call);",
            with = "keep(call, request);")
    @Test
    void aTimeFarAboveAllOthersIsRefusedAfterTheOthersWereAsked() {
        PasisCluster cluster = lazy();
        List<Bytes> fragments = fragments(cluster, 0);
        cluster.send(
                FAULTY, 0, ValidatingTimestamp.of(1L << 16, PrincipalId.client(FAULTY), fragments), fragments, ALL);
        assertThat(refusals(cluster)).isEmpty();
        fragments = fragments(cluster, 1);
        cluster.send(
                FAULTY,
                1,
                ValidatingTimestamp.of((1L << 16) + 1, PrincipalId.client(FAULTY), fragments),
                fragments,
                ALL);
        cluster.simulation.runFor(2_000);
        assertThat(refusals(cluster)).containsExactly(PasisRefusal.FAR);
        assertThat(cluster.held(0, 1)).isZero();
    }

    @Test
    void itIsToldWhichWritesAreOnTheirWay() {
        PasisCluster cluster = lazy();
        cluster.write(1, 0);
        cluster.simulation.runFor(1_000);
        assertThat(cluster.writes.get(3)).containsExactly("client-1 begins", "client-1 came");
        // A client that may only read learns the time as well.
        cluster.simulation.send(
                PrincipalId.client(9),
                PrincipalId.node(3),
                1L << 41,
                new PasisMessage.FindTime(cluster.group(0).target(3)));
        // The nodes ask each other for their times, and write nothing.
        List<Bytes> fragments = fragments(cluster, 0);
        cluster.send(
                FAULTY, 0, ValidatingTimestamp.of(1L << 18, PrincipalId.client(FAULTY), fragments), fragments, ALL);
        cluster.simulation.runFor(2_000);
        assertThat(refusals(cluster)).containsExactly(PasisRefusal.FAR);
        assertThat(cluster.writes.get(3))
                .filteredOn(told -> told.endsWith("begins"))
                .containsExactly("client-1 begins");
    }

    @Test
    void aNodeThatMissedMuchLearnsThatATimeIsNotFar() {
        PasisCluster cluster = lazy();
        List<Bytes> fragments = fragments(cluster, 0);
        for (int step = 1; step <= 2; step++) {
            ValidatingTimestamp version =
                    ValidatingTimestamp.of(step * (1L << 16), PrincipalId.client(FAULTY), fragments);
            cluster.send(FAULTY, 0, version, fragments, 0, 1, 2, 3);
        }
        ValidatingTimestamp written = cluster.write(1, 0);
        cluster.simulation.runFor(2_000);
        assertThat(written.time()).isEqualTo((2L << 16) + 1);
        assertThat(cluster.held(4, 0)).isEqualTo(1);
    }

    @PlantedBug(
            inClass = "io.bulwark.protocol.pasis.Verifier",
            rule = "the sender of a poisonous version is accused",
            replace = ".poisonous( record.sender(),",
            with = ".poisonous( record.timestamp().client(),")
    @Test
    void poisonousVersionsAreDiscardedAndTheirSenderIsAccusedWhateverTheTimestampSays() {
        PasisCluster cluster = lazy();
        ValidatingTimestamp good = cluster.write(1, 0);
        List<Bytes> mixed = new ArrayList<>(fragments(cluster, 0));
        mixed.set(4, fragments(cluster, 0).get(4));
        ValidatingTimestamp version = ValidatingTimestamp.of(2, PrincipalId.client(1), mixed);
        cluster.send(FAULTY, 0, version, mixed, ALL);
        cluster.verify(0, 3);
        assertThat(cluster.held(3, 0)).isEqualTo(1);
        assertThat(cluster.counters(3).poisonous()).isEqualTo(1);
        assertThat(cluster.simulation.sightings())
                .extracting(sighting -> sighting.evidence())
                .filteredOn(evidence -> evidence.verdict() == Verdict.POISONOUS)
                .isNotEmpty()
                .allSatisfy(evidence -> {
                    assertThat(evidence.about()).isEqualTo(PrincipalId.client(FAULTY));
                    assertThat(evidence.session()).isEqualTo(1);
                });
        cluster.send(FAULTY, 0, version, mixed, 3);
        assertThat(refusals(cluster)).contains(PasisRefusal.POISONOUS);
        assertThat(cluster.read(0))
                .isInstanceOfSatisfying(
                        PasisReadOutcome.Value.class,
                        value -> assertThat(value.timestamp()).isEqualTo(good));
    }

    @PlantedBug(
            in = PasisGroup.class,
            rule = "b + 1 notices are needed",
            replace = "return b() + 1;",
            with = "return b();")
    @Test
    void bNoticesAreNotBelievedAndBPlusOneAre() {
        PasisCluster cluster = lazy();
        cluster.write(1, 0);
        ValidatingTimestamp latest = cluster.write(1, 0);
        cluster.simulation.runFor(1_000);
        cluster.notify(0, 4, 0, latest, false);
        cluster.notify(0, 4, 0, latest, false);
        assertThat(cluster.held(4, 0)).isEqualTo(2);
        cluster.notify(2, 4, 0, latest, false);
        assertThat(cluster.held(4, 0)).isEqualTo(1);
        assertThat(cluster.counters(4).cooperative()).isEqualTo(1);
        assertThat(cluster.counters(4).verifications()).isZero();
    }

    @Test
    void bNoticesOfPoisonDiscardNothing() {
        PasisCluster cluster = lazy();
        ValidatingTimestamp version = cluster.write(1, 0);
        cluster.simulation.runFor(1_000);
        cluster.notify(2, 4, 0, version, true);
        cluster.notify(2, 4, 0, version, true);
        assertThat(cluster.held(4, 0)).isEqualTo(1);
    }

    @Test
    void noticesThatDifferCollectUpToTheBPlusFirst() {
        PasisCluster cluster = lazy();
        List<ValidatingTimestamp> versions = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            versions.add(cluster.write(1, 0));
        }
        cluster.simulation.runFor(1_000);
        cluster.notify(2, 4, 0, versions.get(3), false);
        cluster.notify(3, 4, 0, versions.get(1), false);
        assertThat(cluster.held(4, 0)).isEqualTo(3);
    }

    @Test
    void atABoundTheWriteWaitsForTheVerificationOfThatBlock() {
        PasisCluster cluster = cluster(Verification.LAZY, limits(2, 1 << 20, 1 << 20, false));
        for (int i = 0; i < 5; i++) {
            assertThat(cluster.write(1, 0).isNone()).isFalse();
        }
        cluster.simulation.runFor(1_000);
        assertThat(cluster.held(0, 0)).isLessThanOrEqualTo(3);
        assertThat(cluster.counters(0).onDemand()).isPositive();
        assertThat(refusals(cluster)).isEmpty();
    }

    @PlantedBug(
            inClass = "io.bulwark.protocol.pasis.BlockWriter",
            rule = "the possible versions of a block are limited",
            replace = "if (possible.of(sender, block.block()) >= node.limits().possiblePerBlock()) {",
            with = "if (possible.of(sender, block.block()) < 0) {")
    @Test
    void aStutteringClientIsRefusedAndOthersAreNot() {
        PasisCluster cluster = cluster(Verification.LAZY, limits(2, 1 << 20, 1 << 20, false));
        for (int i = 1; i <= 4; i++) {
            List<Bytes> fragments = fragments(cluster, 0);
            cluster.send(FAULTY, 0, ValidatingTimestamp.of(i, PrincipalId.client(1), fragments), fragments, 0);
        }
        cluster.simulation.runFor(3_000);
        assertThat(cluster.held(0, 0)).isEqualTo(2);
        assertThat(refusals(cluster)).containsExactly(PasisRefusal.BLOCK_LIMIT);
        assertThat(cluster.write(1, 0).isNone()).isFalse();
        cluster.simulation.runFor(1_000);
        assertThat(cluster.held(0, 0)).isEqualTo(3);
    }

    @Test
    void aFullPoolIsCollected() {
        PasisCluster cluster = cluster(Verification.LAZY, limits(8, 1 << 20, 4 * CHARGE, false));
        for (int i = 0; i < 12; i++) {
            assertThat(cluster.write(1, i % 3).isNone()).isFalse();
        }
        cluster.simulation.runFor(1_000);
        for (int node : ALL) {
            assertThat(cluster.counters(node).poolBytes()).isLessThanOrEqualTo(4 * CHARGE);
            assertThat(cluster.counters(node).avoided()).isPositive();
        }
        assertThat(refusals(cluster)).isEmpty();
    }

    @PlantedBug(
            inClass = "io.bulwark.protocol.pasis.BlockWriter",
            rule = "the pool is limited",
            replace = "return node.isPoolFull(charge) ? PasisRefusal.POOL : null;",
            with = "return null;")
    @Test
    void aFullPoolRefusesWithItsReason() {
        PasisCluster cluster = cluster(Verification.LAZY, limits(8, 1 << 20, 2 * CHARGE, false));
        for (int i = 1; i <= 3; i++) {
            List<Bytes> fragments = fragments(cluster, i);
            cluster.send(FAULTY, i, ValidatingTimestamp.of(1, PrincipalId.client(FAULTY), fragments), fragments, 0);
        }
        cluster.simulation.runFor(5_000);
        assertThat(refusals(cluster)).containsExactly(PasisRefusal.POOL);
        assertThat(cluster.counters(0).possibleVersions()).isEqualTo(2);
    }

    @PlantedBug(
            inClass = "io.bulwark.protocol.pasis.BlockWriter",
            rule = "one client does not fill the pool",
            replace = "boolean crowded = possible.bytesOf(sender) + charge > node.clientBytes(charge);",
            with = "boolean crowded = false;")
    @Test
    void oneClientsShareOfThePoolIsItsOwn() {
        PasisCluster cluster = cluster(Verification.LAZY, limits(8, 2 * CHARGE, 4 * CHARGE, false));
        for (int i = 1; i <= 3; i++) {
            List<Bytes> fragments = fragments(cluster, i);
            cluster.send(FAULTY, i, ValidatingTimestamp.of(1, PrincipalId.client(FAULTY), fragments), fragments, 0);
        }
        cluster.simulation.runFor(5_000);
        assertThat(refusals(cluster)).containsExactly(PasisRefusal.CLIENT_LIMIT);
        assertThat(cluster.write(1, 0).isNone()).isFalse();
    }

    @Test
    void withMoreClientsEachHasLessOfThePool() {
        PasisCluster cluster = cluster(Verification.LAZY, limits(8, 1 << 20, 16 * CHARGE, false));
        cluster.clients = 3;
        for (int i = 1; i <= 6; i++) {
            List<Bytes> fragments = fragments(cluster, i);
            cluster.send(FAULTY, i, ValidatingTimestamp.of(1, PrincipalId.client(FAULTY), fragments), fragments, 0);
        }
        cluster.simulation.runFor(5_000);
        assertThat(cluster.counters(0).poolBytes())
                .as("the sixth is beyond a third of the pool")
                .isEqualTo(5 * CHARGE);
        assertThat(cluster.neededPool).isZero();
        assertThat(refusals(cluster)).containsExactly(PasisRefusal.CLIENT_LIMIT);
    }

    @Test
    void howeverManyClientsThereAreEachHasRoomForSomeVersions() {
        PasisCluster cluster = cluster(Verification.LAZY, limits(8, 1 << 20, 16 * CHARGE, false));
        cluster.clients = 1_000;
        for (int i = 1; i <= 5; i++) {
            List<Bytes> fragments = fragments(cluster, i);
            cluster.send(FAULTY, i, ValidatingTimestamp.of(1, PrincipalId.client(FAULTY), fragments), fragments, 0);
        }
        cluster.simulation.runFor(5_000);
        assertThat(cluster.counters(0).poolBytes()).isEqualTo(4 * CHARGE);
        assertThat(cluster.neededPool).isEqualTo(1_000 * 4 * CHARGE);
        assertThat(refusals(cluster)).containsExactly(PasisRefusal.CLIENT_LIMIT);
    }

    @Test
    void atABoundWhatIsRepairableIsRepairedWhenNothingElseHelps() {
        PasisCluster cluster = cluster(Verification.LAZY, limits(1, 1 << 20, 1 << 20, false));
        List<Bytes> fragments = fragments(cluster, 0);
        // At N - b - 1 nodes: never complete unless somebody repairs it.
        cluster.send(FAULTY, 0, ValidatingTimestamp.of(1, PrincipalId.client(FAULTY), fragments), fragments, 0, 1, 2);
        List<Bytes> more = fragments(cluster, 0);
        cluster.send(FAULTY, 0, ValidatingTimestamp.of(2, PrincipalId.client(FAULTY), more), more, 0);
        cluster.simulation.runFor(5_000);
        assertThat(refusals(cluster)).isEmpty();
        assertThat(cluster.held(0, 0)).isEqualTo(2);
        assertThat(cluster.held(4, 0)).isEqualTo(1);
    }

    /** Earlier versions that readers had repaired, and that are unverified, are verified then. */
    @Test
    void atTheBoundOfRepairsTheNodeMakesRoomToo() {
        PasisCluster cluster = cluster(Verification.LAZY, limits(1, 1 << 20, 1 << 20, false));
        for (int time = 1; time <= 3; time++) {
            int client = FAULTY + time;
            List<Bytes> fragments = fragments(cluster, 0);
            ValidatingTimestamp version = ValidatingTimestamp.of(time, PrincipalId.client(client), fragments);
            cluster.send(client, 0, version, fragments, 0, 1, 2);
            assertThat(cluster.read(0))
                    .isInstanceOfSatisfying(
                            PasisReadOutcome.Value.class,
                            value -> assertThat(value.timestamp()).isEqualTo(version));
        }
    }

    /**
     * Each node could verify the latest version, and make room, if another one made its fragment. The other one has no
     * room for that.
     */
    @Test
    void nodesAtTheBoundOfRepairsDoNotWaitForEachOther() {
        PasisCluster cluster = new PasisCluster(2, 3, 9, Verification.LAZY, limits(1, 1 << 20, 1 << 20, false));
        for (int slot = 5; slot < 9; slot++) {
            List<Bytes> fragments = fragments(cluster, 0);
            ValidatingTimestamp version = ValidatingTimestamp.of(1, PrincipalId.client(FAULTY + slot), fragments);
            cluster.send(FAULTY + slot, 0, version, fragments, 0, 1, 2, 3, 4);
            cluster.simulation.send(
                    PrincipalId.client(9),
                    cluster.group(0).node(slot),
                    1L << 41,
                    new PasisMessage.Repair(cluster.group(0).target(slot), version));
            cluster.simulation.runFor(500);
            assertThat(cluster.held(slot, 0)).isEqualTo(1);
        }
        List<Bytes> fragments = fragments(cluster, 0);
        ValidatingTimestamp latest = ValidatingTimestamp.of(2, PrincipalId.client(FAULTY), fragments);
        cluster.send(FAULTY, 0, latest, fragments, 0, 1, 2, 3, 4);
        assertThat(cluster.read(0))
                .isInstanceOfSatisfying(
                        PasisReadOutcome.Value.class,
                        value -> assertThat(value.timestamp()).isEqualTo(latest));
    }

    @PlantedBug(
            inClass = "io.bulwark.protocol.pasis.BlockWriter",
            rule = "under write-time verification a node verifies before it answers",
            replace = "block.group().verification() == Verification.WRITE_TIME",
            with = "block.group().verification() == Verification.NONE")
    @Test
    void atWriteTimeNodesVerifyBeforeTheyAnswer() {
        PasisCluster cluster = cluster(Verification.WRITE_TIME, PasisCluster.LIMITS);
        cluster.write(1, 0);
        cluster.write(1, 0);
        cluster.simulation.runFor(1_000);
        for (int node : ALL) {
            assertThat(cluster.held(node, 0)).isEqualTo(1);
            assertThat(cluster.counters(node).possibleVersions()).isZero();
        }
    }

    @Test
    void whatAClosedSessionSendsIsRefusedAndWhatItWroteStays() {
        PasisCluster cluster = lazy();
        ValidatingTimestamp written = cluster.write(1, 0);
        cluster.closeSessions();
        List<Bytes> fragments = fragments(cluster, 0);
        cluster.send(1, 0, ValidatingTimestamp.of(7, PrincipalId.client(1), fragments), fragments, ALL);
        assertThat(refusals(cluster)).containsExactly(PasisRefusal.SESSION_CLOSED);
        assertThat(cluster.held(0, 0)).isEqualTo(1);
        cluster.verify(0, ALL);
        assertThat(cluster.read(0))
                .isInstanceOfSatisfying(
                        PasisReadOutcome.Value.class,
                        value -> assertThat(value.timestamp()).isEqualTo(written));
    }

    @PlantedBug(
            inClass = "io.bulwark.protocol.pasis.BlockWriter",
            rule = "a write that waited while its session was closed is refused",
            replace = "if (node.access().closed(call.from(), block.block(), request.session())) {",
            with = "if (version.isNone()) {")
    @Test
    void aWriteThatWaitedWhileItsSessionWasClosedIsRefused() {
        PasisCluster cluster = cluster(Verification.LAZY, limits(1, 1 << 20, 1 << 20, false));
        List<Bytes> first = fragments(cluster, 0);
        cluster.send(FAULTY, 0, ValidatingTimestamp.of(1, PrincipalId.client(FAULTY), first), first, 0);
        // At its bound the second waits for a verification, which waits for nodes that are silent.
        for (int node = 1; node < 5; node++) {
            cluster.simulation.crash(PrincipalId.node(node));
        }
        List<Bytes> second = fragments(cluster, 0);
        cluster.send(FAULTY, 0, ValidatingTimestamp.of(2, PrincipalId.client(FAULTY), second), second, 0);
        cluster.closeSessions();
        cluster.simulation.runFor(5_000);
        assertThat(refusals(cluster)).containsExactly(PasisRefusal.SESSION_CLOSED);
        assertThat(cluster.held(0, 0)).isEqualTo(1);
    }

    @Test
    void aLaterEpochIsServedOnceTheReplicasTellOfItAndTheEarlierOneNoMore() {
        PasisCluster cluster = lazy();
        ValidatingTimestamp written = cluster.write(1, 0);
        var before = cluster.group(0);
        cluster.simulation.runFor(1_000);
        cluster.notify(before, 0, 2, written, false);
        cluster.nextEpoch();
        List<Bytes> fragments = fragments(cluster, 0);
        ValidatingTimestamp version = ValidatingTimestamp.of(7, PrincipalId.client(FAULTY), fragments);
        cluster.send(FAULTY, 0, version, fragments, 2);
        assertThat(cluster.held(2, 0))
                .as("node 2 asked, as the request named a later epoch")
                .isEqualTo(2);
        cluster.simulation.send(
                PrincipalId.client(FAULTY), PrincipalId.node(2), 1L << 40, new PasisMessage.FindTime(before.target(2)));
        cluster.simulation.runFor(500);
        assertThat(refusals(cluster)).containsExactly(PasisRefusal.OTHER_EPOCH);
        cluster.notify(1, 2, 0, written, false);
        assertThat(cluster.counters(2).cooperative())
                .as("notices of two epochs do not count together")
                .isZero();
        assertThat(cluster.read(0))
                .isInstanceOfSatisfying(
                        PasisReadOutcome.Value.class,
                        value -> assertThat(value.timestamp()).isEqualTo(written));
    }

    @Test
    void withoutVerificationANewVersionTakesThePlaceOfTheOldOne() {
        PasisCluster cluster = cluster(Verification.NONE, PasisCluster.LIMITS);
        cluster.write(1, 0);
        ValidatingTimestamp latest = cluster.write(1, 0);
        cluster.simulation.runFor(1_000);
        assertThat(cluster.held(0, 0)).isEqualTo(1);
        assertThat(cluster.counters(0)).isEqualTo(PasisCounters.ZERO);
        assertThat(cluster.read(0))
                .isInstanceOfSatisfying(
                        PasisReadOutcome.Value.class,
                        value -> assertThat(value.timestamp()).isEqualTo(latest));
    }
}
