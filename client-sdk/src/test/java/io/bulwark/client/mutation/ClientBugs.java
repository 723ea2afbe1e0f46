package io.bulwark.client.mutation;

import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong where a client is refused, or puts another out. */
final class ClientBugs {
    static final List<PlantedBug> ALL = List.of(
            denial(
                    "f replicas have a client give up",
                    "fReplicasCannotSayItAndOneMoreCan",
                    "if (words <= faulty &&",
                    "if (words < faulty &&"),
            denial(
                    "a client waits for 2f+1 that refuse it",
                    "fReplicasCannotSayItAndOneMoreCan",
                    "if (words <= faulty &&",
                    "if ("),
            denial(
                    "whoever answers for f+1 replicas has a client give up",
                    "whoAnswersForFewerThanTwoFAndOneHasNobodyGiveUp",
                    "lasting.size() <= 2 * faulty",
                    "lasting.size() <= faulty"),
            denial(
                    "a refusal of a moment is one that lasts",
                    "whatIsForGoodCountsAtOnceAndTheRestOnceItHasLasted",
                    "refusal.lastedMillis() >= LASTING_MILLIS",
                    "refusal.lastedMillis() >= 0"),
            denial(
                    "a replica has no time to learn of a key",
                    "whatIsForGoodCountsAtOnceAndTheRestOnceItHasLasted",
                    "refusal.lastedMillis() >= LEARNING_MILLIS",
                    "refusal.lastedMillis() >= LASTING_MILLIS"),
            denial(
                    "that a replica has asked before this process began counts",
                    "whatIsForGoodCountsAtOnceAndTheRestOnceItHasLasted",
                    "refusal.lastNanos() != refusal.sinceNanos()",
                    "refusal.lastNanos() != 0"),
            denial(
                    "what is for good is waited for",
                    "whatIsForGoodCountsAtOnceAndTheRestOnceItHasLasted",
                    "case REVOKED -> true;",
                    "case REVOKED -> refusal.lastedMillis() >= LASTING_MILLIS;"),
            denial(
                    "f replicas say what the reason is",
                    "theReasonIsOneThatMoreThanFGive",
                    "each.getValue() > faulty",
                    "each.getValue() >= faulty"),
            denial(
                    "whoever comes in between has a client that was let in give up",
                    "whoWasLetInBeforeIsNotOfAnotherCluster",
                    "each.reason().isTheirWord() || !everUp",
                    "true"),
            driver(
                    "what is under way goes on though nothing can succeed",
                    "whatIsUnderWayAndWhatIsSubmittedFailsOnceNothingCanSucceed",
                    "} else if (denied && !run.future().isDone()) {",
                    "} else if (denied && run.future().isDone()) {"),
            driver(
                    "what is submitted though nothing can succeed is begun",
                    "whatIsUnderWayAndWhatIsSubmittedFailsOnceNothingCanSucceed",
                    "} else if (denied.isPresent()) {",
                    "} else if (denied.isPresent() && closed) {"),
            underWay(
                    "what is on its way is sent again",
                    "eachFragmentIsSentOnceHoweverLongTheCableIsBusy",
                    "if (!copy.mayBeLost(nowMillis)) {",
                    "if (false) {"),
            underWay(
                    "what still waits here is sent again",
                    "whatStillWaitsHereIsNotSentAgain",
                    "(!delivery.waiting() && (still || overdue))",
                    "still || overdue"),
            underWay(
                    "what a connection took with it is not sent again",
                    "whatAConnectionTookWithItIsSentAgain",
                    "return delivery.lost() || ",
                    "return "),
            underWay(
                    "what a node dropped is never sent again while its connection moves",
                    "whatIsNotAnsweredForLongIsSentAgainLessAndLessOften",
                    "(still || overdue)",
                    "still"),
            underWay(
                    "what a node drops it is sent as often as ever",
                    "whatIsNotAnsweredForLongIsSentAgainLessAndLessOften",
                    "BUSY_MILLIS << Math.min(times - 1, DOUBLED_MAX)",
                    "BUSY_MILLIS"),
            underWay(
                    "operations do not hear which connections move",
                    "eachFragmentIsSentOnceHoweverLongTheCableIsBusy",
                    "operation.onMoving(peer, movedMillis);",
                    ""),
            rule(
                    "who has answered is kept waiting",
                    "whoHasAnsweredIsAskedAgainAtOnceAndNobodyElse",
                    "copies.remove(peer);",
                    ""),
            rule(
                    "one answer has all asked again",
                    "whoHasAnsweredIsAskedAgainAtOnceAndNobodyElse",
                    "copies.remove(peer);",
                    "copies.clear();"),
            rule(
                    "what was not taken moves",
                    "whatWasNotTakenIsSentAgainAtOnceAndMovesNothing",
                    ".filter(copy -> !copy.delivery().lost())",
                    ""),
            rule(
                    "a connection that was still before is not given its second",
                    "aSecondIsCountedFromWhenItWasSent",
                    "Math.max(sentMillis, movedMillis())",
                    "movedMillis()"),
            rule(
                    "that a connection moves is not looked at",
                    "whereNothingMovesItIsSentAgainAfterASecond",
                    "Math.max(sentMillis, movedMillis())",
                    "sentMillis"),
            rule(
                    "with one of many all are forgotten",
                    "theOldestOfManyIsForgottenAndTheOthersAreNot",
                    "mine.removeFirst();",
                    "mine.clear();"),
            rule(
                    "what is asked again for another answer is kept back",
                    "whoseAnswerChangesIsAskedAsOftenAsItIsWanted",
                    "if (!operation.repeatsInCaseOfLoss()) {",
                    "if (false) {"),
            puttingOut(
                    "two answers are enough to know that repairs are settled",
                    "eachNodeMustSayFiveTimesThatItIsDoneAndOnlyWhoHasNotIsAskedAgain",
                    "TIMES_DONE = 5;",
                    "TIMES_DONE = 3;"),
            puttingOut(
                    "who takes another slot is not asked anew",
                    "whoHasTakenAnotherSlotMeanwhileIsAskedAnew",
                    "moved(slots, slotsNow) ||",
                    ""),
            puttingOut(
                    "who takes a slot meanwhile has said what the others have",
                    "whoHasTakenASlotMeanwhileIsAskedToo",
                    "times = 0; }",
                    "}"),
            puttingOut(
                    "who is revoked meanwhile is waited for",
                    "whoIsRevokedMeanwhileIsNotWaitedFor",
                    "nodes = nodesNow;",
                    "nodes.addAll(nodesNow);"),
            puttingOut(
                    "who is not done is called silent",
                    "whoIsNotDoneYetIsNotCalledSilent",
                    "busy.add(node);",
                    "silent.add(node);"),
            new PlantedBug(
                    "a stranger has nobody ask whether it was let in",
                    "client/registry/TrustWatch",
                    new Detector(
                            "client.registry.TrustWatchTest", "whenAStrangerComesTheReplicasAreAskedWhoBelongs", 1),
                    "credentials.onStranger(watch.strangers);",
                    ""),
            new PlantedBug(
                    "pages of two versions are taken for the registry",
                    "client/registry/RegistryChange",
                    new Detector("client.registry.RegistryChangeTest", "whatHasChangedBetweenTwoPagesIsNone", 1),
                    "while (page.version() == version) {",
                    "while (page.version() >= 0) {"));

    private static PlantedBug denial(String name, String test, String right, String wrong) {
        return new PlantedBug(
                name, "client/metadata/Denial", new Detector("client.metadata.DenialTest", test, 1), right, wrong);
    }

    private static PlantedBug puttingOut(String name, String test, String right, String wrong) {
        return new PlantedBug(name, "client/PuttingOut", new Detector("client.PuttingOutTest", test, 1), right, wrong);
    }

    private static PlantedBug rule(String name, String test, String right, String wrong) {
        return new PlantedBug(
                name, "client/driver/UnderWay", new Detector("client.driver.UnderWayTest", test, 1), right, wrong);
    }

    private static PlantedBug underWay(String name, String test, String right, String wrong) {
        return new PlantedBug(
                name, "client/driver/UnderWay", new Detector("client.driver.FullLinkTest", test, 1), right, wrong);
    }

    private static PlantedBug driver(String name, String test, String right, String wrong) {
        return new PlantedBug(
                name,
                "client/driver/OperationDriver",
                new Detector("client.driver.OperationDriverTest", test, 1),
                right,
                wrong);
    }

    private ClientBugs() {}
}
