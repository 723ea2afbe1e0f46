package io.bulwark.storage.mutation;

import static io.bulwark.protocol.mutation.Detector.storage;

import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;
import java.util.stream.Stream;

/** What can go wrong with lazy verification beside the protocol: when it happens, of what first, and what dies in the cache (3.1 to 3.4). */
final class StorageBugs {
    private static final List<PlantedBug> TABLE = List.of(
            table(
                    "blocks with few versions come first",
                    "blocksWithManyVersionsComeFirstThenTheOldest",
                    ".reversed()",
                    ""),
            table(
                    "what is in the write-back cache comes no sooner",
                    "amongEqualsThoseInTheWriteBackCacheComeFirst",
                    "if (cached.test(entry.block)) {",
                    "if (false) {"),
            table(
                    "what is in the write-back cache comes before what has more versions",
                    "amongEqualsThoseInTheWriteBackCacheComeFirst",
                    "|| entry.versions < best.versions ||",
                    "||"),
            table(
                    "a block that was just written is not left alone",
                    "aBlockThatWasJustWrittenIsLeftAloneButNotForEver",
                    "entry.writtenMillis + pace.youngMillis()",
                    "entry.writtenMillis"),
            table(
                    "a block that is written all the time is never verified",
                    "aBlockThatWasJustWrittenIsLeftAloneButNotForEver",
                    "entry.sinceMillis + REWRITES_MAX * pace.youngMillis()",
                    "Long.MAX_VALUE"),
            table(
                    "who does not lead a block does not wait for others' word",
                    "blocksOfOthersWaitForTheirWordAndAreVerifiedHereIfItDoesNotCome",
                    "entry.responsible ? rested : Math.max(rested, entry.sinceMillis + pace.patienceMillis());",
                    "rested;"),
            table(
                    "others' word is waited for for ever",
                    "blocksOfOthersWaitForTheirWordAndAreVerifiedHereIfItDoesNotCome",
                    "entry.sinceMillis + pace.patienceMillis()",
                    "Long.MAX_VALUE"),
            table(
                    "word that came counts as word that is missing",
                    "whatOthersHaveVerifiedIsNoLongerWaitedFor",
                    "} else if (versions < entry.versions) {",
                    "} else if (false) {"),
            table(
                    "what came to nothing is tried again at once",
                    "aVerificationThatCameToNothingIsTriedAgainLater",
                    "settled ? nowMillis : nowMillis + pace.retryMillis() * factor(entry.fruitless)",
                    "nowMillis"),
            table(
                    "a block is verified by two at once",
                    "aVerificationThatCameToNothingIsTriedAgainLater",
                    "best.underWay = true;",
                    ""),
            table(
                    "under pressure young blocks wait, too",
                    "underPressureTheYoungestAreTakenTooIfThereAreNoOthers",
                    "if (best == null && pressed) {",
                    "if (false) {"),
            table(
                    "under pressure the young come before the old",
                    "underPressureTheYoungestAreTakenTooIfThereAreNoOthers",
                    "if (best == null && pressed) {",
                    "if (pressed && !waiting.isEmpty()) {"),
            table(
                    "under pressure what came to nothing is tried again at once",
                    "underPressureWhatCameToNothingRestsAllTheSameUntilItIsWritten",
                    "(entry.fruitless > 0 ? resting : waiting).add(entry);",
                    "waiting.add(entry);"),
            table(
                    "the table grows for ever",
                    "theTableIsBounded",
                    "if (entries.size() >= BLOCKS_MAX) {",
                    "if (false) {"),
            table(
                    "what there was no room for is forgotten for ever",
                    "whatThereWasNoRoomForIsToBeToldAgainOnceThereIs",
                    "forgotten++;",
                    ""),
            table(
                    "all is to be told again whenever something was verified",
                    "whatThereWasNoRoomForIsToBeToldAgainOnceThereIs",
                    "if (turnedAway && entries.size() <= BLOCKS_ROOM) {",
                    "if (turnedAway || entries.size() > 0) {"));

