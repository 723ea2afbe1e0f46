package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.Detector.simulation;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong at the nodes of the FP register: thesis chapter 4 and PROTOCOLS section 2. */
final class FpServerBugs {
    static final List<PlantedBug> ALL = List.of(
            in(
                    "fp/FpRegister",
                    "MACs are not checked",
                    simulation("FpForgeryTest", "aCommitNeedsMacsOfThisWriterNodeBlockAndTimestamp"),
                    "return node.keys().verify(group.node(vouch.slot()), input, vouch.mac());",
                    "return !input.isEmpty();"),
            in(
                    "fp/FpRegister",
                    "m+f-1 prepares are enough",
                    protocol("fp.FpServerTest", "aMacIsGoodForItsReceiverSenderSessionEpochAndVersionOnly"),
                    """
                    if (nonces.size() < group.policy().writeQuorum()) {
                    refuse(call, Refusal.PREPARES);
                    """,
                    """
                    if (nonces.size() < group.policy().writeQuorum() - 1) {
                    refuse(call, Refusal.PREPARES);
                    """),
            in(
                    "fp/FpRegister",
                    "a commit is answered before it is stored",
                    protocol("fp.FpRulesTest", "nothingIsAnsweredBeforeItIsDurable"),
                    """
                    commit(
                            version,
                            nonces,
                            call.from(),
                            call,
                            now -> {
                                answer(call, done);
                    """,
                    """
                    answer(call, done);
                    commit(version, nonces, call.from(), call, now -> {
                    """),
            in(
                    "fp/FpRegister",
                    "latest is not persisted",
                    simulation("FpFaultsTest", "historiesAreLinearizableAndNothingAcknowledgedIsLost"),
                    ": new Mutation.UpdateMeta(committed.key(block()), committed.encoded()));",
                    ": new Mutation.UpdateMeta(committed.key(block()), staged.encoded()));"),
            in(
                    "fp/FpRegister",
                    "the fragment is lost by COMMIT",
                    simulation("FpFaultsTest", "historiesAreLinearizableAndNothingAcknowledgedIsLost"),
                    ": new Mutation.UpdateMeta(committed.key(block()), committed.encoded()));",
                    ": new Mutation.Put(committed.key(block()), committed.encoded(), Bytes.EMPTY));"),
            in(
                    "fp/FpRegister",
                    "an old commit is taken again",
                    protocol("fp.FpServerTest", "aCommitBelowTheLatestIsAlreadyOverwritten"),
                    """
                    if (!version.isAfter(versions.latest())) {
                    answer(call, done);
                    return;
                    }
                    """,
                    ""),
            in(
                    "fp/FpRegister",
                    "delayed deletion is immediate",
                    protocol("fp.FpServerTest", "overwrittenVersionsAreKeptAWhileAtMostTwo"),
                    "wanted && keep.size() < node.limits().keptPerBlock() && mayKeep(by, keep.size())",
                    "wanted && keep.size() < 0"),
            in(
                    "fp/FpRegister",
                    "overwritten versions are never deleted",
                    protocol("fp.FpServerTest", "overwrittenVersionsAreKeptAWhileAtMostTwo"),
                    ".filter(entry -> entry.getValue().untilMillis() <= nowMillis)",
                    ".filter(entry -> false)"),
            in(
                    "fp/FpRegister",
                    "kept versions are charged to nobody",
                    protocol("fp.FpRulesTest", "overwrittenVersionsAreKeptOnTheWritersAccount"),
                    "return node.keptBy().getOrDefault(by, 0) + more < node.limits().stagedPerClient();",
                    "return true;"),
            in(
                    "fp/RepairAnswers",
                    "a staged copy is enough for a repair MAC",
                    protocol("fp.FpRepairTest", "aStagedCopyIsNotEnoughForARepairMac"),
                    "&& record.isVouchedFor() &&",
                    "&&"),
            in(
                    "fp/FpRegister",
                    "waiting requests are judged in the epoch in which they came",
                    protocol("fp.FpRulesTest", "aCommitThatWaitedIsRefusedInALaterEpoch"),
                    "boolean serves = serves(call.request().target().epoch());",
                    "boolean serves = true;"),
            in(
                    "fp/LeftoverAnswers",
                    "a session that is open counts as closed when leftovers are asked for",
                    protocol("fp.FpRulesTest", "aNodeThatHasNotClosedTheSessionSaysSo"),
                    "return node.access().closed(session)",
                    "return session.session() >= 0"),
            in(
                    "fp/FpRegister",
                    "the nonce itself is told",
                    protocol("fp.FpServerTest", "noncesOfAStagedVersionAreNotShown"),
                    "Bytes nonceHash = Hashes.sha256(nonce(record.version()));",
                    "Bytes nonceHash = nonce(record.version());"),
            in(
                    "fp/FpRegister",
                    "a damaged fragment is not made again",
                    simulation("FpClusterTest", "aDamagedFragmentIsNotServedAndIsMadeAgain"),
                    """
                    if (here && record.version().equals(versions.latest())) {
                        repair.request(now, node.self(), record.version(), false, later -> {});
                    }
                    """,
                    ""),
            in(
                    "fp/PrepareTag",
                    "MACs are good for any writer",
                    simulation("FpForgeryTest", "aCommitNeedsMacsOfThisWriterNodeBlockAndTimestamp"),
                    """
                    out.u8(receiver);
                    writer.write(out);
                    """,
                    "out.u8(receiver);"),
            in(
                    "fp/PrepareTag",
                    "MACs are good in any session",
                    protocol("fp.FpRepairTest", "whatWasDroppedWithAClosedSessionIsNotCommittedInAnother"),
                    "out.i64(session);",
                    ""),
            in(
                    "fp/PrepareTag",
                    "MACs are good in any epoch",
                    protocol("fp.FpServerTest", "aMacOfAnotherEpochOrOfTheOtherDirectionIsRefused"),
                    "giver.write(out);",
                    "new Target(giver.block(), 1, giver.slot()).write(out);"),
            in(
                    "fp/PrepareTag",
                    "MACs are good in both directions",
                    protocol("fp.FpServerTest", "aMacOfAnotherEpochOrOfTheOtherDirectionIsRefused"),
                    """
                    giver.write(out);
                    out.u8(receiver);
                    """,
                    """
                    new Target(giver.block(), giver.epoch(), Math.min(giver.slot(), receiver)).write(out);
                    out.u8(Math.max(giver.slot(), receiver));
                    """),
            in(
                    "fp/PrepareTag",
                    "MACs are good for any block",
                    simulation("FpForgeryTest", "aCommitNeedsMacsOfThisWriterNodeBlockAndTimestamp"),
                    "giver.write(out);",
                    "new Target(BlockId.register(1, 1), giver.epoch(), giver.slot()).write(out);"),
            in(
                    "fp/PrepareTag",
                    "MACs are good for any version",
                    simulation("FpForgeryTest", "aCommitNeedsMacsOfThisWriterNodeBlockAndTimestamp"),
                    """
                    version.write(out);
                    return out.raw(nonce).toBytes();
                    """,
                    "return out.raw(nonce).toBytes();"),
            in(
                    "fp/PrepareTag",
                    "repair MACs are good for COMMIT",
                    simulation("FpForgeryTest", "aCommitNeedsMacsOfThisWriterNodeBlockAndTimestamp"),
                    """
                    writer.equals(REPAIR) ? REPAIR_TAG : PREPARE_TAG);
                    giver.write(out);
                    out.u8(receiver);
                    writer.write(out);
                    """,
                    """
                    PREPARE_TAG);
                    giver.write(out);
                    out.u8(receiver);
                    """),
            in(
                    "fp/PrepareTag",
                    "two versions of one ts have one nonce",
                    protocol("fp.FpRulesTest", "theNonceNamesTheBlockAndTheVersion"),
                    """
                    version.write(out);
                    return keys.own(out.toBytes());
                    """,
                    "return keys.own(out.i64(version.ts()).toBytes());"),
            in(
                    "fp/PrepareTag",
                    "two blocks have one nonce",
                    protocol("fp.FpRulesTest", "theNonceNamesTheBlockAndTheVersion"),
                    """
                    block.write(out);
                    version.write(out);
                    return keys.own
                    """,
                    """
                    version.write(out);
                    return keys.own
                    """),
            in(
                    "fp/FpCodec",
                    "one prepare counts as often as it is sent",
                    protocol("fp.FpRulesTest", "aCommitThatNamesASlotTwiceIsMalformed"),
                    """
                    last = ascending(last, in.u8());
                    prepares.add(
                    """,
                    """
                    last = in.u8();
                    prepares.add(
                    """),
            in(
                    "fp/FpPrepare",
                    "fragments are not checked against fpcc",
                    protocol("fp.FpServerTest", "aFragmentThatIsNotConsistentIsRefused"),
                    "yield group.code().isShareOf(of.fpcc(), slot, share) ? share : null;",
                    "yield share;"),
            in(
                    "fp/FpPrepare",
                    "fragments of any length are taken",
                    protocol("fp.FpServerTest", "aVersionOfAnotherLengthIsRefused"),
                    "if (!group.fits(request.fpcc())) {",
                    "if (false) {"),
            in(
                    "fp/FpPrepare",
                    "no timestamp is FAR",
                    protocol("fp.FpRepairTest", "aTsThatNobodyReachedStaysFar"),
                    "if (far(version)) {",
                    "if (false) {"),
            in(
                    "fp/FpPrepare",
                    "FAR is not judged again",
                    protocol("fp.FpRepairTest", "farIsJudgedAgainAfterARepair"),
                    "boolean begun = !call.judged() &&",
                    "boolean begun = false &&"),
            in(
                    "fp/FpPrepare",
                    "a proven version is FAR",
                    protocol("fp.FpRepairTest", "farIsJudgedAgainAfterARepair"),
                    "versions.proven().isAfter(versions.latest()) ? versions.proven() : versions.latest()",
                    "versions.latest()"),
            in(
                    "fp/FpPrepare",
                    "ts + 1 wraps",
                    protocol("fp.FpServerTest", "tsNeverWraps"),
                    "request.ts() == 0 && latest.ts() == -1",
                    "false"),
            in(
                    "fp/FpPrepare",
                    "a prepare is answered before it is stored",
                    protocol("fp.FpServerTest", "nothingIsPromisedWithoutSpace"),
                    """
                    register.store(
                            mutations,
                            call,
                            now -> {
                                register.versions().put(record);
                                register.versions().heal(version);
                                answer(call, request, version);
                            },
                    """,
                    """
                    answer(call, request, version);
                    register.store(mutations, call, now -> {
                                register.versions().put(record);
                                register.versions().heal(version);
                            },
                    """),
            in(
                    "fp/FpPrepare",
                    "a client may stage any number in a block",
                    protocol("fp.FpRepairTest", "aNodeAtItsLimitInABlockDropsWhatLiesBelowALaterCommit"),
                    "register.versions().stagedBy(writer) >= places * limits.stagedPerBlock()",
                    "false"),
            in(
                    "fp/FpPrepare",
                    "a client may stage any number in all blocks",
                    protocol("fp.FpRepairTest", "theLimitPerClientHoldsAcrossBlocksAndRestarts"),
                    "index.count(writer) >= places * limits.stagedPerClient()",
                    "false"),
            in(
                    "fp/FpPrepare",
                    "no place is kept for timestamps that writers name",
                    protocol("fp.FpRepairTest", "halfOfThePlacesAreForTimestampsThatWritersName"),
                    "request.ts() == 0 ? 1 : 2",
                    "1"),
            in(
                    "fp/FpRegister",
                    "a node at its limit does not say its timestamp",
                    protocol("fp.FpRepairTest", "halfOfThePlacesAreForTimestampsThatWritersName"),
                    "refusal == Refusal.LIMIT && request.ts() == 0 ? versions.latest().ts() + 1 : request.ts()",
                    "request.ts()"),
            in(
                    "fp/FpPrepare",
                    "a restart forgets what is charged",
                    protocol("fp.FpRepairTest", "theLimitPerClientHoldsAcrossBlocksAndRestarts"),
                    "put(call, request, record, share, List.of(index.put(writer, session, entry)));",
                    "put(call, request, record, share, List.of());"),
            in(
                    "fp/FpPrepare",
                    "a node at its limit does not repair first",
                    protocol("fp.FpRepairTest", "aNodeAtItsLimitInABlockDropsWhatLiesBelowALaterCommit"),
                    "judgeAgain(nowMillis, call, null, false, Refusal.LIMIT);",
                    "register.refuse(call, Refusal.LIMIT);"),
            in(
                    "fp/FpPrepare",
                    "a prepare that was let in passes the closing of its session",
                    protocol("fp.FpRulesTest", "aPrepareThatWaitedIsRefusedOnceItsSessionIsClosed"),
                    "if (node.access().closing(session)) {",
                    "if (false) {"),
            in(
                    "fp/FpPrepare",
                    "a fragment that comes after its COMMIT is not kept",
                    protocol("fp.FpServerTest", "aFragmentThatComesAfterItsCommitIsKept"),
                    "} else if (latest.isAfter(version)) {",
                    "} else if (!version.isAfter(latest)) {"),
            in(
                    "fp/FpAccess",
                    "a closed session is remembered in memory only",
                    protocol("fp.FpServerTest", "aClosedSessionStaysRefusedWhateverIsSaidLater"),
                    "set(nowMillis, key, Closure.CLOSING);",
                    """
                    set(nowMillis, key, Closure.CLOSED);
                    whenClosed.accept(nowMillis);
                    if (true) { return; }
                    """),
            in(
                    "fp/FpAccess",
                    "a stale answer opens a closed session again",
                    protocol("fp.FpServerTest", "aClosedSessionStaysRefusedWhateverIsSaidLater"),
                    "if (over || (state != SessionState.CLOSED && !looked)) {",
                    "if (state != SessionState.CLOSED && !looked) {"),
            in(
                    "fp/FpAccess",
                    "an unknown session may write",
                    protocol("fp.FpServerTest", "sessionsGrantsEpochsAndSlotsAreChecked"),
                    "case UNKNOWN -> new Verdict.Refuse(Refusal.SESSION_UNKNOWN, epoch);",
                    "case UNKNOWN -> new Verdict.Admitted(group);"),
            in(
                    "fp/FpAccess",
                    "everybody may read",
                    protocol("fp.FpServerTest", "sessionsGrantsEpochsAndSlotsAreChecked"),
                    """
                    return grant.mayRead()
                    ? new Verdict.Admitted(group)
                    """,
                    "return true ? new Verdict.Admitted(group)"),
            in(
                    "fp/FpAccess",
                    "nodes may write",
                    protocol("fp.FpServerTest", "sessionsGrantsEpochsAndSlotsAreChecked"),
                    "return !writes && group.slotOf(from) >= 0",
                    "return group.slotOf(from) >= 0"),
            in(
                    "fp/FpAccess",
                    "clients get repair MACs",
                    protocol("fp.FpServerTest", "sessionsGrantsEpochsAndSlotsAreChecked"),
                    """
                    case FpMessage.AskRepairMac _, FpMessage.AskLeftover _ -> new Verdict.Refuse(Refusal.NO_GRANT,
                    epoch);
                    """,
                    "case FpMessage.AskRepairMac _, FpMessage.AskLeftover _ -> new Verdict.Admitted(group);"),
            in(
                    "fp/FpAccess",
                    "a map of an older epoch is taken",
                    protocol("fp.FpRulesTest", "anOlderEpochIsRefusedWhateverMapComesLater"),
                    "volumes.merge(volume.id(), volume, FpAccess::later)",
                    "volumes.put(volume.id(), volume)"),
            in(
                    "fp/FpAccess",
                    "a request for another slot is served",
                    protocol("fp.FpRulesTest", "aRequestForAnotherSlotIsRefused"),
                    "if (group.slotOf(self) != target.slot()) {",
                    "if (group.slotOf(self) < 0) {"),
            in(
                    "fp/FpRepair",
                    "a node adopts on its own word",
                    protocol("fp.FpRepairTest", "aVersionCommittedAtOneNodeIsAdoptedByAllThatRepair"),
                    "RepairMacs operation = new RepairMacs(",
                    """
                    if (register.versions().holds(version)) {
                        Holding.SlotNonce own =
                                new Holding.SlotNonce(register.target().slot(), register.nonce(version));
                        register.commit(version, List.of(own), PrepareTag.REPAIR, null, this::end, this::end);
                        return;
                    }
                    RepairMacs operation = new RepairMacs(
                    """),
            in(
                    "fp/FpRepair",
                    "repairs are not rationed",
                    protocol("fp.FpRepairTest", "repairsAreRationedPerAsker"),
                    "(free || node.repairRate().allow(nowMillis, asker)) &&",
                    ""),
            in(
                    "fp/FpRepair",
                    "a repair goes on in another epoch",
                    protocol("fp.FpRulesTest", "aRepairThatWaitedAdoptsNothingInALaterEpoch"),
                    """
                    // MACs of an older epoch are dead: its nodes may have lost since what they vouched for.
                    if (!register.serves(epoch)
                    ||
                    """,
                    "if ("),
            in(
                    "fp/FpRepair",
                    "what is proven stays on its writer's account",
                    protocol("fp.FpRepairTest", "aVersionCommittedAtOneNodeIsAdoptedByAllThatRepair"),
                    """
                    if (!next.committed()) {
                    next = crowded ? next.provenForItsWriter() : next.repaired();
                    }
                    """,
                    ""),
            in(
                    "fp/RepairMacs",
                    "m+f-1 repair MACs are enough",
                    protocol("fp.FpRepairTest", "withoutMPlusFMacsNothingIsAdoptedAndTheOldVersionStays"),
                    "vouches.size() + 1 >= group.policy().writeQuorum()",
                    "vouches.size() + 2 >= group.policy().writeQuorum()"),
            in(
                    "fp/RepairMacs",
                    "repair MACs are not checked",
                    protocol("fp.FpRepairTest", "withoutMPlusFMacsNothingIsAdoptedAndTheOldVersionStays"),
                    "if (valid.test(vouch)) {",
                    "if (true) {"),
            in(
                    "fp/LeftoverPoll",
                    "2f nodes that never prepared a leftover are enough to drop it",
                    protocol("fp.FpRulesTest", "aLeftoverIsDroppedAtThreeWhoNeverPreparedIt"),
                    "if (never >= group.policy().timestampQuorum() ||",
                    "if (never >= group.policy().timestampQuorum() - 1 ||"),
            in(
                    "fp/Leftovers",
                    "staged leftovers are dropped whatever the peers say",
                    protocol("fp.FpRepairTest", "whatAClosedSessionPreparedWidelyButNeverCommittedStays"),
                    "if (outcome == LeftoverPoll.Outcome.NEVER) {",
                    "if (true) {"),
            in(
                    "fp/Leftovers",
                    "leftovers are not repaired first",
                    protocol("fp.FpRepairTest", "whatAClosedSessionCommittedAnywhereIsAdoptedEverywhere"),
                    """
                    boolean begun = register.repair().request(nowMillis, node.self(), record.version(), false, now -> {
                    repairing.remove(entry);
                    register.enqueue(now, later -> poll(register, parties(record, session.volume()), record));
                    });
                    """,
                    """
                    boolean begun = false;
                    register.enqueue(nowMillis, later -> poll(register, parties(record, session.volume()), record));
                    """),
            in(
                    "fp/Timestamp",
                    "ts is compared signed",
                    protocol("fp.FpServerTest", "tsNeverWraps"),
                    "Long.compareUnsigned(ts, other.ts)",
                    "Long.compare(ts, other.ts)"),
            in(
                    "fp/FpServer",
                    "collapsed sessions leave what they staged",
                    protocol("fp.FpRepairTest", "whatCollapsedSessionsLeftStagedGoesAlsoAfterARestart"),
                    "if (told.covers(owner, session.session())) {",
                    "if (false) {"),
            in(
                    "fp/Timestamp",
                    "versions of one ts have no order",
                    protocol("fp.FpRulesTest", "twoVersionsOfOneTsAreKeptApart"),
                    "mine == null || theirs == null ? 0 : mine.compareTo(theirs)",
                    "0"));

    private FpServerBugs() {}
}
