package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong with extents under PASIS: PROTOCOLS section 4, verification of extents, poisonous extents. */
final class PasisExtentBugs {
    static final List<PlantedBug> ALL = List.of(
            in(
                    "extent/PasisCoding",
                    "nobody encodes again",
                    protocol("extent.PasisCodingTest", "poisonIsPoisonWhicheverFragmentsAreRead"),
                    "boolean valid = verified",
                    "boolean valid = true || verified"),
            in(
                    "extent/PasisCoding",
                    "under write-time a bare fragment is taken",
                    protocol("extent.PasisCodingTest", "underWriteTimeOnlyBlocksAreTaken"),
                    "return !writeTime && isShareOf(checksum, slot, share)",
                    "return isShareOf(checksum, slot, share)"),
            in(
                    "extent/PasisCoding",
                    "a block is taken for any checksum",
                    protocol("extent.PasisCodingTest", "poisonIsPoisonWhicheverFragmentsAreRead"),
                    "if (!CrossChecksum.of(fragments).equals(checksum)) {",
                    "if (false) {"),
            in(
                    "extent/PasisCoding",
                    "a bare fragment counts as verified",
                    protocol("extent.PasisCodingTest", "aFragmentIsUnverifiedAndOneCutFromTheBlockVerified"),
                    "Optional.of(new Accepted(share, false))",
                    "Optional.of(new Accepted(share, true))"),
            in(
                    "fingerprint/CrossChecksum",
                    "hashes are not compared",
                    protocol("fingerprint.CrossChecksumTest", "hasTheHashOfEachFragmentAtItsSlotAndTheLength"),
                    "&& Hashes.sha256(fragment).equals(cc.get(slot));",
                    "&& cc.get(slot) != null;"),
            in(
                    "extent/ExtentRead",
                    "b verified flags are enough",
                    protocol("extent.PasisExtentTest", "bVerifiedFlagsSpareNoValidation"),
                    "return excluded.isEmpty() && verified > policy.f();",
                    "return excluded.isEmpty() && verified >= policy.f();"),
            in(
                    "extent/ExtentRead",
                    "a node that makes a fragment believes flags",
                    protocol("extent.PasisExtentTest", "aNodeThatMakesAFragmentBelievesNobody"),
                    "return excluded.isEmpty() && verified > policy.f();",
                    "return verified > policy.f();"),
            in(
                    "extent/ExtentRead",
                    "b nodes call a version poisonous",
                    protocol("extent.PasisExtentTest", "bNodesThatCallItPoisonousConvinceNobody"),
                    "} else if (count(ReadRefusal.POISONOUS) > f) {",
                    "} else if (count(ReadRefusal.POISONOUS) >= f) {"),
            in(
                    "extent/ExtentRead",
                    "who calls a valid version poisonous is not named",
                    protocol("extent.PasisExtentTest", "bNodesThatCallItPoisonousConvinceNobody"),
                    "if (accepted != null && slots[index].refusal == ReadRefusal.POISONOUS) {",
                    "if (false) {"),
            in(
                    "extent/ExtentRead",
                    "nobody is accused of poison",
                    protocol("extent.PasisExtentTest", "bVerifiedFlagsSpareNoValidation"),
                    "effects.add(new Effect.Evidence(block.owner(), block, Verdict.POISONOUS, detail));",
                    "detail.length();"),
            in(
                    "extent/ExtentBlocks",
                    "poison is forgotten at a restart",
                    protocol("extent.PasisExtentTest", "poisonIsDroppedAndRememberedAndNeverRepaired"),
                    ": new Mutation.Put(ExtentRecord.key(block), fresh.encoded(block), Bytes.EMPTY);",
                    ": new Mutation.Delete(ExtentRecord.key(block));"),
            in(
                    "extent/ExtentBlocks",
                    "poison is noted of what was freed before",
                    protocol("extent.PasisExtentTest", "nothingIsNotedOfPoisonThatWasFreedBefore"),
                    "known -> session.freed(block) ? null : next.after(known)",
                    "next"),
            in(
                    "extent/ExtentBlocks",
                    "poison that is freed while it is noted stays",
                    protocol("extent.PasisExtentTest", "poisonThatIsFreedWhileItIsNotedIsForgotten"),
                    """
                    if (session.freed(block)) {
                    discard(after, session, block, end);
                    """,
                    """
                    if (false) {
                    discard(after, session, block, end);
                    """),
            in(
                    "extent/ExtentBlocks",
                    "what was verified is forgotten at a restart",
                    protocol("extent.PasisExtentTest", "whatWasVerifiedIsSaidToReadersAndNotVerifiedAgain"),
                    "&& !held.verified() ? held.asVerified() : null,",
                    "&& !held.verified() ? held.asReferenced() : null,"),
            in(
                    "extent/Repairs",
                    "2b nodes verify",
                    protocol("extent.PasisExtentTest", "onlyTheHoldersOfTheFirst2bPlus1SlotsVerify"),
                    "return place.slot() <= 2 * place.volume().policy().f();",
                    "return place.slot() < 2 * place.volume().policy().f();"),
            in(
                    "extent/Repairs",
                    "poison is repaired again",
                    protocol("extent.PasisExtentTest", "poisonIsDroppedAndRememberedAndNeverRepaired"),
                    "if (known.isPresent() && known.get() instanceof Poisonous poisonous &&"
                            + " poisonous.pin().equals(pin)) {",
                    "if (known.isPresent() && known.get() instanceof Poisonous poisonous && poisonous.pin() == null)"
                            + " {"),
            in(
                    "completion/ExtentChecks",
                    "a poisonous extent is looked at again and again",
                    protocol(
                            "completion.NodeCompletionTest",
                            "underLazyVerificationEachExtentIsVerifiedOnceAndAgainIfThatFailed"),
                    "case HELD, COMPLETED, REPAIRED, INCOMPLETE, FREED, VERIFIED, POISONOUS -> progress.done(extent);",
                    """
                    case HELD, COMPLETED, REPAIRED, INCOMPLETE, FREED, VERIFIED -> progress.done(extent);
                    case POISONOUS -> progress.notDone(extent);
                    """),
            in(
                    "metadata/Volumes",
                    "what is never verified keeps objects",
                    protocol("metadata.VolumeTest", "whatIsNeverVerifiedKeepsNoObjects"),
                    "create.kind() == VolumeKind.REGISTER || policy.verification() != Verification.NONE,",
                    "true,"));

    private PasisExtentBugs() {}
}
