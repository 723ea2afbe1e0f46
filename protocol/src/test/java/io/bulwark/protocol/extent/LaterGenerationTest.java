package io.bulwark.protocol.extent;

import static io.bulwark.protocol.extent.LocalNode.OWNER;
import static io.bulwark.protocol.extent.LocalNode.POLICY;
import static io.bulwark.protocol.extent.LocalNode.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.extent.ExtentMessage.Acknowledged;
import io.bulwark.protocol.extent.ExtentMessage.NotStored;
import io.bulwark.protocol.extent.ExtentMessage.Store;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** A node whose map lacks the groups of another policy (docs/decisions/0040). */
@NullMarked
class LaterGenerationTest {
    private static final ProtectionPolicy WIDE = new ProtectionPolicy(1, 3, 5, POLICY.blockBytes());
    private static final PlacementGroup OLD = new PlacementGroup(1, List.of(0, 1, 2, 3));
    private static final PlacementGroup NEW = new PlacementGroup(1, List.of(1, 2, 0, 3, 4));
    private static final Volume BEFORE = new Volume(VOLUME, "v", VolumeKind.OBJECT, POLICY, 0, List.of(OLD));
    private static final Volume AFTER = of(OLD, NEW);
    private static final BlockId BLOCK = new BlockId(VOLUME, OWNER, 1, BlockId.firstOf(1));

    private final LocalNode node = new LocalNode();

    private static Volume of(PlacementGroup old, PlacementGroup later) {
        return new Volume(
                VOLUME,
                "v",
                VolumeKind.OBJECT,
                WIDE,
                0,
                List.of(old, later),
                List.of(new Volume.Generation(POLICY, 1)));
    }

    private static Store store(BlockId block, ProtectionPolicy policy, int slot) {
        BlockCode.Encoded encoded =
                BlockCode.ofAll(policy.m(), policy.n()).encode(Bytes.of(new byte[policy.paddedBytes(100)]));
        return new Store(block, 1, slot, encoded.fragments().get(slot), encoded.fpcc());
    }

    @Test
    void itAsksForALaterMapBeforeItAnswers() {
        node.use(BEFORE);
        node.volume = AFTER;
        assertThat(node.ask(OWNER, store(BLOCK, WIDE, 2))).containsExactly(new Acknowledged(BLOCK, 1));
        BlockId old = LocalNode.block(1);
        assertThat(node.ask(OWNER, store(old, POLICY, 0))).containsExactly(new Acknowledged(old, 1));
    }

    @Test
    void itRefusesAGenerationThatReplicasDoNotKnow() {
        node.use(AFTER);
        BlockId beyond = new BlockId(VOLUME, OWNER, 1, BlockId.firstOf(2));
        assertThat(node.ask(OWNER, store(beyond, WIDE, 2)))
                .containsExactly(new NotStored(beyond, 1, StoreRefusal.WRONG_EPOCH));
        assertThat(node.has(beyond)).isFalse();
    }

    @Test
    void itChecksAFragmentByThePolicyOfItsGroup() {
        node.use(AFTER);
        assertThat(node.ask(OWNER, store(BLOCK, POLICY, 2)).getFirst()).isInstanceOf(NotStored.class);
        BlockId old = LocalNode.block(1);
        assertThat(node.ask(OWNER, store(old, WIDE, 0)).getFirst()).isInstanceOf(NotStored.class);
    }

    @PlantedBug(
            in = ReplicaFacts.class,
            rule = "replicas that are behind take no group away",
            replace = "Volume more = told.groups().size() >= known.groups().size() ? told : known;",
            with = "Volume more = told;")
    @Test
    void aMapOfBeforeTakesNoGroupAway() {
        node.use(AFTER);
        node.use(BEFORE);
        assertThat(node.ask(OWNER, store(BLOCK, WIDE, 2))).containsExactly(new Acknowledged(BLOCK, 1));
    }

    @Test
    void aReferenceWaitsForTheMap() {
        node.use(BEFORE);
        node.volume = AFTER;
        BlockCode.Encoded encoded =
                BlockCode.ofAll(WIDE.m(), WIDE.n()).encode(Bytes.of(new byte[WIDE.paddedBytes(100)]));
        node.tell(new Fact.OfPin(BLOCK, encoded.fpcc().pin()));
        node.tell(new Fact.OfVolume(VOLUME, Optional.of(AFTER)));
        assertThat(node.runs).as("it makes the fragment that it lacks").hasSize(1);
    }
}
