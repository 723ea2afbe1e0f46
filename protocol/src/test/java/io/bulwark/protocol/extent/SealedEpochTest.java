package io.bulwark.protocol.extent;

import static io.bulwark.protocol.extent.LocalNode.OWNER;
import static io.bulwark.protocol.extent.LocalNode.POLICY;
import static io.bulwark.protocol.extent.LocalNode.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.epoch.Seals;
import io.bulwark.protocol.extent.ExtentMessage.Acknowledged;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.NotStored;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.extent.ExtentMessage.Store;
import io.bulwark.protocol.extent.ExtentMessage.Suspect;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests in which epochs a node serves extents while holders change: docs/epochs.md. */
@NullMarked
class SealedEpochTest {
    private static final BlockId BLOCK = LocalNode.block(1);
    private static final BlockCode CODE = BlockCode.ofAll(POLICY.m(), POLICY.n());
    private static final BlockCode.Encoded ONE = CODE.encode(Bytes.of(new byte[100]));
    private static final BlockCode.Encoded OTHER = CODE.encode(Bytes.of(new byte[90]));
    private static final Bytes PIN = ONE.fpcc().pin();

    private static final PlacementGroup FIRST = new PlacementGroup(1, List.of(0, 1, 2, 3));
    private static final PlacementGroup ANNOUNCED = FIRST.announced(3, 4);
    private static final PlacementGroup OPENED = ANNOUNCED.opened();
    /** This node is the new holder of slot 0. */
    private static final PlacementGroup ARRIVED =
            new PlacementGroup(1, List.of(9, 1, 2, 3)).announced(0, 0).opened();

    /** This node came back, at slot 1. */
    private static final PlacementGroup RETURNED =
            new PlacementGroup(3, List.of(9, 0, 2, 3), List.of(1), List.of(1), null);

    private final LocalNode node = new LocalNode();

    private static Volume with(PlacementGroup group) {
        return new Volume(VOLUME, "v", VolumeKind.OBJECT, POLICY, 0, List.of(group));
    }

    private ExtentMessage.Answer store(long epoch, BlockCode.Encoded content) {
        return answer(new Store(BLOCK, epoch, 0, content.fragments().getFirst(), content.fpcc()));
    }

    private ExtentMessage.Answer read(long epoch) {
        return answer(new ReadPinned(BLOCK, epoch, 0, PIN, true));
    }

    /** A recent question to the replicas is not repeated at once: then they are heard a second time. */
    private ExtentMessage.Answer answer(ExtentMessage.Request request) {
        if (node.ask(OWNER, request).isEmpty()) {
            node.use(node.volume);
        }
        return node.answers.getFirst();
    }

    private static NotFound notFound(long epoch, ReadRefusal reason) {
        return new NotFound(BLOCK, epoch, reason);
    }

    @PlantedBug(
            in = Seals.class,
            rule = "a sealed epoch is not served",
            replace = "long from = group.change().isPresent() ? group.epoch() + 1 : group.epoch();",
            with = "long from = group.epoch();")
    @PlantedBug(
            in = ExtentServer.class,
            rule = "an extent server refuses a sealed epoch",
            replace =
                    "if (request.epoch() != group.epoch() || !seals.serves(volume.id(), index, " + "group.epoch())) {",
            with = "if (request.epoch() != group.epoch()) {")
    @Test
    void anAnnouncedChangeEndsTheEpochForThisNode() {
        assertThat(store(1, ONE)).isEqualTo(new Acknowledged(BLOCK, 1));
        node.use(with(ANNOUNCED));
        assertThat(store(1, ONE)).isEqualTo(new NotStored(BLOCK, 1, StoreRefusal.WRONG_EPOCH));
        assertThat(read(1)).isEqualTo(notFound(1, ReadRefusal.WRONG_EPOCH));
        assertThat(read(2)).as("it is not open yet").isEqualTo(notFound(1, ReadRefusal.WRONG_EPOCH));
        node.use(with(OPENED));
        assertThat(store(2, ONE)).isEqualTo(new Acknowledged(BLOCK, 2));
        assertThat(read(1)).isEqualTo(notFound(2, ReadRefusal.WRONG_EPOCH));
    }

