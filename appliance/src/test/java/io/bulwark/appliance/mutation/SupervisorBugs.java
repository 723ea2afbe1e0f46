package io.bulwark.appliance.mutation;

import static io.bulwark.protocol.mutation.Detector.appliance;

import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong with when a replica recovers, with what the replicas say of each other, and when slots move. */
final class SupervisorBugs {
    static final List<PlantedBug> ALL = List.of(
            new PlantedBug(
                    "what is placed on a drained node meanwhile stays there",
                    "appliance/placement/Moving",
                    appliance("placement.MovingTest", "whatWasPlacedOnADrainedNodeMeanwhileMovesToo"),
                    "if (standing.over() && plansMore(after)) {",
                    "if (false) {"),
            bug(
                    "Supervisor",
                    "a replica that was removed is started again",
                    "whoWasRemovedIsNotStartedAgain",
                    "follow(); if (removed) {",
                    "follow(); if (closed) {"),
            bug(
                    "Supervisor",
                    "without recoveries nobody sees that the replica was removed",
                    "whoWasRemovedIsLeftRunningAndWhenItEndsItsSupervisionIsOverAlsoWithoutRecoveries",
                    "if (watchdog.group().hasRemoved(number)) {",
                    "if (watchdog.periodMillis().isPresent() && watchdog.group().hasRemoved(number)) {"),
            bug(
                    "Supervisor",
                    "who is not let in yet asks which releases are allowed",
                    "whoIsNotLetInYetAsksForNothingBeforeItIs",
                    "if (waiting.isEmpty() &&",
                    "if ("),
            releases(
                    "ReleaseCheck",
                    "what nobody has allowed is started",
                    "Supervisor",
                    "aChangedReleaseEndsTheReplicaInItsTurnAfterAWhileUntilItIsPutRight",
                    "return known.contains(hash)",
                    "return hash != null"),
            releases(
                    "ReleaseCheck",
                    "who has ended by itself is started from anything",
                    "Supervisor",
                    "whoHasEndedByItselfIsNotStartedFromAChangedRelease",
                    "return verdict instanceof Verdict.Refused refused ? Optional.of(refused.why()) :"
                            + " Optional.empty();",
                    "return Optional.empty();"),
            releases(
                    "ReleaseCheck",
                    "another role file or genesis is taken",
                    "Supervisor",
                    "anotherRoleFileGenesisOrLibraryOfADeviceIsNotStartedUntilTheSupervisorIs",
                    "if (!now.getValue().equals(marks.get(now.getKey()))) {",
                    "if (false) {"),
            releases(
                    "ReleaseCheck",
                    "the list is forgotten while the replicas give none",
                    "Supervisor",
                    "theLastListOfReleasesCountsWhileTheReplicasGiveNone",
                    "String why = String.valueOf(e.getMessage());",
                    "allowed = null; String why = String.valueOf(e.getMessage());"),
            releases(
                    "ReleaseCheck",
                    "where no list was ever said nobody is started",
                    "Supervisor",
                    "whereNoListWasEverSaidWhoHasEndedIsStartedAgainSinceNobodyElseMayBeLeft",
                    "return verdict instanceof Verdict.Refused refused ? Optional.of(refused.why()) :"
                            + " Optional.empty();",
                    "return verdict instanceof Verdict.Allowed ? Optional.empty() : Optional.of(\"\");"),
            releases(
                    "Installation",
                    "a device's library is not looked at",
                    "Supervisor",
                    "anotherRoleFileGenesisOrLibraryOfADeviceIsNotStartedUntilTheSupervisorIs",
                    "return module + \" \" + mark(module);",
                    "return ABSENT;"),
            releases(
                    "Release",
                    "libraries that a jar names do not count",
                    "Release",
                    "librariesThatTheJarNamesCountWithIt",
                    "add(more, all, seen);",
                    "{}"),
            releases(
                    "Release",
                    "in directories names do not count",
                    "Release",
                    "ofAClassPathTheOrderAndInDirectoriesTheNamesCount",
                    "add(file.getKey(), file.getValue(), all);",
                    "add(\"\", file.getValue(), all);"),
            releases(
                    "Release",
                    "of each file only its length counts",
                    "Release",
                    "aChangedJarIsFoundAndACopyElsewhereIsTheSame",
                    "digest.update(chunk, 0, count);",
                    "digest.update((byte) count);"),
            new PlantedBug(
                    "who has just come has recovered",
                    "appliance/supervisor/Standing",
                    appliance("supervisor.StandingTest", "whoHasComeWithAConfigurationHasNotRecovered"),
                    ".filter(KnownRecovery::hasRecovered)",
                    ""),
            new PlantedBug(
                    "a supervisor that nobody answers does not look at what its replica knows",
                    "appliance/supervisor/GroupView",
                    appliance("supervisor.GroupViewTest", "itLearnsFromItsReplicaThatThisWasRemoved"),
                    "group.get().learnFrom(own.get());",
                    ""),
            bug(
                    "Supervisor",
                    "turns stay with the places of before",
                    "itsTurnsAreThoseOfItsPlaceAmongTheReplicasOfNow",
                    "if (!now.equals(members)) {",
                    "if (closed) {"),
            turns(
                    "all replicas have their turn at the same time",
                    "eachReplicaHasItsTurnOncePerPeriodAndNoTwoAtATime",
                    "long offset = replica * (periodMillis / replicas);",
                    "long offset = 0;"),
            turns(
                    "who has just been started has its turn at once",
                    "theFirstTurnComesHalfAPeriodAfterTheStartOrLater",
                    "this.nextMillis = firstFrom(wallMillis + periodMillis / 2);",
                    "this.nextMillis = firstFrom(wallMillis);"),
            turns(
                    "a turn that is late enough makes one too many recover",
                    "itIsNeverTheReplicaTooManyHoweverLateItsTurnIs",
                    "? missed(wallMillis, others)",
                    "? new Decision.Go()"),
            turns(
                    "a turn that was put off is asked for at every tick",
                    "itIsNeverTheReplicaTooManyHoweverLateItsTurnIs",
                    "retryMillis = wallMillis + Math.clamp(",
                    "retryMillis = Math.clamp("),
            turns(
                    "a faulty replica puts its turn off for ever",
                    "whoHasNotFinishedIsLeftAloneButNotForeverOnAnyonesOwnWord",
                    "standing.doubt().isEmpty() || lateMillis > periodMillis / 4",
                    "standing.doubt().isEmpty()"),
            turns(
                    "who has just recovered does so again",
                    "whoHasJustRecoveredByHandNeedsNoTurn",
                    "if (recoveredLately(wallMillis, standing)) { advance(wallMillis);",
                    "if (false) { advance(wallMillis);"),
            turns(
                    "what may not be started goes on",
                    "aReplicaThatCannotBeStartedFromCorrectCodeHasAnEighthOfThePeriodAndIsThenStopped",
                    "return new Decision.Stop(why);",
                    "return new Decision.Missed(why);"),
            turns(
                    "where nobody says what may be started the replica is stopped",
                    "whereNobodySaysWhatMayBeStartedTheReplicaGoesOn",
                    "? missed(wallMillis, why)",
                    "? new Decision.Stop(why)"),
            turns(
                    "a clock that is set back stops the turns",
                    "aClockThatIsSetBackOrForwardStopsNoTurns",
                    "if (nextMillis - wallMillis > 2 * periodMillis) {",
                    "if (false) {"),
            turns(
                    "after a machine has slept all have their turn at once",
                    "afterAMachineHasSleptNotAllAreDueAtOnce",
                    "} else if (retryMillis == 0 && wallMillis - nextMillis > periodMillis / replicas) {",
                    "} else if (false) {"),
            standing(
                    "who does not answer is well",
                    "oneOtherThatIsSilentOrBehindOrRecoversIsEnough",
                    "return name + \" does not answer\";",
                    "return \"\";"),
            standing(
                    "who takes no part in ordering counts as one that serves",
                    "oneOtherThatIsSilentOrBehindOrRecoversIsEnough",
                    "doubtful.add(\"replica-\" + other + \" takes no part in ordering\");",
                    ""),
            standing(
                    "one of two that may be out is too many",
                    "withTwoFaultsTheFirstOneSpeaksNotAgainstIt",
                    "out.size() < faulty ? \"\"",
                    "out.isEmpty() ? \"\""),
            standing(
                    "what one says of another is believed",
                    "whatOneSaysOfAnotherCountsForNothingAloneAndTwoAreBelieved",
                    "open > faulty ?",
                    "open > 0 ?"),
            standing(
                    "a liar says when a replica recovered last",
                    "whatOneSaysOfAnotherCountsForNothingAloneAndTwoAreBelieved",
                    ".skip(faulty)",
                    ""),
            standing(
                    "a replica's word of itself is a word of the others",
                    "aReplicasWordOfItsOwnRecoveryIsNoWordOfTheOthers",
                    "if (by != replica) {",
                    "if (true) {"));

    private SupervisorBugs() {}

    /** In what decides from what a replica may be started. */
    private static PlantedBug releases(
            String file, String name, String testClass, String test, String right, String wrong) {
        return new PlantedBug(
                name,
                "appliance/supervisor/" + file,
                appliance("supervisor." + testClass + "Test", test),
                right,
                wrong);
    }

    private static PlantedBug turns(String name, String test, String right, String wrong) {
        return bug("Turns", name, test, right, wrong);
    }

    private static PlantedBug standing(String name, String test, String right, String wrong) {
        return bug("Standing", name, test, right, wrong);
    }

    private static PlantedBug bug(String file, String name, String test, String right, String wrong) {
        return new PlantedBug(
                name, "appliance/supervisor/" + file, appliance("supervisor." + file + "Test", test), right, wrong);
    }
}