    private static final List<PlantedBug> SCHEDULER = List.of(
            scheduler(
                    "IdleTime",
                    "a node is idle at once",
                    "aNodeIsIdleFromAWhileAfterTheLastRequestOn",
                    "return leftMillis(nowMillis) == 0;",
                    "return true;"),
            scheduler(
                    "IdleTime",
                    "a request that is told late sets the timer back",
                    "aNodeIsIdleFromAWhileAfterTheLastRequestOn",
                    "foregroundMillis = Math.max(foregroundMillis, atMillis);",
                    "foregroundMillis = atMillis;"),
            scheduler(
                    "IdleTime",
                    "busy time counts as idle time",
                    "onlyIdleTimeInWhichSomethingWasUnderWayCountsAsUsed",
                    "Math.max(fromMillis, busyUntil(nowMillis) + afterMillis)",
                    "fromMillis"),
            scheduler(
                    "IdleTime",
                    "a node whose client is about to write is idle",
                    "whereAWriteIsOnItsWayTheNodeIsNotIdle",
                    "expected.isEmpty() ? foregroundMillis",
                    "expected.size() < 9 ? foregroundMillis"),
            scheduler(
                    "IdleTime",
                    "who announces writes and sends none keeps a node busy",
                    "whoAnnouncedAWriteInVainIsNotBelievedForAWhile",
                    "if (unkept.getOrDefault(write.client(), nowMillis) > nowMillis) {",
                    "if (nowMillis < 0) {"),
            scheduler(
                    "IdleTime",
                    "any number of writes is waited for",
                    "onlySoManyWritesAreWaitedFor",
                    "if (expected.size() > EXPECTED_MAX) {",
                    "if (false) {"),
            scheduler(
                    "BackgroundScheduler",
                    "verification does not wait for idle time",
                    "verificationWaitsForIdleTimeUnlessRoomIsShort",
                    "|| (!pressed && !idle(nowMillis))",
                    ""),
            scheduler(
                    "BackgroundScheduler",
                    "verification waits for idle time though room is short",
                    "verificationWaitsForIdleTimeUnlessRoomIsShort",
                    "(!pressed && !idle(nowMillis))",
                    "!idle(nowMillis)"),
            bug(
                    "background/HistoryPool",
                    "the pool does not grow with the clients",
                    "background.HistoryPoolTest",
                    "itIsTheThresholdTimesTheClients",
                    "writers * clientBytes",
                    "clientBytes"),
            bug(
                    "background/HistoryPool",
                    "while nobody knows how many clients there are the pool is that of none",
                    "background.HistoryPoolTest",
                    "whileItIsNotKnownHowManyClientsThereAreItIsAsLargeAsItMayBe",
                    "writers == 0 || clientBytes >=",
                    "writers > 0 && clientBytes >="),
            bug(
                    "background/HistoryPool",
                    "the pool grows beyond the heap",
                    "background.HistoryPoolTest",
                    "itGrowsNoLargerThanAnEighthOfTheDiskOrHalfOfTheHeap",
                    "Math.min(diskBytes / DISK_PART, heapBytes / HEAP_PART)",
                    "diskBytes / DISK_PART"),
            bug(
                    "background/PoolShortage",
                    "a pool that was too small once is so for ever",
                    "background.PoolShortageTest",
                    "itIsOverWhenNobodyHasWrittenForAMinute",
                    "return now - nanos >= LASTS_NANOS;",
                    "return now - nanos < 0;"),
            bug(
                    "background/PoolShortage",
                    "a pool that is too small is large enough after a minute of writes",
                    "background.PoolShortageTest",
                    "itIsOverWhenNobodyHasWrittenForAMinute",
                    "neededBytes >= last.neededBytes()",
                    "neededBytes > last.neededBytes()"),
            scheduler(
                    "BackgroundScheduler",
                    "any number is verified at once",
                    "onlySoManyAreVerifiedAtOnce",
                    "verifying >= verificationsMax || (",
                    "("),
            scheduler(
                    "BackgroundScheduler",
                    "a busy node scrubs as fast as an idle one",
                    "whileClientsAreServedItIsAsManyTimesSmaller",
                    "busyMillis / pace.busyDivisor()",
                    "busyMillis"),
            scheduler(
                    "BackgroundScheduler",
                    "small fragments cost little",
                    "smallFragmentsCountAsMoreThanTheirBytes",
                    "Math.max(bytes, pace.lookBytesMin())",
                    "bytes"),
            scheduler(
                    "BackgroundScheduler",
                    "scrubbers take no turns",
                    "whoWantsNothingAnyMoreDoesNotHoldUpTheOthers",
                    "&& other.last < turn.last",
                    "&& false"),
            choice(
                    "a loaded node verifies before reads",
                    "aNodeVerifiesBeforeReadsWhereMostAreReadsAndLittleIsGoingOn",
                    "&& requestsInProcessing <= LIGHT_LOAD_MAX",
                    ""),
            choice(
                    "a node verifies before reads where most are writes",
                    "aNodeVerifiesBeforeReadsWhereMostAreReadsAndLittleIsGoingOn",
                    "reads > writes && ",
                    ""),
            choice(
                    "what is long ago counts as much",
                    "whatIsLongAgoCountsLittle",
                    "Math.pow(0.5, Math.max(0, nowMillis - countedMillis) / HALF_MILLIS)",
                    "1"));

