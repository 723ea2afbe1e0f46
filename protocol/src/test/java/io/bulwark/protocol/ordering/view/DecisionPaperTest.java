package io.bulwark.protocol.ordering.view;

import static io.bulwark.protocol.ordering.view.ViewChangeBuilder.NULL;
import static io.bulwark.protocol.ordering.view.ViewChangeBuilder.checkpoint;
import static io.bulwark.protocol.ordering.view.ViewChangeBuilder.digest;
import static io.bulwark.protocol.ordering.view.ViewChangeBuilder.stable;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The decision procedure, condition by condition (proactive recovery paper, figure 3), with f = 1. */
class DecisionPaperTest {
    private static final Decision.Bodies ALL = (_, _) -> true;

    private static Decision over(ViewChangeBuilder... messages) {
        Decision decision = new Decision(ViewChangeBuilder.group(1));
        for (ViewChangeBuilder message : messages) {
            decision.add(message.message());
        }
        return decision;
    }

    /** Returns the choice for the number after checkpoint 0, all others being null. */
    private static Bytes chosen(Decision decision) {
        assertThat(decision.decide(ALL, true)).isInstanceOf(Decision.Decided.class);
        Decision.Decided decided = (Decision.Decided) decision.decide(ALL, true);
        assertThat(decision.supports(decided.checkpoint(), decided.chosen())).isTrue();
        assertThat(decided.checkpoint()).isEqualTo(checkpoint(0));
        assertThat(decided.chosen()).hasSize(ViewChangeBuilder.LOG);
        return decided.chosen().getFirst().digest();
    }

    /** A backup's view of the choice of one batch for number 1. */
    private static boolean supports(Decision decision, Bytes first) {
        List<Numbered> choices = new ArrayList<>(List.of(new Numbered(1, first)));
        for (long number = 2; number <= ViewChangeBuilder.LOG; number++) {
            choices.add(new Numbered(number, NULL));
        }
        return decision.supports(checkpoint(0), choices);
    }

    private static void assertUndecided(Decision decision) {
        assertThat(decision.decide(ALL, true)).isEqualTo(new Decision.Undecided(List.of()));
    }

    @Test
    void withoutTwoFPlusOneMessagesNothingIsDecided() {
        assertUndecided(over(stable(1, 0), stable(1, 0)));
        assertThat(chosen(over(stable(1, 0), stable(1, 0), stable(1, 0)))).isEqualTo(NULL);
    }

    @PlantedBug(
            in = Decision.class,
            rule = "f + 1 replicas must hold a chosen checkpoint",
            replace = "digest.getValue() >= group.weakQuorum()",
            with = "digest.getValue() >= group.faulty()")
    @Test
    void aCheckpointNeedsFPlusOneThatHoldIt() {
        Decision decision = over(stable(1, 0), stable(1, 0), stable(1, 0).holds(new Numbered(2, digest(666))));
        assertThat(decision.checkpoint()).contains(checkpoint(0));
        decision.add(stable(1, 0).holds(checkpoint(2)).message());
        assertThat(decision.checkpoint()).contains(checkpoint(0));
        assertThat(over(stable(1, 0), stable(1, 0).holds(checkpoint(2)), stable(1, 2))
                        .checkpoint())
                .contains(checkpoint(2));
    }

    @PlantedBug(
            in = Decision.class,
            rule = "2f + 1 logs must begin at or below a chosen checkpoint",
            replace = "count(claim -> claim.stable <= number) < group.quorum()",
            with = "count(claim -> claim.stable <= number) < group.quorum() - 1")
    @Test
    void aCheckpointNeedsTwoFPlusOneWhoseLogBeginsNoLater() {
        Decision decision = over(stable(1, 0), stable(1, 0), stable(1, 2));
        assertThat(decision.checkpoint()).isEmpty();
        assertUndecided(decision);
        decision.add(stable(1, 0).message());
        assertThat(decision.checkpoint()).contains(checkpoint(0));
    }

    @PlantedBug(
            in = Decision.class,
            rule = "a backup checks the chosen checkpoint",
            replace = "!checkpoint().equals(Optional.of(checkpoint)) || chosen",
            with = "chosen")
    @Test
    void theGreatestCheckpointIsChosen() {
        Decision decision = over(
                stable(1, 0).holds(checkpoint(2)),
                stable(1, 0).holds(checkpoint(2)).holds(checkpoint(4)),
                stable(1, 0).holds(checkpoint(4)));
        assertThat(decision.checkpoint()).contains(checkpoint(4));
        assertThat(decision.supports(checkpoint(2), nulls(3))).isFalse();
        assertThat(decision.supports(new Numbered(4, digest(3)), nulls(5))).isFalse();
        assertThat(decision.supports(checkpoint(4), nulls(5))).isTrue();
    }

