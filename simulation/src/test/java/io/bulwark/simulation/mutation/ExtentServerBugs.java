package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.Detector.simulation;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong with extents at a node: PROTOCOLS section 4. */
final class ExtentServerBugs {
    static final List<PlantedBug> ALL = List.of(
            in(
                    "extent/FpCoding",
                    "fragments are not checked against fpcc",
                    protocol("extent.ExtentNodeTest", "whoSendsNonsenseIsKeptOutForAWhile"),
                    "return isShareOf(checksum, slot, share) ? Optional.of(new Accepted(share, true)) :"
                            + " Optional.empty();",
                    "return Optional.of(new Accepted(share, true));"),
            in(
                    "extent/StoreProposal",
                    "fragments of any length are taken",
                    protocol("extent.ExtentNodeTest", "aFragmentBeyondTheBlockSizeIsRefused"),
                    "return checksum.length() >= 1 && checksum.length() <= policy.fragmentBytes(policy.blockBytes());",
                    "return true;"),
            in(
                    "extent/ExtentServer",
                    "everybody stores under everybody's ids",
                    simulation("ExtentRulesTest", "onlyTheOwnerStoresAndOnlyThoseWithAGrantRead"),
                    "boolean owner = from.equals(asked.request.block().owner());",
                    "boolean owner = true;"),
            in(
                    "extent/ExtentServer",
                    "everybody may read",
                    simulation("ExtentRulesTest", "onlyTheOwnerStoresAndOnlyThoseWithAGrantRead"),
                    "Boolean mayRead = replicas.mayRead(turn.nowMillis(), volume.id(), from);",
                    "Boolean mayRead = Boolean.TRUE;"),
            in(
                    "extent/ExtentServer",
                    "a client tells a node what is referenced",
                    protocol("extent.ExtentNodeTest", "onlyTheNodeItselfTellsWhatIsReferenced"),
                    """
                    case Complete _ -> {
                    if (!from.equals(self)) {
                    """,
                    """
                    case Complete _ -> {
                    if (true) { return true; }
                    if (!from.equals(self)) {
                    """),
            in(
                    "extent/ExtentServer",
                    "an unknown session may store",
                    protocol("extent.ExtentNodeTest", "anUnknownSessionStoresNothing"),
                    "if (session.state != SessionState.OPEN) {",
                    "if (false) {"),
            in(
                    "extent/ExtentServer",
                    "freed ids are not refused",
                    simulation("ExtentRulesTest", "freedExtentsAreGoneForGoodThroughCrashes"),
                    """
                    if (session.freed(place.block())) {
                    refuse
                    """,
                    """
                    if (false) {
                    refuse
                    """),
            in(
                    "extent/ExtentServer",
                    "an older epoch is served",
                    protocol("extent.ExtentNodeTest", "aMapOfAnOlderEpochIsNotTaken"),
                    "if (request.epoch() != group.epoch() || !seals.serves(volume.id(), index, group.epoch())) {",
                    "if (request.epoch() > group.epoch()) {"),
            in(
                    "extent/ExtentServer",
                    "a request for another slot is served",
                    protocol("extent.ExtentNodeTest", "aRequestForAnotherSlotIsRefused"),
                    "if (group.slotOf(node) != request.slot()) {",
                    "if (false) {"),
            in(
                    "extent/ExtentServer",
                    "OK is said before the store",
                    simulation("ExtentRulesTest", "aFullDiskAtFNodesIsMaskedAndAtMoreIsAClearError"),
                    """
                    blocks.store(turn, place.block(), session, place.epoch(), place.slot(), proposal, (next, refusal)
                    -> {
                    """,
                    """
                    answer(turn, asked, new Acknowledged(place.block(), place.epoch()));
                    blocks.store(turn, place.block(), session, place.epoch(), place.slot(), proposal, (next, refusal)
                    -> {
                    """),
            in(
                    "extent/ExtentServer",
                    "a fragment cut for another slot is served",
                    protocol("extent.ExtentNodeTest", "aFragmentCutForAnotherSlotIsNotServed"),
                    "case Held held when held.slot() != place.slot() -> ReadRefusal.NONE;",
                    ""),
            in(
                    "extent/ExtentServer",
                    "a restart forgets what is charged",
                    simulation("ExtentRulesTest", "unreferencedBytesAreLimitedUntilTheyAreReferencedAlsoAfterARestart"),
                    """
                    recount(turn, FIRST);
                    }
                    """,
                    "}"),
            in(
                    "extent/ExtentServer",
                    "an interrupted deletion is not resumed",
                    protocol("extent.ExtentNodeTest", "anInterruptedDeletionIsResumed"),
                    """
                    resumeSweeps(turn, FIRST);
                    recount
                    """,
                    "recount"),
            in(
                    "extent/ExtentBlocks",
                    "an id takes a second content",
                    protocol("extent.ExtentNodeTest", "anIdTakesOneContentEver"),
                    "return same ? null : StoreRefusal.OTHER_CONTENT;",
                    "return null;"),
            in(
                    "extent/ExtentBlocks",
                    "another version than the pin's is stored",
                    protocol("extent.ExtentNodeTest", "onceAPinIsKnownOnlyThatVersionIsStored"),
                    "if (pin != null && !pin.equals(checksum.pin())) {",
                    "if (false) {"),
            in(
                    "extent/ExtentBlocks",
                    "a full disk is answered OK",
                    simulation("ExtentRulesTest", "aFullDiskAtFNodesIsMaskedAndAtMoreIsAClearError"),
                    """
                    if (stored != Stored.DURABLE) {
                    records.remove(block);
                    release(
                    """,
                    """
                    if (stored == Stored.FAILED) {
                    records.remove(block);
                    release(
                    """),
            in(
                    "extent/ExtentBlocks",
                    "what was freed while it was stored stays",
                    protocol("extent.ExtentNodeTest", "whatIsFreedWhileItIsStoredIsGone"),
                    """
                    if (session.freed(block)) {
                    delete(next, session, block, Optional.of(fresh), after -> end.run(after, StoreRefusal.FREED));
                    """,
                    """
                    if (false) {
                    delete(next, session, block, Optional.of(fresh), after -> end.run(after, StoreRefusal.FREED));
                    """),
            in(
                    "extent/ExtentBlocks",
                    "what was closed while it was stored is answered OK",
                    protocol("extent.ExtentNodeTest", "whatIsClosedWhileItIsStoredIsNotAcknowledged"),
                    "end.run(next, refusal(block, session, Optional.of(fresh), fresh.checksum()));",
                    "end.run(next, null);"),
            in(
                    "extent/ExtentBlocks",
                    "unreferenced bytes are not limited",
                    simulation("ExtentRulesTest", "unreferencedBytesAreLimitedUntilTheyAreReferencedAlsoAfterARestart"),
                    "!referenced && !charges.charge(block, size(fresh))",
                    "false"),
            in(
                    "extent/ExtentBlocks",
                    "referenced bytes stay charged",
                    simulation("ExtentRulesTest", "unreferencedBytesAreLimitedUntilTheyAreReferencedAlsoAfterARestart"),
                    "if (!(fresh instanceof Held held) || held.referenced()) {",
                    "if (!(fresh instanceof Held)) {"),
            in(
                    "extent/ExtentBlocks",
                    "pending uploads are charged",
                    simulation("ExtentRulesTest", "whatAPendingUploadRegisteredIsNotCharged"),
                    "|| session.pending(block);",
                    ";"),
            in(
                    "extent/ExtentBlocks",
                    "a damaged fragment is served",
                    protocol("extent.ExtentNodeTest", "aFragmentThatIsNotWhatWasStoredIsNotServed"),
                    "boolean good = record instanceof Held held && held.matches(fragment);",
                    "boolean good = record instanceof Held;"),
            in(
                    "extent/ExtentBlocks",
                    "another version than the referenced one is not discarded",
                    simulation("ExtentRulesTest", "completionBringsAnExtentToAllSlotsAndReplacesOtherVersions"),
                    "case Held held -> !held.is(wanted.pin());",
                    "case Held held -> false;"),
            in(
                    "extent/ExtentBlocks",
                    "who sends nonsense is not kept out",
                    protocol("extent.ExtentNodeTest", "whoSendsNonsenseIsKeptOutForAWhile"),
                    "if (strikes.barred(next.nowMillis(), block.owner())) {",
                    "if (false) {"),
            in(
                    "extent/ExtentRecord",
                    "a record under another key is believed",
                    protocol("extent.ExtentRecordTest", "aWholeRecordUnderAnotherKeyIsLost"),
                    "return own ? record : new Lost();",
                    "return record;"),
            in(
                    "extent/Sessions",
                    "what is freed is remembered in memory only",
                    protocol("extent.ExtentNodeTest", "whatIsFreedIsRememberedBeforeItIsDeleted"),
                    """
                    session.toSweep.add(new long[] {range.first(), range.first() + range.count() - 1});
                    save(next, session);
                    """,
                    """
                    session.toSweep.add(new long[] {range.first(), range.first() + range.count() - 1});
                    sweepNext(next, session);
                    """),
            in(
                    "extent/Sessions",
                    "freed by absence: a session that is closed frees all",
                    simulation("ExtentRulesTest", "aClosedSessionKeepsOnlyWhatIsReferenced"),
                    "session.state = fact.state();",
                    """
                    session.state = fact.state();
                    if (fact.state() == SessionState.CLOSED && session.record != null) {
                        session.record.close(new TreeMap<>());
                    }
                    """),
            in(
                    "extent/Sessions",
                    "a closed session opens again",
                    protocol("extent.ExtentNodeTest", "aClosedSessionStaysClosed"),
                    "if (session != null && session.state != SessionState.CLOSED) {",
                    "if (session != null) {"),
            in(
                    "extent/Sessions",
                    "what the disk failed to delete is not tried again",
                    protocol("extent.SessionsTest", "whatTheDiskFailedToDeleteIsDeletedLater"),
                    "if (session.undeleted() && session.sweeps == 0 && session.record != null) {",
                    "if (false) {"),
            in(
                    "extent/SessionRecord",
                    "a closed session frees the referenced and keeps the others",
                    protocol("extent.SessionRecordPropertyTest", "freesClosesAndRemembersLikeASet"),
                    "return inside != closed;",
                    "return inside;"),
            in(
                    "extent/SessionRecord",
                    "a free before the closing is forgotten",
                    protocol("extent.SessionRecordPropertyTest", "freesClosesAndRemembersLikeASet"),
                    "freed.forEach(this::remove);",
                    ""),
            in(
                    "extent/Repairs",
                    "a node does not count itself among those that never stored",
                    simulation("ExtentRulesTest", "anExtentThatItsWriterLeftIncompleteIsToldFromOneThatIsLost"),
                    "pin, !lost,",
                    "pin, false,"),
            in(
                    "extent/ExtentBlocks",
                    "what was freed while it was repaired stays",
                    protocol("extent.ExtentNodeTest", "whatIsFreedWhileItIsRepairedIsGone"),
                    """
                    if (session.freed(block)) {
                        delete(turn, session, block, Optional.of(repaired),
                    """,
                    """
                    if (false) {
                        delete(turn, session, block, Optional.of(repaired),
                    """),
            in(
                    "extent/Repairs",
                    "a lost record counts as never stored",
                    protocol("extent.ExtentNodeTest", "whoLostItsRecordDoesNotSayNeverStored"),
                    "pin, !lost,",
                    "pin, true,"),
            in(
                    "extent/ExtentServer",
                    "suspicions are not rationed",
                    protocol("extent.ExtentNodeTest", "hintsOfOneAskerAreRationed"),
                    "|| count[0]++ >= limits.suspicionsPerTick()) {",
                    ") {"),
            in(
                    "extent/Repairs",
                    "a suspected node does not look at its own fragment",
                    simulation("ExtentLyingTest", "aNodeWhoseDiskWasSwappedIsNamedAndHealsItself"),
                    """
                    if (outcome instanceof RepairOutcome.Rebuilt rebuilt
                            && !rebuilt.share()
                    """,
                    """
                    if (outcome instanceof RepairOutcome.Rebuilt rebuilt
                            && next == null && !rebuilt.share()
                    """),
            in(
                    "extent/Sessions",
                    "collapsed sessions in memory stay open",
                    protocol("extent.SessionsTest", "aCollapsedSessionInMemoryIsClosedWhateverIsHeardOfItLater"),
                    "if (fact.covers(key.owner(), key.session())) {",
                    "if (false) {"),
            in(
                    "completion/NodeCompletion",
                    "the server hears nothing of collapsed sessions of which nothing is on disk",
                    protocol(
                            "completion.NodeCompletionTest", "ofCollapsedSessionsThoseAreClosedOfWhichSomethingIsHere"),
                    """
                    calls.tell(
                            new Fact.Collapsed(collapsed.owner(), collapsed.firstSession(), collapsed.lastSession()));
                    """,
                    ""),
            in(
                    "extent/Replicas",
                    "a map of an older epoch is taken",
                    protocol("extent.ExtentNodeTest", "aMapOfAnOlderEpochIsNotTaken"),
                    "now.epoch() >= before.epoch() ? now : before",
                    "now"));

    private ExtentServerBugs() {}
}