    private static final List<PlantedBug> CACHE = List.of(
            bug(
                    "node/Shard",
                    "who asks for what is written has all written that is held",
                    "background.LazyVerificationTest",
                    "whatDiesInTheCacheNeverReachesTheDiskWhileADeletedVolumeIsCleaned",
                    "return scan.written()",
                    "return !scan.written()"),
            bug(
                    "store/WriteBack",
                    "what is acknowledged under sync is held in memory",
                    "store.WriteBackCacheTest",
                    "aStoreHoldsNothingUnderSyncAndGivesAllBackUnderAnyDurability",
                    "case SYNC -> 0;",
                    "case SYNC -> millis;"),
            cache(
                    "who lists what is never held has all written that is",
                    "whoListsWhatIsNeverHeldLeavesWhatIsHeldInMemory",
                    "return heldNanos > 0 && kinds.contains(kind);",
                    "return heldNanos > 0;"),
            cache(
                    "the deletion of what was never written is forgotten",
                    "whatIsPutAndDeletedBeforeItsTimeNeverBringsItsFragmentToTheDisk",
                    "block.last.put(after.key(), after);",
                    "if (!(after instanceof Mutation.Delete)) { block.last.put(after.key(), after); }"),
            cache(
                    "what is deleted in the cache is written",
                    "whatIsPutAndDeletedBeforeItsTimeNeverBringsItsFragmentToTheDisk",
                    "Mutation before = block.last.remove(mutation.key());",
                    """
                    Mutation before = block.last.remove(mutation.key());
                    if (mutation instanceof Mutation.Delete && before instanceof Mutation.Put) {
                        var _ = sink.write(List.of(before));
                    }
                    """),
            cache(
                    "it is held for longer than its time",
                    "whatIsPutAndDeletedBeforeItsTimeNeverBringsItsFragmentToTheDisk",
                    "nowNanos - block.getValue().sinceNanos < heldNanos",
                    "nowNanos - block.getValue().sinceNanos < 2 * heldNanos"),
            cache(
                    "what is held is not found",
                    "whatIsPutAndDeletedBeforeItsTimeNeverBringsItsFragmentToTheDisk",
                    "case Mutation.Put put -> Optional.of(new Loaded.Found(key, put.meta(), put.fragment()));",
                    "case Mutation.Put _ -> Optional.empty();"),
            cache(
                    "meta data of a held record go to the disk before it",
                    "metaDataOfAHeldRecordChangesInPlaceAndThatOfAnotherGoesToTheDiskBeforeItIsRead",
                    "after = new Mutation.Put(key, meta, put.fragment());",
                    "after = mutation;"),
            cache(
                    "meta data bring a deleted record back",
                    "metaDataOfAHeldRecordChangesInPlaceAndThatOfAnotherGoesToTheDiskBeforeItIsRead",
                    "after = before;",
                    "after = mutation;"),
            cache(
                    "other stores of a block overtake what is held of it",
                    "otherKindsAndSeveralBlocksGoToTheDiskBehindWhatIsHeldOfTheirBlocks",
                    "blocks.forEach(this::writeNow);",
                    ""),
            cache(
                    "a store of several blocks is held as one block's",
                    "otherKindsAndSeveralBlocksGoToTheDiskBehindWhatIsHeldOfTheirBlocks",
                    "blocks.size() != 1 ||",
                    ""),
            cache(
                    "any amount is held",
                    "theOldestGoesWhereTooMuchIsHeldAndNothingIsHeldWhileTheDiskDoesNotKeepUp",
                    "heldBytes > bytesMax &&",
                    "heldBytes > 100 * bytesMax &&"),
            cache(
                    "more is promised while the disk does not keep up",
                    "theOldestGoesWhereTooMuchIsHeldAndNothingIsHeldWhileTheDiskDoesNotKeepUp",
                    "taken + added > 2 * bytesMax ||",
                    ""),
            cache(
                    "more is promised than the device has room for",
                    "nothingIsPromisedThatTheDeviceHasNoRoomFor",
                    "|| taken + added > roomBytes",
                    ""),
            cache(
                    "what the device did not take is not said",
                    "nothingIsPromisedThatTheDeviceHasNoRoomFor",
                    "lost += mutations;",
                    ""));