    private static List<Numbered> nulls(long first) {
        List<Numbered> choices = new ArrayList<>();
        for (long number = first; number < first + ViewChangeBuilder.LOG; number++) {
            choices.add(new Numbered(number, NULL));
        }
        return choices;
    }

    /**
     * Numbers 1 to 4 are between the water marks; numbers after the last one that S mentions are left to fresh batches.
     */
    @Test
    void whatNobodyToldOfIsLeftFree() {
        Decision decision = over(stable(1, 0).prepared(1, 7, 0), stable(1, 0).prePrepared(1, 7, 0), stable(1, 0));
        assertThat(decision.decide(ALL, false))
                .isEqualTo(new Decision.Decided(checkpoint(0), List.of(new Numbered(1, digest(7)))));
        decision.add(stable(1, 0).prePrepared(3, 9, 0).message());
        List<Numbered> upToThree = List.of(new Numbered(1, digest(7)), new Numbered(2, NULL), new Numbered(3, NULL));
        assertThat(decision.decide(ALL, false))
                .as("what pre-prepared somewhere gets a choice")
                .isEqualTo(new Decision.Decided(checkpoint(0), upToThree));
        assertThat(decision.supports(checkpoint(0), upToThree)).isTrue();
        assertThat(decision.supports(checkpoint(0), upToThree.subList(0, 1)))
                .as("though it need not")
                .isTrue();
    }

    @PlantedBug(
            in = Decision.class,
            rule = "a backup checks that free numbers are free",
            replace = "if (!hasNothingPrepared(n)) {",
            with = "if (n < 0) {")
    @Test
    void whatPreparedIsNotLeftFree() {
        Decision decision = over(stable(1, 0).prepared(3, 7, 0), stable(1, 0).prepared(3, 7, 0), stable(1, 0));
        assertThat(decision.supports(checkpoint(0), List.of())).isFalse();
        assertThat(decision.supports(checkpoint(0), nulls(1).subList(0, 2))).isFalse();
        List<Numbered> all = List.of(new Numbered(1, NULL), new Numbered(2, NULL), new Numbered(3, digest(7)));
        assertThat(decision.supports(checkpoint(0), all)).isTrue();
    }

    @Test
    void whatMayHavePreparedIsNotLeftFreeForOneThatSaysNothing() {
        Decision decision = over(stable(1, 0), stable(1, 0), stable(1, 0).swears(4, 7, 0));
        assertThat(decision.supports(checkpoint(0), List.of())).isFalse();
        assertUndecided(decision);
        assertThat(decision.decide(ALL, false)).isEqualTo(new Decision.Undecided(List.of()));
        decision.add(stable(1, 0).message());
        assertThat(decision.supports(checkpoint(0), List.of())).isTrue();
    }

    @Test
    void noMoreThanTheLogGetsAChoice() {
        Decision decision = over(stable(1, 0), stable(1, 0), stable(1, 0));
        List<Numbered> tooMany = new ArrayList<>(nulls(1));
        tooMany.add(new Numbered(ViewChangeBuilder.LOG + 1, NULL));
        assertThat(decision.supports(checkpoint(0), nulls(1))).isTrue();
        assertThat(decision.supports(checkpoint(0), tooMany)).isFalse();
    }

    @Test
    void whatPreparedIsChosen() {
        assertThat(chosen(over(stable(1, 0).prepared(1, 7, 0), stable(1, 0).prePrepared(1, 7, 0), stable(1, 0))))
                .isEqualTo(digest(7));
    }

    @Test
    void conditionA1TheLaterViewWins() {
        Decision decision = over(
                stable(3, 0).prepared(1, 7, 1).prePrepared(1, 8, 2),
                stable(3, 0).prepared(1, 8, 2).prePrepared(1, 7, 1),
                stable(3, 0).prepared(1, 8, 2));
        assertThat(chosen(decision)).isEqualTo(digest(8));
        assertThat(supports(decision, digest(7))).isFalse();
        assertThat(supports(decision, NULL)).isFalse();
    }

    @PlantedBug(
            in = Decision.class,
            rule = "condition A1 needs 2f + 1 replicas",
            replace = "entry.equals(candidate)); }) >= group.quorum();",
            with = "entry.equals(candidate)); }) >= group.quorum() - 1;")
    @Test
    void conditionA1TwoOfOneViewContradictEachOther() {
        Decision decision = over(
                stable(1, 0).prepared(1, 7, 0),
                stable(1, 0).swears(1, 8, 0).prePrepared(1, 8, 0),
                stable(1, 0).prePrepared(1, 7, 0));
        assertUndecided(decision);
        assertThat(supports(decision, digest(7))).isFalse();
        decision.add(stable(1, 0).message());
        assertThat(chosen(decision)).isEqualTo(digest(7));
    }

