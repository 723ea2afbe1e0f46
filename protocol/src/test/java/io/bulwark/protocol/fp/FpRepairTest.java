package io.bulwark.protocol.fp;

import static io.bulwark.protocol.fp.LocalNodes.CLIENT;
import static io.bulwark.protocol.fp.LocalNodes.SESSION;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** REPAIR, and the rules that lean on it: FAR, LIMIT, damaged fragments, closed sessions. */
@NullMarked
class FpRepairTest {
    private static final Timeouts TIMES = new Timeouts(100, 300, 0, 20_000);

    private LocalNodes nodes = new LocalNodes(1, 2);

    @Test
    void farIsJudgedAgainAfterARepair() {
        for (long ts = 60_000; ts <= 180_000; ts += 60_000) {
            writeWithout1(ts, (int) ts);
        }
        nodes.cutOff.addAll(List.of(0, 2, 3));
        // Alone, node 1 cannot tell.
        nodes.ask(CLIENT, nodes.fragment(1, 180_001, 5));
        nodes.pass(4_000);
        assertThat(nodes.answers).singleElement().isEqualTo(refusal(1, RequestKind.PREPARE, 180_001, FpRefusal.FAR));
        nodes.cutOff.clear();
        nodes.ask(CLIENT, nodes.fragment(1, 180_001, 5));
        nodes.pass(1_000);
        assertThat(nodes.answers).singleElement().isInstanceOf(FpMessage.Prepared.class);
        assertThat(nodes.latest(1).ts()).isEqualTo(180_000);
    }

    @PlantedBug(
            in = FpPrepare.class,
            rule = "a timestamp far above the latest is refused",
            replace = "if (far(version)) {",
            with = "if (false) {")
    @Test
    void aTsThatNobodyReachedStaysFar() {
        nodes.ask(CLIENT, nodes.fragment(1, FpPrepare.FAR + 1, 5));
        nodes.pass(1_000);
        assertThat(nodes.answers)
                .singleElement()
                .isEqualTo(refusal(1, RequestKind.PREPARE, FpPrepare.FAR + 1, FpRefusal.FAR));
        assertThat(nodes.one(CLIENT, nodes.fragment(1, FpPrepare.FAR, 5))).isInstanceOf(FpMessage.Prepared.class);
    }

    @PlantedBug(
            in = FpPrepare.class,
            rule = "the staged versions of a client in a block are limited",
            replace = "here.open >= places * limits.stagedPerBlock()",
            with = "false")
    @Test
    void aNodeAtItsLimitInABlockDropsWhatLiesBelowALaterCommit() {
        for (int ts = 1; ts <= 4; ts++) {
            assertThat(nodes.one(CLIENT, nodes.fragment(1, ts, ts))).isInstanceOf(FpMessage.Prepared.class);
        }
        assertThat(nodes.one(CLIENT, nodes.fragment(1, 5, 5)))
                .isEqualTo(refusal(1, RequestKind.PREPARE, 5, FpRefusal.LIMIT));
        assertThat(nodes.chargesOnDisk(1)).isEqualTo(4);
        nodes.cutOff.add(1);
        writeWithout1(9, 9);
        nodes.cutOff.clear();
        assertThat(nodes.one(CLIENT, nodes.fragment(1, 10, 10))).isInstanceOf(FpMessage.Prepared.class);
        assertThat(nodes.latest(1).ts()).isEqualTo(9);
        assertThat(nodes.chargesOnDisk(1)).isEqualTo(1);
    }

    /** The node still returns its timestamp, and has room for one on which the others agree. */
    @Test
    void halfOfThePlacesAreForTimestampsThatWritersName() {
        nodes.write(7, 9, 0, 1, 2);
        assertThat(nodes.one(CLIENT, nodes.fragment(1, 0, 1))).isInstanceOf(FpMessage.Prepared.class);
        assertThat(nodes.one(CLIENT, nodes.fragment(1, 0, 2))).isInstanceOf(FpMessage.Prepared.class);
        assertThat(nodes.one(CLIENT, nodes.fragment(1, 0, 3)))
                .isEqualTo(refusal(1, RequestKind.PREPARE, 8, FpRefusal.LIMIT));
        assertThat(nodes.one(CLIENT, nodes.fragment(1, 8, 3))).isInstanceOf(FpMessage.Prepared.class);
        assertThat(nodes.chargesOnDisk(1)).isEqualTo(3);
    }