    @PlantedBug(
            in = Seals.class,
            rule = "a seal is durable before it is told",
            replace = "floor.from = Math.max(floor.from, from);",
            with = "floor.from = Math.max(floor.from, from); floor.durable = floor.from;")
    @Test
    void whatIsSealedIsDurableBeforeItIsSaid() {
        node.use(with(FIRST));
        node.holdStores = true;
        node.use(with(ANNOUNCED));
        assertThat(node.promises).isEmpty();
        assertThat(node.ask(OWNER, new ReadPinned(BLOCK, 1, 0, PIN, true)))
                .as("served no more")
                .isEmpty();
        node.release(0);
        assertThat(node.promises).containsExactly(new Effect.Refuses(VOLUME, 0, 2));
    }

    @PlantedBug(
            in = Seals.class,
            rule = "a seal outlives a restart",
            replace = "floor.from = Math.max(floor.from, epoch); floor.durable = Math.max(floor.durable, epoch);",
            with = "")
    @Test
    void aNodeThatRestartsRefusesWhatItHasSealedWhateverReplicasThatAreBehindSay() {
        node.use(with(ANNOUNCED));
        node.restart();
        node.volume = with(FIRST);
        assertThat(read(1)).isEqualTo(notFound(1, ReadRefusal.WRONG_EPOCH));
        node.use(with(OPENED));
        node.restart();
        node.volume = with(FIRST);
        assertThat(store(1, ONE)).isEqualTo(new NotStored(BLOCK, 1, StoreRefusal.WRONG_EPOCH));
    }

    @PlantedBug(
            in = Seals.class,
            rule = "an epoch is served only after the earlier ones are refused durably",
            replace = "floor.from == epoch && floor.isDurable();",
            with = "floor.from == epoch;")
    @Test
    void whoHasMissedTheAnnouncementServesTheNextEpochOnlyOnceItRefusesTheOneBeforeForGood() {
        node.use(with(FIRST));
        node.holdStores = true;
        node.use(with(OPENED));
        assertThat(read(2)).isEqualTo(notFound(2, ReadRefusal.WRONG_EPOCH));
        node.release(0);
        assertThat(read(2)).isEqualTo(notFound(2, ReadRefusal.NONE));
        assertThat(node.promises).containsExactly(new Effect.Refuses(VOLUME, 0, 2));
    }

    @Test
    void aSealThatCouldNotBeStoredIsStoredWhenTheNodeIsToldAgain() {
        node.nextStore = Stored.NO_SPACE;
        node.use(with(ANNOUNCED));
        assertThat(node.promises).isEmpty();
        assertThat(read(1)).isEqualTo(notFound(1, ReadRefusal.WRONG_EPOCH));
        node.nextStore = Stored.DURABLE;
        node.use(with(ANNOUNCED));
        assertThat(node.promises).containsExactly(new Effect.Refuses(VOLUME, 0, 2));
        node.promises.clear();
        node.use(with(ANNOUNCED));
        assertThat(node.promises).as("the driver may have lost it").hasSize(1);
    }

    @Test
    void aNewHolderDoesNotSayThatAnythingWasNeverStored() {
        node.use(with(ARRIVED));
        assertThat(read(2)).isEqualTo(notFound(2, ReadRefusal.NOT_REPAIRED));
        assertThat(store(2, OTHER)).isEqualTo(new Acknowledged(BLOCK, 2));
        assertThat(read(2)).isEqualTo(notFound(2, ReadRefusal.NOT_REPAIRED));
        node.use(with(ARRIVED.confirmed(0)));
        assertThat(read(2)).isEqualTo(notFound(2, ReadRefusal.OTHER_VERSION));
    }

