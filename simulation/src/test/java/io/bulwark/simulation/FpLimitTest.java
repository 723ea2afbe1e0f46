package io.bulwark.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fp.FpGroup;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.fp.Timestamp;
import io.bulwark.protocol.fp.Version;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.campaign.Run;
import io.bulwark.simulation.campaign.Shape;
import io.bulwark.simulation.engine.AlteringServer;
import io.bulwark.simulation.engine.NetworkFaults;
import io.bulwark.simulation.fp.FpProtocol;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests that staged leftovers of writes keep no correct client from writing, whatever f nodes and other clients do. */
@NullMarked
class FpLimitTest {
    private static final PrincipalId ALICE = PrincipalId.client(1);
    private static final PrincipalId MALLORY = PrincipalId.client(3);

    /** A liar brings up a later timestamp in each write, and the last of the first 3f + 1 slots then a smaller one. */
    @Test
    void aNodeThatAlwaysSaysALaterTimestampFillsNoLimit() {
        FpLimits few = new FpLimits(8, 4, 2, 3_000, 50, 4_096, 256, 10_000, 10_000);
        FpCluster cluster = new FpCluster(7, 1, 4, NetworkFaults.calm(), few, Map.of(0, LyingAboutTheNextTs::new));
        cluster.open(ALICE, 11);
        for (int block = 0; block < 100; block++) {
            written(cluster, block);
        }
    }

    /**
     * Slot 4 is faulty. Slot 5, whose timestamps never count, alone has a later commit, which a faulty client left
     * there. It stages each write above that, while the write continues below.
     */
    @Test
    void aCommitThatOneNodeAloneHasKeepsNobodyFromWriting() {
        FpCluster cluster = new FpCluster(7, 1, 4, NetworkFaults.calm(), FpLimits.standard());
        cluster.open(ALICE, 11);
        cluster.open(MALLORY, 13);
        cluster.simulation.crash(PrincipalId.node(4));
        Timestamp partial = committedAt(cluster, 5, 1_000);
        for (int i = 0; i < 7; i++) {
            written(cluster, 1);
        }
        // Once all know of it, the writes go on above it, at slot 5 too.
        for (int slot = 0; slot < 4; slot++) {
            FpMessage.Repair repair =
                    new FpMessage.Repair(new Target(cluster.group(1).block(), 1, slot), partial);
            cluster.simulation.send(ALICE, PrincipalId.node(slot), 1L << 40, repair);
        }
        cluster.simulation.runFor(1_000);
        for (int i = 0; i < 7; i++) {
            assertThat(written(cluster, 1).ts()).isGreaterThan(1_000);
        }
    }

    /**
     * Epochs end while the client writes a block for the first time. Its staged versions at timestamp 1 fill its room
     * at all nodes.
     */
    @Test
    void aClientWhoseWritesFailedAgainAndAgainGoesOnInItsNextSession() {
        Shape shape = new Shape(
                OptionalInt.empty(), OptionalInt.of(1), OptionalInt.empty(), OptionalInt.of(2), OptionalInt.empty());
        assertThat(new Run(new FpProtocol(), shape.setting(2021915992L)).go()).isEmpty();
    }

    private static Timestamp written(FpCluster cluster, long block) {
        FpWriteOutcome outcome = cluster.await(cluster.write(ALICE, 11, block, cluster.value()));
        assertThat(outcome).as("block %d", block).isInstanceOf(FpWriteOutcome.Written.class);
        return ((FpWriteOutcome.Written) outcome).timestamp();
    }

    private static Timestamp committedAt(FpCluster cluster, int slot, long ts) {
        CommitAtOne attack = new CommitAtOne(cluster.group(1), 13, ts, slot, cluster.value());
        return cluster.await(cluster.simulation.start(MALLORY, attack));
    }

    private static final class LyingAboutTheNextTs extends AlteringServer {
        LyingAboutTheNextTs(ProtocolServer correct) {
            super(correct);
        }

        @Override
        protected List<Effect> alter(long nowMillis, Effect effect) {
            if (effect instanceof Effect.Send send && send.message() instanceof FpMessage.Prepared prepared) {
                Version later = new Version(
                        prepared.version().ts() + 100, prepared.version().pin());
                return List.of(new Effect.Send(
                        send.to(),
                        send.requestId(),
                        new FpMessage.Prepared(prepared.target(), later, prepared.nonce(), prepared.macs())));
            }
            return List.of(effect);
        }
    }

    /** Prepares a block everywhere at a timestamp, and commits it at one node; done when that has said OK. */
    private static final class CommitAtOne implements ClientOperation<Timestamp> {
        private final FpGroup group;
        private final long session;
        private final int only;
        private final Bytes block;
        private final Timestamp version;
        private final TreeMap<Integer, FpMessage.PrepareMac> prepareMacs = new TreeMap<>();
        private boolean committed;

        CommitAtOne(FpGroup group, long session, long ts, int only, Bytes block) {
            this.group = group;
            this.session = session;
            this.only = only;
            this.block = block;
            BlockCode.Encoded encoded = group.code().encode(block);
            this.version = new Timestamp(ts, encoded.fpcc());
        }

        @Override
        public List<Effect> start(long nowMillis) {
            List<Effect> effects = new ArrayList<>();
            for (int slot = 0; slot < group.policy().n(); slot++) {
                effects.add(new Effect.Send(
                        PrincipalId.node(slot),
                        0,
                        new FpMessage.PrepareBlock(
                                new Target(group.block(), 1, slot), session, version.ts(), version.written(), block)));
            }
            return effects;
        }

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
            committed |= message instanceof FpMessage.Committed;
            if (!(message instanceof FpMessage.Prepared prepared)) {
                return List.of();
            }
            int slot = prepared.target().slot();
            prepareMacs.put(
                    slot,
                    new FpMessage.PrepareMac(
                            slot, prepared.nonce(), prepared.macs().get(only)));
            return prepareMacs.size() < group.policy().writeQuorum()
                    ? List.of()
                    : List.of(new Effect.Send(
                            PrincipalId.node(only),
                            0,
                            new FpMessage.Commit(
                                    new Target(group.block(), 1, only),
                                    session,
                                    version.ts(),
                                    version.written(),
                                    List.copyOf(prepareMacs.values()))));
        }

        @Override
        public List<Effect> onTick(long nowMillis) {
            return List.of();
        }

        @Override
        public Optional<Timestamp> outcome() {
            return committed ? Optional.of(version) : Optional.empty();
        }

        @Override
        public boolean isFinished() {
            return committed;
        }
    }
}
