package io.bulwark.protocol.fp;

import static io.bulwark.protocol.fp.LocalNodes.CLIENT;
import static io.bulwark.protocol.fp.LocalNodes.SESSION;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Outbox;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests what repairs may prove of a revoked client's versions, and what readers may write back (docs/protocols/fp.md,
 * revocation).
 */
@NullMarked
class FpLurkingRepairTest {
    private static final PrincipalId READER = PrincipalId.client(42);
    private static final Timeouts TIMES = new Timeouts(100, 400, 0, 20_000);

    private final LocalNodes nodes = new LocalNodes(1, 2);
    private final Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());

    private void revoke() {
        nodes.denied.add(CLIENT);
        for (int node = 0; node < 4; node++) {
            nodes.tell(node, new Fact.Revoked(CLIENT));
        }
    }

    private VersionRecord staged(PrincipalId writer) {
        return new VersionRecord(version, 1, true, null, writer, SESSION, List.of());
    }

    /** The block was crowded, so the version stays on its writer's account. */
    private void provenAtNode0() {
        nodes.prepare(1, 5, 1);
        nodes.putOnDisk(0, staged(CLIENT).provenForItsWriter());
        nodes.restart(0);
    }

    private void assertUndecided(int left) {
        revoke();
        nodes.pass(6_000);
        assertThat(nodes.undecided).containsEntry(0, left).containsEntry(1, 0);
    }

    @Test
    void whatIsVouchedForIsOnRepairsAccountOnceItsWriterIsRevoked() {
        provenAtNode0();
        assertUndecided(0);
        assertThat(nodes.chargesOnDisk(0)).isZero();
        assertThat(nodes.disk(0).charges(true)).isEqualTo(1);
        assertThat(nodes.versionsOnDisk(0)).isEqualTo(1);
    }

    @Test
    void whatRepairsHaveStagedKeepsANodeFromBeingDoneAlsoAfterARestart() {
        provenAtNode0();
        assertUndecided(0);
        assertUndecided(1);
        nodes.restart(0);
        assertUndecided(1);
        List<FpMessage.Prepared> prepares = List.of(
                (FpMessage.Prepared) nodes.one(READER, nodes.fragment(0, 6, 2)),
                (FpMessage.Prepared) nodes.one(READER, nodes.fragment(1, 6, 2)),
                (FpMessage.Prepared) nodes.one(READER, nodes.fragment(2, 6, 2)));
        assertThat(nodes.one(READER, nodes.commit(0, 2, prepares))).isInstanceOf(FpMessage.Committed.class);
        nodes.pass(3_000);
        assertThat(nodes.undecided).as("written beyond").containsEntry(0, 0);
        assertThat(nodes.disk(0).charges(true)).isZero();
    }

    @Test
    void whatIsKnownToBeAnothersTooIsNotWaitedFor() {
        nodes.prepare(1, 5, 1);
        assertThat(nodes.one(READER, nodes.fragment(0, 5, 1))).isInstanceOf(FpMessage.Prepared.class);
        nodes.putOnDisk(
                0, staged(CLIENT).with(new VersionRecord.Party(READER, SESSION)).provenForItsWriter());
        nodes.restart(0);
        assertUndecided(0);
        assertThat(nodes.disk(0).charges(true)).isEqualTo(1);
        assertUndecided(0);
    }

    @Test
    void whoseItIsStaysKnownWhereItIsRepaired() {
        VersionRecord repaired = staged(CLIENT).repaired();
        assertThat(repaired.isAlsoOf(READER::equals)).isTrue();
        assertThat(repaired.isAlsoOf(CLIENT::equals)).isFalse();
        assertThat(repaired.repaired()).isEqualTo(repaired);
        assertThat(VersionRecord.decode(repaired.encoded())).isEqualTo(repaired);
    }

    /** Each once for all who are revoked, and few at a time: readers and peers want repairs, too. */
    @Test
    void whatRepairsHaveStagedIsSeenToInTurn() {
        StagedIndex index = new StagedIndex(new Outbox(), _ -> true, 1);
        VersionRecord staged = staged(CLIENT).repaired();
        for (long number = 20; number < 40; number++) {
            BlockId block = BlockId.register(LocalNodes.VOLUME, number);
            nodes.disk(0).put(staged.key(block), staged.encoded());
            nodes.disk(0).apply(index.put(PrepareTag.REPAIR, 0, new StagedIndex.Entry(block, version.version())));
        }
        nodes.restart(0);
        nodes.one(READER, new FpMessage.FindTimestamp(nodes.group.target(0), false));
        List<BlockId> repaired = new ArrayList<>();
        nodes.lost = arrival -> {
            if (arrival.from().equals(PrincipalId.node(0)) && arrival.message() instanceof FpMessage.FindTimestamp of) {
                repaired.add(of.target().block());
            }
            return false;
        };
        for (PrincipalId revoked : List.of(CLIENT, PrincipalId.client(77), PrincipalId.client(78))) {
            nodes.tell(0, new Fact.Revoked(revoked));
        }
        nodes.pass(100);
        assertThat(Set.copyOf(repaired)).hasSizeBetween(1, 4);
        nodes.pass(1_000);
        assertThat(Set.copyOf(repaired)).hasSize(20);
        assertThat(nodes.undecided).containsEntry(0, 20);
    }

    @Test
    void whatSomebodyHasToWriteIsNamed() {
        provenAtNode0();
        assertUndecided(0);
        assertThat(nodes.awaited).isEmpty();
        assertUndecided(1);
        assertThat(nodes.awaited).containsExactly(nodes.group.block());
    }

    /** The others are silent for long: a node that waits itself does so once, and others find room to wait. */
    private static void assertRoom(boolean repaired) {
        FpLimits limits = new FpLimits(6, 2, 2, 1_000, 1_000, 100, 10, 10_000, 200_000);
        LocalNodes local = new LocalNodes(1, 2, limits);
        local.prepare(1, 5, 1);
        Timestamp version = new Timestamp(5, local.encode(1).fpcc());
        if (repaired) {
            VersionRecord staged = new VersionRecord(version, 1, true, null, CLIENT, SESSION, List.of());
            StagedIndex index = new StagedIndex(new Outbox(), _ -> true, 1);
            local.putOnDisk(0, staged.repaired());
            local.disk(0)
                    .apply(index.put(
                            PrepareTag.REPAIR, 0, new StagedIndex.Entry(local.group.block(), version.version())));
            local.restart(0);
        }
        local.cutOff.addAll(List.of(1, 2, 3));
        local.tell(0, new Fact.Revoked(CLIENT));
        local.one(READER, new FpMessage.FindTimestamp(local.group.target(0), false));
        local.pass(40_000);
        assertThat(local.undecided).containsEntry(0, 1);
        assertThat(local.ask(READER, new FpMessage.Repair(local.group.target(0), version)))
                .as("waits for the repair that runs")
                .isEmpty();
    }

    @Test
    void whatTakesLongIsNotWaitedForTwice() {
        assertRoom(true);
    }

    @Test
    void whatAClientLeftIsNotWaitedForTwice() {
        assertRoom(false);
    }

    /** All others are cut off: its READ ends only when it has waited long enough. */
    @PlantedBug(
            in = Revocations.class,
            rule = "a node says that a revocation is done only after repairs under way have ended",
            replace = "if (block.repair().running()) {",
            with = "if (false) {")
    @Test
    void aRepairThatIsUnderWayIsWaitedFor() {
        nodes.write(4, 4, 0, 1, 2);
        nodes.prepare(1, 5, 1);
        nodes.cutOff.addAll(List.of(2, 3));
        FpMessage.Repair repair = new FpMessage.Repair(nodes.group.target(1), version);
        assertThat(nodes.ask(READER, repair)).isEmpty();
        nodes.tell(1, new Fact.Revoked(CLIENT));
        nodes.pass(1_000);
        assertThat(nodes.undecided).doesNotContainKey(1);
        nodes.pass(3_000);
        assertThat(nodes.undecided).containsEntry(1, 0);
    }

    @Test
    void whatAStoreLeftThatWasSaidToHaveFailedStaysOnItsWritersAccount() {
        nodes.one(READER, new FpMessage.FindTimestamp(nodes.group.target(0), false));
        nodes.nextStore = Stored.FAILED;
        nodes.failedIsDone = true;
        assertThat(nodes.one(CLIENT, nodes.fragment(0, 5, 1))).isInstanceOf(FpMessage.Refused.class);
        nodes.nextStore = Stored.DURABLE;
        nodes.tell(0, new Fact.Revoked(CLIENT));
        assertThat(nodes.undecided).containsEntry(0, 1);
    }

    @Test
    void whatIsOnAnAccountAndIsNotThereGoes() {
        nodes.write(4, 4, 0, 1, 2);
        List<FpMessage.Prepared> prepares = nodes.prepare(3, 5, 1);
        nodes.nextStore = Stored.FAILED;
        nodes.failedIsDone = true;
        assertThat(nodes.one(CLIENT, nodes.commit(0, 1, prepares))).isInstanceOf(FpMessage.Refused.class);
        nodes.nextStore = Stored.DURABLE;
        revoke();
        nodes.pass(6_000);
        assertThat(nodes.undecided).containsEntry(0, 0);
    }

    /** A store that was reported as failed may leave such an entry. */
    @Test
    void whatIsOnTheAccountOfRepairsAndIsNotThereGoesForGood() {
        nodes.write(4, 4, 0, 1, 2);
        StagedIndex index = new StagedIndex(new Outbox(), _ -> true, 1);
        nodes.disk(0)
                .apply(index.put(PrepareTag.REPAIR, 0, new StagedIndex.Entry(nodes.group.block(), version.version())));
        nodes.restart(0);
        nodes.one(READER, new FpMessage.FindTimestamp(nodes.group.target(0), false));
        assertUndecided(0);
        assertThat(nodes.disk(0).charges(true)).isZero();
    }

    private FpMessage.ReadAnswer show(int slot, int prepared) {
        List<FpMessage.Prepared> prepares = nodes.prepare(prepared, 5, 1);
        List<HeldVersion.SlotNonce> nonces = prepares.stream()
                .map(each -> new HeldVersion.SlotNonce(each.target().slot(), each.nonce()))
                .toList();
        HeldVersion held = nodes.holding(slot, version);
        HeldVersion shown = new HeldVersion(held.fragment(), held.cc(), held.nonceHash(), nonces, false);
        return new FpMessage.ReadAnswer(nodes.group.target(slot), version.version(), version, shown);
    }

    /**
     * One node claims that it has committed the version, and shows the nonces: its writer may have only prepared it.
     */
    @Test
    void whatNoncesAloneProveIsNotWrittenBackButRepaired() {
        nodes.write(4, 4, 0, 1, 2);
        FpMessage.ReadAnswer liar = show(0, 3);
        FpRead read = FpRead.withWriteBack(nodes.group, SESSION, TIMES);
        List<Effect> effects = new ArrayList<>(read.start(1));
        effects.addAll(read.onMessage(
                2, nodes.group.node(0), new FpMessage.FoundTimestamp(nodes.group.target(0), version, null)));
        for (int slot = 1; slot < 3; slot++) {
            FpMessage found = nodes.one(READER, new FpMessage.FindTimestamp(nodes.group.target(slot), false));
            effects.addAll(read.onMessage(2, nodes.group.node(slot), found));
        }
        effects.addAll(read.onMessage(3, nodes.group.node(0), liar));
        for (int slot = 1; slot < 3; slot++) {
            FpMessage held = nodes.one(READER, new FpMessage.Read(nodes.group.target(slot), version.version()));
            effects.addAll(read.onMessage(3, nodes.group.node(slot), held));
        }
        assertThat(sent(effects)).noneMatch(FpMessage.Prepare.class::isInstance);
        assertThat(sent(effects)).anyMatch(FpMessage.Repair.class::isInstance);
        effects.addAll(
                read.onMessage(4, nodes.group.node(3), new FpMessage.RepairAnswer(nodes.group.target(3), version)));
        assertThat(sent(effects)).as("f + 1 have committed it").anyMatch(FpMessage.Prepare.class::isInstance);
    }

    private static List<Message> sent(List<Effect> effects) {
        return effects.stream()
                .filter(Effect.Send.class::isInstance)
                .map(effect -> ((Effect.Send) effect).message())
                .toList();
    }
}
