package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong with the state in pages, and with what replicas say again (proactive recovery paper, 4.6; PROTOCOLS section 7). */
final class StateBugs {
    private static final String TREE = "state/StateTree";
    private static final String CODEC = "state/PageCodec";
    private static final String STATUS = "ordering/replica/StatusExchange";

    private static Detector tree(String test) {
        return protocol("state.StateTreeTest", test);
    }

    private static Detector habits() {
        return protocol(
                "state.StateTreePropertyTest", "replicasWithOtherHabitsHaveEqualTreesAndKeepExactlyTheLivePages");
    }

    private static Detector codec(String test) {
        return protocol("state.PageCodecTest", test);
    }

    private static Detector status(String test) {
        return protocol("ordering.replica.StatusExchangeTest", test);
    }

    static final List<PlantedBug> ALL = List.of(
            in(
                    TREE,
                    "a page is taken from the store as it is",
                    tree("aDamagedPageIsNeverReadAndTheOperationCanBeUndone"),
                    "if (!Hashes.sha256(page).equals(digest)) {",
                    "if (false) {"),
            in(
                    TREE,
                    "discarding a checkpoint removes pages of the one before it",
                    habits(),
                    "if (before == null || ref.lm() > before) {",
                    "if (true) {"),
            in(
                    TREE,
                    "pages that only a discarded checkpoint reached stay for ever",
                    habits(),
                    "removed.add(ref.digest()); } else {",
                    "removed.size(); } else {"),
            in(
                    TREE,
                    "a page does not tell the checkpoint that it was written for",
                    tree("aPageThatIsWrittenAgainAsItWasHasAnotherDigest"),
                    "PageCodec.encode(node.level(), number, items, node.bytes());",
                    "PageCodec.encode(node.level(), 0, items, node.bytes());"),
            in(
                    TREE,
                    "pages that are not written yet are looked for in the store",
                    tree("aCheckpointThatIsNotWrittenYetIsReadFromMemory"),
                    "unstored.put(number, pages);",
                    ""),
            in(
                    TREE,
                    "a damaged record of a checkpoint goes unnoticed",
                    tree("aDamagedRecordOfACheckpointIsNoticed"),
                    "() -> tree.damaged.add(number)",
                    "() -> {}"),
            in(
                    TREE,
                    "pages grow without a bound",
                    tree("onlyThePagesThatWereModifiedAreInTheBatch"),
                    "if (node.bytes() > PageCodec.PAGE_BYTES_MAX) {",
                    "if (node.bytes() > 64 * PageCodec.PAGE_BYTES_MAX) {"),
            in(
                    CODEC,
                    "keys may stand in any order",
                    codec("keysStandInOrderAndNoneTwice"),
                    "require(previous == null || previous.compareTo(key) < 0, \"order\");",
                    ""),
            in(
                    CODEC,
                    "a page may have one link",
                    codec("aPageAboveLevelZeroHasTwoLinksAndNoLowerBound"),
                    "require(level == 0 || count >= 2, \"links\");",
                    ""),
            in(
                    CODEC,
                    "keys below the first link are in no page",
                    codec("aPageAboveLevelZeroHasTwoLinksAndNoLowerBound"),
                    "require(level == 0 || i > 0 || key.isEmpty(), \"first key\");",
                    ""),
            in(
                    CODEC,
                    "levels are not bounded",
                    codec("aPageAboveLevelZeroHasTwoLinksAndNoLowerBound"),
                    "require(level <= LEVEL_MAX, \"level\");",
                    ""),
            in(
                    CODEC,
                    "a page is of any checkpoint",
                    codec("aPageIsOfTheCheckpointThatItsParentSays"),
                    "require(lm == Child.LM_UNKNOWN || lm == own, \"lm\");",
                    ""),
            in(
                    CODEC,
                    "a value is that of any key",
                    codec("thePageOfAValueBelongsToItsKeyAndLengthAndCheckpoint"),
                    ".equals(entry.key()), \"key\");",
                    ".length() >= 0, \"key\");"),
            in(
                    CODEC,
                    "a value has any length",
                    codec("thePageOfAValueBelongsToItsKeyAndLengthAndCheckpoint"),
                    "require(value.length() == entry.length(), \"length\");",
                    ""),
            in(
                    STATUS,
                    "what another replica lacks is not said again",
                    status("whatTheOtherLacksIsSaidAgain"),
                    "agreement.repeat(to, slot, !isSet(status.prepared(), 2 * i));",
                    ""),
            in(
                    STATUS,
                    "a proposal that was lost is lost",
                    status("whatTheOtherLacksIsSaidAgain"),
                    "names += agreement.repeatProposal(to, slot);",
                    ""),
            in(
                    STATUS,
                    "what another replica has decided is said again",
                    status("whatTheOtherHasDecidedIsNot"),
                    "|| isSet(status.prepared(), 2 * i + 1)",
                    ""),
            in(
                    STATUS,
                    "what is on its way is said again",
                    status("whatHasJustBeenSaidIsOnItsWay"),
                    "|| slot.acceptedMillis > settledMillis",
                    ""),
            in(
                    STATUS,
                    "each STATUS is answered",
                    status("whoAsksAllTheTimeGetsNoMoreForIt"),
                    "answeredMillis[from] = nowMillis;",
                    ""),
            in(
                    STATUS,
                    "vouches are said once",
                    status("vouchesAreRepeatedAsLongAsTheyAreOpen"),
                    "repeatVouches(nowMillis); }",
                    "}"));

    private StateBugs() {}
}