    private static final List<PlantedBug> REPORTS = List.of(bug(
            "completion/VerdictReports",
            "poison waits behind what is told of nodes",
            "completion.CompletionTest",
            "poisonIsReportedHoweverMuchThereIsToSayOfNodes",
            "afterPoisonous = report(evidence.poisonousSince(afterPoisonous), afterPoisonous);",
            ""));

    private static final List<PlantedBug> EPOCHS = List.of(bug(
            "completion/Completion",
            "holders look for registers among extents",
            "completion.RegisterEpochTest",
            "holdersSeeToTheFewBlocksThatThereAreAndConfirm",
            "find.kind(), find.first()",
            "RecordKind.EXTENT, find.first()"));

    private static final List<PlantedBug> SPACE = List.of(
            space(
                    "SegmentFiles",
                    "a segment in use is never given back, dead as it may be",
                    "afterAllIsDeletedWritesAreTakenAgain",
                    "if (pressed && used != null && used.mostlyDead()) {",
                    "if (pressed && used != null && used.mostlyDead() && used.number < 0) {"),
            space(
                    "SegmentFiles",
                    "what is kept to be overwritten is kept from others",
                    "afterAllIsDeletedWritesAreTakenAgain",
                    "spare.size() > (pressed ? 0 : spareMax)",
                    "spare.size() > spareMax"),
            space(
                    "StoreWriter",
                    "stores are refused before the dead are given back",
                    "nothingIsRefusedForWhatIsDead",
                    "segments.canGiveBack()) {",
                    "segments.canGiveBack() && failed) {"),
            space(
                    "StoreWriter",
                    "making room fills the device",
                    "makingRoomLeavesHalfOfTheReserve",
                    "move.fragmentBytes() > moveRoom ? Stored.NO_SPACE : null",
                    "move.fragmentBytes() > 4 * moveRoom && failed ? Stored.NO_SPACE : null"),
            space(
                    "DeviceSpace",
                    "a node that refuses what is stored says that it takes it",
                    "afterAllIsDeletedWritesAreTakenAgain",
                    "refusedBytes = Math.max(refusedBytes, bytes);",
                    ""),
            bug(
                    "background/Background",
                    "registers are made again however much is rebuilt",
                    "background.BackgroundTest",
                    "whatWasRebuiltHoldsUpScrubbing",
                    "rebuild.open(now) && scheduler",
                    "scheduler"),
            bug(
                    "completion/RegisterScrub",
                    "registers that are made again are not charged",
                    "completion.RegisterScrubTest",
                    "aDamagedFragmentThatNobodyReadsIsFoundReportedAndMadeAgain",
                    "background.rebuild().charge(0, bytes);",
                    ""),
            bug(
                    "completion/Cursors",
                    "what cannot be saved is said each time",
                    "completion.CursorsTest",
                    "whatCannotBeSavedIsOneLineNowAndThen",
                    "if (now - saidNanos >= LOG_INTERVAL_NANOS) {",
                    "if (now != saidNanos) {"));

