package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.Detector.simulation;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong when replicas are replaced: docs/decisions/0020. */
final class MembershipBugs {
    private static final String PROOF = "ordering/membership/HandoverProof";
    private static final String MEMBERSHIP = "ordering/membership/Membership";
    private static final String REPLICAS = "metadata/Replicas";
    private static final String EXECUTION = "ordering/replica/Execution";
    private static final String LEDGER = "ordering/recovery/RecoveryLedger";

    private static final Detector CAMPAIGN = simulation("ordering.MembersSimulationTest", "noInvariantIsViolated")
            .runs(40);

    private static Detector proof(String test) {
        return protocol("ordering.membership.HandoverProofTest", test);
    }

    private static Detector membership(String test) {
        return protocol("ordering.membership.MembershipTest", test);
    }

    private static Detector ledger(String test) {
        return protocol("ordering.recovery.RecoveryLedgerTest", test);
    }

    private static Detector succession(String test) {
        return protocol("ordering.replica.SuccessionTest", test);
    }

    private static Detector call(String test) {
        return protocol("ordering.GroupCallTest", test);
    }

    private static Detector state(String test) {
        return protocol("metadata.ReplicasTest", test);
    }

    static final List<PlantedBug> ALL = List.of(
            in(
                    EXECUTION,
                    "campaign: what was agreed above the end is executed",
                    CAMPAIGN,
                    "suspended || successor() != null ||",
                    "suspended ||"),
            in(
                    "ordering/replica/Replica",
                    "campaign: a configuration that has ended is read",
                    CAMPAIGN,
                    "|| execution.successor() != null",
                    ""),
            in(
                    PROOF,
                    "campaign: 2f signatures are enough",
                    CAMPAIGN,
                    "places.size() >= ended.quorum()",
                    "places.size() >= ended.quorum() - 1"),
            in(
                    PROOF,
                    "campaign: who is next signs with the keys of the next configuration",
                    CAMPAIGN,
                    "keys.verify(ended.members()",
                    "keys.verify(handover.next().members()"),
            in(
                    PROOF,
                    "2f signatures are enough",
                    proof("twoFPlusOneAreEnough"),
                    "places.size() >= ended.quorum()",
                    "places.size() >= ended.quorum() - 1"),
            in(
                    PROOF,
                    "one replica signs twice",
                    proof("nobodyCountsTwiceAndNobodyElseCounts"),
                    "place <= before ||",
                    ""),
            in(
                    PROOF,
                    "signatures are not checked",
                    proof("eachSignatureIsItsReplicasOfThis"),
                    "if (!keys.verify(",
                    "if (content.isEmpty() && !keys.verify("),
            in(
                    PROOF,
                    "a proof of another group counts",
                    proof("itIsOfThisConfigurationAndOfTheNextNumber"),
                    "|| !handover.previous().equals(ended.digest())",
                    ""),
            in(
                    PROOF,
                    "a number may be left out",
                    proof("itIsOfThisConfigurationAndOfTheNextNumber"),
                    "number() != ended.number() ||",
                    ""),
            in(
                    PROOF,
                    "nobody who stays needs to have signed",
                    proof("fPlusOneOfThoseWhoStayHaveSigned"),
                    "&& staying > next.faulty()",
                    ""),
            in(
                    MEMBERSHIP,
                    "what others say that they signed is not checked",
                    membership("otherSignaturesDoNotCount"),
                    "claim.checkpoint().equals(own.checkpoint()) && keys.verify(member, own.content(),"
                            + " claim.signature())",
                    "place >= 0"),
            in(
                    MEMBERSHIP,
                    "signatures that come early are lost",
                    membership("whatOthersSignedEarlierCounts"),
                    "claims.forEach((place, claim) -> check(ended, place, claim));",
                    ""),
            in(
                    MEMBERSHIP,
                    "a signature that is lost is not repeated",
                    membership("itRepeatsWhatMayBeLost"),
                    "if (nowMillis - saidMillis >= REPEAT_MILLIS) {",
                    "if (nowMillis < 0) {"),
            in(
                    MEMBERSHIP,
                    "who lost the proofs is in a configuration that he has left",
                    membership("whoHasPromisedInALaterConfigurationAsksForIt"),
                    "term().number() < least",
                    "term().number() < 0"),
            in(
                    MEMBERSHIP,
                    "everybody is answered as often as he asks",
                    membership("aFloodOfQuestionsIsNotAnswered"),
                    "&& answers.allows(nowMillis, asker)",
                    ""),
            in(
                    MEMBERSHIP,
                    "who is far behind waits at each step",
                    membership("whoIsFarBehindWaitsForNoAnswer"),
                    "new Pace(ANSWERS_AT_ONCE)",
                    "new Pace(1)"),
            in(
                    MEMBERSHIP,
                    "who is in no configuration does not ask",
                    membership("whoIsAddedAsksUntilHeHasAPlace"),
                    "} else if (place() < 0) {",
                    "} else if (place() < -1) {"),
            in(
                    MEMBERSHIP,
                    "who has gone on tells those who have not nothing",
                    membership("whoWasRemovedGivesTheProofAndNothingElse"),
                    "if (claim.configuration() < term().number()) {",
                    "if (claim.configuration() < 0) {"),
            in(
                    MEMBERSHIP,
                    "a flood of proofs is checked",
                    membership("aFloodOfProofsIsNotChecked"),
                    "said.proof().number() == term().number() && isShown && checks.allows(nowMillis, from)",
                    "said.proof().number() == term().number() && isShown"),
            in(
                    EXECUTION,
                    "a configuration that has ended goes on",
                    succession("whatWasAgreedAboveTheEndIsVoid"),
                    "suspended || successor() != null ||",
                    "suspended ||"),
            in(
                    EXECUTION,
                    "nobody fills the numbers up to the end",
                    succession("itEndsAtTheNextCheckpointWithoutAnyOtherWork"),
                    "isReplacing ? (executed / interval + 1) * interval : 0",
                    "0"),
            in(
                    EXECUTION,
                    "who is behind knows of recoveries in the configuration before",
                    succession("whoIsBehindKnowsOfNoRecoveryInTheConfigurationBefore"),
                    "!= config.term().number()) {",
                    "> config.term().number()) {"),
            in(
                    EXECUTION,
                    "a configuration forgets when its members recovered",
                    succession("theLastRecoveriesAreKnownInTheNextOne"),
                    "kept = ledger.handOver(now, configuration, executed, agreedMillis);",
                    "kept = newLedger();"),
            in(
                    EXECUTION,
                    "at the end of a configuration places of the next one are taken for its own",
                    succession("theLastRecoveriesAreKnownInTheNextOne"),
                    "kept = ledger.handOver(now, configuration, executed, agreedMillis);",
                    "kept = ledger.handOver(now, configuration, executed, agreedMillis); ledger = kept;"),
            in(
                    LEDGER,
                    "a recovery in the configuration before makes the next one come too soon",
                    succession("theLastRecoveriesAreKnownInTheNextOne"),
                    "last == null || last.sequence() <= begin ? null : last",
                    "last"),
            in(
                    LEDGER,
                    "a recovery that is open at the end has been one",
                    ledger("whatIsOpenAtTheEndOfAConfigurationHasNotRecovered"),
                    "last != null && last.point() <= end",
                    "last != null"),
            in(
                    LEDGER,
                    "who comes with a configuration is not known before it has recovered",
                    ledger("whoComesIsKnownSinceTheConfigurationThatItCameWith"),
                    "before < 0 ? new Entry(end, 0, agreedMillis, 0) : entries.get(before)",
                    "entries.get(before)"),
            in(
                    LEDGER,
                    "recoveries stay with places, whoever has them",
                    ledger("whoStaysKeepsItsLastRecoveryUnderItsPlaceInTheNextConfiguration"),
                    "now.placeOf(next.members().get(place).replica())",
                    "place"),
            in(
                    EXECUTION,
                    "the state does not say what follows",
                    succession("whoRestartsAtTheEndSaysSoAgainAndReadsNothing"),
                    "if (configuration.number() > 0) {",
                    "if (configuration.number() < 0) {"),
            in(
                    "ordering/replica/Replica",
                    "a configuration that has ended is read",
                    succession("nothingIsExecutedOrReadAfterTheEnd"),
                    "|| execution.successor() != null",
                    ""),
            in(
                    "ordering/replica/Replica",
                    "who has not the state of the beginning is read",
                    succession("nothingIsReadBeforeTheStateIsHereNotEvenAtFirst"),
                    "Math.max(promised, low.sequence())",
                    "promised"),
            in(
                    "ordering/replica/Replica",
                    "a primary is suspected that the end keeps from proposing",
                    succession("nothingIsExecutedOrReadAfterTheEnd"),
                    "&& execution.successor() == null",
                    ""),
            in(
                    "ordering/replica/Replica",
                    "a new replica keeps the first view to itself",
                    succession("aNewReplicaThatIsTheFirstPrimaryHandsOverAtOnce"),
                    "|| execution.executed() < low.sequence()",
                    ""),
            in(
                    "ordering/replica/Recovering",
                    "who has not the state of the beginning votes",
                    succession("nothingWithANumberLeavesBeforeTheStateIsHere"),
                    "&& execution.executed() >= config.term().checkpoint().sequence()",
                    ""),
            in(
                    "ordering/replica/StateTransfer",
                    "another state than the one that was handed over is kept",
                    succession("aStateThatIsNotTheOneThatWasHandedOverIsReplaced"),
                    "|| (executed == low.sequence() && checkpoints.hasOther(low))",
                    ""),
            in(
                    "ordering/replica/Memory",
                    "a configuration begins where the own state is",
                    succession("theFirstCheckpointOfATermIsItsLowWaterMark"),
                    "low = term.number() == 0 ? genesis : term.checkpoint();",
                    "low = genesis;"),
            in(
                    "ordering/key/SessionKeys",
                    "replicas of two configurations exchange keys",
                    protocol("ordering.key.SessionKeysTest", "replicasOfTwoConfigurationsExchangeNoKeys"),
                    "if (ask.configuration() != settings.configuration()) {",
                    "if (ask.configuration() < 0) {"),
            in(
                    "ordering/key/SessionKeys",
                    "NEW-KEY does not say its configuration",
                    protocol("ordering.key.SessionKeysTest", "aNewKeyOfTheConfigurationBeforeIsRefused"),
                    "(configuration == 0 ? out : out.i64(configuration)).toBytes()",
                    "(configuration >= 0 ? out : out.i64(configuration)).toBytes()"),
            in(
                    "ordering/GroupCall",
                    "replies of any configuration count",
                    call("whatWasSaidInTheOneOfBeforeDoesNotCountAnyMore"),
                    "if (configuration == number) {",
                    "if (configuration <= number) {"),
            in(
                    "ordering/GroupCall",
                    "a client counts replies of replicas that it does not know",
                    call("aLaterOneIsAskedForAndThenItsReplicas"),
                    "if (configuration == number) {",
                    "if (configuration >= number) {"),
            in(
                    "ordering/GroupCall",
                    "a call stays with the replicas that it began with",
                    call("allItsCallsFollowWhatOneHasLearned"),
                    "List<Effect> effects = new ArrayList<>(follow(nowMillis));",
                    "List<Effect> effects = new ArrayList<>();"),
            in(
                    "ordering/GroupCall",
                    "a flood of proofs is checked",
                    call("aFloodOfProofsIsNotChecked"),
                    "&& group.mayCheck(nowMillis, from)",
                    ""),
            in(
                    "ordering/membership/Lineage",
                    "after each proof the next one waits",
                    call("whoIsFarBehindWaitsForNoCheck"),
                    "checks.clear();",
                    ""),
            in(
                    REPLICAS,
                    "a change overtakes another",
                    state("whileAChangeIsUnderWayThereIsNoOther"),
                    "Refusal.unless(next().isEmpty(), MetadataError.REPLICAS_CHANGING, \"\");",
                    ""),
            in(
                    REPLICAS,
                    "of two operators the second is not told",
                    state("whileAChangeIsUnderWayThereIsNoOther"),
                    "change.number() == now.number() + 1",
                    "change.number() <= now.number() + 1"),
            in(
                    REPLICAS,
                    "a key that is exchanged is forgotten",
                    state("whoHasAnotherKeyIsNamedWithIt"),
                    "keys.isEmpty()",
                    "true"),
            in(
                    REPLICAS,
                    "an engine that cannot is told to change its replicas",
                    state("whereReplicasStayTheChangeIsRefused"),
                    "Refusal.unless(!staying,",
                    "Refusal.unless(true,"),
            in(
                    REPLICAS,
                    "a replica comes that no request can name as its replier",
                    state("otherNumbersOfThemAreRefused"),
                    "member.replica().number() < NAMES_MAX",
                    "member.replica().number() < 2 * NAMES_MAX"),
            in(
                    REPLICAS,
                    "who goes is believed no more before the others have begun",
                    state("whoGoesIsBelievedUntilTheOthersBegin"),
                    "registry.letIn(change.coming(), by);",
                    "registry.letIn(change.coming(), by); change.leaving().forEach(registry::putOut);"),
            in(
                    REPLICAS,
                    "the registry goes on naming who is out",
                    state("theRegistrySaysWhoCameAndWhoWent"),
                    "if (begun.placeOf(replica) < 0) {",
                    "if (begun.placeOf(replica) < -1) {"),
            in(
                    "metadata/Registry",
                    "a replica takes the key of somebody who belongs since the genesis",
                    state("neitherNameNorKeyComesBack"),
                    "!genesis.keys().containsValue(key) && ",
                    ""));

    private MembershipBugs() {}
}