    @PlantedBug(
            in = FpPrepare.class,
            rule = "the staged versions of a client in all blocks are limited",
            replace = "all.open >= places * limits.stagedPerClient()",
            with = "false")
    @PlantedBug(
            in = FpPrepare.class,
            rule = "charges of staged versions outlive a restart",
            replace = "put(call, request, record, share, List.of(index.put(writer, session, entry)));",
            with = "put(call, request, record, share, List.of());")
    @Test
    void theLimitPerClientHoldsAcrossBlocksAndRestarts() {
        for (int number = 20; number < 26; number++) {
            assertThat(nodes.one(CLIENT, inBlock(number, 0))).isInstanceOf(FpMessage.Prepared.class);
        }
        nodes.restart(0);
        assertThat(refusal(inBlock(30, 0))).isEqualTo(FpRefusal.LIMIT);
        for (int number = 30; number < 36; number++) {
            assertThat(nodes.one(CLIENT, inBlock(number, 1))).isInstanceOf(FpMessage.Prepared.class);
        }
        nodes.restart(0);
        assertThat(refusal(inBlock(40, 1))).isEqualTo(FpRefusal.LIMIT);
        // The same version again is charged once.
        assertThat(nodes.one(CLIENT, inBlock(21, 1))).isInstanceOf(FpMessage.Prepared.class);
    }

    private FpRefusal refusal(FpMessage.Request request) {
        return ((FpMessage.Refused) nodes.one(CLIENT, request)).refusal();
    }

    @PlantedBug(
            in = RepairAnswers.class,
            rule = "a staged copy is not enough for a repair MAC",
            replace = "&& record.isVouchedFor() &&",
            with = "&&")
    @Test
    void aStagedCopyIsNotEnoughForARepairMac() {
        nodes.prepare(3, 5, 1);
        Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
        nodes.cutOff.addAll(List.of(1, 2, 3));
        nodes.cutOff.remove(0);
        FpMessage.AskRepairMac ask = new FpMessage.AskRepairMac(nodes.group.target(0), version);
        nodes.cutOff.remove(3);
        nodes.ask(PrincipalId.node(3), ask);
        nodes.pass(4_000);
        assertThat(nodes.answers)
                .singleElement()
                .isEqualTo(refusal(0, RequestKind.REPAIR_MAC, 0, FpRefusal.NOT_PROVEN));
    }

    /** A node that is asked proves the version first, and answers once. */
    @Test
    void aNodeGivesItsRepairMacOnceItsOwnReadHasProvenTheVersion() {
        Timestamp version = nodes.write(5, 1, 0);
        nodes.ask(PrincipalId.node(3), new FpMessage.AskRepairMac(nodes.group.target(1), version));
        nodes.pass(1_000);
        assertThat(nodes.answers).singleElement().isInstanceOf(FpMessage.RepairMac.class);
    }

    @Test
    void whoAsksForARepairMacOfAnOverwrittenVersionIsToldOfTheLaterOne() {
        Timestamp old = nodes.write(4, 4, 0, 1, 2);
        Timestamp version = nodes.write(5, 1, 0, 1, 2);
        assertThat(nodes.one(PrincipalId.node(3), new FpMessage.AskRepairMac(nodes.group.target(0), old)))
                .isEqualTo(new FpMessage.RepairAnswer(nodes.group.target(0), version));
    }

    @Test
    void aNodeThatCommitsWithoutAFragmentMakesItsOwn() {
        List<FpMessage.Prepared> prepares = new ArrayList<>();
        for (int slot : new int[] {0, 1, 3}) {
            prepares.add((FpMessage.Prepared)
                    nodes.one(CLIENT, slot == 3 ? nodes.wholeBlock(3, 5, 1) : nodes.fragment(slot, 5, 1)));
        }
        assertThat(nodes.one(CLIENT, nodes.commit(2, 1, prepares))).isInstanceOf(FpMessage.Committed.class);
        nodes.pass(1_000);
        Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
        assertThat(nodes.holding(2, version).fragment())
                .isEqualTo(nodes.encode(1).fragments().get(2));
    }

