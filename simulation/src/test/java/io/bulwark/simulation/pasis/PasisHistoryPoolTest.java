package io.bulwark.simulation.pasis;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.pasis.PasisLimits;
import io.bulwark.protocol.pasis.PasisMessage;
import io.bulwark.protocol.pasis.PasisRefusal;
import io.bulwark.protocol.pasis.PasisServer;
import io.bulwark.protocol.pasis.ValidatingTimestamp;
import io.bulwark.protocol.pasis.VerificationWatch;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import io.bulwark.simulation.engine.SimulatedRecords;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests the charges for possible versions and their removal, with many leftovers or nothing to free: b = 1, m = 2, N =
 * 5.
 */
@NullMarked
class PasisHistoryPoolTest {
    private static final int FAULTY = 20;
    /** Charge of each version. */
    private static final int CHARGE = 256 + PasisLimits.VERSION_BYTES;

    private static final int[] ALL = {0, 1, 2, 3, 4};

    private static PasisCluster cluster(PasisLimits limits) {
        return new PasisCluster(1, 2, 5, Verification.LAZY, limits);
    }

    private static PasisLimits limits(int perBlock, int perClient, long poolBytes) {
        return new PasisLimits(perBlock, perClient, 1 << 20, poolBytes, false, 200, 2, 64, 256, 10_000, 200, 1_000);
    }

    private static void send(PasisCluster cluster, long block, long time, int... slots) {
        sendAs(FAULTY, cluster, block, time, slots);
    }

    private static void sendAs(int client, PasisCluster cluster, long block, long time, int... slots) {
        List<Bytes> fragments = cluster.fragments(block);
        cluster.send(
                client, block, ValidatingTimestamp.of(time, PrincipalId.client(client), fragments), fragments, slots);
    }

    private static List<PasisRefusal> refusals(PasisCluster cluster) {
        return cluster.sent.stream()
                .filter(PasisMessage.Refused.class::isInstance)
                .map(message -> ((PasisMessage.Refused) message).refusal())
                .distinct()
                .toList();
    }

    private static void assertNothingIsLeft(PasisCluster cluster, int node) {
        assertThat(cluster.simulation.records(PrincipalId.node(node)).keys()).isEmpty();
        assertThat(cluster.counters(node).possibleVersions()).isZero();
        assertThat(cluster.counters(node).poolBytes()).isZero();
    }

    @Test
    void whatIsLeftOfADeletedVolumeIsDeletedAndChargedToNobody() {
        PasisCluster cluster = cluster(PasisCluster.LIMITS);
        cluster.write(1, 0);
        cluster.write(1, 3);
        cluster.simulation.runFor(1_000);
        cluster.verify(0, ALL);
        cluster.deleteVolume();
        cluster.simulation.runFor(40_000);
        for (int node : ALL) {
            assertNothingIsLeft(cluster, node);
        }
        send(cluster, 0, 9, 0);
        assertThat(refusals(cluster)).containsExactly(PasisRefusal.WRONG_SLOT);
    }

    @Test
    void aRestartAsksForVolumesBeforeItKeepsChargingForThem() {
        PasisCluster cluster = cluster(PasisCluster.LIMITS);
        for (int block = 0; block < 300; block++) {
            send(cluster, block, 1, 2);
        }
        cluster.simulation.crash(PrincipalId.node(2));
        cluster.deleteVolume();
        cluster.simulation.restart(PrincipalId.node(2));
        cluster.simulation.runFor(2_800);
        assertNothingIsLeft(cluster, 2);
    }

    @Test
    void answersThatAreOlderThanTheVolumeDeleteNothing() {
        PasisCluster cluster = cluster(PasisCluster.LIMITS);
        cluster.write(1, 0);
        cluster.simulation.runFor(1_000);
        cluster.simulation.crash(PrincipalId.node(2));
        cluster.oldAnswers = 2;
        cluster.simulation.restart(PrincipalId.node(2));
        cluster.simulation.runFor(5_000);
        assertThat(cluster.oldAnswers).isNegative();
        assertThat(cluster.held(2, 0)).isEqualTo(1);
        assertThat(cluster.counters(2).possibleVersions()).isEqualTo(1);
    }

    @Test
    void oneEffortToMakeRoomIsBoundedAndTheNextGoesOnWhereItEnded() {
        // Only block 0 can be verified; as the first block it is tried last. All other versions are at one node.
        int blocks = 101;
        PasisCluster cluster = cluster(limits(8, 1_000, (long) blocks * CHARGE));
        send(cluster, 0, 1, ALL);
        for (int block = 1; block < blocks; block++) {
            send(cluster, block, 1, 0);
        }
        assertThat(cluster.counters(0).verifications()).isZero();
        send(cluster, 200, 1, 0);
        cluster.simulation.runFor(5_000);
        assertThat(refusals(cluster)).containsExactly(PasisRefusal.CLIENT_LIMIT);
        assertThat(cluster.counters(0).verifications())
                .as("64 without repair and 64 with it")
                .isEqualTo(128);
        send(cluster, 201, 1, 0);
        cluster.simulation.runFor(5_000);
        assertThat(cluster.held(0, 201)).isEqualTo(1);
    }