    @Test
    void conditionA1CountsOnlyLogsThatReachDownToTheNumber() {
        Decision decision = over(
                stable(2, 0).prepared(1, 7, 0),
                stable(2, 0).prepared(1, 7, 0),
                stable(2, 0).swears(1, 8, 1),
                stable(2, 2));
        assertThat(decision.checkpoint()).contains(checkpoint(0));
        assertUndecided(decision);
    }

    @PlantedBug(
            in = Decision.class,
            rule = "condition A2 needs f + 1 replicas",
            replace = ">= candidate.view()) >= group.weakQuorum();",
            with = ">= candidate.view()) >= group.faulty();")
    @Test
    void conditionA2ALiarCannotInventABatch() {
        Decision decision = over(stable(1, 0), stable(1, 0), stable(1, 0).prepared(1, 8, 0));
        assertUndecided(decision);
        assertThat(supports(decision, digest(8))).isFalse();
        decision.add(stable(1, 0).message());
        assertThat(chosen(decision)).isEqualTo(NULL);
        assertThat(supports(decision, digest(8))).isFalse();
    }

    @PlantedBug(
            in = Decision.class,
            rule = "condition A2 counts no pairs of earlier views",
            replace = ">= candidate.view()) >= group.weakQuorum();",
            with = ">= 0) >= group.weakQuorum();")
    @Test
    void conditionA2ThePairMustBeOfThisViewOrALaterOne() {
        Decision decision = over(
                stable(4, 0).swears(1, 7, 3).prePrepared(1, 7, 3),
                stable(4, 0).prePrepared(1, 7, 2),
                stable(4, 0).prePrepared(1, 7, 1));
        assertUndecided(decision);
        Decision later = over(
                stable(4, 0).swears(1, 7, 2).prePrepared(1, 7, 2), stable(4, 0).prePrepared(1, 7, 3), stable(4, 0));
        assertThat(chosen(later)).isEqualTo(digest(7));
    }

    @Test
    void conditionA3ThePrimaryFetchesWhatItLacks() {
        Decision decision = over(stable(1, 0).prepared(1, 7, 0), stable(1, 0).prepared(1, 7, 0), stable(1, 0));
        assertThat(decision.decide((_, _) -> false, true))
                .isEqualTo(new Decision.Undecided(List.of(new Numbered(1, digest(7)))));
        assertThat(chosen(decision)).isEqualTo(digest(7));
    }

    @PlantedBug(
            in = Decision.class,
            rule = "condition B needs 2f + 1 replicas",
            replace = "!claim.prepared.containsKey(n)) >= group.quorum();",
            with = "!claim.prepared.containsKey(n)) >= group.quorum() - 1;")
    @Test
    void conditionBNullNeedsTwoFPlusOneWithoutAnEntry() {
        Decision decision = over(stable(1, 0), stable(1, 0), stable(1, 0).prepared(1, 8, 0));
        assertThat(supports(decision, NULL)).isFalse();
        decision.add(stable(1, 0).message());
        assertThat(supports(decision, NULL)).isTrue();
    }

    @Test
    void conditionBCountsOnlyLogsThatReachDownToTheNumber() {
        Decision decision = over(stable(1, 0).prepared(1, 7, 0), stable(1, 0), stable(1, 0), stable(1, 2));
        assertThat(decision.checkpoint()).contains(checkpoint(0));
        assertThat(supports(decision, NULL)).isFalse();
    }

    @Test
    void conditionBWorksWhereOnlyTheBodyIsMissing() {
        Decision decision =
                over(stable(1, 0).prepared(1, 7, 0), stable(1, 0).prePrepared(1, 7, 0), stable(1, 0), stable(1, 0));
        assertThat(((Decision.Decided) decision.decide((_, _) -> false, true))
                        .chosen()
                        .getFirst()
                        .digest())
                .isEqualTo(NULL);
        assertThat(chosen(decision)).isEqualTo(digest(7));
        assertThat(supports(decision, NULL)).isTrue();
    }

    @Test
    void nullThatPreparedIsABatchLikeAnyOther() {
        Decision decision = over(
                stable(2, 0).prepared(1, 0, 1).prePrepared(1, 7, 0),
                stable(2, 0).prepared(1, 0, 1),
                stable(2, 0).prepared(1, 7, 0));
        assertThat(decision.decide((_, _) -> false, true)).isInstanceOf(Decision.Decided.class);
        assertThat(chosen(decision)).isEqualTo(NULL);
        assertThat(supports(decision, digest(7))).isFalse();
    }
}