    @Test
    void aNewHolderCountsItselfAndOthersThatAreNewAmongThoseThatNeverStored() {
        node.use(with(ARRIVED));
        ClientOperation<?> repair = repair(node);
        answered(repair, 1, ReadRefusal.NONE);
        assertThat(repair.outcome()).isEmpty();
        answered(repair, 2, ReadRefusal.NOT_REPAIRED);
        assertThat(repair.outcome()).containsInstanceOf(RepairOutcome.Incomplete.class);
    }

    @Test
    void whatIsLeftOfAnotherSlotIsNotServedAndNotDamaged() {
        assertThat(store(1, ONE)).isEqualTo(new Acknowledged(BLOCK, 1));
        node.use(with(RETURNED));
        ReadPinned read = new ReadPinned(BLOCK, 3, 1, PIN, true);
        assertThat(answer(read)).isEqualTo(notFound(3, ReadRefusal.NOT_REPAIRED));
        node.use(with(RETURNED.confirmed(1)));
        assertThat(answer(read)).isEqualTo(notFound(3, ReadRefusal.NONE));
        node.ask(OWNER, new Suspect(BLOCK, 3, 1, PIN, 1));
        assertThat(node.runs).isEmpty();
        node.tell(new Fact.OfPin(BLOCK, PIN));
        Bytes own = ONE.fragments().get(1);
        node.complete(node.runs.getFirst(), new RepairOutcome.Rebuilt(ONE.fpcc(), own));
        assertThat(answer(read)).isEqualTo(new Found(BLOCK, 3, ONE.fpcc(), own, true));
        assertThat(node.evidence).isEmpty();
    }

    @Test
    void whatIsStoredAtAnotherSlotIsChargedOnce() {
        assertThat(store(1, ONE)).isEqualTo(new Acknowledged(BLOCK, 1));
        long charged = node.unreferencedBytes();
        node.use(with(RETURNED));
        Store again = new Store(BLOCK, 3, 1, ONE.fragments().get(1), ONE.fpcc());
        assertThat(answer(again)).isEqualTo(new Acknowledged(BLOCK, 3));
        assertThat(node.unreferencedBytes()).isEqualTo(charged).isPositive();
        node.tell(new Fact.Freed(new BlockRange(VOLUME, OWNER, BLOCK.session(), BLOCK.counter(), 1)));
        assertThat(node.unreferencedBytes()).isZero();
    }

    @Test
    void aNewHolderCountsForOthersToo() {
        node.use(with(OPENED));
        ClientOperation<?> repair = repair(node);
        answered(repair, 1, ReadRefusal.NONE);
        assertThat(repair.outcome()).isEmpty();
        answered(repair, 3, ReadRefusal.NOT_REPAIRED);
        assertThat(repair.outcome()).containsInstanceOf(RepairOutcome.Incomplete.class);
    }

    private static ClientOperation<?> repair(LocalNode node) {
        node.tell(new Fact.OfPin(BLOCK, PIN));
        ClientOperation<?> repair = node.runs.getFirst().operation();
        var _ = repair.start(0);
        return repair;
    }

    private static void answered(ClientOperation<?> repair, int slot, ReadRefusal reason) {
        PrincipalId from = PrincipalId.node(slot == 3 ? 4 : slot);
        var _ = repair.onMessage(1, from, notFound(2, reason));
    }

    @Test
    void groupsOfOneVolumeAreSealedEachForItself() {
        PlacementGroup second = new PlacementGroup(4, List.of(0, 1, 2, 3));
        Volume two = new Volume(VOLUME, "v", VolumeKind.OBJECT, POLICY, 0, List.of(ANNOUNCED, second));
        node.use(two);
        for (long counter = 0; counter < 20; counter++) {
            BlockId block = LocalNode.block(counter);
            long epoch = two.group(block).epoch();
            ReadRefusal expected = two.groupIndex(block) == 0 ? ReadRefusal.WRONG_EPOCH : ReadRefusal.NONE;
            assertThat(answer(new ReadPinned(block, epoch, 0, PIN, true)))
                    .isEqualTo(new NotFound(block, epoch, expected));
        }
    }
}