    private static final List<PlantedBug> REVOCATIONS = List.of(
            rounds(
                    "that all is decided is of a round that began before the question",
                    "eachAnswerThatItIsDoneIsOfARoundThatBeganAfterTheQuestion",
                    "if (over && begun.round() < since) {",
                    "if (false) {"),
            rounds(
                    "another's round is enough",
                    "anothersRoundThatIsUnderWayIsNotEnough",
                    "askers.computeIfAbsent(who, _",
                    "askers.computeIfAbsent(revoked, _"),
            rounds(
                    "rounds begin as often as somebody asks",
                    "whoAsksAllTheTimeKeepsNobodyWaitingAlsoWhereRoundsTakeLong",
                    "if (clock.getAsLong() - overMillis >= stays) {",
                    "if (true) {"),
            rounds(
                    "rounds that take long keep the node busy",
                    "whoAsksAllTheTimeKeepsNobodyWaitingAlsoWhereRoundsTakeLong",
                    "Math.clamp(overMillis - begun.atMillis(), OVER_MILLIS_MIN, OVER_MILLIS_MAX)",
                    "OVER_MILLIS_MIN"),
            rounds(
                    "what was said in the round before is an answer",
                    "whatWasSaidInARoundBeforeIsNoAnswer",
                    "refused &= said.round() == begun.round() && said.refuses();",
                    "refused &= said.refuses();"),
            bug(
                    "revocation/Rounds",
                    "that all is decided is of a round that began before the question, found by five answers",
                    "revocation.FiveAnswersTest",
                    "theyAreTwoStepsAfterAllWereDoneOnce",
                    "if (over && begun.round() < since) {",
                    "if (false) {"),
            new PlantedBug(
                    "four answers are enough to know that repairs are settled",
                    "client/PuttingOut",
                    storage("revocation.FiveAnswersTest", "theyAreAlsoWhereEachQuestionBeginsARoundTooEarly"),
                    "TIMES_DONE = 5;",
                    "TIMES_DONE = 4;"),
            rounds(
                    "of one who is revoked it is answered before the servers know of the others",
                    "nobodyIsAnsweredOfOneBeforeTheServersKnowAll",
                    "revoked.forEach(tell);",
                    "revoked.forEach(each -> told.put(each, new Begun(1, now)));\nrevoked.forEach(tell);"),
            bug(
                    "revocation/Revocations",
                    "rounds begin page by page",
                    "revocation.RevocationsTest",
                    "nobodyIsToldOfOneBeforeAllPagesAreHere",
                    "after = page.next();",
                    "after = page.next();\nrounds.learn(revoked);\nrevoked.clear();"),
            rounds(
                    "what somebody has to write is not logged",
                    "whatServersWaitForIsLogged",
                    "awaited.waitsFor(block, timestamp);",
                    ""),
            bug(
                    "revocation/Awaited",
                    "a block is named each time that it is waited for",
                    "revocation.AwaitedTest",
                    "whatIsNotSettledSoonIsNamedOnceInAWhile",
                    "due.put(which, now + AGAIN_MILLIS);",
                    "due.put(which, now);"),
            bug(
                    "revocation/Awaited",
                    "all blocks are named at once",
                    "revocation.AwaitedTest",
                    "ofManyAFewAreNamedAndTheOthersLater",
                    "if (inWindow == PER_WINDOW_MAX) {",
                    "if (false) {"));

    static final List<PlantedBug> ALL = Stream.of(TABLE, SCHEDULER, CACHE, SPACE, REPORTS, EPOCHS, REVOCATIONS)
            .flatMap(List::stream)
            .toList();

    private StorageBugs() {}

    private static PlantedBug table(String name, String test, String right, String wrong) {
        return bug("background/WriteCountTable", name, "background.WriteCountTableTest", test, right, wrong);
    }

    private static PlantedBug scheduler(String file, String name, String test, String right, String wrong) {
        return bug("background/" + file, name, "background.BackgroundSchedulerTest", test, right, wrong);
    }

    private static PlantedBug choice(String name, String test, String right, String wrong) {
        return bug("background/ReadChoice", name, "background.ReadChoiceTest", test, right, wrong);
    }

    private static PlantedBug space(String file, String name, String test, String right, String wrong) {
        return bug("store/" + file, name, "store.FullDeviceTest", test, right, wrong);
    }

    private static PlantedBug rounds(String name, String test, String right, String wrong) {
        return bug("revocation/Rounds", name, "revocation.RoundsTest", test, right, wrong);
    }

    private static PlantedBug cache(String name, String test, String right, String wrong) {
        return bug("store/WriteBackCache", name, "store.WriteBackCacheTest", test, right, wrong);
    }

    private static PlantedBug bug(String file, String name, String testClass, String test, String right, String wrong) {
        return new PlantedBug(name, "storage/" + file, storage(testClass, test), right, wrong);
    }
}
