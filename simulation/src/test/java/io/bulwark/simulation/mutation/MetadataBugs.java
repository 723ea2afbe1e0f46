package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.Detector.simulation;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;
import java.util.stream.Stream;

/** What can go wrong in the metadata and on the way to them: PROTOCOLS sections 4, 6 and 7. */
final class MetadataBugs {
    private static final List<PlantedBug> STATE = List.of(
            in(
                    "metadata/Session",
                    "a range is used twice",
                    protocol("metadata.RangeTest", "aRangeIsUsedOnce"),
                    "!next.overlaps(range),",
                    "range.count() > 0,"),
            in(
                    "metadata/Session",
                    "ranges may be another session's",
                    protocol("metadata.RangeTest", "rangesBelongToTheSubmittersOpenSessionForTheVolume"),
                    """
                    && range.session() == number
                    && range.owner().equals(owner));
                    """,
                    ");"),
            in(
                    "metadata/Session",
                    "a session uses any number of intervals",
                    protocol("metadata.RangeTest", "aSessionHoldsABoundedNumberOfIntervals"),
                    "intervals <= SessionChange.INTERVALS_MAX,",
                    "intervals >= 0,"),
            in(
                    "metadata/Session",
                    "a number may be used for two commands",
                    protocol("metadata.SessionTest", "anAcknowledgedNumberIsTooOldAndANumberIsForOneCommand"),
                    "Refusal.unless(result.digest.equals(digest), MetadataError.NUMBER_REUSED, \"number \" + command);",
                    ""),
            in(
                    "metadata/Session",
                    "the window has no bound",
                    protocol("metadata.SessionTest", "theWindowIsBounded"),
                    """
                    Refusal.unless(command - lowestKept < Submission.WINDOW, MetadataError.WINDOW_EXCEEDED, "number "
                    + command);
                    """,
                    ""),
            in(
                    "metadata/Session",
                    "an acknowledged number is executed again",
                    protocol("metadata.SessionTest", "anAcknowledgedNumberIsTooOldAndANumberIsForOneCommand"),
                    "Refusal.unless(command >= lowestKept, MetadataError.NUMBER_TOO_OLD, \"number \" + command);",
                    ""),
            in(
                    "metadata/MetadataStateMachine",
                    "a retry is executed again",
                    protocol("metadata.SessionTest", "aRetryGetsTheStoredReplyAndIsNotExecutedAgain"),
                    "if (kept.isPresent()) {",
                    "if (kept.isPresent() && session.number == 0) {"),
            in(
                    "metadata/MetadataStateMachine",
                    "agreed time goes back",
                    protocol("metadata.SessionTest", "timeThatGoesBackCountsAsTheLastOne"),
                    "long now = Math.max(agreedMillis, Math.min(agreedTimeMillis, latest));",
                    "long now = Math.min(agreedTimeMillis, latest);"),
            in(
                    "metadata/MetadataStateMachine",
                    "readers open sessions",
                    protocol("metadata.SessionTest", "onlyWritersOpenSessionsForAVolumeAndStrangersNone"),
                    "Grants.require(grants.mayWrite(submitter, volume.id()), submitter, \"write to \" +"
                            + " volume.name());",
                    "Grants.require(grants.known(submitter), submitter, volume.name());"),
            in(
                    "metadata/Permissions",
                    "readers write",
                    protocol("metadata.NamespaceTest", "readersReadAndDoNotWrite"),
                    "case Command.DeleteObject delete -> require(by, delete.bucket(), Right.WRITE);",
                    "case Command.DeleteObject delete -> require(by, delete.bucket(), Right.READ);"),
            in(
                    "metadata/Permissions",
                    "a client reports evidence",
                    protocol("metadata.EvidenceTest", "onlyNodesReportAndNotAboutThemselves"),
                    "Grants.require(grants.isNode(by), by, \"report evidence\");",
                    "Grants.require(grants.known(by), by, \"report evidence\");"),
            in(
                    "metadata/MetadataStateMachine",
                    "nodes of other groups are believed about a node",
                    protocol("metadata.EvidenceTest", "onlyNodesOfTheBlocksGroupReportAndAreReported"),
                    "&& group.slotOf(submitter.number()) >= 0",
                    ""),
            in(
                    "metadata/MetadataStateMachine",
                    "f nodes name a node",
                    protocol("metadata.EvidenceTest", "aNodeIsNamedAfterFPlusOneOthersSaidTheSame"),
                    "evidence.report(submitter, report, volume.policy().f() + 1,",
                    "evidence.report(submitter, report, volume.policy().f(),"),
            in(
                    "metadata/MetadataStateMachine",
                    "a volume with linked inodes is deleted",
                    protocol("metadata.VolumeTest", "aVolumeWithBucketsStaysAndADeletedOneTakesItsSessionsAlong"),
                    "volume.usage().buckets == 0,",
                    "volume.usage().buckets >= 0,"),
            in(
                    "metadata/MetadataStateMachine",
                    "sessions never expire",
                    protocol("metadata.SessionTest", "sessionsExpireByServedTime"),
                    "sessions.serve(now - agreedMillis);",
                    "if (now < 0) { sessions.serve(now - agreedMillis); }"),
            in(
                    "metadata/MetadataStateMachine",
                    "abandoned ranges are not freed",
                    protocol("metadata.RangeTest", "freedAndAbandonedRangesStayUsed"),
                    "sessions.free(session, range.first(), range.first() + range.count());",
                    ""),
            in(
                    "metadata/MetadataStateMachine",
                    "a full state takes more",
                    protocol("metadata.WeightTest", "emptyObjectsCannotFillTheReplicas"),
                    "tables.weight.requireRoom(submitter);",
                    ""),
            in(
                    "metadata/Sessions",
                    "an outage expires sessions",
                    protocol("metadata.SessionTest", "anOutageExpiresNothing"),
                    "servedMillis += Math.min(stepMillis, STEP_MILLIS_MAX);",
                    "servedMillis += stepMillis;"),
            in(
                    "metadata/Sessions",
                    "a principal opens any number of sessions",
                    protocol("metadata.SessionTest", "aPrincipalHasAtMostSixtyFourOpenSessions"),
                    "account.openSessions < OPEN_MAX, MetadataError",
                    "account.openSessions >= 0, MetadataError"),
            in(
                    "metadata/Sessions",
                    "opening again gives another session",
                    protocol("metadata.SessionTest", "openingAgainWithTheSameNonceGivesTheSameSession"),
                    "if (session.nonce.equals(nonce) && session.volume == volume",
                    "if (session.nonce.equals(nonce) && session.volume == -1"),
            in(
                    "metadata/Sessions",
                    "a closed session executes",
                    protocol("metadata.SessionTest", "aClosedSessionRefusesForEverAndNeverExecutesAgain"),
                    """
                    Refusal.unless(state != SessionState.CLOSED, MetadataError.SESSION_CLOSED, principal + "." +
                    number);
                    """,
                    ""),
            in(
                    "metadata/Sessions",
                    "a session is open for every volume",
                    protocol("metadata.SessionTest", "nodesLearnTheStateOfASession"),
                    "(anyVolume || session.volume == volume)",
                    "session.number == number"),
            in(
                    "metadata/Sessions",
                    "nodes are not told that a session is closed",
                    protocol("metadata.RangeTest", "pendingUploadsEndWithTheirSession"),
                    """
                    tables.changes.remove(session.sequence);
                    session.sequence = nextSequence();
                    tables.changes.put(session.sequence, changeOf(session));
                    """,
                    "tables.changes.remove(session.sequence);"),
            in(
                    "metadata/Sessions",
                    "nodes are not told what is freed",
                    protocol("metadata.RangeTest", "rangesAreFreedAtZeroLinksAfterTheGrace"),
                    "tables.changes.put(sequence, new SessionChange.Freed(sequence, range));",
                    ""),
            in(
                    "metadata/Sessions",
                    "closed sessions are kept for ever",
                    protocol("metadata.SessionTest", "closedSessionsWithoutReferencesCollapseIntoOneNumberPerOwner"),
                    """
                    if (!session.unreferenced()) {
                    return false;
                    }
                    """,
                    """
                    if (true) {
                    return false;
                    }
                    """),
            in(
                    "metadata/Inodes",
                    "ranges are freed without a grace",
                    protocol("metadata.NamespaceTest", "renameMovesALinkWithinTheVolume"),
                    "new Due(sessions.servedMillis() + GRACE_MILLIS, id)",
                    "new Due(sessions.servedMillis(), id)"),
            in(
                    "metadata/Inodes",
                    "an inode with links is freed",
                    protocol("metadata.NamespaceTest", "copyAddsALinkAndTheInodeLivesAsLongAsOne"),
                    """
                    if (links == 0) {
                    tables.links.remove
                    """,
                    """
                    if (true) {
                    tables.links.remove
                    """),
            in(
                    "metadata/Inodes",
                    "a second link is not counted",
                    protocol("metadata.NamespaceTest", "copyAddsALinkAndTheInodeLivesAsLongAsOne"),
                    "tables.links.put(id, linksOf(id) + 1);",
                    "tables.links.put(id, 1);"),
            in(
                    "metadata/Inodes",
                    "pending uploads outlive their session",
                    protocol("metadata.RangeTest", "pendingUploadsEndWithTheirSession"),
                    """
                    dropPending(session, pending);
                    sessions.close(session);
                    """,
                    """
                    session.pending = 0;
                    sessions.close(session);
                    """),
            in(
                    "metadata/Inodes",
                    "what a pending upload did not use stays",
                    protocol("metadata.RangeTest", "pendingUploadsAreReferencedUntilAPutConsumesThem"),
                    "left.ranges(session).forEach(range -> free(session, range));",
                    ""),
            in(
                    "metadata/Inodes",
                    "pending uploads are charged to no quota",
                    protocol("metadata.NamespaceTest", "quotasBoundBucketsAndVolumes"),
                    """
                    volume.checkQuota(bytes);
                    session.use
                    """,
                    "session.use"),
            in(
                    "metadata/Inodes",
                    "the volume's quota is not checked",
                    protocol("metadata.NamespaceTest", "quotasBoundBucketsAndVolumes"),
                    "volume.checkQuota(added);",
                    ""),
            in(
                    "metadata/Inodes",
                    "a pending upload is consumed twice",
                    protocol("metadata.RangeTest", "pendingUploadsAreReferencedUntilAPutConsumesThem"),
                    "tables.pendings.contains(session.key(id)) && seen.add(id),",
                    "tables.pendings.contains(session.key(id)),"),
            in(
                    "metadata/Namespace",
                    "OKs of another epoch count for an inode",
                    protocol("metadata.RangeTest", "theLayoutFitsTheVolumeAndTheEpochsAreCurrent"),
                    "claimed.epoch() == claim.epoch(),",
                    "claimed.epoch() >= 1,"),
            in(
                    "metadata/Namespace",
                    "epochs of some groups are enough for an inode",
                    protocol("metadata.RangeTest", "theLayoutFitsTheVolumeAndTheEpochsAreCurrent"),
                    """
                    Refusal.unless(
                    group == volume.groups().size(),
                    """,
                    """
                    Refusal.unless(
                    group >= 0,
                    """),
            in(
                    "metadata/Namespace",
                    "an inode names another's extents",
                    protocol("metadata.RangeTest", "rangesBelongToTheSubmittersOpenSessionForTheVolume"),
                    "session.owns(layout.ranges()) && (put",
                    "(put"),
            in(
                    "metadata/Namespace",
                    "links cross volumes",
                    protocol("metadata.NamespaceTest", "linksStayWithinOneVolume"),
                    "to.volume == from.bucket.volume,",
                    "to.volume >= 0,"),
            in(
                    "metadata/Namespace",
                    "the bucket's quota is not checked",
                    protocol("metadata.NamespaceTest", "quotasBoundBucketsAndVolumes"),
                    "bucket.quotaBytes == 0 || added <= 0 ||",
                    "bucket.quotaBytes >= 0 || added <= 0 ||"),
            in(
                    "metadata/Namespace",
                    "conditions are not checked",
                    protocol("metadata.NamespaceTest", "conditionsGuardPuts"),
                    "case IF_ABSENT -> !bucket.shows(key);",
                    "case IF_ABSENT -> true;"),
            in(
                    "metadata/Namespace",
                    "a name that is replaced keeps its inode for ever",
                    protocol("metadata.MetadataPropertyTest", "theStateMachineDoesWhatTheModelDoes"),
                    """
                    if (!link.marker()) {
                    inodes.unlink(link.inode());
                    }
                    """,
                    ""),
            in(
                    "metadata/Namespace",
                    "renaming removes the new name too",
                    protocol("metadata.NamespaceTest", "renameMovesALinkWithinTheVolume"),
                    """
                    hide(from, by, now);
                    return new Reply.ObjectStored(from.link.inode(), version);
                    """,
                    """
                    hide(from, by, now);
                    hide(find(rename.toBucket(), rename.toKey(), 0), by, now);
                    return new Reply.ObjectStored(from.link.inode(), version);
                    """),
            in(
                    "metadata/EvidenceRecord",
                    "one node is counted as often as it reports",
                    protocol("metadata.EvidenceTest", "aNodeIsNamedAfterFPlusOneOthersSaidTheSame"),
                    "if (reporters.size() >= needed) {",
                    "if (reporters.size() >= needed || own.size() >= needed) {"),
            in(
                    "metadata/EvidenceRecord",
                    "a liar fills the memory with reports",
                    protocol("metadata.EvidenceTest", "aLiarDisplacesOnlyItsOwnReports"),
                    "if (own.size() > REPORTS_MAX) {",
                    "if (false) {"));