    /**
     * Node 3 colludes. A leftover of a closed session at node 0 is dropped, since the others never prepared it; its
     * MACs are kept. With those of another session they would be m + f, and node 1 alone of the correct ones would hold
     * a fragment.
     */
    @PlantedBug(in = PrepareTag.class, rule = "a MAC is bound to the session", replace = "out.i64(session);", with = "")
    @Test
    void whatWasDroppedWithAClosedSessionIsNotCommittedInAnother() {
        long another = SESSION + 1;
        Timestamp before = nodes.write(4, 2, 0, 1, 2, 3);
        FpMessage.Prepared kept = (FpMessage.Prepared) nodes.one(CLIENT, nodes.fragment(0, 5, 1));
        nodes.session(SESSION, SessionState.CLOSED);
        nodes.pass(12_000);
        assertThat(nodes.versionsOnDisk(0)).as("dropped").isEqualTo(1);
        nodes.session(another, SessionState.OPEN);
        Fpcc fpcc = nodes.encode(1).fpcc();
        Bytes fragment = nodes.encode(1).fragments().get(1);
        List<FpMessage.Prepared> all = List.of(
                kept,
                (FpMessage.Prepared) nodes.one(
                        CLIENT, new FpMessage.PrepareFragment(nodes.group.target(1), another, 5, fpcc, fragment)),
                (FpMessage.Prepared) nodes.one(
                        CLIENT, new FpMessage.PrepareBlock(nodes.group.target(3), another, 5, fpcc, nodes.block(1))));
        List<FpMessage.PrepareMac> prepareMacs = nodes.commit(1, 1, all).prepares();
        for (long session : new long[] {SESSION, another}) {
            FpMessage.Commit commit = new FpMessage.Commit(nodes.group.target(1), session, 5, fpcc, prepareMacs);
            assertThat(nodes.one(CLIENT, commit))
                    .isInstanceOfSatisfying(
                            FpMessage.Refused.class,
                            refused -> assertThat(refused.refusal())
                                    .isEqualTo(session == SESSION ? FpRefusal.SESSION_CLOSED : FpRefusal.PREPARES));
        }
        assertThat(nodes.latest(1)).isEqualTo(before);
    }

    @Test
    void aRepairMacIsForItsReceiverAndForRepairOnly() {
        Timestamp version = nodes.write(5, 1, 0, 1, 2);
        FpMessage.RepairMac mac = (FpMessage.RepairMac)
                nodes.one(PrincipalId.node(3), new FpMessage.AskRepairMac(nodes.group.target(0), version));
        Bytes input = PrepareTag.input(nodes.group.target(0), 3, PrepareTag.REPAIR, 0, version, mac.nonce());
        assertThat(nodes.keysOf(3).verify(PrincipalId.node(0), input, mac.mac()))
                .isTrue();
        Bytes asWriter = PrepareTag.input(nodes.group.target(0), 3, CLIENT, SESSION, version, mac.nonce());
        assertThat(nodes.keysOf(3).verify(PrincipalId.node(0), asWriter, mac.mac()))
                .isFalse();
    }

    @PlantedBug(
            in = FpRepair.class,
            rule = "a node adopts a version only on the word of others",
            replace = "RepairMacs operation = new RepairMacs(",
            with = "if (register.versions().holds(version)) { HeldVersion.SlotNonce own = new "
                    + "HeldVersion.SlotNonce(register.target().slot(), register.nonce(version)); "
                    + "register.commit(version, List.of(own), PrepareTag.REPAIR, null, this::end, "
                    + "this::end); return; } RepairMacs operation = new RepairMacs(")
    @Test
    void aVersionCommittedAtOneNodeIsAdoptedByAllThatRepair() {
        Timestamp version = nodes.write(5, 1, 0);
        assertThat(nodes.latest(1)).isEqualTo(Timestamp.NONE);
        FpMessage.RepairAnswer answer =
                (FpMessage.RepairAnswer) nodes.one(CLIENT, new FpMessage.Repair(nodes.group.target(3), version));
        assertThat(answer.latest()).isEqualTo(version);
        for (int slot = 0; slot < 4; slot++) {
            assertThat(nodes.latest(slot)).isEqualTo(version);
            assertThat(nodes.holding(slot, version).fragment()).isNotNull();
        }
        assertThat(nodes.holding(3, version).nonces().size()).isGreaterThanOrEqualTo(3);
    }

