package io.bulwark.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.extent.CompletionResult;
import io.bulwark.protocol.extent.ExtentLimits;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.extent.ExtentServer;
import io.bulwark.protocol.extent.ExtentWrite;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.StoreRefusal;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.engine.NetworkFaults;
import io.bulwark.simulation.engine.RunningOperation;
import io.bulwark.simulation.engine.Simulation;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The rules of docs/protocols/extents.md, one by one. */
@NullMarked
class ExtentRulesTest {
    private final long seed = Long.getLong("bulwark.seed", System.nanoTime());
    private final ExtentCluster cluster = new ExtentCluster(seed, 1, 2, NetworkFaults.rough());
    private final Simulation simulation = cluster.simulation;

    @BeforeEach
    void tellSeed() {
        System.out.println("ExtentRulesTest bulwark.seed=" + seed);
    }

    @PlantedBug(
            in = ExtentWrite.class,
            rule = "an extent write is done at m + f OKs",
            replace = "if (stored >= policy.writeQuorum()) {",
            with = "if (stored >= policy.writeQuorum() - 1) {")
    @Test
    void anIdIsNeverCompleteWithTwoContentsEvenThroughCrashes() {
        for (int round = 0; round < 40; round++) {
            BlockId block = cluster.newBlock();
            RunningOperation<WriteOutcome> one = cluster.write(block, cluster.content());
            simulation.runFor(simulation.random().nextInt(40));
            RunningOperation<WriteOutcome> two = cluster.write(block, cluster.content());
            for (int crash = 0; crash < 3; crash++) {
                PrincipalId node = PrincipalId.node(simulation.random().nextInt(4));
                simulation.crash(node);
                simulation.runFor(simulation.random().nextInt(30));
                simulation.restart(node);
            }
            cluster.finish(one);
            cluster.finish(two);
            assertThat(List.of(one.outcome().orElseThrow(), two.outcome().orElseThrow()).stream()
                            .filter(WriteOutcome.Complete.class::isInstance)
                            .count())
                    .as("seed %d, round %d: %s and %s", seed, round, one.outcome(), two.outcome())
                    .isLessThanOrEqualTo(1);
        }
    }

    @Test
    void completionBringsAnExtentToAllSlotsAndReplacesOtherVersions() {
        BlockId block = cluster.newBlock();
        Bytes content = cluster.content();
        // A node that was sent another content first.
        ExtentWrite other = new ExtentWrite(cluster.volume, block, cluster.content(), ExtentCluster.TIMING);
        other.start(0).forEach(effect -> {
            if (effect instanceof Effect.Send send && send.to().equals(cluster.holder(2))) {
                simulation.send(ExtentCluster.WRITER, send.to(), 77, send.message());
                simulation.send(ExtentCluster.WRITER, send.to(), 77, send.message());
                simulation.send(ExtentCluster.WRITER, send.to(), 77, send.message());
            }
        });
        simulation.runFor(500);
        Bytes pin = cluster.pinOf(block, content);
        cluster.reference(block, pin);
        simulation.runFor(5_000);
        for (PrincipalId node : cluster.nodes()) {
            assertThat(complete(node, block, pin, true))
                    .as("seed %d: %s", seed, node)
                    .isEqualTo(CompletionResult.HELD);
        }
    }

    @Test
    void aDamagedFragmentIsNeverServedAndIsRepaired() {
        BlockId block = cluster.newBlock();
        Bytes content = cluster.content();
        Bytes pin = cluster.pinOf(block, content);
        cluster.reference(block, pin);
        simulation.records(cluster.holder(0)).damage(RecordKey.of(RecordKind.EXTENT, block));
        assertThat(cluster.readNow(block, pin)).isEqualTo(new ReadOutcome.Whole(cluster.padded(content)));
        simulation.runFor(5_000);
        assertThat(complete(cluster.holder(0), block, pin, true))
                .isIn(CompletionResult.HELD, CompletionResult.REPAIRED);
        assertThat(simulation.sightings()).anySatisfy(sighting -> {
            assertThat(sighting.evidence().verdict()).isEqualTo(Verdict.DAMAGED);
            assertThat(sighting.evidence().about()).isEqualTo(cluster.holder(0));
        });
        assertThat(complete(cluster.holder(0), block, pin, true)).isEqualTo(CompletionResult.HELD);
    }

