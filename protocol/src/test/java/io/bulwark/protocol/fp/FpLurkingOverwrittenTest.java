package io.bulwark.protocol.fp;

import static io.bulwark.protocol.fp.LocalNodes.CLIENT;
import static io.bulwark.protocol.fp.LocalNodes.SESSION;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.effect.Outbox;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests a node that has proven a revoked client's version, and overwritten it with one committed at this node alone.
 * Others with its MAC may report the older version again until m + f slots have the later one (docs/protocols/fp.md,
 * revocation).
 */
@NullMarked
class FpLurkingOverwrittenTest {
    private static final PrincipalId WRITER = PrincipalId.client(42);

    private final LocalNodes nodes = new LocalNodes(1, 2);
    private final Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
    private final Timestamp later = new Timestamp(6, nodes.encode(2).fpcc());
    private final List<FpMessage.Prepared> prepares = new ArrayList<>();

    private VersionRecord staged() {
        return new VersionRecord(version, 1, true, null, CLIENT, SESSION, List.of());
    }

    private void onDisk(VersionRecord record) {
        StagedIndex index = new StagedIndex(new Outbox(), _ -> true, 4);
        StagedIndex.Entry entry = new StagedIndex.Entry(nodes.group.block(), version.version());
        nodes.prepare(1, 5, 1);
        nodes.putOnDisk(0, record);
        if (record.isChargedTo(PrepareTag.REPAIR)) {
            nodes.disk(0).apply(index.delete(CLIENT, entry));
            nodes.disk(0).apply(index.put(PrepareTag.REPAIR, 0, entry));
        }
        nodes.restart(0);
    }

    private void prepareLater() {
        for (int slot = 0; slot < 3; slot++) {
            prepares.add((FpMessage.Prepared) nodes.one(WRITER, nodes.fragment(slot, 6, 2)));
        }
    }

    /** Overwrites the version at node 0: it alone has the COMMIT, and it hears of no other. */
    private void overwriteAtNode0() {
        nodes.cutOff.addAll(List.of(1, 2, 3));
        assertThat(nodes.one(WRITER, nodes.commit(0, 2, prepares))).isInstanceOf(FpMessage.Committed.class);
    }

    private void overwritten(VersionRecord record) {
        onDisk(record);
        prepareLater();
        overwriteAtNode0();
    }

    private int left() {
        nodes.denied.add(CLIENT);
        for (int node = 0; node < 4; node++) {
            nodes.tell(node, new Fact.Revoked(CLIENT));
        }
        nodes.pass(6_000);
        return nodes.undecided.getOrDefault(0, -1);
    }

    private void assertHeld() {
        assertThat(nodes.committedOnDisk(later)).isGreaterThanOrEqualTo(3);
        assertThat(nodes.disk(0).charges(true)).isZero();
    }

    private void assertDoneOnceOthersAreBack() {
        nodes.cutOff.clear();
        nodes.pass(6_000);
        assertThat(nodes.undecided).containsEntry(0, 0);
        assertHeld();
    }

    @Test
    void aNodeIsDoneOnceOthersHaveWhatOverwroteIt() {
        overwritten(staged().repaired());
        assertThat(left()).isEqualTo(1);
        assertThat(nodes.awaited).containsExactly(nodes.group.block());
        assertDoneOnceOthersAreBack();
    }

    @PlantedBug(
            in = Revocations.class,
            rule = "m + f nodes must claim a later version before an overwritten one is settled",
            replace = "outcome == ClaimPoll.Outcome.CLAIMED &&",
            with = "")
    @Test
    void oneOfThemIsNotEnough() {
        overwritten(staged().repaired());
        nodes.cutOff.remove(3);
        assertThat(left()).isEqualTo(1);
        assertThat(nodes.committedOnDisk(later)).isLessThan(3);
    }

    @Test
    void aRestartForgetsNothing() {
        overwritten(staged().repaired());
        nodes.restart(0);
        assertThat(left()).isEqualTo(1);
        assertDoneOnceOthersAreBack();
    }

    /** It is on its writer's account, as its block was crowded, and vouched for all the same. */
    @Test
    void whatStandsOnItsWritersAccountIsNoDifferent() {
        overwritten(staged().provenForItsWriter());
        assertThat(nodes.chargesOnDisk(0)).as("of its writer").isZero();
        assertThat(left()).isEqualTo(1);
        assertDoneOnceOthersAreBack();
    }

    @PlantedBug(
            in = FpRegister.class,
            rule = "an overwritten version stays on its account until that is durable",
            replace = "if (!old.isChargedTo(PrepareTag.REPAIR)) { onUncharged(old);",
            with = "{ onUncharged(old);")
    @Test
    void whatIsWaitedForAlreadyIsWaitedForWhenItIsOverwritten() {
        onDisk(staged().repaired());
        prepareLater();
        nodes.cutOff.addAll(List.of(1, 2, 3));
        assertThat(left()).isEqualTo(1);
        overwriteAtNode0();
        nodes.pass(6_000);
        assertThat(nodes.undecided).containsEntry(0, 1);
        assertDoneOnceOthersAreBack();
    }

    @Test
    void whatOthersAloneHaveVouchedForIsOnNobodysAccount() {
        overwritten(staged());
        assertThat(nodes.disk(0).charges(true)).isZero();
        assertThat(left()).isZero();
    }

    @Test
    void withoutARevocationItGoesTooOnceOthersHaveIt() {
        overwritten(staged().repaired());
        nodes.pass(6_000);
        assertThat(nodes.disk(0).charges(true)).isEqualTo(1);
        nodes.cutOff.clear();
        nodes.one(WRITER, new FpMessage.Repair(nodes.group.target(0), later));
        nodes.pass(12_000);
        assertHeld();
        assertThat(nodes.awaited).as("nobody waits for it").isEmpty();
    }