    /** Nobody can decide versions that only one node holds, so those of the first client stay. */
    @Test
    void aClientsShareIsItsOwnWhateverAnotherHoldsFromWhenItWasAlone() {
        PasisCluster cluster = cluster(limits(8, 1_000, 8 * CHARGE));
        for (int block = 0; block < 8; block++) {
            send(cluster, block, 1, 0);
        }
        assertThat(cluster.counters(0).poolBytes()).isEqualTo(8 * CHARGE);
        cluster.clients = 2;
        for (int block = 10; block < 14; block++) {
            sendAs(FAULTY + 1, cluster, block, 1, 0);
        }
        assertThat(refusals(cluster)).isEmpty();
        assertThat(cluster.counters(0).possibleVersions())
                .as("four more, half the pool")
                .isEqualTo(12);
        sendAs(FAULTY + 1, cluster, 14, 1, 0);
        send(cluster, 15, 1, 0);
        cluster.simulation.runFor(5_000);
        assertThat(refusals(cluster)).containsExactly(PasisRefusal.CLIENT_LIMIT);
        assertThat(cluster.counters(0).possibleVersions()).isEqualTo(12);
    }

    @Test
    void whatARevokedClientLeftIsNobodyElsesShare() {
        PasisCluster cluster = cluster(limits(8, 1_000, 4 * CHARGE));
        for (int block = 0; block < 4; block++) {
            send(cluster, block, 1, 0);
        }
        cluster.simulation.tell(PrincipalId.node(0), new Fact.Revoked(PrincipalId.client(FAULTY)));
        cluster.simulation.runFor(5_000);
        assertThat(cluster.undecided).as("it is still there").containsEntry(0, 4);
        for (int block = 10; block < 14; block++) {
            sendAs(FAULTY + 1, cluster, block, 1, 0);
        }
        assertThat(refusals(cluster)).isEmpty();
        assertThat(cluster.counters(0).possibleVersions()).isEqualTo(8);
    }

    @Test
    void whereThePoolIsTooSmallForAFewVersionsOfEachItIsThePoolThatBoundsThem() {
        PasisCluster cluster = cluster(limits(8, 1_000, 6 * CHARGE));
        cluster.clients = 2;
        for (int client = FAULTY; client < FAULTY + 2; client++) {
            for (int block = 0; block < 4; block++) {
                sendAs(client, cluster, 10 * client + block, 1, 0);
            }
        }
        cluster.simulation.runFor(5_000);
        assertThat(cluster.counters(0).possibleVersions()).isEqualTo(6);
        assertThat(refusals(cluster)).containsExactly(PasisRefusal.POOL);
        assertThat(cluster.neededPool).as("four versions of both").isEqualTo(2 * 4 * CHARGE);
    }

    @Test
    void whatAVersionTakesInMemoryCounts() {
        PasisCluster cluster = cluster(limits(8, 1_000, 8 * 768));
        for (int block = 0; block < 9; block++) {
            send(cluster, block, 1, 0);
        }
        cluster.simulation.runFor(5_000);
        assertThat(cluster.counters(0).possibleVersions()).isEqualTo(8);
    }

    @Test
    void whileNobodyKnowsHowManyClientsThereAreThePoolBoundsThemAll() {
        PasisCluster cluster = cluster(limits(8, 1_000, 8 * CHARGE));
        cluster.clients = 0;
        for (int client = FAULTY; client < FAULTY + 2; client++) {
            for (int block = 0; block < 5; block++) {
                sendAs(client, cluster, 10 * client + block, 1, 0);
            }
        }
        cluster.simulation.runFor(5_000);
        assertThat(cluster.counters(0).possibleVersions()).isEqualTo(8);
        assertThat(refusals(cluster)).containsExactly(PasisRefusal.POOL);
        assertThat(cluster.neededPool).as("nobody knows that either").isZero();
    }

    /** Each has the whole pool, and leaves it full of what cannot be decided. */
    @Test
    void clientsThatAreRevokedInTurnLeaveNoMoreThanTwiceThePool() {
        PasisCluster cluster = cluster(limits(8, 1_000, 4 * CHARGE));
        for (int client = FAULTY; client < FAULTY + 3; client++) {
            for (int block = 0; block < 4; block++) {
                sendAs(client, cluster, 10 * client + block, 1, 0);
            }
            cluster.simulation.tell(PrincipalId.node(0), new Fact.Revoked(PrincipalId.client(client)));
            cluster.simulation.runFor(5_000);
        }
        assertThat(cluster.counters(0).possibleVersions()).isEqualTo(8);
        assertThat(refusals(cluster)).contains(PasisRefusal.POOL);
    }