    @PlantedBug(
            in = RepairMacs.class,
            rule = "m + f repair MACs are needed to adopt a version",
            replace = "prepareMacs.size() + 1 >= group.policy().writeQuorum()",
            with = "prepareMacs.size() + 2 >= group.policy().writeQuorum()")
    @PlantedBug(
            in = RepairMacs.class,
            rule = "a node checks repair MACs",
            replace = "if (valid.test(prepareMac)) {",
            with = "if (true) {")
    @Test
    void withoutMPlusFMacsNothingIsAdoptedAndTheOldVersionStays() {
        Timestamp old = nodes.write(4, 4, 0, 1, 2);
        nodes.prepare(3, 5, 1);
        Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
        RepairMacs gathering = new RepairMacs(
                nodes.group, 3, version, TIMES, prepareMac -> prepareMac.slot() != 1, () -> false, false);
        gathering.start(0);
        for (int slot : new int[] {0, 1}) {
            gathering.onMessage(
                    1,
                    PrincipalId.node(slot),
                    new FpMessage.RepairMac(
                            nodes.group.target(slot),
                            version.version(),
                            SampleMessages.filled(32, slot),
                            SampleMessages.filled(16, slot)));
        }
        assertThat(gathering.outcome()).isEmpty();
        gathering.onTick(30_000);
        assertThat(gathering.outcome()).containsInstanceOf(RepairMacs.Outcome.TimedOut.class);
        // At the node: proven and staged, but only two of the four give MACs; it reports what it had.
        nodes.cutOff.add(1);
        nodes.cutOff.add(2);
        nodes.ask(CLIENT, new FpMessage.Repair(nodes.group.target(0), version));
        nodes.pass(4_000);
        assertThat(nodes.latest(0)).isEqualTo(old);
        assertThat(nodes.holding(0, old).fragment()).isNotNull();
    }

    @Test
    void macsThatDoNotVerifyAdoptNothing() {
        List<Timestamp> written = new ArrayList<>();
        for (int ts = 5; ts <= 7; ts++) {
            written.add(nodes.write(ts, ts, 0, 1, 2));
        }
        nodes.useWrongKeys(1);
        nodes.useWrongKeys(2);
        for (Timestamp version : written) {
            nodes.ask(CLIENT, new FpMessage.Repair(nodes.group.target(3), version));
            nodes.pass(4_000);
            assertThat(nodes.answers)
                    .containsExactly(new FpMessage.RepairAnswer(nodes.group.target(3), Timestamp.NONE));
        }
        assertThat(nodes.versionsOnDisk(3)).isBetween(1, LocalNodes.LIMITS.stagedPerBlock());
    }

    /** Its own nonce stands where its slot belongs, or the record could not be read again. */
    @Test
    void whatANodeAdoptedOutlivesARestart() {
        writeWithout1(5, 1);
        Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
        nodes.ask(CLIENT, new FpMessage.Repair(nodes.group.target(1), version));
        nodes.pass(1_000);
        assertThat(nodes.latest(1)).isEqualTo(version);
        nodes.restart(1);
        assertThat(nodes.latest(1)).isEqualTo(version);
        assertThat(nodes.holding(1, version).nonces()).isSortedAccordingTo((a, b) -> a.slot() - b.slot());
    }

    @Test
    void soManyWaitForARepair() {
        Timestamp version = nodes.write(5, 1, 0, 1, 2);
        nodes.cutOff.addAll(List.of(0, 1, 2));
        FpMessage.Repair repair = new FpMessage.Repair(nodes.group.target(3), version);
        for (int asker = 0; asker < LocalNodes.LIMITS.waitingMax(); asker++) {
            assertThat(nodes.ask(PrincipalId.client(100 + asker), repair)).isEmpty();
        }
        assertThat(nodes.ask(CLIENT, repair)).hasSize(1);
    }

    /** Some of its blocks may not be repaired now: the client must have its answer all the same. */
    @Test
    void aClientAtItsLimitIsAnsweredThoughRepairsAreRationed() {
        nodes = new LocalNodes(1, 2, new FpLimits(6, 2, 2, 1_000, 1, 100, 64, 10_000, 3_000));
        for (int number = 20; number < 26; number++) {
            assertThat(nodes.one(CLIENT, inBlock(number, 0))).isInstanceOf(FpMessage.Prepared.class);
        }
        nodes.ask(CLIENT, inBlock(30, 0));
        nodes.pass(4_000);
        assertThat(nodes.answers)
                .singleElement()
                .isInstanceOfSatisfying(
                        FpMessage.Refused.class,
                        refused -> assertThat(refused.refusal()).isEqualTo(FpRefusal.LIMIT));
    }

