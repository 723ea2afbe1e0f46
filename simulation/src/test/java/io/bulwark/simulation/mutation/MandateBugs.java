package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.Detector.simulation;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong where replicas are followed that no operator has named: docs/decisions/0020. */
final class MandateBugs {
    private static final String MANDATE = "metadata/Mandate";
    private static final String SEARCH = "metadata/MandateSearch";
    private static final String MEMBERSHIP = "ordering/membership/Membership";
    private static final String LINEAGE = "ordering/membership/Lineage";
    private static final String MANDATED =
            "&& mandates.name(term.configuration(), proof.handover().next(), said.mandate())";

    private static Detector mandate(String test) {
        return protocol("metadata.MandateTest", test);
    }

    private static Detector membership(String test) {
        return protocol("ordering.membership.MembershipTest", test);
    }

    static final List<PlantedBug> ALL = List.of(
            in(
                    LINEAGE,
                    "campaign: signatures that were collected are enough",
                    simulation("ordering.MembersSimulationTest", "noInvariantIsViolated")
                            .runs(40),
                    MANDATED,
                    ""),
            in(
                    LINEAGE,
                    "who follows needs no operator's word",
                    membership("whatNoOperatorHasNamedIsNotFollowed"),
                    MANDATED,
                    ""),
            in(
                    "ordering/GroupCall",
                    "a proof without a mandate keeps the next one waiting",
                    protocol("ordering.GroupCallTest", "aProofWithoutAMandateIsNotFollowedAndAnotherReplicasIs"),
                    "&& !said.mandate().isEmpty()",
                    ""),
            in(
                    MEMBERSHIP,
                    "who has executed the command waits for a mandate",
                    membership("whoHasComeToTheSameEndNeedsNoMandateAndPassesOnItsOwn"),
                    "boolean isOwn = isOwn(told.proof());",
                    "boolean isOwn = false;"),
            in(
                    MEMBERSHIP,
                    "what a liar calls the mandate is passed on",
                    membership("whoHasComeToTheSameEndNeedsNoMandateAndPassesOnItsOwn"),
                    "isOwn ? new Successor(told.proof(), ownMandate) : told",
                    "told"),
            in(
                    MEMBERSHIP,
                    "who has ended somehow takes any other end",
                    membership("whoHasComeToTheSameEndNeedsNoMandateAndPassesOnItsOwn"),
                    "return proof.handover().equals(handover);",
                    "return handover != null;"),
            in(
                    MANDATE,
                    "anybody names replicas",
                    mandate("whatNoOperatorHasSignedIsNone"),
                    "return ofOwn ? List.of(key) : List.of(key, new Fact.Operator(entry.by()));",
                    "return List.of(key);"),
            in(
                    MANDATE,
                    "a key that its giver never had",
                    mandate("whatNoOperatorHasSignedIsNone"),
                    "return ofOwn ? List.of(key) : List.of(key, new Fact.Operator(entry.by()));",
                    "return ofOwn ? List.of(key) : List.of(new Fact.Operator(entry.by()));"),
            in(
                    MANDATE,
                    "signatures are not checked",
                    mandate("whatNoOperatorHasSignedIsNone"),
                    ".filter(approval -> approval.key()",
                    ".filter(approval -> approval.signature().length() > 0 || approval.key()"),
            in(
                    MANDATE,
                    "any right makes an operator",
                    mandate("onlyOperatorsMakeOthersOperators"),
                    "set.scope() instanceof Scope.All && set.rights().administer()",
                    "set.scope() instanceof Scope.All"),
            in(
                    MANDATE,
                    "who administers a volume is an operator",
                    mandate("onlyOperatorsMakeOthersOperators"),
                    "set.scope() instanceof Scope.All && set.rights().administer()",
                    "set.rights().administer()"),
            in(
                    MANDATE,
                    "anybody exchanges another's key",
                    mandate("onlyOperatorsMakeOthersOperators"),
                    "return rotate.principal().equals(entry.by());",
                    "return !rotate.principal().equals(PrincipalId.NOBODY);"),
            in(
                    MANDATE,
                    "a token that was used is good for an operator's key",
                    mandate("theKeyOfAnInvitationIsNoneToGoOnFrom"),
                    "case Command.AddPrincipal add -> List.of(new Fact.Key(add.principal(), add.key()));",
                    "case Command.AddPrincipal add -> List.of(new Fact.Key(add.principal(), add.key())); case"
                            + " Command.InvitePrincipal add -> List.of(new Fact.Key(add.principal(), add.key()));"),
            in(
                    MANDATE,
                    "a replica gives itself the key that others follow",
                    mandate("whoStaysHasAnotherKeyIfAnOperatorSaysSo"),
                    "rotate.principal().kind() == PrincipalKind.REPLICA && isOwn(entry, rotate)",
                    "rotate.principal().kind() == PrincipalKind.NONE"),
            in(
                    MANDATE,
                    "who stays has any key",
                    mandate("whoStaysHasAnotherKeyIfAnOperatorSaysSo"),
                    "needs.addAll(otherKeys(ended, next, change));",
                    ""),
            in(
                    MANDATE,
                    "a command is good for any number",
                    mandate("itIsForThisListAfterThatOneOnly"),
                    "|| change.number() != next.number()",
                    ""),
            in(
                    MANDATE,
                    "a command is good for any list",
                    mandate("itIsForThisListAfterThatOneOnly"),
                    "return named.replicas().equals(next.replicas()) && withKeysOf(named, next).equals(next);",
                    "return named.number() == next.number();"),
            in(
                    MANDATE,
                    "an address is nobody's word",
                    mandate("itIsForThisListAfterThatOneOnly"),
                    "&& withKeysOf(named, next).equals(next);",
                    ";"),
            in(
                    MANDATE,
                    "entries that nothing rests on are checked",
                    mandate("whoWasMadeAnOperatorIsShownToBeOne"),
                    "&& needed(before, needs).size() == before.size()",
                    ""),
            in(
                    SEARCH,
                    "what anybody says of himself is kept in memory",
                    mandate("whatOthersThanOperatorsSayTakesNoRoom"),
                    "|| shown.stream().noneMatch(fact -> concerned.contains(fact.principal()))",
                    ""),
            in(
                    SEARCH,
                    "what an operator says after the command is passed over",
                    mandate("whatAnOlderBuildTookIsShownOnceAnOperatorSaysTheRest"),
                    "again = passedOver && origins.size() > before;",
                    "again = false;"),
            in(MANDATE, "what follows the command is passed over", mandate("hostileBytesAreNone"), "in.end();", ""),
            in(
                    SEARCH,
                    "the longest way from the first operator is taken",
                    mandate("whoIsTooFarFromTheFirstOperatorIsRefusedUntilANearerOneSaysTheSame"),
                    "other.depth < known.depth ? other : known",
                    "known"),
            in(
                    "ordering/HistoryCall",
                    "who joins believes where a replica's history ends",
                    protocol("ordering.HistoryCallTest", "whatLeadsElsewhereIsNone"),
                    "if (next.equals(now)) {",
                    "if (next.number() == now.number()) {"),
            in(
                    "ordering/HistoryCall",
                    "who joins takes proofs that do not follow each other",
                    protocol("ordering.HistoryCallTest", "whatLeadsElsewhereIsNone"),
                    "|| !said.proof().handover().previous().equals(last.digest())",
                    ""),
            in(
                    "metadata/AuditLog",
                    "an unsigned command names replicas",
                    mandate("whereNothingIsSignedYetThisCommandIs"),
                    "Refusal.unless(command.approval().isPresent(), MetadataError.BAD_SIGNATURE, by + \" has not"
                            + " signed it\");",
                    "if (command.approval().isEmpty()) { return; }"),
            in(
                    "metadata/MetadataStateMachine",
                    "what nobody could follow is executed",
                    mandate("whoseRightTheLogDoesNotShowIsGivenItAgain"),
                    "if (command instanceof Command.ChangeReplicas change) {",
                    "if (entry.approval().isEmpty() && command instanceof Command.ChangeReplicas change) {"));

    private MandateBugs() {}
}