    @PlantedBug(
            inClass = "io.bulwark.protocol.extent.Repairs",
            rule = "a node counts itself among those that never stored an extent",
            replace = "pin, !lost,",
            with = "pin, false,")
    @Test
    void anExtentThatItsWriterLeftIncompleteIsToldFromOneThatIsLost() {
        BlockId block = cluster.newBlock();
        ExtentWrite write = new ExtentWrite(cluster.volume, block, cluster.content(), ExtentCluster.TIMING);
        write.start(0).stream()
                .map(Effect.Send.class::cast)
                .filter(send -> send.to().equals(cluster.holder(0)))
                .forEach(send -> {
                    simulation.send(ExtentCluster.WRITER, send.to(), 77, send.message());
                    simulation.send(ExtentCluster.WRITER, send.to(), 77, send.message());
                    simulation.send(ExtentCluster.WRITER, send.to(), 77, send.message());
                });
        simulation.runFor(500);
        assertThat(cluster.readNow(block, write.pin())).isEqualTo(new ReadOutcome.Incomplete());
        assertThat(complete(cluster.holder(3), block, write.pin(), false)).isEqualTo(CompletionResult.INCOMPLETE);
    }

    @PlantedBug(
            in = ExtentServer.class,
            rule = "a client stores under its own ids only",
            replace = "boolean owner = asked.from.equals(asked.request.block().owner());",
            with = "boolean owner = true;")
    @PlantedBug(
            in = ExtentServer.class,
            rule = "a client reads only what it may read",
            replace = "Boolean mayRead = replicas.mayRead(turn.nowMillis(), volume.id(), from);",
            with = "Boolean mayRead = Boolean.TRUE;")
    @Test
    void onlyTheOwnerStoresAndOnlyThoseWithAGrantRead() {
        BlockId foreign = new BlockId(cluster.volume.id(), PrincipalId.client(9), 1, 1);
        assertThat(cluster.writeNow(foreign, cluster.content()))
                .isInstanceOfSatisfying(
                        WriteOutcome.Refused.class,
                        refused -> assertThat(refused.reasons().values()).containsOnly(StoreRefusal.NOT_OWNER));
        BlockId block = cluster.newBlock();
        Bytes pin = cluster.pinOf(block, cluster.content());
        cluster.noReaders.add(ExtentCluster.READER);
        assertThat(cluster.readNow(block, pin)).isEqualTo(new ReadOutcome.NotPermitted());
    }

    @PlantedBug(
            in = ExtentServer.class,
            rule = "a freed id is refused for good",
            replace = "if (session.isFreed(place.block())) { refuse",
            with = "if (false) { refuse")
    @Test
    void freedExtentsAreGoneForGoodThroughCrashes() {
        Bytes content = cluster.content();
        BlockId first = cluster.newBlock();
        BlockId second = cluster.newBlock();
        Bytes pin = cluster.pinOf(first, content);
        Bytes kept = cluster.pinOf(second, content);
        BlockRange range = new BlockRange(first.volume(), first.owner(), first.session(), first.counter(), 1);
        for (PrincipalId node : cluster.nodes()) {
            simulation.tell(node, new Fact.Freed(range));
        }
        simulation.runFor(300);
        for (PrincipalId node : cluster.nodes()) {
            simulation.crash(node);
            simulation.restart(node);
        }
        simulation.runFor(5_000);
        for (PrincipalId node : cluster.nodes()) {
            assertThat(simulation.records(node).get(RecordKey.of(RecordKind.EXTENT, first)))
                    .as("seed %d: %s", seed, node)
                    .isNull();
        }
        assertThat(cluster.readNow(first, pin)).isEqualTo(new ReadOutcome.Freed());
        assertThat(cluster.writeNow(first, content))
                .isInstanceOfSatisfying(
                        WriteOutcome.Refused.class,
                        refused -> assertThat(refused.reasons().values()).containsOnly(StoreRefusal.FREED));
        assertThat(cluster.readNow(second, kept)).isInstanceOf(ReadOutcome.Whole.class);
    }