    private static final List<PlantedBug> ORDERING = List.of(
            in(
                    "ordering/ReplicatedCall",
                    "a command is done at f+1 equal replies",
                    protocol("ordering.ReplicatedCallTest", "aCommandGoesToAllAndIsDoneAtTwoFPlusOneEqualReplies"),
                    "2 * faultyOf(replicas.size()) + 1; return new ReplicatedCall(replicas, needed, new Submit(",
                    "faultyOf(replicas.size()) + 1; return new ReplicatedCall(replicas, needed, new Submit("),
            in(
                    "ordering/ReplicatedCall",
                    "a query is done at f+1 equal replies",
                    protocol("ordering.ReplicatedCallTest", "aQueryOnWhichTheReplicasCannotAgreeIsOrderedAtOnce"),
                    "2 * faultyOf(replicas.size()) + 1; return new ReplicatedCall(replicas, needed, new Query(",
                    "faultyOf(replicas.size()) + 1; return new ReplicatedCall(replicas, needed, new Query("),
            in(
                    "ordering/ReplicatedCall",
                    "f replicas reject a request",
                    protocol("ordering.ReplicatedCallTest", "oneLiarCannotRejectACall"),
                    "count(Refusal.FAILED) > faulty",
                    "count(Refusal.FAILED) >= faulty"),
            in(
                    "ordering/ReplicatedCall",
                    "replies of several incarnations count together",
                    protocol("ordering.ReplicatedCallTest", "repliesOfDifferentIncarnationsAreNotCountedTogether"),
                    "return incarnation == other.incarnation && digest.equals(other.digest);",
                    "return digest.equals(other.digest);"),
            in(
                    "ordering/ReplicatedCall",
                    "a whole reply is taken although the digests are of another one",
                    simulation("ordering.OrderingSimulationTest", "noInvariantIsViolated")
                            .runs(48),
                    "given.agrees(agreed) && given.reply != null",
                    "given.reply != null"),
            in(
                    "ordering/ReplicatedCall",
                    "strangers are counted",
                    protocol("ordering.ReplicatedCallTest", "oneReplicaIsCountedOnceAndAStrangerNever"),
                    "|| !answers.containsKey(from)",
                    ""),
            in(
                    "ordering/ReplicatedCall",
                    "answers to another call count",
                    protocol("ordering.ReplicatedCallTest", "aQueryOnWhichTheReplicasCannotAgreeIsOrderedAtOnce"),
                    "|| answer.call() != request.call()) {",
                    ") {"),
            in(
                    "ordering/ReplicatedCall",
                    "a query without agreement is never ordered",
                    protocol("ordering.ReplicatedCallTest", "aQueryThatTooFewAnswerInTimeIsOrdered"),
                    """
                    if (nowMillis >= orderAtMillis) {
                    return order(nowMillis);
                    }
                    """,
                    ""),
            in(
                    "ordering/ReplicatedCall",
                    "a query that is never to be ordered is",
                    protocol(
                            "ordering.ReplicatedCallTest",
                            "aQueryThatIsNeverToBeOrderedIsAskedAgainUntilTheReplicasAgree"),
                    "return request instanceof Query && !neverOrdered;",
                    "return request instanceof Query;"),
            in(
                    "ordering/ReplicatedCall",
                    "clients that lost the same replica come back in step",
                    protocol("ordering.ReplicatedCallTest", "callsThatBeganTogetherAreNotSentAgainInStep"),
                    "resendMillis / 2 + random.nextLong(resendMillis / 2 + 1)",
                    "resendMillis"),
            in(
                    "ordering/Settlement",
                    "the longest history wins although f+1 do not have it",
                    protocol("ordering.SettlementTest", "aHistoryThatOnlyOneHasIsNotChosen"),
                    "count() > faulty)",
                    "count() >= faulty)"),
            in(
                    "ordering/Settlement",
                    "a coordinator decides with 2f sealed replicas",
                    protocol("ordering.SettlementTest", "threeSealedReplicasStartAnIncarnationAndTwoDoNot"),
                    "if (sealed < quorum()) {",
                    "if (sealed < quorum() - 1) {"),
            in(
                    "ordering/Settlement",
                    "replicas of another incarnation count as sealed",
                    protocol("ordering.SettlementTest", "whoIsSealedInAnotherIncarnationOrRunsDoesNotCount"),
                    """
                    if (last.standing().phase() == Phase.SEALED && last.standing().incarnation() == incarnation) {
                    sealed.put
                    """,
                    """
                    if (last.standing().phase() == Phase.SEALED) {
                    sealed.put
                    """),
            in(
                    "ordering/Settlement",
                    "running replicas count as sealed",
                    protocol("ordering.SettlementTest", "whoIsSealedInAnotherIncarnationOrRunsDoesNotCount"),
                    """
                    if (last.standing().phase() == Phase.SEALED && last.standing().incarnation() == incarnation) {
                    sealed.put
                    """,
                    """
                    if (last.standing().incarnation() == incarnation) {
                    sealed.put
                    """),
            in(
                    "ordering/Settlement",
                    "the shortest history wins",
                    protocol("ordering.SettlementPropertyTest", "whatWasAcknowledgedStaysAndAllRunAgain")
                            .runs(1),
                    "asking = lengths[lengths.length - 1 - faulty];",
                    "asking = lengths[0];"),
            in(
                    "ordering/Settlement",
                    "a coordinator decides before its seal is durable",
                    protocol("ordering.SettlementTest", "nothingIsDecidedBeforeTheOwnSealIsDurable"),
                    """
                    sealing = true;
                    return List.of(new Action.Seal(target));
                    """,
                    "return List.of(new Action.Seal(target));"),
            in(
                    "ordering/Settlement",
                    "a replica runs before its log is where the others' are",
                    protocol("ordering.SettlementTest", "aReplicaRunsOnceItsLogIsWhereTheOthersAre"),
                    "aligning == null || !history.position().equals(aligning)",
                    "aligning == null"),
            in(
                    "ordering/Settlement",
                    "a START of another incarnation is taken",
                    protocol("ordering.SettlementTest", "aStartOfAnotherIncarnationOrFromAnotherReplicaIsIgnored"),
                    "from != coordinator() || start.incarnation() != incarnation",
                    "from != coordinator()"),
            in(
                    "ordering/Settlement",
                    "a higher incarnation is ignored",
                    protocol("ordering.SettlementPropertyTest", "whatWasAcknowledgedStaysAndAllRunAgain")
                            .runs(1),
                    "takesPart && standing.incarnation() > incarnation && phase != Phase.FOLLOWING",
                    "takesPart && standing.incarnation() > incarnation + 1000000 && phase != Phase.FOLLOWING"));

