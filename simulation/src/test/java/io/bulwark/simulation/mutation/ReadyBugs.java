package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong where replicas say READY: with f liars, f of 2 or more, and clients that fill rooms (PROTOCOLS section 7). */
final class ReadyBugs {
    private static Detector engine(String testClass, String test) {
        return protocol("ordering.replica." + testClass, test);
    }

    static final List<PlantedBug> ALL = List.of(
            in(
                    "ordering/replica/Pending",
                    "what f+1 say is ready is nothing to others",
                    engine("ReadyTest", "whoFilledItsOwnRoomAtThePrimaryChangesNoView"),
                    "(saidReady & self()) != 0 || Long.bitCount(saidReady) >= config.oneCorrect()",
                    "(saidReady & self()) != 0"),
            in(
                    "ordering/replica/Pending",
                    "what f say is ready is taken",
                    engine("ReadyPoolTest", "whatFPlus1SayIsReadyIsSoWithoutTheirVouches"),
                    "Long.bitCount(saidReady) >= config.oneCorrect()",
                    "Long.bitCount(saidReady) >= config.faulty()"),
            in(
                    "ordering/replica/Pending",
                    "who says READY does not count that itself",
                    engine("ReadyPoolTest", "whoSaysReadyKeepsTheRequestForAsLongAsThatCounts"),
                    "(saidReady & self()) != 0 || Long.bitCount",
                    "Long.bitCount"),
            in(
                    "ordering/replica/Pending",
                    "the primary proposes only what it counts 2f+1 vouches for",
                    engine("ReadyPoolTest", "whatFPlus1SayIsReadyIsSoWithoutTheirVouches"),
                    "return hasQuorum() || (isVouchedHere() && isConfirmed());",
                    "return hasQuorum();"),
            in(
                    "ordering/replica/Pending",
                    "what f+1 say is ready has no more room",
                    engine("ReadyTest", "thoughTheRoomOfAllIsFullAtThePrimaryNoViewChanges"),
                    "others() + 1 >= config.quorum() || isConfirmed();",
                    "others() + 1 >= config.quorum();"),
            in(
                    "ordering/replica/Pending",
                    "a body is fetched from those who only vouch",
                    engine("ReadyPoolTest", "aBodyIsFetchedFromThoseWhoSayReady"),
                    "return isConfirmed() ? saidReady : vouchers;",
                    "return vouchers;"),
            in(
                    "ordering/replica/RequestPool",
                    "what is ready again is due by new words only",
                    engine("ReadyPoolTest", "whatCeasesToBeReadyAndIsAgainIsDueByTheSameWords"),
                    "cease(entry); entry.hasNews = true;",
                    "cease(entry);"),
            in(
                    "ordering/replica/RequestPool",
                    "2f make a request due",
                    engine("ReadyPoolTest", "aRequestIsDueOnce2fPlus1SayReady"),
                    "int needed = config.quorum();",
                    "int needed = config.quorum() - 1;"),
            in(
                    "ordering/replica/RequestPool",
                    "what one replica counts as ready is due there",
                    engine("ReadyTest", "whatOneBackupAloneCountsAsReadyItDoesNotTime"),
                    "if (nowMillis < entry.dueUntilMillis) { becomeDue",
                    "if (true) { becomeDue"),
            in(
                    "ordering/replica/RequestPool",
                    "what is due is timed from when it was ready",
                    engine("ReadyTest", "whatIsDueLateIsTimedFromThenOn"),
                    "entry.sinceMillis < 0 ? nowMillis :",
                    "entry.sinceMillis < 0 ? entry.readyMillis :"),
            in(
                    "ordering/replica/RequestPool",
                    "what was said long ago makes due",
                    engine("ReadyPoolTest", "whatWasSaidAWhileAgoMakesNothingDueButIsGoodForThePrimary"),
                    "return said[said.length - needed] + config.timers().vouchMillis();",
                    "return said[said.length - needed] + config.timers().keepReadyMillis();"),
            in(
                    "ordering/replica/RequestPool",
                    "the primary has no more time than those who wait",
                    engine("ReadyPoolTest", "whatWasSaidAWhileAgoMakesNothingDueButIsGoodForThePrimary"),
                    "nowMillis - config.timers().keepReadyMillis()",
                    "nowMillis - config.timers().vouchMillis()"),
            in(
                    "ordering/replica/RequestPool",
                    "READY is said without the body",
                    engine("ReadyPoolTest", "nobodySaysReadyWithoutTheBody"),
                    "&& entry.body != null && entry.hasQuorum()",
                    "&& entry.hasQuorum()"),
            in(
                    "ordering/replica/RequestPool",
                    "READY is said because others do",
                    engine("ReadyPoolTest", "nobodySaysReadyBecauseOthersDo"),
                    "&& entry.body != null && entry.hasQuorum()",
                    "&& entry.body != null"),
            in(
                    "ordering/replica/RequestPool",
                    "READY is said at once",
                    engine("ReadyPoolTest", "whatWaitsWith2fPlus1VouchesIsSaidToBeReadyAgainAndAgain"),
                    "nowMillis - entry.readyMillis >= config.timers().sayReadyMillis()",
                    "nowMillis >= entry.readyMillis"),
            in(
                    "ordering/replica/RequestPool",
                    "READY is said once",
                    engine("ReadyPoolTest", "whatWaitsWith2fPlus1VouchesIsSaidToBeReadyAgainAndAgain"),
                    "nowMillis - entry.saidMillis >= config.timers().statusMillis()",
                    "entry.saidMillis < 0"),
            in(
                    "ordering/replica/RequestPool",
                    "READY is said of what was executed",
                    engine("ReadyPoolTest", "whatWasExecutedBeforeItCouldBeSaidIsNotSaid"),
                    "taken.removeIf(id -> !entries.containsKey(id));",
                    ""),
            in(
                    "ordering/replica/RequestPool",
                    "READY under an old key counts",
                    engine("ReadyPoolTest", "readyDiesWithItsKey"),
                    "readyAt.get(peer).clear().forEach(id -> retractReady(peer, id));",
                    ""),
            in(
                    "ordering/replica/RequestPool",
                    "what was due stays so though a word for it is gone",
                    engine("ReadyPoolTest", "readyDiesWithItsKey"),
                    "entry.hasNews = true; entry.dueUntilMillis = Long.MIN_VALUE;",
                    ""),
            in(
                    "ordering/replica/RequestPool",
                    "what was executed stays due",
                    engine("ReadyPoolTest", "aRequestIsDueOnce2fPlus1SayReady"),
                    "due.remove(id);",
                    ""),
            in(
                    "ordering/replica/RequestPool",
                    "what was due before another state came is due",
                    engine("ReadyPoolTest", "anotherStateForgetsWhatIsDue"),
                    "due.clear();",
                    ""),
            in(
                    "ordering/replica/RequestPool",
                    "a peer may say READY for any number",
                    engine("ReadyPoolTest", "aPeersWordsAreBounded"),
                    "retractReady(replica, forgotten);",
                    ""),
            in(
                    "ordering/replica/RequestPool",
                    "what was executed here is ready for who is behind",
                    engine("ReadyPoolTest", "whatWasExecutedHereIsNotReadyForWhoIsBehind"),
                    "if (isReadySaid() && results.sequence(id) <= executedThere[from]) {",
                    "if (isReadySaid()) {"),
            in(
                    "ordering/replica/RequestPool",
                    "with one fault READY counts, too",
                    engine("ReadyPoolTest", "withOneFaultNobodySaysOrHearsReady"),
                    "return config.faulty() > 1;",
                    "return true;"),
            in(
                    "ordering/replica/RequestPool",
                    "what is ready and not due is passed over",
                    engine("ReadyPoolTest", "onlyWhatIsDueIsPassedOver"),
                    "entry.dueOrder > firstOrder",
                    "entry.readyOrder > firstOrder"),
            in(
                    "ordering/replica/RequestPool",
                    "what a replica vouches for it does not accept",
                    engine("ReadyPoolTest", "whatThisReplicaVouchesForItAccepts"),
                    "(entry.isVouchedHere() || entry.isBacked())",
                    "(entry.verified || entry.isBacked())"),
            in(
                    "ordering/replica/StatusExchange",
                    "nobody says READY",
                    engine("ReadyTest", "aPrimaryThatProposesNothingIsReplaced"),
                    "say(pool.takeUnsaidReady(), Ready::new);",
                    ""),
            in(
                    "ordering/replica/Replica",
                    "nobody hears READY",
                    engine("ReadyTest", "aPrimaryThatProposesNothingIsReplaced"),
                    "case Ready ready -> pool.onReady(nowMillis, from, ready.requests());",
                    "case Ready _ -> {}"));

    private ReadyBugs() {}
}