    @Test
    void aDamagedFragmentIsNotServedAndIsMadeAgain() {
        Timestamp version = nodes.write(5, 1, 0, 1, 2);
        nodes.damage(0);
        HeldVersion first = nodes.holding(0, version);
        assertThat(first.damaged()).isTrue();
        assertThat(first.fragment()).isNull();
        nodes.pass(500);
        assertThat(nodes.holding(0, version).fragment())
                .isEqualTo(nodes.encode(1).fragments().getFirst());
    }

    @PlantedBug(
            in = FpRepair.class,
            rule = "repairs are rationed",
            replace = "(free || node.repairRate().allow(nowMillis, asker)) &&",
            with = "")
    @Test
    void repairsAreRationedPerAsker() {
        nodes = new LocalNodes(1, 2, new FpLimits(6, 2, 2, 1_000, 1, 100, 64, 10_000, 3_000));
        Timestamp version = nodes.write(5, 1, 0);
        nodes.cutOff.addAll(List.of(0, 1, 2));
        FpMessage.Repair repair = new FpMessage.Repair(nodes.group.target(3), version);
        assertThat(nodes.ask(CLIENT, repair)).isEmpty();
        nodes.pass(4_000);
        assertThat(nodes.answers).hasSize(1);
        nodes.now -= 3_900;
        // The same asker again, too early: answered at once, nothing is run.
        assertThat(nodes.ask(CLIENT, repair)).singleElement().isInstanceOf(FpMessage.RepairAnswer.class);
    }

    @Test
    void whatAClosedSessionPreparedAtOneNodeOnlyIsDropped() {
        nodes.one(CLIENT, nodes.fragment(0, 5, 1));
        assertThat(nodes.versionsOnDisk(0)).isEqualTo(1);
        nodes.session(SESSION, SessionState.CLOSED);
        nodes.pass(8_000);
        assertThat(nodes.versionsOnDisk(0)).isZero();
        assertThat(nodes.chargesOnDisk(0)).isZero();
    }

    @Test
    void whatAnotherSessionOfTheClientStagedIsNoLeftover() {
        nodes.session(8, SessionState.OPEN);
        FpMessage.PrepareFragment first = nodes.fragment(0, 5, 1);
        nodes.one(CLIENT, new FpMessage.PrepareFragment(first.target(), 8, first.ts(), first.fpcc(), first.fragment()));
        nodes.one(CLIENT, nodes.fragment(0, 6, 2));
        assertThat(nodes.versionsOnDisk(0)).isEqualTo(2);
        nodes.session(SESSION, SessionState.CLOSED);
        nodes.pass(8_000);
        HeldVersion held = nodes.holding(0, new Timestamp(5, first.fpcc()));
        assertThat(held.fragment()).isEqualTo(first.fragment());
        assertThat(nodes.versionsOnDisk(0)).isEqualTo(1);
    }

    @Test
    void droppedLeftoversAreOffTheirWritersAccount() {
        for (int number = 20; number < 26; number++) {
            assertThat(nodes.one(CLIENT, inBlock(number, 0))).isInstanceOf(FpMessage.Prepared.class);
        }
        nodes.session(SESSION, SessionState.CLOSED);
        nodes.pass(8_000);
        assertThat(nodes.chargesOnDisk(0)).isZero();
        nodes.session(8, SessionState.OPEN);
        FpMessage.PrepareFragment next = inBlock(30, 0);
        assertThat(nodes.one(
                        CLIENT,
                        new FpMessage.PrepareFragment(next.target(), 8, next.ts(), next.fpcc(), next.fragment())))
                .isInstanceOf(FpMessage.Prepared.class);
    }

    @Test
    void leftoversAreTriedAgainAlsoAfterARestartAndHoweverTheClosingIsTold() {
        nodes.one(CLIENT, nodes.fragment(0, 5, 1));
        nodes.restart(0);
        assertThat(nodes.latest(0)).isEqualTo(Timestamp.NONE);
        nodes.cutOff.addAll(List.of(1, 2, 3));
        for (int node = 0; node < 4; node++) {
            nodes.tell(node, new Fact.ClosedWith(LocalNodes.VOLUME, CLIENT, SESSION, List.of()));
        }
        nodes.pass(9_000);
        assertThat(nodes.versionsOnDisk(0))
                .as("nobody answered, and nothing is under way")
                .isEqualTo(1);
        nodes.cutOff.clear();
        nodes.pass(20_000);
        assertThat(nodes.versionsOnDisk(0)).isZero();
    }