    /** Section 4: the high-write-count table lists what the node is responsible for. Node 0 leads blocks 5 and 9. */
    @Test
    void roomForAClientIsLookedForFirstInBlocksThatThisNodeLeads() {
        PasisCluster cluster =
                cluster(new PasisLimits(4, 4, 1 << 20, 1 << 22, true, 200, 1, 64, 256, 10_000, 200, 1_000));
        for (int block = 5; block < 9; block++) {
            send(cluster, block, 1, ALL);
        }
        send(cluster, 11, 1, 0);
        cluster.simulation.runFor(1_000);
        assertThat(refusals(cluster)).isEmpty();
        assertThat(cluster.simulation.records(PrincipalId.node(0)).keys())
                .filteredOn(key -> key.kind() == RecordKind.PASIS_POSSIBLE)
                .extracting(key -> key.block().counter())
                .containsExactlyInAnyOrder(6L, 7L, 8L, 11L);
    }

    @Test
    void whereNothingCanBeFreedItIsTriedLessAndLessOften() {
        PasisCluster cluster = cluster(limits(8, 1_000, CHARGE));
        send(cluster, 0, 1, 0);
        List<Bytes> fragments = cluster.fragments(1);
        ValidatingTimestamp version = ValidatingTimestamp.of(1, PrincipalId.client(FAULTY), fragments);
        for (int i = 0; i < 300; i++) {
            cluster.simulation.send(
                    PrincipalId.client(FAULTY),
                    PrincipalId.node(0),
                    (1L << 41) + i,
                    new PasisMessage.Write(cluster.group(1).target(0), 1, version, fragments.get(0)));
            cluster.simulation.runFor(10);
        }
        assertThat(refusals(cluster)).containsExactly(PasisRefusal.POOL);
        assertThat(cluster.counters(0).verifications()).isBetween(4L, 30L);
    }

    @Test
    void onlySoManyWritesWaitForRoom() {
        PasisLimits two = new PasisLimits(8, 64, 1 << 20, CHARGE, false, 200, 2, 64, 2, 10_000, 200, 1_000);
        PasisCluster cluster = cluster(two);
        send(cluster, 0, 1, 0);
        // Without the others a verification ends when its time is up.
        for (int node = 1; node < 5; node++) {
            cluster.simulation.crash(PrincipalId.node(node));
        }
        for (int block = 1; block <= 6; block++) {
            List<Bytes> fragments = cluster.fragments(block);
            cluster.simulation.send(
                    PrincipalId.client(FAULTY),
                    PrincipalId.node(0),
                    1L << 40,
                    new PasisMessage.Write(
                            cluster.group(block).target(0),
                            1,
                            ValidatingTimestamp.of(1, PrincipalId.client(FAULTY), fragments),
                            fragments.get(0)));
        }
        cluster.simulation.runFor(300);
        assertThat(cluster.sent)
                .as("two wait for verifications without repair, two for such with it")
                .filteredOn(PasisMessage.Refused.class::isInstance)
                .hasSize(2);
    }

    @Test
    void aClientHasSoManyPossibleVersionsInAllBlocks() {
        PasisCluster cluster = cluster(limits(2, 3, 1 << 20));
        for (int block = 0; block < 4; block++) {
            send(cluster, block, 1, 0);
        }
        cluster.simulation.runFor(3_000);
        assertThat(refusals(cluster)).containsExactly(PasisRefusal.CLIENT_LIMIT);
        assertThat(cluster.counters(0).possibleVersions()).isEqualTo(3);
    }

    /** The client's own versions are at one node alone; the verified ones beside them are another client's. */
    @Test
    void whatOthersHadIsNoRoomForAClient() {
        PasisCluster cluster = cluster(limits(2, 2, 1 << 20));
        sendAs(FAULTY + 1, cluster, 0, 1, ALL);
        sendAs(FAULTY + 1, cluster, 0, 2, ALL);
        send(cluster, 0, 8, 0);
        send(cluster, 0, 9, 0);
        assertThat(cluster.counters(0).possibleVersions()).isEqualTo(4);
        send(cluster, 5, 1, 0);
        cluster.simulation.runFor(5_000);
        assertThat(refusals(cluster)).containsExactly(PasisRefusal.CLIENT_LIMIT);
        assertThat(cluster.counters(0).possibleVersions()).isEqualTo(2);
        assertThat(cluster.counters(0).verifications())
                .as("once, and once with repair")
                .isEqualTo(2);
    }

