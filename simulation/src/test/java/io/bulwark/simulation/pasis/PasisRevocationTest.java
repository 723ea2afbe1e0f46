package io.bulwark.simulation.pasis;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.PasisMessage;
import io.bulwark.protocol.pasis.PasisReadOutcome;
import io.bulwark.protocol.pasis.PasisServer;
import io.bulwark.protocol.pasis.ValidatingTimestamp;
import io.bulwark.protocol.pasis.VerificationWatch;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.engine.SimulatedRecords;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests when a node reports the revocation of a client as complete (thesis 3.3.2), with b = 1, m = 2, N = 5. */
@NullMarked
class PasisRevocationTest {
    private static final int FAULTY = 20;
    private static final PrincipalId CLIENT = PrincipalId.client(FAULTY);
    private static final Fact REVOKED = new Fact.Revoked(CLIENT);

    private final PasisCluster cluster = new PasisCluster(1, 2, 5, Verification.LAZY, PasisCluster.LIMITS);
    private final PasisGroup group = cluster.group(0);
    private final List<Bytes> fragments = cluster.fragments(0);
    private final SimulatedRecords disk = new SimulatedRecords();

    private ValidatingTimestamp version(long time) {
        return ValidatingTimestamp.of(time, CLIENT, fragments);
    }

    private void revoke() {
        for (int node = 0; node < 5; node++) {
            cluster.simulation.tell(PrincipalId.node(node), REVOKED);
        }
        cluster.simulation.runFor(8_000);
    }

    private ValidatingTimestamp read() {
        return cluster.read(0) instanceof PasisReadOutcome.Value value ? value.timestamp() : ValidatingTimestamp.NONE;
    }

    @Test
    void whatEnoughNodesHoldIsCompleteWhenAllAreDone() {
        cluster.send(FAULTY, 0, version(1), fragments, 0, 1);
        revoke();
        assertThat(cluster.undecided)
                .hasSize(5)
                .allSatisfy((node, left) -> assertThat(left).as("node " + node).isZero());
        for (int node = 0; node < 5; node++) {
            assertThat(cluster.held(node, 0)).isEqualTo(1);
        }
        assertThat(read()).isEqualTo(version(1));
    }

    /** The liar has its fragment: with the one at node 0 that is N - 3b, enough for a reader to make it complete. */
    @Test
    void whatColludersCouldCompleteLaterKeepsItsHolderFromBeingDone() {
        ValidatingTimestamp before = cluster.write(1, 0);
        cluster.send(FAULTY, 0, version(2), fragments, 0);
        revoke();
        assertThat(cluster.undecided)
                .containsEntry(0, 1)
                .containsEntry(1, 0)
                .containsEntry(2, 0)
                .containsEntry(3, 0)
                .containsEntry(4, 0);
        assertThat(read()).isEqualTo(before);
        ValidatingTimestamp after = cluster.write(1, 0);
        assertThat(after.isAfter(version(2))).isFalse();
        after = cluster.write(1, 0);
        cluster.simulation.runFor(40_000);
        assertThat(cluster.undecided).containsEntry(0, 0);
        assertThat(cluster.held(0, 0)).isEqualTo(1);
        assertThat(read()).isEqualTo(after);
    }

    @Test
    void aPoisonousVersionIsDiscarded() {
        List<Bytes> mixed = new ArrayList<>(fragments);
        mixed.set(4, cluster.fragments(0).get(4));
        cluster.send(FAULTY, 0, ValidatingTimestamp.of(1, CLIENT, mixed), mixed, 0, 1, 2);
        revoke();
        assertThat(cluster.undecided).hasSize(5).containsEntry(0, 0).containsEntry(2, 0);
        assertThat(cluster.held(0, 0)).isZero();
    }

    @Test
    void aNodeSaysThatItRefusesOnceNoStoreIsUnderWay() {
        ByHand node = new ByHand();
        node.holds = true;
        node.take(0);
        assertThat(node.stores).hasSize(1);
        node.run(node.server.onFact(2, REVOKED));
        node.tick(1_000);
        assertThat(node.told).isEmpty();
        node.release();
        node.tick(2_000);
        assertThat(node.told).containsExactly(1);
    }

    /** A later write of the same client waits behind the store; it is refused then. */
    @Test
    void whatWaitedBehindAStoreIsRefused() {
        ByHand node = new ByHand();
        node.holds = true;
        node.take(0);
        List<Bytes> later = cluster.fragments(0);
        node.take(0, ValidatingTimestamp.of(2, CLIENT, later), later.getFirst());
        node.run(node.server.onFact(2, REVOKED));
        node.release();
        node.tick(2_000);
        assertThat(node.stores).isEmpty();
        assertThat(node.told).containsExactly(1);
    }

