package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong where a liar makes names up, or asks for much: what that costs others (PROTOCOLS section 7). */
final class LiarBugs {
    private static Detector engine(String testClass, String test) {
        return protocol("ordering.replica." + testClass, test);
    }

    static final List<PlantedBug> ALL = List.of(
            in(
                    "ordering/message/RequestId",
                    "names that hash alike have no order",
                    engine("MadeUpNamesTest", "namesThatHashAlikeHaveAnOrder"),
                    "return byCall != 0 ? byCall : digest.compareTo(other.digest);",
                    "return byCall;"),
            in(
                    "ordering/replica/BatchStore",
                    "what a batch names is kept once it was looked for",
                    engine("MadeUpNamesTest", "whatAPrimaryNamesBesideWhatItMadeUpIsNotKept"),
                    "return body.request == null ? pool.body(id) : body.request;",
                    "if (body.request == null) { body.request = pool.body(id); } return body.request;"),
            in(
                    "ordering/replica/BatchStore",
                    "what was accepted stays no longer than the pool has it",
                    engine("MadeUpNamesTest", "theBodiesOfWhatWasAcceptedStay"),
                    "onBody(id, request); requests.add(request);",
                    "requests.add(request);"),
            in(
                    "ordering/replica/Agreement",
                    "what waits for one body is looked through with each drain",
                    engine("MadeUpNamesTest", "whatWaitsForOneBodyIsNotLookedThroughWithEachDrain"),
                    "for (int left = ids.size(); left > 0; left--) {",
                    "slot.lookedAt = 0; for (int left = ids.size(); left > 0; left--) {"),
            in(
                    "ordering/replica/Agreement",
                    "what is of another time is looked through with each drain",
                    engine("MadeUpNamesTest", "whatIsOfAnotherTimeIsNotLookedThroughWithEachDrain"),
                    "if (unchecked && (slot.tooLong || !isTimely(nowMillis, batch))) { return; } if (!isAllHere(slot,"
                            + " batch, unchecked)) { return; }",
                    "if (!isAllHere(slot, batch, unchecked)) { return; } if (unchecked && (slot.tooLong ||"
                            + " !isTimely(nowMillis, batch))) { return; }"),
            in(
                    "ordering/replica/Agreement",
                    "what is too long is looked through with each drain",
                    engine("MadeUpNamesTest", "whatIsTooLongIsNotLookedThroughWithEachDrainButTakenOnceOthersHaveIt"),
                    "slot.tooLong = true;",
                    ""),
            in(
                    "ordering/replica/RequestPool",
                    "what was executed since its vouch is good in no batch",
                    engine("LateVouchesTest", "whatAPrimaryNumbersAgainForALateVouchIsAccepted"),
                    "displaced.onExecuted(nowMillis, id, bytes, entry != null && entry.isVouchedHere());",
                    "displaced.onExecuted(nowMillis, id, bytes, false);"),
            in(
                    "ordering/replica/Displaced",
                    "what lost its room before it was executed is good in no batch",
                    engine("DisplacedTest", "whatLostItsRoomIsGoodForOneNumberMoreAfterItsExecutionToo"),
                    "(lost.remove(id) != null || isVouchedHere)",
                    "(lost.remove(id) == null && isVouchedHere)"),
            in(
                    "ordering/replica/Displaced",
                    "a vouch is good for as many numbers as a primary likes",
                    engine("DisplacedTest", "whatWasVouchedForIsGoodForOneNumberMoreAfterItsExecution"),
                    "executed.remove(id);",
                    ""),
            in(
                    "ordering/replica/Displaced",
                    "what was executed since its vouch is good in a batch for ever",
                    engine("DisplacedTest", "whatWasVouchedForIsGoodForOneNumberMoreAfterItsExecution"),
                    "executed.values().removeIf(each -> each.sinceMillis() < beforeMillis);",
                    ""),
            in(
                    "ordering/replica/Displaced",
                    "a primary may give a recovery a number once more",
                    engine("DisplacedTest", "aRecoveryIsNotGoodForANumberMore"),
                    "&& id.client().kind() != PrincipalKind.REPLICA",
                    ""),
            in(
                    "ordering/replica/Wants",
                    "what a primary names is kept whoever it was fetched for",
                    engine("MadeUpNamesTest", "whatIsFetchedForOthersVouchesIsKeptWithinBoundsThoughAPrimaryNamesIt"),
                    "if (ofBatches.contains(id)) {",
                    "if (true) {"),
            in(
                    "ordering/replica/BatchStore",
                    "what finds no room is kept without bound",
                    engine("MadeUpNamesTest", "whatIsFetchedForOthersVouchesIsKeptWithinBoundsThoughAPrimaryNamesIt"),
                    "&& offeredBytes + bytes <= bytesMax",
                    ""),
            in(
                    "ordering/replica/Wants",
                    "what finds no room is kept for no batch",
                    engine("MadeUpNamesTest", "whatFindsNoRoomIsAcceptedAllTheSame"),
                    "} else if (parts.pool().body(id) == null) {",
                    "} else if (false) {"),
            in(
                    "ordering/replica/BatchStore",
                    "what was accepted counts against what finds no room",
                    engine("MadeUpNamesTest", "whatFindsNoRoomIsAcceptedAllTheSame"),
                    "if (body != null) { withdraw(body); body.request = request; }",
                    "if (body != null) { body.request = request; }"),
            in(
                    "ordering/replica/BatchStore",
                    "what found no room counts after its batches have gone",
                    engine("MadeUpNamesTest", "whatFoundNoRoomGoesWithTheBatchesThatNameIt"),
                    "withdraw(body); bodies.remove(id);",
                    "bodies.remove(id);"),
            in(
                    "ordering/replica/Agreement",
                    "a primary proposes numbers before where its view begins",
                    engine("NewViewLiesTest", "noNumberUpToTheCheckpointThatAViewBeginsWithIsProposedInIt"),
                    "if (message.view() == begunView && message.sequence() <= begins) {",
                    "if (false) {"),
            in(
                    "ordering/replica/Agreement",
                    "a primary proposes the number of the checkpoint that its view begins with",
                    engine("NewViewLiesTest", "noNumberUpToTheCheckpointThatAViewBeginsWithIsProposedInIt"),
                    "message.sequence() <= begins",
                    "message.sequence() < begins"),
            in(
                    "ordering/replica/EarlyMessages",
                    "early proposals with any number of names are kept",
                    engine("EarlyMessagesTest", "ofProposalsNoMoreAreKeptThanSoManyFullOnesHaveNames"),
                    "|| said.names > namesMax",
                    "|| false"),
            in(
                    "ordering/replica/StatusExchange",
                    "an answer has proposals with any number of names",
                    engine("StatusExchangeTest", "oneAnswerHasNoMoreProposalsThanSixteenFullOnesHaveNames"),
                    "|| names >= FULL_MAX * config.batches().requestsMax()",
                    "|| false"),
            in(
                    "ordering/replica/Serving",
                    "who has nothing is silent",
                    engine("FetchingTest", "whoHasNothingSaysSo"),
                    "if (spend(nowMillis, from, bodies.isEmpty() ? NOTHING_BYTES : bytes)) {",
                    "if (!bodies.isEmpty() && spend(nowMillis, from, bytes)) {"),
            in(
                    "ordering/replica/Serving",
                    "who asks for nothing all the time is answered all the time",
                    engine("FetchingTest", "whoHasNothingSaysSo"),
                    "bodies.isEmpty() ? NOTHING_BYTES : bytes",
                    "bytes"),
            in(
                    "ordering/replica/Fetching",
                    "what all have answered in vain is asked for as fast as they answer",
                    engine("FetchingTest", "whoAnsweredInVainIsNotAskedAgainBeforeTheOthers"),
                    "if ((sources(want) & ~want.tried) != 0) {",
                    "if (true) {"));

    private LiarBugs() {}
}