    /** Only the horizon's record shows the versions that peers' notices have collected here. */
    @Test
    void whatWasCollectedIsNotTakenAgainAfterARestart() {
        PasisCluster cluster = cluster(PasisCluster.LIMITS);
        List<ValidatingTimestamp> versions = new ArrayList<>();
        List<Bytes> first = List.of();
        for (int time = 1; time <= 4; time++) {
            List<Bytes> fragments = cluster.fragments(0);
            first = first.isEmpty() ? fragments : first;
            versions.add(ValidatingTimestamp.of(time, PrincipalId.client(FAULTY), fragments));
            cluster.send(FAULTY, 0, versions.getLast(), fragments, ALL);
        }
        cluster.notify(2, 4, 0, versions.get(3), false);
        cluster.notify(3, 4, 0, versions.get(1), false);
        assertThat(cluster.held(4, 0)).isEqualTo(3);
        cluster.simulation.crash(PrincipalId.node(4));
        cluster.simulation.restart(PrincipalId.node(4));
        cluster.simulation.runFor(1_000);
        cluster.send(FAULTY, 0, versions.getFirst(), first, 4);
        assertThat(cluster.held(4, 0)).isEqualTo(3);
    }

    @Test
    void aPeersNonsenseIsNotedAtItsRateOnly() {
        PasisCluster cluster = cluster(PasisCluster.LIMITS);
        cluster.write(1, 0);
        cluster.simulation.runFor(1_000);
        List<Bytes> three = List.of(Bytes.EMPTY, Bytes.EMPTY, Bytes.EMPTY);
        ValidatingTimestamp misshapen = ValidatingTimestamp.of(7, PrincipalId.client(1), three);
        for (int i = 0; i < 500; i++) {
            cluster.simulation.send(
                    PrincipalId.node(1),
                    PrincipalId.node(4),
                    1L << 40,
                    new PasisMessage.Notify(cluster.group(0).target(4), misshapen, false));
        }
        cluster.simulation.runFor(500);
        assertThat(cluster.simulation.sightings())
                .filteredOn(seen -> seen.evidence().verdict() == Verdict.MISBEHAVED)
                .hasSizeBetween(1, 320);
    }

    @Test
    void whatARestartFoundIsToldInStepsAndNothingOfItIsRead() {
        int blocks = 3_000;
        SimulatedRecords disk = new SimulatedRecords();
        for (int block = 0; block < blocks; block++) {
            WireWriter name = new WireWriter(40);
            ValidatingTimestamp.of(1, PrincipalId.client(FAULTY), List.of(Bytes.EMPTY))
                    .name()
                    .write(name);
            WireWriter charge = new WireWriter(16);
            PrincipalId.client(FAULTY).write(charge);
            RecordKey key = new RecordKey(RecordKind.PASIS_POSSIBLE, BlockId.register(6, block), name.toBytes());
            disk.apply(List.of(new Mutation.Put(key, charge.i32(256).toBytes(), Bytes.EMPTY)));
        }
        Set<BlockId> told = new HashSet<>();
        VerificationWatch watch = new VerificationWatch() {
            @Override
            public void possible(long nowMillis, BlockId block, int versions, boolean responsible) {
                told.add(block);
            }
        };
        PasisServer server =
                new PasisServer(PrincipalId.node(0), PasisCluster.LIMITS, () -> 1, watch, RevocationWatch.NONE);
        List<Effect> effects = new ArrayList<>(server.onTick(0));
        while (effects.getLast() instanceof Effect.Scan scan) {
            effects.addAll(
                    server.onLoaded(0, scan.token(), disk.scan(scan.kind(), scan.from(), scan.to(), scan.max())));
        }
        Volume volume = new Volume(
                6,
                "disk",
                VolumeKind.REGISTER,
                new PasisCluster(1, 2, 5, Verification.LAZY, PasisCluster.LIMITS)
                        .group(0)
                        .policy(),
                blocks,
                List.of(new PlacementGroup(1, List.of(0, 1, 2, 3, 4))));
        Effect promised =
                server.onFact(1, new Fact.OfVolume(6, Optional.of(volume))).getFirst();
        assertThat(promised).isInstanceOfSatisfying(Effect.LoadMetas.class, load -> {
            assertThat(load.kind()).isEqualTo(RecordKind.SEAL);
            effects.addAll(server.onLoaded(1, load.token(), new Loaded.Metas(RecordKind.SEAL, List.of())));
        });
        assertThat(told).as("the first step").hasSizeBetween(1, 1_500);
        for (int tick = 1; tick < 5; tick++) {
            effects.addAll(server.onTick(tick * 50L));
        }
        assertThat(told).hasSize(blocks);
        assertThat(effects).noneMatch(effect -> effect instanceof Effect.LoadMetas || effect instanceof Effect.Load);
    }
}