    private static final List<PlantedBug> COMMANDS = List.of(
            in(
                    "bucket/SessionCommands",
                    "a closed session is thought to have executed nothing",
                    simulation("object.LostReplyTest", "aPutThatASessionExecutedBeforeItClosedIsNotRepeated"),
                    "return reply.error() == MetadataError.SESSION_CLOSED || reply.error() =="
                            + " MetadataError.NUMBER_TOO_OLD;",
                    "return reply.error() == MetadataError.NUMBER_TOO_OLD;"),
            in(
                    "bucket/SessionCommands",
                    "a number that is too old is thought to be executed never",
                    protocol("bucket.SessionCommandsTest", "aSessionIsLostWhenItIsClosedOrUnknown"),
                    "return reply.error() == MetadataError.SESSION_CLOSED || reply.error() =="
                            + " MetadataError.NUMBER_TOO_OLD;",
                    "return reply.error() == MetadataError.SESSION_CLOSED;"),
            in(
                    "bucket/ObjectPut",
                    "what a closed session may have executed is put again",
                    simulation("object.LostReplyTest", "aPutThatASessionExecutedBeforeItClosedIsNotRepeated"),
                    "if (reply instanceof Reply.Failed failed && SessionCommands.mayBeExecuted(failed)) {",
                    "if (reply instanceof Reply.Failed failed && failed.message().isEmpty()) {"));

    static final List<PlantedBug> ALL =
            Stream.of(STATE, ORDERING, COMMANDS).flatMap(List::stream).toList();

    private MetadataBugs() {}
}
