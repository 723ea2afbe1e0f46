package io.bulwark.protocol.pasis;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * The faults of nine nodes are lowered from two to one (docs/epochs.md). A version is complete at seven of them, of which
 * slot 0 lies; slots 7 and 8 lack it.
 */
@NullMarked
class LoweredFaultsTest {
    private static final int N = 9;
    private static final int LIAR = 0;

    private static GroupFixture group(int b, int lowersTo) {
        List<Integer> holders = IntStream.range(0, N).boxed().toList();
        PlacementGroup placement = new PlacementGroup(2, holders, List.of(), holders, null, lowersTo);
        return new GroupFixture(new PasisGroup(BlockId.register(7, 0), ProtectionPolicy.masking(b, N, 512), placement));
    }

    private static PasisRead read(GroupFixture group) {
        ReadPlan plan = new ReadPlan(List.of(7, 8, LIAR, 1, 2, 3, 4, 5, 6), 0, 1);
        return PasisRead.withWriteBack(group.pasis(), GroupFixture.CLIENT, 5, GroupFixture.TIMES, plan);
    }

    private static PasisMessage.History answer(GroupFixture group, int slot) {
        GroupFixture.Version old = group.version(1, 1);
        return slot == LIAR || slot > 6
                ? group.history(slot, old.timestamp(), true, old)
                : group.history(slot, group.version(2, 2));
    }

    @Test
    void withoutTheFirstEpochAReaderMissesWhatWasComplete() {
        GroupFixture group = group(1, 0);
        PasisRead read = read(group);
        read.start(0);
        for (int slot : List.of(7, 8, LIAR)) {
            read.onMessage(0, GroupFixture.node(slot), answer(group, slot));
        }
        assertThat(read.outcome().orElseThrow())
                .isInstanceOfSatisfying(
                        PasisReadOutcome.Value.class,
                        value -> assertThat(value.timestamp().time()).isEqualTo(1));
    }

    @Test
    void inTheFirstEpochAReaderWritesItBackUntilReadersOfTheNextFindIt() {
        GroupFixture group = group(2, 1);
        GroupFixture.Version fresh = group.version(2, 2);
        PasisRead read = read(group);
        read.start(0);
        for (int slot : List.of(7, 8, LIAR, 1, 2, 3, 4, 5, 6)) {
            read.onMessage(0, GroupFixture.node(slot), answer(group, slot));
        }
        for (int slot = 1; slot <= 6; slot++) {
            read.onMessage(0, GroupFixture.node(slot), group.fragment(slot, fresh));
        }
        assertThat(read.outcome()).as("five claims of eight answers").isEmpty();
        read.onMessage(0, GroupFixture.node(6), group.written(6, fresh.timestamp()));
        read.onMessage(0, GroupFixture.node(7), group.written(7, fresh.timestamp()));
        assertThat(read.outcome()).as("seven are complete for two faults only").isEmpty();
        read.onMessage(0, GroupFixture.node(8), group.written(8, fresh.timestamp()));
        assertThat(read.outcome().orElseThrow())
                .isInstanceOfSatisfying(
                        PasisReadOutcome.Value.class,
                        value -> assertThat(value.timestamp()).isEqualTo(fresh.timestamp()));
    }

    @PlantedBug(
            in = PasisGroup.class,
            rule = "before readers count by fewer faults, versions become complete for these",
            replace = "(placement.lowersTo() == 0 ? b() : placement.lowersTo())",
            with = "b()")
    @Test
    void inTheFirstEpochAWriteWaitsForSoManyAsReadersOfTheNextNeed() {
        GroupFixture group = group(2, 1);
        PasisWrite write = new PasisWrite(
                group.pasis(), GroupFixture.CLIENT, 5, Bytes.of(new byte[512]), GroupFixture.TIMES);
        write.start(0);
        List<Effect> sent = new ArrayList<>();
        for (int slot = 0; slot < N; slot++) {
            sent.addAll(write.onMessage(
                    0, GroupFixture.node(slot), new PasisMessage.FoundTime(group.pasis().target(slot), 6)));
        }
        ValidatingTimestamp version =
                GroupFixture.sent(sent, PasisMessage.Write.class).getFirst().timestamp();
        for (int slot = 0; slot < N - 2; slot++) {
            write.onMessage(0, GroupFixture.node(slot), group.written(slot, version));
        }
        assertThat(write.outcome()).as("n - 2 hold it").isEmpty();
        write.onMessage(0, GroupFixture.node(N - 2), group.written(N - 2, version));
        assertThat(write.outcome()).contains(new PasisWriteOutcome.Written(version));
    }

    @Test
    void theMapSaysSo() {
        GroupFixture group = group(2, 1);
        WireWriter out = new WireWriter();
        group.pasis().placement().write(out);
        PlacementGroup read = PlacementGroup.read(new WireReader(out.toBytes()));
        assertThat(read).isEqualTo(group.pasis().placement());
        assertThat(read.lowersTo()).isEqualTo(1);
        assertThat(read.announced(0, 0).opened().lowersTo()).isZero();
    }
}