    @Test
    void aClosedSessionKeepsOnlyWhatIsReferenced() {
        BlockId referenced = cluster.newBlock();
        BlockId orphan = cluster.newBlock();
        Bytes pin = cluster.pinOf(referenced, cluster.content());
        Bytes lost = cluster.pinOf(orphan, cluster.content());
        cluster.closedSessions.add(1L);
        BlockRange kept = new BlockRange(1, ExtentCluster.WRITER, 1, referenced.counter(), 1);
        for (PrincipalId node : cluster.nodes()) {
            simulation.tell(node, new Fact.OfSession(1, ExtentCluster.WRITER, 1, SessionState.CLOSED));
        }
        // Until it is told, a node may still believe the session open (docs/protocols/access.md, sessions).
        simulation.runFor(200);
        assertThat(cluster.writeNow(cluster.newBlock(), cluster.content()))
                .isInstanceOfSatisfying(
                        WriteOutcome.Refused.class,
                        refused -> assertThat(refused.reasons().values()).contains(StoreRefusal.SESSION_CLOSED));
        for (PrincipalId node : cluster.nodes()) {
            simulation.tell(node, new Fact.ClosedWith(1, ExtentCluster.WRITER, 1, List.of(kept)));
        }
        simulation.runFor(3_000);
        assertThat(cluster.readNow(referenced, pin)).isInstanceOf(ReadOutcome.Whole.class);
        assertThat(cluster.readNow(orphan, lost)).isEqualTo(new ReadOutcome.Freed());
        for (PrincipalId node : cluster.nodes()) {
            assertThat(simulation.records(node).get(RecordKey.of(RecordKind.EXTENT, orphan)))
                    .isNull();
        }
    }

    @PlantedBug(
            in = ExtentServer.class,
            rule = "charges outlive a restart",
            replace = "recount(turn, FIRST); }",
            with = "}")
    @PlantedBug(
            inClass = "io.bulwark.protocol.extent.ExtentBlocks",
            rule = "the unreferenced bytes of a client are limited",
            replace = "!referenced && !quota.charge(block, size(fresh))",
            with = "false")
    @Test
    void unreferencedBytesAreLimitedUntilTheyAreReferencedAlsoAfterARestart() {
        ExtentLimits limits = ExtentLimits.standard().withUnreferencedBytesMax(8_000);
        ExtentCluster small = new ExtentCluster(seed, 1, 2, NetworkFaults.calm(), limits, Map.of());
        Bytes block = Bytes.of(new byte[ExtentCluster.BLOCK_BYTES]);
        BlockId one = small.newBlock();
        BlockId two = small.newBlock();
        BlockId three = small.newBlock();
        BlockId four = small.newBlock();
        Bytes pin = small.pinOf(one, block);
        small.pinOf(two, block);
        small.pinOf(three, block);
        RunningOperation<WriteOutcome> waiting = small.write(four, block);
        small.simulation.runFor(3_000);
        assertThat(waiting.outcome()).as("at its limit").isEmpty();
        small.nodes().forEach(node -> {
            small.simulation.crash(node);
            small.simulation.restart(node);
        });
        small.simulation.runFor(3_000);
        assertThat(waiting.outcome()).as("still at its limit after a restart").isEmpty();
        small.reference(one, pin);
        small.finish(waiting);
        assertThat(waiting.outcome().orElseThrow()).isInstanceOf(WriteOutcome.Complete.class);
    }