    @Test
    void afterARestartNothingIsSaidBeforeTheDiskWasRead() {
        new ByHand().take(0);
        ByHand again = new ByHand();
        again.reads = false;
        again.run(again.server.onFact(1, REVOKED));
        again.tick(1_000);
        assertThat(again.told).isEmpty();
        again.readAll();
        again.tick(2_000);
        assertThat(again.told).containsExactly(1);
    }

    @Test
    void whatAnotherNodeHoldsNowIsNotWaitedFor() {
        ByHand node = new ByHand();
        node.take(0);
        node.run(node.server.onFact(2, REVOKED));
        node.run(node.server.onFact(3, new Fact.OfVolume(6, Optional.of(volume(2, List.of(7, 1, 2, 3, 4))))));
        node.tick(1_000);
        assertThat(node.told).containsExactly(1, 0);
        node.run(node.server.onFact(1_001, new Fact.OfVolume(6, Optional.of(volume(3, List.of(0, 1, 2, 3, 4))))));
        node.tick(2_000);
        assertThat(node.told)
                .as("it holds the slot again, and nothing of before")
                .containsExactly(1, 0);
        assertThat(disk.keys()).extracting(RecordKey::kind).doesNotContain(RecordKind.PASIS_VERSION);
    }

    @Test
    void whatIsLeftOfAVolumeThatIsGoneIsNotWaitedFor() {
        new ByHand().take(0);
        ByHand again = new ByHand();
        again.tick(1);
        again.run(again.server.onFact(2, REVOKED));
        assertThat(again.told).containsExactly(1);
        again.reads = false;
        again.run(again.server.onFact(3, new Fact.OfVolume(6, Optional.empty())));
        again.tick(1_000);
        assertThat(again.told).as("the answer may be older than the volume").containsExactly(1);
        again.run(again.server.onFact(1_003, new Fact.OfVolume(6, Optional.empty())));
        again.tick(2_000);
        assertThat(again.told).as("though nothing is deleted yet").containsExactly(1, 0);
    }

    private Volume volume(long epoch, List<Integer> holders) {
        return new Volume(
                6, "disk", VolumeKind.REGISTER, group.policy(), 1_000, List.of(new PlacementGroup(epoch, holders)));
    }

    /** Node 0 alone, on the disk that all of them share: no peer ever answers it. */
    private final class ByHand {
        final List<Integer> told = new ArrayList<>();
        final Deque<Effect.Store> stores = new ArrayDeque<>();
        private final Deque<Effect> reading = new ArrayDeque<>();
        final PasisServer server = new PasisServer(
                PrincipalId.node(0), PasisCluster.LIMITS, () -> 1, VerificationWatch.NONE, (_, left) -> told.add(left));
        boolean holds;
        boolean reads = true;

        void take(int slot) {
            take(slot, version(1), fragments.get(slot));
        }

        void take(int slot, ValidatingTimestamp version, Bytes fragment) {
            run(server.onFact(0, new Fact.OfVolume(6, Optional.of(volume(1, List.of(0, 1, 2, 3, 4))))));
            run(server.onFact(0, new Fact.OfSession(6, CLIENT, 1, SessionState.OPEN)));
            run(server.onMessage(1, CLIENT, 1, new PasisMessage.Write(group.target(slot), 1, version, fragment)));
        }

        void tick(long nowMillis) {
            run(server.onTick(nowMillis));
        }

        void run(List<Effect> effects) {
            for (Effect effect : effects) {
                switch (effect) {
                    case Effect.Store store -> {
                        stores.add(store);
                        if (!holds) {
                            release();
                        }
                    }
                    case Effect.Load _, Effect.LoadMetas _, Effect.Scan _ -> {
                        reading.add(effect);
                        if (reads) {
                            readAll();
                        }
                    }
                    case Effect.Ask _, Effect.Run _, Effect.Send _, Effect.Evidence _, Effect.Refuses _ -> {}
                }
            }
        }

        void release() {
            for (Effect.Store store = stores.poll(); store != null; store = stores.poll()) {
                disk.apply(store.mutations());
                run(server.onStored(1, store.token(), Stored.DURABLE));
            }
        }

        void readAll() {
            for (Effect effect = reading.poll(); effect != null; effect = reading.poll()) {
                switch (effect) {
                    case Effect.Load(var token, var key) -> run(server.onLoaded(1, token, disk.load(key)));
                    case Effect.LoadMetas(var token, RecordKind kind, var block) ->
                        run(server.onLoaded(1, token, disk.scan(kind, block, block, Integer.MAX_VALUE)));
                    case Effect.Scan scan ->
                        run(server.onLoaded(
                                1, scan.token(), disk.scan(scan.kind(), scan.from(), scan.to(), scan.max())));
                    default -> throw new AssertionError(effect);
                }
            }
        }
    }
}
