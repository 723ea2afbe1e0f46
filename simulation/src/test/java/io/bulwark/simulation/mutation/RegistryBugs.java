package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.Detector.simulation;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong with principals, keys and grants: PROTOCOLS section 6. */
final class RegistryBugs {
    private static final Detector OBJECTS =
            simulation("mutation.SearchTest", "objectCampaign").runs(3);

    static final List<PlantedBug> ALL = List.of(
            in(
                    "metadata/Registry",
                    "the sessions of a revoked client stay open",
                    protocol("metadata.RegistryTest", "afterARevocationNothingThatWasUnderWayTakesEffect"),
                    "sessions.openOf(principal).forEach(inodes::close);",
                    ""),
            in(
                    "metadata/Registry",
                    "the sessions of a revoked client stay open, found by campaigns",
                    OBJECTS,
                    "sessions.openOf(principal).forEach(inodes::close);",
                    ""),
            in(
                    "metadata/Registry",
                    "what a revoked client has under way goes on until its sessions end",
                    OBJECTS,
                    """
                    sessions.openOf(principal).forEach(inodes::close);
                    grants.removeAllOf(principal);
                    tables.invitations.remove(principal);
                    tables.members.put(principal, new Entry(List.of(), true));
                    """,
                    """
                    if (!sessions.openOf(principal).iterator().hasNext()) {
                        grants.removeAllOf(principal);
                        tables.members.put(principal, new Entry(List.of(), true));
                    }
                    """),
            in(
                    "metadata/Registry",
                    "who is revoked begins anew",
                    OBJECTS,
                    """
                    grants.removeAllOf(principal);
                    tables.invitations.remove(principal);
                    tables.members.put(principal, new Entry(List.of(), true));
                    """,
                    "tables.invitations.remove(principal);"),
            in(
                    "metadata/Registry",
                    "where one is revoked the sessions of all are closed",
                    OBJECTS,
                    "sessions.openOf(principal).forEach(inodes::close);",
                    """
                    sessions.openOf(principal).forEach(inodes::close);
                    sessions.openFor(1).forEach(inodes::close);
                    """),
            in(
                    "metadata/Registry",
                    "a key becomes another's",
                    protocol("metadata.RegistryTest", "aKeyIsExchangedInTwoStepsAndNeverBecomesAnothers"),
                    "owner.isEmpty() || owner.get().equals(principal),",
                    "owner.isEmpty() || owner.isPresent(),"),
            in(
                    "metadata/Registry",
                    "an operator revokes itself",
                    protocol(
                            "metadata.RegistryTest",
                            "ofTwoOperatorsWhoRevokeEachOtherTheSecondIsTooLateAndNobodyRevokesHimself"),
                    "!principal.equals(by),",
                    "!principal.equals(by) || principal.kind() == PrincipalKind.CLIENT,"),
            in(
                    "metadata/Grants",
                    "who is revoked belongs",
                    protocol("metadata.RegistryTest", "afterARevocationNothingThatWasUnderWayTakesEffect"),
                    "return !member.get().revoked();",
                    "return true;"),
            in(
                    "metadata/Grants",
                    "who may only read counts as a writer of versions",
                    protocol("metadata.VolumeTest", "whoMayWriteToRegistersUnderPasisIsCountedOnce"),
                    "if (entry.value().mayWrite()) {",
                    "if (entry.value().mayRead()) {"),
            in(
                    "metadata/Grants",
                    "who writes anything counts as a writer of versions",
                    protocol("metadata.VolumeTest", "whoMayWriteToRegistersUnderPasisIsCountedOnce"),
                    "entry.value().rights().write() && volumes.contains(entry.key().volume())",
                    "entry.value().rights().write()"),
            in(
                    "metadata/Permissions",
                    "a grant on a bucket is for its volume",
                    protocol("metadata.RegistryTest", "aGrantOnABucketIsForThatBucket"),
                    "return bucket.isPresent() && grants.onBucket(by, bucket.get(), right);",
                    "return bucket.isPresent() && grants.mayRead(by, bucket.get().volume);"),
            in(
                    "metadata/MetadataStateMachine",
                    "grants of a deleted bucket are those of the next",
                    protocol("metadata.RegistryTest", "anotherBucketOfTheSameNameBeginsWithoutGrants"),
                    "grants.forget(bucket);",
                    ""),
            in(
                    "metadata/Permissions",
                    "who is invited may do what it is granted",
                    protocol("metadata.InvitationTest", "whoIsInvitedMayOnlyGiveItselfAKeyAndThenBelongs"),
                    "!tables.invitations.contains(by) || mayWhenInvited(by, command),",
                    "by.number() >= 0,"),
            in(
                    "metadata/Registry",
                    "an invitation does not expire",
                    protocol("metadata.InvitationTest", "anInvitationEndsInTimeAndMayBeMadeAnew"),
                    "tables.invitations.get(principal).orElse(Long.MAX_VALUE) > tables.totals().agreedMillis,",
                    "tables.totals().agreedMillis >= 0,"),
            in(
                    "metadata/Registry",
                    "the key of an invitation stays",
                    protocol("metadata.InvitationTest", "whoIsInvitedMayOnlyGiveItselfAKeyAndThenBelongs"),
                    "&& !keysOf(principal).contains(rotate.keys().getFirst())),",
                    "),"),
            in(
                    "metadata/AuditLog",
                    "any signature will do",
                    protocol("metadata.AuditLogTest", "whatIsNotSignedForJustThisIsRefused"),
                    "if (key.verifies(signed, signature)) {",
                    "if (!signed.isEmpty()) {"),
            in(
                    "metadata/AuditLog",
                    "an operator need not sign",
                    protocol("metadata.AuditLogTest", "whatIsNotSignedForJustThisIsRefused"),
                    "!genesis.signs() || !tables.auditHead.contains(HEAD),",
                    "signature.isEmpty(),"),
            in(
                    "metadata/AuditEntry",
                    "a signature is good for every cluster",
                    protocol("metadata.AuditLogTest", "whatIsNotSignedForJustThisIsRefused"),
                    "new WireWriter().raw(SIGNED_TAG).raw(cluster);",
                    "new WireWriter().raw(SIGNED_TAG);"),
            in(
                    "metadata/AuditEntry",
                    "a signature is good for every number",
                    protocol("metadata.AuditLogTest", "whatIsNotSignedForJustThisIsRefused"),
                    "out.i64(session).i64(number);",
                    "out.i64(session);"),
            in(
                    "metadata/AuditEntry",
                    "entries are not chained",
                    protocol("metadata.AuditLogTest", "everyChangeIsFound"),
                    "WireWriter out = new WireWriter().raw(previous);",
                    "WireWriter out = new WireWriter().raw(ROOT_TAG);"),
            in(
                    "metadata/AuditVerification",
                    "keys that were given up are believed",
                    protocol("metadata.AuditLogTest", "aKeyThatWasGivenUpSignsNothingAnyMore"),
                    "case Command.RotateKey rotate -> told.put(rotate.principal(), rotate.keys());",
                    "case Command.RotateKey rotate -> told.remove(rotate.principal());"),
            in(
                    "metadata/Holders",
                    "a node leaves that holds a slot",
                    protocol("metadata.NodesTest", "aNodeLeavesForGoodOnceItHoldsNoSlotAndIsToTakeNone"),
                    "!announced && group.slotOf(number) < 0,",
                    "!announced,"),
            in(
                    "metadata/Holders",
                    "a node leaves that is to take a slot",
                    protocol("metadata.NodesTest", "aNodeLeavesForGoodOnceItHoldsNoSlotAndIsToTakeNone"),
                    "!announced && group.slotOf(number) < 0,",
                    "group.slotOf(number) < 0,"),
            in(
                    "metadata/Holders",
                    "a node that left belongs",
                    protocol("metadata.NodesTest", "aNodeLeavesForGoodOnceItHoldsNoSlotAndIsToTakeNone"),
                    "registry.revoke(new Command.RevokePrincipal(PrincipalId.node(number)), by);",
                    ""),
            in(
                    "metadata/Holders",
                    "a node comes into the map that has not joined",
                    protocol("metadata.NodesTest", "aNodeThatHasJoinedComesIntoTheMapAndMayTakeASlot"),
                    "registry.joined(node),",
                    "node.number() >= 0,"),
            in(
                    "metadata/Holders",
                    "any text is the address of a node",
                    protocol("metadata.NodesTest", "addressesThatNobodyCanHaveAreRefused"),
                    "isHost(address.host()),",
                    "address.port() > 0,"),
            in(
                    "metadata/Permissions",
                    "anybody adds and removes nodes",
                    protocol("metadata.NodesTest", "onlyOperatorsMayAndItIsInTheAuditLog"),
                    "Grants.require(grants.mayAdminister(by), by, \"change which nodes there are\");",
                    "{ }"));

    private RegistryBugs() {}
}