    @Test
    void whereTheStoreFailedItIsStillThere() {
        onDisk(staged().provenForItsWriter());
        prepareLater();
        nodes.tell(0, new Fact.Revoked(PrincipalId.client(77)));
        nodes.nextStore = Stored.NO_SPACE;
        nodes.cutOff.addAll(List.of(1, 2, 3));
        assertThat(nodes.one(WRITER, nodes.commit(0, 2, prepares))).isInstanceOf(FpMessage.Refused.class);
        nodes.nextStore = Stored.DURABLE;
        assertThat(nodes.disk(0).charges(true)).isZero();
        assertThat(nodes.chargesOnDisk(0)).isEqualTo(2);
        nodes.cutOff.clear();
        assertThat(nodes.one(WRITER, nodes.commit(0, 2, prepares))).isInstanceOf(FpMessage.Committed.class);
        assertThat(left()).isZero();
        assertHeld();
    }

    @Test
    void whatWasStoredAlthoughItIsSaidToHaveFailedIsWaitedFor() {
        onDisk(staged().repaired());
        prepareLater();
        nodes.nextStore = Stored.FAILED;
        nodes.failedIsDone = true;
        nodes.cutOff.addAll(List.of(1, 2, 3));
        assertThat(nodes.one(WRITER, nodes.commit(0, 2, prepares))).isInstanceOf(FpMessage.Refused.class);
        nodes.nextStore = Stored.DURABLE;
        assertThat(left()).isEqualTo(1);
        assertDoneOnceOthersAreBack();
    }

    /** To take it from its writer's account had failed, and is looked at after the COMMIT that waited for that. */
    @Test
    void aStoreThatFailedBeforeTakesNothingFromTheAccount() {
        onDisk(staged().provenForItsWriter());
        prepareLater();
        nodes.cutOff.addAll(List.of(1, 2, 3));
        nodes.holdStores = true;
        assertThat(left()).isEqualTo(1);
        assertThat(nodes.ask(WRITER, nodes.commit(0, 2, prepares)))
                .as("it waits")
                .isEmpty();
        nodes.nextStore = Stored.NO_SPACE;
        nodes.releaseOneStore();
        nodes.nextStore = Stored.DURABLE;
        nodes.releaseStores();
        assertThat(nodes.committedOnDisk(later)).isEqualTo(1);
        nodes.pass(6_000);
        nodes.tell(0, new Fact.Revoked(CLIENT));
        nodes.pass(6_000);
        assertThat(nodes.undecided).containsEntry(0, 1);
        assertDoneOnceOthersAreBack();
    }

    @Test
    void whereTheStoreFailedNothingIsRepairedForEver() {
        onDisk(new VersionRecord(version, 1, true, null, PrepareTag.REPAIR, 0, List.of()));
        prepareLater();
        nodes.cutOff.addAll(List.of(1, 2, 3));
        nodes.ask(WRITER, new FpMessage.Repair(nodes.group.target(0), version));
        nodes.pass(6_000);
        nodes.nextStore = Stored.NO_SPACE;
        assertThat(nodes.one(WRITER, nodes.commit(0, 2, prepares))).isInstanceOf(FpMessage.Refused.class);
        nodes.nextStore = Stored.DURABLE;
        nodes.pass(12_000);
        List<LocalNodes.Arrival> asked = new ArrayList<>();
        nodes.cutOff.clear();
        nodes.lost = asked::add;
        nodes.pass(12_000);
        assertThat(asked).isEmpty();
    }

    @Test
    void timestampsHaveNoSign() {
        StagedIndex index = new StagedIndex(new Outbox(), _ -> true, 4);
        Version last = new Timestamp(-1, nodes.encode(1).fpcc()).version();
        nodes.disk(0).apply(index.put(PrepareTag.REPAIR, 0, new StagedIndex.Entry(nodes.group.block(), last)));
        nodes.restart(0);
        assertThat(left()).isZero();
        assertThat(nodes.disk(0).charges(true)).isZero();
    }

    @Test
    void itGoesWithItsVolume() {
        overwritten(staged().repaired());
        assertThat(left()).isEqualTo(1);
        nodes.deleted = true;
        nodes.pass(60_000);
        assertThat(nodes.disk(0).charges(true)).isZero();
        assertThat(nodes.undecided).containsEntry(0, 0);
    }

    @Test
    void itGoesWithTheSlot() {
        overwritten(staged().repaired());
        assertThat(left()).isEqualTo(1);
        nodes.place(new PlacementGroup(2, List.of(9, 1, 2, 3)));
        nodes.pass(6_000);
        assertThat(nodes.disk(0).charges(true)).isZero();
        assertThat(nodes.undecided).containsEntry(0, 0);
    }

    /** The node has taken a slot since, and will hear of it. */
    @Test
    void whatTheNodeKnowsOfAGroupOfBeforeTakesNothing() {
        StagedIndex index = new StagedIndex(new Outbox(), _ -> true, 4);
        StagedIndex.Entry entry = new StagedIndex.Entry(nodes.group.block(), version.version());
        nodes.disk(0).apply(index.put(PrepareTag.REPAIR, 3, entry));
        nodes.restart(0);
        nodes.place(new PlacementGroup(2, List.of(9, 1, 2, 3)));
        assertThat(left()).isEqualTo(1);
        nodes.place(new PlacementGroup(3, List.of(9, 1, 2, 3)));
        nodes.pass(6_000);
        assertThat(nodes.undecided).containsEntry(0, 0);
    }
}
