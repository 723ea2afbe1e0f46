package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.Detector.simulation;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong when writers of poisonous versions are suspended: lazy verification paper, 3.3, PROTOCOLS section 3. */
final class SuspensionBugs {
    static final List<PlantedBug> ALL = List.of(
            suspensions(
                    "b nodes suspend a writer",
                    "bNodesSuspendNobodyHoweverOftenTheyReport",
                    "if (said.size() > volume.policy().f()) {",
                    "if (said.size() >= volume.policy().f()) {"),
            suspensions(
                    "more than b+1 nodes must report a writer",
                    "aClientIsSuspendedOnceBPlusOneNodesHaveReportedIt",
                    "if (said.size() > volume.policy().f()) {",
                    "if (said.size() > volume.policy().f() + 1) {"),
            suspensions(
                    "a node counts as often as it reports",
                    "bNodesSuspendNobodyHoweverOftenTheyReport",
                    "Poisoner key = new Poisoner(client, volume.id(), number, reporter);",
                    """
                    PrincipalId as = PrincipalId.node((int) report.block().counter());
                    Poisoner key = new Poisoner(client, volume.id(), number, as);
                    """),
            suspensions(
                    "nodes outside the group count",
                    "onlyNodesOfTheBlocksGroupCountAndOnlyForThatGroup",
                    "&& group.slotOf(reporter.number()) >= 0,",
                    ","),
            suspensions(
                    "nodes of several groups count together",
                    "onlyNodesOfTheBlocksGroupCountAndOnlyForThatGroup",
                    "new Poisoner(client, volume.id(), number, PrincipalId.NOBODY),",
                    "new Poisoner(client, volume.id(), 0, PrincipalId.NOBODY),"),
            suspensions(
                    "a revoked node's reports count",
                    "aRevokedNodeCountsNoMore",
                    ".forEach(own -> withdraw(own.value()));",
                    ".forEach(own -> own.value());"),
            suspensions(
                    "operators are suspended",
                    "whoAdministersIsNamedAndNotSuspended",
                    "!grants.onVolume(client, volume.id(), Right.ADMINISTER)",
                    "true"),
            suspensions(
                    "what a suspended client has open goes on",
                    "aClientIsSuspendedOnceBPlusOneNodesHaveReportedIt",
                    "sessions.openOf(client).forEach(inodes::close);",
                    ""),
            in(
                    "metadata/MetadataStateMachine",
                    "a suspended client begins anew",
                    protocol("metadata.SuspensionTest", "aClientIsSuspendedOnceBPlusOneNodesHaveReportedIt"),
                    "suspensions.requireNone(submitter);",
                    ""),
            in(
                    "metadata/MetadataStateMachine",
                    "nodes are told that a suspended client may write",
                    protocol("metadata.SuspensionTest", "aClientIsSuspendedOnceBPlusOneNodesHaveReportedIt"),
                    "&& !suspensions.suspended(of.principal());",
                    ";"),
            suspensions(
                    "what was written before a lift counts again",
                    "aLiftForgetsWhatTheClientDidUntilThen",
                    "|| report.session() <= tables.lifted.get(client).orElse(0L)",
                    ""),
            suspensions(
                    "a lift lets all pass for ever",
                    "aLiftForgetsWhatTheClientDidUntilThen",
                    "tables.lifted.put(client, lastSession(client));",
                    "tables.lifted.put(client, Long.MAX_VALUE);"),
            suspensions(
                    "sessions are reported that a client never had",
                    "onlyClientsThatBelongAreReportedAndOnlyInSessionsThatTheyHad",
                    "&& report.session() <= lastSession(client),",
                    ","),
            suspensions(
                    "one client's extents are reported of another",
                    "extentsAreReportedOfTheirOwnerAndSession",
                    "report.block().owner().equals(client) && ",
                    ""),
            suspensions(
                    "reports are not bounded",
                    "aLiarDisplacesOnlyItsOwnReports",
                    "if (own.size() > REPORTS_MAX) {",
                    "if (false) {"),
            in(
                    "pasis/Verifier",
                    "poison is reported without its session",
                    simulation(
                            "pasis.PasisServerTest",
                            "poisonousVersionsAreDiscardedAndTheirSenderIsAccusedWhateverTheTimestampSays"),
                    "record.session(),",
                    "0,"),
            in(
                    "extent/Repairs",
                    "poisonous extents are reported of nobody",
                    protocol("extent.PasisExtentTest", "poisonIsDroppedAndRememberedAndNeverRepaired"),
                    "Verdict.POISONOUS, detail, block.session()",
                    "Verdict.POISONOUS, detail"),
            in(
                    "extent/ExtentRead",
                    "what a reader's suspicion finds is reported",
                    protocol("extent.PasisExtentTest", "bVerifiedFlagsSpareNoValidation"),
                    "new Effect.Evidence(block.owner(), block, Verdict.POISONOUS, detail)",
                    "new Effect.Evidence(block.owner(), block, Verdict.POISONOUS, detail, block.session())"),
            in(
                    "pasis/PasisAccess",
                    "a session that was closed and forgotten stays open",
                    simulation("pasis.PasisServerTest", "aSessionThatIsClosedAndForgottenIsRefusedWhateverIsKnownOfIt"),
                    "told.covers(key.owner(), key.session())",
                    "false"),
            in(
                    "pasis/PasisAccess",
                    "an answer from before its closing opens a session again",
                    simulation("pasis.PasisServerTest", "aSessionThatIsClosedAndForgottenIsRefusedWhateverIsKnownOfIt"),
                    "closed ? SessionState.CLOSED : state",
                    "state"));

    private SuspensionBugs() {}

    private static PlantedBug suspensions(String what, String test, String right, String wrong) {
        return in("metadata/Suspensions", what, protocol("metadata.SuspensionTest", test), right, wrong);
    }
}