    /** Sessions without references are told of by their numbers only. */
    @Test
    void whatCollapsedSessionsLeftStagedGoesAlsoAfterARestart() {
        nodes.one(CLIENT, nodes.fragment(0, 5, 1));
        nodes.restart(0);
        assertThat(nodes.latest(0)).isEqualTo(Timestamp.NONE);
        for (int node = 0; node < 4; node++) {
            nodes.tell(node, new Fact.Collapsed(CLIENT, SESSION + 1, SESSION + 9));
            nodes.tell(node, new Fact.Collapsed(PrincipalId.client(99), 0, SESSION + 9));
        }
        nodes.pass(9_000);
        assertThat(nodes.versionsOnDisk(0)).as("other sessions").isEqualTo(1);
        nodes.sessionAtReplicas(SESSION, SessionState.CLOSED);
        for (int node = 0; node < 4; node++) {
            nodes.tell(node, new Fact.Collapsed(CLIENT, SESSION, SESSION));
        }
        nodes.pass(20_000);
        assertThat(nodes.versionsOnDisk(0)).isZero();
    }

    @Test
    void whatAClosedSessionCommittedAnywhereIsAdoptedEverywhere() {
        Timestamp version = nodes.write(5, 1, 0);
        nodes.session(SESSION, SessionState.CLOSED);
        nodes.pass(12_000);
        for (int slot = 0; slot < 3; slot++) {
            assertThat(nodes.latest(slot)).isEqualTo(version);
            assertThat(nodes.chargesOnDisk(slot)).isZero();
        }
    }

    @Test
    void aWriteCommittedAtOneNodeIsProvenByNoncesAndWrittenBack() {
        Timestamp version = nodes.write(5, 1, 0);
        nodes.cutOff.add(3);
        assertRead(version, nodes.run(CLIENT, FpRead.withWriteBack(nodes.group, SESSION, TIMES)));
    }

    @Test
    void aReaderWithoutSessionReturnsOnlyWhenEnoughClaimTheVersion() {
        Timestamp version = nodes.write(5, 1, 0);
        nodes.cutOff.add(3);
        assertRead(version, nodes.run(CLIENT, FpRead.withRepairRequests(nodes.group, TIMES)));
    }

    private void assertRead(Timestamp version, ClientOperation<FpReadOutcome> read) {
        nodes.pass(1_000);
        assertThat(read.outcome()).containsInstanceOf(FpReadOutcome.Value.class);
        Bytes block = nodes.group.trimmed(nodes.block(1));
        assertThat(read.outcome()).contains(new FpReadOutcome.Value(version, block, nodes.block(1)));
        assertThat(IntStream.range(0, 3)).allMatch(slot -> nodes.latest(slot).equals(version));
    }

    private void writeWithout1(long ts, int seed) {
        List<FpMessage.Prepared> prepares = new ArrayList<>();
        for (int slot : new int[] {0, 2, 3}) {
            FpMessage.Request request = slot == 3 ? nodes.wholeBlock(3, ts, seed) : nodes.fragment(slot, ts, seed);
            prepares.add((FpMessage.Prepared) nodes.one(CLIENT, request));
        }
        for (int slot : new int[] {0, 2, 3}) {
            assertThat(nodes.one(CLIENT, nodes.commit(slot, seed, prepares))).isInstanceOf(FpMessage.Committed.class);
        }
    }

    private FpMessage.PrepareFragment inBlock(int number, long ts) {
        BlockCode.Encoded encoded = nodes.encode(1);
        Target target = new Target(BlockId.register(LocalNodes.VOLUME, number), 1, 0);
        return new FpMessage.PrepareFragment(
                target, SESSION, ts, encoded.fpcc(), encoded.fragments().getFirst());
    }

    private FpMessage.Refused refusal(int slot, RequestKind asked, long ts, FpRefusal refusal) {
        return new FpMessage.Refused(nodes.group.target(slot), asked, ts, refusal, 1);
    }
}