    @Test
    void whatAPendingUploadRegisteredIsNotCharged() {
        ExtentLimits limits = ExtentLimits.standard().withUnreferencedBytesMax(8_000);
        ExtentCluster small = new ExtentCluster(seed, 1, 2, NetworkFaults.calm(), limits, Map.of());
        Bytes block = Bytes.of(new byte[ExtentCluster.BLOCK_BYTES]);
        small.pinOf(small.block(1), block);
        small.pinOf(small.block(2), block);
        small.pinOf(small.block(3), block);
        for (PrincipalId node : small.nodes()) {
            small.simulation.tell(node, new Fact.Pending(new BlockRange(1, ExtentCluster.WRITER, 1, 2, 7)));
        }
        for (int counter = 4; counter < 9; counter++) {
            small.pinOf(small.block(counter), block);
        }
        small.pinOf(small.block(9), block);
        small.pinOf(small.block(10), block);
        RunningOperation<WriteOutcome> beyond = small.write(small.block(11), block);
        small.simulation.runFor(3_000);
        assertThat(beyond.outcome()).as("1, 9 and 10 are charged").isEmpty();
    }

    @PlantedBug(
            in = ExtentServer.class,
            rule = "an extent is durable before its store is answered OK",
            replace = "(next, refusal) -> answer(next, asked, place, refusal)); } private void",
            with = "(next, refusal) -> {}); answer(turn, asked, place, null); } private void")
    @PlantedBug(
            inClass = "io.bulwark.protocol.extent.ExtentBlocks",
            rule = "a full disk is not answered OK",
            replace = "if (stored != Stored.DURABLE) { records.remove(block); release(",
            with = "if (stored == Stored.FAILED) { records.remove(block); release(")
    @Test
    void aFullDiskAtFNodesIsMaskedAndAtMoreIsAClearError() {
        simulation.records(cluster.holder(0)).setFull(true);
        BlockId block = cluster.newBlock();
        Bytes content = cluster.content();
        Bytes pin = cluster.pinOf(block, content);
        simulation.records(cluster.holder(1)).setFull(true);
        assertThat(cluster.writeNow(cluster.newBlock(), content))
                .isInstanceOfSatisfying(
                        WriteOutcome.NoSpace.class,
                        full -> assertThat(full.reasons())
                                .containsOnlyKeys(cluster.holder(0), cluster.holder(1))
                                .containsValue(StoreRefusal.NO_SPACE));
        assertThat(cluster.readNow(block, pin)).isInstanceOf(ReadOutcome.Whole.class);
        simulation.records(cluster.holder(0)).setFull(false);
        assertThat(cluster.writeNow(cluster.newBlock(), content)).isInstanceOf(WriteOutcome.Complete.class);
    }

    @Test
    void anotherEpochIsAnsweredWithTheGroupsEpoch() {
        var holder = cluster.volume.groups().getFirst().holders();
        var later = new PlacementGroup(7, holder);
        var map = new Volume(1, "v", cluster.volume.kind(), cluster.policy, 0, List.of(later));
        RunningOperation<WriteOutcome> write = simulation.start(
                ExtentCluster.WRITER,
                new ExtentWrite(map, cluster.newBlock(), cluster.content(), ExtentCluster.TIMING));
        cluster.nodes().forEach(node -> simulation.tell(node, new Fact.OfVolume(1, Optional.of(map))));
        cluster.finish(write);
        assertThat(write.outcome())
                .hasValueSatisfying(outcome -> assertThat(outcome)
                        .isInstanceOfSatisfying(
                                WriteOutcome.Complete.class,
                                complete -> assertThat(complete.epoch()).isEqualTo(7)));
        assertThat(cluster.writeNow(cluster.newBlock(), cluster.content())).isEqualTo(new WriteOutcome.StaleMap(7));
    }

    /** Returns the node's own answer when it learns of the reference. */
    private CompletionResult complete(PrincipalId node, BlockId block, Bytes pin, boolean verify) {
        int slot = cluster.volume.groups().getFirst().slotOf(node.number());
        RunningOperation<CompletionResult> asking = simulation.start(
                node,
                new CompletionProbe(
                        node,
                        new ExtentMessage.Complete(
                                block,
                                1,
                                slot,
                                pin,
                                verify ? ExtentMessage.CheckDepth.FRAGMENT : ExtentMessage.CheckDepth.RECORD)));
        cluster.finish(asking);
        return asking.outcome().orElseThrow();
    }
}
