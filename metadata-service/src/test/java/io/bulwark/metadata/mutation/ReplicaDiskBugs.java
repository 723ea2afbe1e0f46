package io.bulwark.metadata.mutation;

import static io.bulwark.protocol.mutation.Detector.metadata;

import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong with the pages and promises of a replica when its files rot. */
final class ReplicaDiskBugs {
    static final List<PlantedBug> ALL = List.of(
            pages(
                    "pages/RocksPageStore",
                    "a page that cannot be read is not written over",
                    "aPageThatCannotBeReadIsAbsentListedWrittenOverAndRemoved",
                    "} catch (RocksDBException e) { unreadable.incrementAndGet(); return true; }",
                    "} catch (RocksDBException e) { throw failed(\"\", e); }"),
            pages(
                    "pages/RocksPageStore",
                    "a page that is written over belongs to no checkpoint",
                    "aPageThatCannotBeReadIsAbsentListedWrittenOverAndRemoved",
                    "} catch (RocksDBException e) { unreadable.incrementAndGet(); return true; }",
                    "} catch (RocksDBException e) { unreadable.incrementAndGet(); return false; }"),
            pages(
                    "pages/RocksPageStore",
                    "pages behind one that cannot be read are not listed",
                    "pagesThatCannotBeReadDoNotHoldUpTheFetchOfAnotherState",
                    "last = unreadableAbove(last, e); at.seek(keyAbove(last));",
                    "break;"),
            pages(
                    "pages/RocksPageStore",
                    "tables are not read when the store is opened",
                    "whateverRotsInTheFilesWithoutPagesIsFoundAndThePagesStay",
                    "db.verifyChecksum();",
                    ""),
            pages(
                    "pages/RocksPageStore",
                    "a store that finds damage is left open",
                    "whateverRotsInTheFilesWithoutPagesIsFoundAndThePagesStay",
                    "store.close(); throw failure(",
                    "throw failure("),
            pages(
                    "pages/Manifest",
                    "a store without CURRENT is an empty one",
                    "aStoreWithoutCurrentIsNotTakenForAnEmptyOne",
                    "return !hasFiles(directory);",
                    "return true;"),
            pages(
                    "pages/Manifest",
                    "a list of files with a wrong checksum is right",
                    "aManifestThatRotsAnywhereIsFoundBeforeRocksDbReadsIt",
                    "!= in.getInt(at)) { return false; }",
                    "!= in.getInt(at)) { at += 0; }"),
            pages(
                    "pages/RocksPageStore",
                    "damage that RocksDB meets by itself is forgotten with the life",
                    "whatRotsWhereRocksDbReadsByItselfEndsOneLifeOnly",
                    "if (failure instanceof DamagedException) {",
                    "if (false) {"),
            pages(
                    "pages/PageSalvage",
                    "what is only in logs is not kept",
                    "aManifestThatRotsCostsNoPage",
                    "for (Path log : files(damaged, \".log\")) {",
                    "for (Path log : List.<Path>of()) {"),
            pages(
                    "pages/PageSalvage",
                    "a salvage that was interrupted is not taken back",
                    "aSalvageThatWasInterruptedBeginsAnew",
                    "if (!Files.exists(directory) && Files.exists(aside(directory))) {",
                    "if (false) {"),
            pages(
                    "pages/BlobScan",
                    "what is behind a damaged record is not looked at",
                    "pagesBeforeAndBehindOneThatIsRottenInABlobFileStay",
                    "return true; } at++; }",
                    "return true; } return false; }"),
            bug(
                    "bft/Leaving",
                    "a replica stops before what it says is durable",
                    "bft.LeavingTest",
                    "whatItSaysIsDurableFirst",
                    "if (durableUpTo >= index) {",
                    "if (index < Long.MAX_VALUE) {"),
            bug(
                    "bft/Leaving",
                    "a primary does not stay",
                    "bft.LeavingTest",
                    "aPrimaryStaysUntilAnotherOneLeads",
                    "if (!stays || isLed) {",
                    "if (index > 0) {"),
            bug(
                    "bft/Effects",
                    "what comes behind damage is not carried out",
                    "bft.EffectsTest",
                    "whatComesBehindAnEffectThatMeetsDamageIsCarriedOut",
                    "damage = e;",
                    "throw e;"),
            bug(
                    "log/PromiseLog",
                    "promises may be missing between others",
                    "log.PromiseLogTest",
                    "aPromiseThatDoesNotFollowTheLastIsRefused",
                    "if (index != handedOver + 1) {",
                    "if (index <= handedOver) {"),
            bug(
                    "log/PromiseLog",
                    "each promise has a sync of its own",
                    "log.PromiseLogTest",
                    "manyPromisesShareFewSyncs",
                    "queue.drainTo(writes);",
                    ""),
            bug(
                    "log/PromiseLog",
                    "what was forgotten is believed again once it can be read",
                    "log.PromiseLogTest",
                    "aLogThatIsForgedIsForgotten",
                    "Files.exists(forgottenMark) || contents.isDamaged();",
                    "contents.isDamaged();"),
            bug(
                    "log/PromiseLog",
                    "nothing tells the next life that this one has forgotten",
                    "log.PromiseLogTest",
                    "aCrashAnywhereInBeginningAnewForgetsNothingOfIt",
                    "contents.damage()); Durably.replace(forgottenMark); }",
                    "contents.damage()); }"),
            bug(
                    "log/PromiseLog",
                    "a log that is gone is a new one",
                    "log.PromiseLogTest",
                    "aLogThatIsGoneIsForgottenIfThereWasOne",
                    "hasPromised ? \"no file of it is there\" : \"\"",
                    "\"\""),
            bug(
                    "log/PromiseScan",
                    "what was synced and is lost is a torn tail",
                    "log.PromiseScanTest",
                    "whatWasSyncedAndIsLostInBothPlacesIsDamage",
                    "if (next < synced) {",
                    "if (false) {"),
            bug(
                    "log/PromiseScan",
                    "a torn tail is damage",
                    "log.PromiseScanTest",
                    "anythingMissingInTheLastGroupIsATornTail",
                    "if (next < synced) {",
                    "if (next < promises.size()) {"),
            bug(
                    "log/PromiseScan",
                    "one place is not read",
                    "log.PromiseScanTest",
                    "onePlaceIsEnoughWhateverBecomesOfTheOther",
                    "scan(2 * PromiseSegment.PAGE_BYTES, Math.min(firstPlace, size));",
                    ""),
            bug(
                    "log/PromiseScan",
                    "what comes behind a wrong frame is not looked at",
                    "log.PromiseScanTest",
                    "whatWasSyncedAndIsLostInBothPlacesIsDamage",
                    "at = bytes > 0 ? at + bytes : nextMark(at + 1, to);",
                    "at = bytes > 0 ? at + bytes : -1;"),
            bug(
                    "log/PromiseScan",
                    "a frame is right whatever its checksum",
                    "log.PromiseScanTest",
                    "rotAtAnyByteTakesNoPromise",
                    "!= PromiseSegment.checksum(frame.array())) { return 0; }",
                    "!= PromiseSegment.checksum(frame.array())) { at += 0; }"),
            bug(
                    "log/PromiseSegment",
                    "a promise counts as synced before it is",
                    "log.PromiseScanTest",
                    "anythingMissingInTheLastGroupIsATornTail",
                    "ByteBuffer frame = frame(mark, promises++, synced, encoded.get(i));",
                    "ByteBuffer frame = frame(mark, promises, ++promises, encoded.get(i));"),
            bug(
                    "log/PromiseSegment",
                    "the header stands in one place",
                    "log.PromiseScanTest",
                    "onePlaceIsEnoughWhateverBecomesOfTheOther",
                    "writeFully(channel, header, PAGE_BYTES);",
                    ""),
            bug(
                    "bft/TreeApplication",
                    "a command that fails leaves half of what it did",
                    "bft.TreeApplicationTest",
                    "aCommandThatFailsChangesNothing",
                    "LOG.error(\"a command of {} failed\", client, e); tree.rollback();",
                    "LOG.error(\"a command of {} failed\", client, e);"),
            bug(
                    "bft/TreeApplication",
                    "a command that meets a damaged page has failed",
                    "bft.TreeApplicationTest",
                    "aDamagedPageIsNoResult",
                    "} catch (DamagedPageException e) { tree.rollback(); throw e; } catch (RuntimeException e) {",
                    "} catch (RuntimeException e) {"),
            bug(
                    "bft/TreeApplication",
                    "a query that meets a damaged page has failed",
                    "bft.TreeApplicationTest",
                    "aDamagedPageIsNoResult",
                    "} catch (DamagedPageException e) { throw e; } catch (RuntimeException e) { LOG.error(\"a query",
                    "} catch (RuntimeException e) { LOG.error(\"a query"),
            bug(
                    "bft/TreeApplication",
                    "a checkpoint is served before it is written",
                    "bft.TreeApplicationTest",
                    "aCheckpointCountsOnceItIsWritten",
                    "staged = false; writer.execute(() -> {",
                    "staged = false; durable.put(sequence, taken.digest()); writer.execute(() -> {"),
            bug(
                    "StepsInTurn",
                    "who asks for much is served first",
                    "ReplicaLoopTest",
                    "oneThatAsksForMuchKeepsNobodyElseWaiting",
                    "waiting.putLast(first.getKey(), first.getValue());",
                    "waiting.putFirst(first.getKey(), first.getValue());"),
            bug(
                    "ReplicaLoop",
                    "replicas wait for clients",
                    "ReplicaLoopTest",
                    "whatClientsAskForKeepsNoReplicaAndNoSyncWaiting",
                    "(from.kind() == PrincipalKind.REPLICA ? ofReplicas : ofOthers)",
                    "ofOthers"),
            bug(
                    "ReplicaLoop",
                    "connections wait while there are steps",
                    "ReplicaLoopTest",
                    "connectionsHaveTheirTurnWhileStepsGoOn",
                    "afterConnections(this::together);",
                    "execute();"),
            bug(
                    "ReplicaLoop",
                    "what comes while steps run does not wait for connections",
                    "ReplicaLoopTest",
                    "whatComesMeanwhileWaitsForConnectionsToo",
                    "try { takeSteps(); } finally {",
                    "woken.set(false); try { takeSteps(); } finally {"),
            bug(
                    "ReplicaLoop",
                    "what is dropped after a failure is never done with",
                    "ReplicaLoopTest",
                    "whatFailsOrIsDroppedAfterwardsIsDoneWith",
                    "next.run(); boolean goesOn",
                    "if (failure.isEmpty()) { next.run(); } boolean goesOn"),
            bug(
                    "bft/LifeStore",
                    "a log of a later configuration that is lost is taken for a new one",
                    "BftReplacementTest",
                    "whoLosesWhatItPromisedInALaterConfigurationKnowsIt",
                    ": directory.hasBegun(term.number()) || application.last() > term.checkpoint().sequence(); }",
                    ": false; }"),
            bug(
                    "bft/LifeStore",
                    "a state beyond the beginning of a configuration does not show that something was promised",
                    "bft.LifeStoreTest",
                    "aStateBeyondTheBeginningOfAConfigurationShowsThatSomethingWasPromisedInIt",
                    "|| application.last() > term.checkpoint().sequence(); }",
                    "; }"),
            bug(
                    "bft/TreeApplication",
                    "a rotten page keeps a life from beginning",
                    "bft.TreeApplicationTest",
                    "whicheverPageOfTheRealStateRotsALifeBegins",
                    "var _ = machine.nextReplicas();",
                    ""),
            bug(
                    "bft/ReplicaLives",
                    "who lost the proofs begins anew in a configuration that he has left",
                    "BftReplacementTest",
                    "whoLosesWhoTheReplicasAreLearnsItAnew",
                    "now.number() >= lastBegun && ",
                    ""),
            bug(
                    "bft/BftReplica",
                    "a replica that nobody has spoken with is read",
                    "BftReplacementTest",
                    "whoHasSpokenWithNobodyIsNotRead",
                    "when !report.isAmongOthers() ->",
                    "when closed.get() ->"),
            bug(
                    "bft/BftReplica",
                    "who has not been heard is taken for a replica of this build",
                    "BftBuildsTest",
                    "whoHasNotBeenHeardMayRunAnOlderBuild",
                    "replica.onBuild(other, other == place);",
                    "replica.onBuild(other, true);"),
            bug(
                    "bft/BftReplica",
                    "whoever is heard is taken for a replica of this build",
                    "BftBuildsTest",
                    "whoRunsAnOlderBuildIsToldOfEachNumber",
                    "peer.speaks(WireVersions.FREE_NUMBERS)",
                    "true"),
            bug(
                    "bft/BftReplica",
                    "no other is ever taken for a replica of this build",
                    "BftBuildsTest",
                    "aGroupOfThisBuildLeavesNumbersFree",
                    "replica.onBuild(from, peer.speaks(WireVersions.FREE_NUMBERS));",
                    ""),
            bug(
                    "bft/BftReplica",
                    "a life that is over takes part",
                    "BftReplacementTest",
                    "whoStartsAgainIsInTheConfigurationThatItWasInAndWhoIsOutSaysSo",
                    "next == null && !closed.get() ? last : last.ended()",
                    "last"),
            bug(
                    "bft/SelfReport",
                    "a replica that nobody has spoken with is ready",
                    "bft.SelfReportTest",
                    "whoHasHeardTooFewOthersTakesNoPart",
                    "boolean votes = isAmongOthers() &&",
                    "boolean votes ="),
            bug(
                    "bft/SelfReport",
                    "who fetches a large state is said to wait",
                    "bft.SelfReportTest",
                    "nothingIsSaidWhilePagesCome",
                    "fetchingSinceMillis == 0 || fetched != fetchedPages",
                    "fetchingSinceMillis == 0"),
            bug(
                    "bft/SelfReport",
                    "a replica that is cut off takes itself for ready",
                    "bft.SelfReportTest",
                    "whoHearsTooFewOthersSaysSo",
                    "nowMillis - aloneSinceMillis >= ALARM_MILLIS",
                    "false"),
            bug(
                    "bft/SelfReport",
                    "who has forgotten and hears no estimates says nothing",
                    "bft.SelfReportTest",
                    "whoHasForgottenAndHearsNoEstimatesSaysSo",
                    "estimates ? estimatesSinceMillis : fetchingSinceMillis;",
                    "fetchingSinceMillis;"),
            bug(
                    "bft/SelfReport",
                    "an alarm is given once",
                    "bft.SelfReportTest",
                    "whoHasForgottenAndHearsNoEstimatesSaysSo",
                    "if (nowMillis - alarmedMillis >= ALARM_MILLIS) {",
                    "if (alarmedMillis == LongAgo.MILLIS) {"),
            bug(
                    "bft/Complaints",
                    "who lies all the time fills the log",
                    "bft.ComplaintsTest",
                    "whoLiesAllTheTimeHasOneLineInTenSecondsAndSilencesNobodyElse",
                    "nowMillis < nextMillis[replica]",
                    "false"),
            bug(
                    "bft/PeerMail",
                    "one replica that is heard often counts as many",
                    "bft.SelfReportTest",
                    "whoHearsTooFewOthersSaysSo",
                    "latest[latest.length - others]",
                    "latest[latest.length - 1]"),
            bug(
                    "bft/WaitingClients",
                    "calls that are never answered keep a client from later ones",
                    "bft.WaitingClientsTest",
                    "callsThatAreNeverAnsweredHereKeepNoLaterOneFromItsAnswer",
                    "own.firstEntry().getKey()",
                    "own.lastEntry().getKey()"),
            bug(
                    "bft/WaitingClients",
                    "a call that is repeated stays the oldest",
                    "bft.WaitingClientsTest",
                    "aCallThatIsRepeatedIsNotTheOldestAndTakesNoMoreRoom",
                    "own.putLast(call,",
                    "own.put(call,"),
            bug(
                    "bft/FoundState",
                    "a state that cannot be read is thrown away",
                    "BftDamageTest",
                    "allReplicasLoseADifferentPageAndNothingIsLost",
                    "store.write(new PageBatch( Map.of(), Map.of(), List.of(),",
                    "java.util.List<io.bulwark.protocol.wire.Bytes> all = new java.util.ArrayList<>();"
                            + " store.forEach(all::add);"
                            + " store.write(new PageBatch(Map.of(), Map.of(), all,"));

    private ReplicaDiskBugs() {}

    private static PlantedBug pages(String file, String name, String test, String right, String wrong) {
        return bug(file, name, "pages.PageRotTest", test, right, wrong);
    }

    private static PlantedBug bug(String file, String name, String testClass, String test, String right, String wrong) {
        return new PlantedBug(name, "metadata/" + file, metadata(testClass, test), right, wrong);
    }
}
