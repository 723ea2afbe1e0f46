package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong with the erasure code, hashes and fingerprints: PROTOCOLS section 1. */
final class CodeBugs {
    static final List<PlantedBug> ALL = List.of(
            in(
                    "fingerprint/BlockCode",
                    "groups of one cross-checksum are not encoded again",
                    protocol("fingerprint.BlockCodePaperTest", "everyCombinationOfAnswersOfFour"),
                    """
                    fpcc, fragments, fragments.stream().map(Hashes::sha256).toList())) {
                    return Optional.of(block);
                    """,
                    """
                    fpcc, fragments, fragments.stream().map(Hashes::sha256).toList()) || true) {
                    return Optional.of(block);
                    """),
            in(
                    "fingerprint/BlockCode",
                    "fragments of several cross-checksums are mixed",
                    protocol("fp.FpReadTest", "fragmentsWithAnotherCrossChecksumAreTriedGroupByGroup"),
                    "groups.computeIfAbsent(cc, _ -> new TreeMap<>())",
                    "groups.computeIfAbsent(List.of(), _ -> new TreeMap<>())"),
            in(
                    "fingerprint/BlockCode",
                    "a reader does not check fragments against fpcc",
                    protocol("fp.FpReadTest", "whatTheVersionsBytesAreNotIsCorruptAndMasked"),
                    "if (fpcc.consistent(code, slot, share.fragment())) {",
                    "if (true) {"),
            in(
                    "fingerprint/BlockCode",
                    "a server does not check the block that it gets",
                    protocol("fp.FpServerTest", "aFragmentThatIsNotConsistentIsRefused"),
                    "if (!enoughConsistent(fpcc, fragments, cc)) {",
                    "if (false) {"),
            in(
                    "fingerprint/BlockCode",
                    "m-1 consistent fragments are enough",
                    protocol("fingerprint.BlockCodePaperTest", "aBlockWithTooFewConsistentFragmentsIsRefused"),
                    "return count >= m;",
                    "return count >= m - 1;"),
            in(
                    "fingerprint/BlockCode",
                    "a fragment need not have the hash that its cross-checksum says",
                    protocol("fingerprint.BlockCodePaperTest", "everyCombinationOfAnswersOfFour"),
                    "&& Hashes.sha256(share.fragment()).equals(cc.get(slot));",
                    ";"),
            in(
                    "fingerprint/BlockCode",
                    "a share with a cross-checksum may have any length",
                    protocol("fp.FpRulesTest", "aShareOfAnotherLengthIsNone"),
                    "&& share.fragment().length() == fpcc.length()",
                    ""),
            in(
                    "fingerprint/Fpcc",
                    "fingerprints are not compared",
                    protocol("fingerprint.FpccTest", "theHashAloneIsNotEnough"),
                    """
                    && hash.equals(cc.get(index))
                    && fingerprint().of(fragment).equals(code.combine(index, fp));
                    """,
                    "&& hash.equals(cc.get(index));"),
            in(
                    "fingerprint/Fpcc",
                    "hashes are not compared",
                    protocol("fingerprint.FpccTest", "theFingerprintAloneIsNotEnough"),
                    """
                    && hash.equals(cc.get(index))
                    && fingerprint()
                    """,
                    "&& fingerprint()"),
            in(
                    "fingerprint/Fpcc",
                    "the evaluation point does not depend on the hashes",
                    protocol("fingerprint.FpccTest", "goldenVector"),
                    "List<Bytes> parts = new ArrayList<>(cc);",
                    "List<Bytes> parts = new ArrayList<>();"),
            in(
                    "fingerprint/Fpcc",
                    "the evaluation point does not depend on the length",
                    protocol("fingerprint.FpccTest", "goldenVector"),
                    "parts.add(new WireWriter(4).i32(length).toBytes());",
                    "parts.add(new WireWriter(4).i32(0).toBytes());"),
            in(
                    "fingerprint/Fpcc",
                    "fragments of any length are consistent",
                    protocol("fingerprint.FpccTest", "zerosAppendedAreInconsistentEvenWithTheirOwnHash"),
                    "index < cc.size() && fragment.length() == length;",
                    "index < cc.size();"));

    private CodeBugs() {}
}
