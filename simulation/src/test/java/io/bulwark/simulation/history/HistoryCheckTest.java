package io.bulwark.simulation.history;

import static io.bulwark.simulation.history.Action.DELETE;
import static io.bulwark.simulation.history.Action.GET;
import static io.bulwark.simulation.history.Action.PUT;
import static io.bulwark.simulation.history.Action.PUT_IF_ABSENT;
import static io.bulwark.simulation.history.Action.PUT_IF_VERSION;
import static io.bulwark.simulation.history.Action.READ;
import static io.bulwark.simulation.history.Action.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class HistoryCheckTest {
    private static Violation violation(Histories histories) {
        HistoryCheck check = HistoryCheck.of(histories.history());
        assertThat(check.violations()).hasSize(1);
        assertThat(check.problem()).isPresent();
        Violation violation = check.violations().getFirst();
        assertThat(violation.key()).isEqualTo("k");
        assertThat(violation.lines()).hasSameSizeAs(violation.operations());
        return violation;
    }

    /** The search must agree wherever the zones decide. */
    private static Violation registerViolation(Histories histories) {
        History history = histories.history();
        List<Integer> numbers = history.byKey().values().iterator().next();
        assertThat(HistoryCheck.canUseZones(history, numbers)).isTrue();
        assertThat(new OrderSearch(history, "k", numbers, 10_000).run()).isInstanceOf(OrderSearch.Result.None.class);
        return violation(histories);
    }

    private static void accepted(Histories histories) {
        assertThat(HistoryCheck.of(histories.history()).problem()).isEmpty();
    }

    @Test
    void aStaleReadIsFound() {
        Violation violation = registerViolation(
                new Histories().ok(WRITE, "a", 0, 1).ok(WRITE, "b", 2, 3).ok(READ, "a", 4, 5));
        assertThat(violation.operations()).containsExactly(0, 1, 2);
        assertThat(violation.reason())
                .isEqualTo("#0 ended before #1 began, so a came before b; but #1 ended before #2 began, so b came"
                        + " before a");
        assertThat(violation.toString()).contains("#2 read by client-2 [4, 5] ok: a");
    }

    @Test
    void aLostWriteIsFound() {
        Violation violation =
                registerViolation(new Histories().ok(WRITE, "a", 0, 1).ok(READ, null, 2, 3));
        assertThat(violation.reason())
                .isEqualTo("nothing was there first; but #0 ended before #1 began, so a came before nothing");
    }

    @Test
    void aResurrectedValueIsFound() {
        registerViolation(new Histories()
                .ok(WRITE, "a", 0, 1)
                .ok(WRITE, "b", 0, 9)
                .ok(READ, "b", 2, 3)
                .ok(READ, "a", 4, 5)
                .ok(READ, "b", 6, 7));
    }

    @Test
    void aValueThatNobodyWroteIsFound() {
        Violation violation =
                registerViolation(new Histories().ok(WRITE, "a", 0, 1).ok(READ, "x", 0, 3));
        assertThat(violation.reason()).isEqualTo("#1 returned x, which nobody brought");
    }

    @Test
    void aValueOfAWriteThatFailedIsFound() {
        Violation violation = registerViolation(
                new Histories().ended(Outcome.FAILED, WRITE, "a", 0, 0, 1).ok(READ, "a", 2, 3));
        assertThat(violation.reason()).contains("#0, which had no effect");
    }

    @Test
    void aReadBeforeTheWriteIsFound() {
        registerViolation(new Histories().ok(READ, "a", 0, 1).ok(WRITE, "a", 2, 3));
        registerViolation(new Histories().ok(READ, "a", 0, 1).unknown(WRITE, "a", 2));
        registerViolation(new Histories().ok(READ, "a", 0, 1).faulty(WRITE, "a", 2));
    }

    @Test
    void newThenOldIsFound() {
        registerViolation(new Histories()
                .ok(WRITE, "a", 0, 1)
                .ok(WRITE, "b", 2, 9)
                .ok(READ, "b", 3, 4)
                .ok(READ, "a", 5, 6));
        registerViolation(
                new Histories().unknown(WRITE, "a", 0).ok(READ, "a", 1, 2).ok(READ, null, 3, 4));
    }

    @Test
    void aFaultyWriteCountsOnce() {
        Histories twice = new Histories()
                .faulty(WRITE, "evil", 0)
                .ok(READ, "evil", 1, 2)
                .ok(WRITE, "b", 3, 4)
                .ok(READ, "b", 5, 6)
                .ok(READ, "evil", 7, 8);
        registerViolation(twice);
        // Prepared at a second timestamp it may be there a second time.
        accepted(twice.faulty(WRITE, "evil", 4));
        accepted(new Histories().faulty(WRITE, "evil", 0).ok(WRITE, "b", 3, 4).ok(READ, "evil", 7, 8));
        accepted(new Histories().faulty(WRITE, "evil", 0).ok(READ, null, 7, 8));
    }

    @Test
    void aFaultyWriteThatNoNodePreparedIsFound() {
        registerViolation(new Histories().ok(READ, "evil", 1, 2));
    }

    @Test
    void whatFaultyClientsReturnIsNotJudged() {
        Histories histories = new Histories().ok(WRITE, "a", 0, 1);
        Operation nonsense = new Operation("mallory", false, READ, "k", "never was", 0, 0, 2, 3, Outcome.OK);
        accepted(histories);
        assertThat(HistoryCheck.of(new History(List.of(nonsense))).problem()).isEmpty();
    }

    @Test
    void aWriteOfUnknownOutcomeMayComeLateOrNever() {
        accepted(new Histories().unknown(WRITE, "a", 0).ok(READ, null, 5, 6).ok(READ, "a", 7, 8));
        accepted(new Histories().unknown(WRITE, "a", 0).ok(WRITE, "b", 1, 2).ok(READ, "b", 7, 8));
    }

    @Test
    void equalTimesAreConcurrent() {
        accepted(new Histories().ok(WRITE, "a", 0, 4).ok(READ, null, 4, 6));
    }

    @Test
    void keysAreJudgedOneByOne() {
        List<Operation> operations = new java.util.ArrayList<>();
        for (String key : List.of("x", "y")) {
            operations.add(new Operation("c", true, WRITE, key, "a", 0, 0, 0, 1, Outcome.OK));
            operations.add(new Operation("c", true, READ, key, key.equals("x") ? "a" : null, 0, 0, 2, 3, Outcome.OK));
        }
        HistoryCheck check = HistoryCheck.of(new History(operations));
        assertThat(check.keys()).isEqualTo(2);
        assertThat(check.violations()).extracting(Violation::key).containsExactly("y");
    }

    @Test
    void twoConditionalPutsThatBothSucceedAreFound() {
        violation(new Histories().ok(PUT_IF_ABSENT, "a", 0, 1, 0, 5).ok(PUT_IF_ABSENT, "b", 0, 2, 1, 6));
        accepted(
                new Histories().ok(PUT_IF_ABSENT, "a", 0, 1, 0, 5).ended(Outcome.REFUSED, PUT_IF_ABSENT, "b", 0, 1, 6));
        Violation violation = violation(new Histories()
                .ok(PUT, "a", 0, 7, 0, 1)
                .ok(PUT_IF_VERSION, "b", 7, 8, 2, 6)
                .ok(PUT_IF_VERSION, "c", 7, 9, 3, 5));
        assertThat(violation.operations()).contains(1, 2);
    }

    @Test
    void aRefusalWithoutAReasonIsFound() {
        violation(new Histories().ended(Outcome.REFUSED, PUT_IF_ABSENT, "b", 0, 1, 6));
        violation(new Histories().ok(PUT, "a", 0, 7, 0, 1).ended(Outcome.REFUSED, PUT_IF_VERSION, "b", 7, 2, 3));
        violation(new Histories().ok(PUT, "a", 0, 1).ended(Outcome.REFUSED, DELETE, null, 0, 2, 3));
        // A put whose client never heard of it is a reason.
        accepted(new Histories().unknown(PUT, "z", 0).ended(Outcome.REFUSED, PUT_IF_ABSENT, "b", 0, 1, 6));
    }

    @Test
    void objectsThatComeBackOrGoAreFound() {
        violation(new Histories().ok(PUT, "a", 0, 1).ok(GET, null, 2, 3));
        violation(new Histories().ok(PUT, "a", 0, 1).ok(DELETE, null, 2, 3).ok(GET, "a", 4, 5));
        violation(new Histories()
                .ok(PUT, "a", 0, 1)
                .unknown(DELETE, null, 0)
                .ok(GET, null, 2, 3)
                .ok(GET, "a", 4, 5));
        accepted(new Histories()
                .ok(PUT, "a", 0, 1)
                .unknown(DELETE, null, 0)
                .ok(GET, "a", 2, 3)
                .ok(GET, null, 4, 5));
    }

    @Test
    void versionsMustFit() {
        violation(new Histories().ok(PUT, "a", 0, 7, 0, 1).ok(GET, "a", 0, 8, 2, 3));
        Violation twice = violation(new Histories().ok(PUT, "a", 0, 7, 0, 1).ok(PUT, "b", 0, 7, 2, 3));
        assertThat(twice.reason()).isEqualTo("#0 and #1 both made version 7");
        violation(new Histories().ok(PUT, "a", 0, 7, 0, 1).ok(DELETE, null, 0, 6, 2, 3));
        // The unknown put made version 5, as the get tells.
        accepted(new Histories().unknown(PUT, "a", 0).ok(GET, "a", 0, 5, 2, 3).ok(PUT_IF_VERSION, "b", 5, 6, 4, 5));
        violation(new Histories()
                .unknown(PUT, "a", 0)
                .ok(GET, "a", 0, 5, 2, 3)
                .ended(Outcome.REFUSED, PUT_IF_VERSION, "b", 5, 4, 5));
    }

    @Test
    void valuesThatAreNotDistinctAreSearched() {
        accepted(new Histories()
                .ok(WRITE, "a", 0, 1)
                .ok(WRITE, "b", 2, 3)
                .ok(WRITE, "a", 4, 5)
                .ok(READ, "a", 6, 7));
        violation(new Histories()
                .ok(WRITE, "a", 0, 1)
                .ok(WRITE, "a", 2, 3)
                .ok(WRITE, "b", 4, 5)
                .ok(READ, "a", 6, 7));
    }

    @Test
    void whatIsTooMuchIsSaidToBeUndecided() {
        Histories histories = new Histories();
        for (int i = 0; i < 12; i++) {
            histories.ok(WRITE, "v" + i % 2, i, 100);
        }
        History history = histories.ok(READ, null, 200, 201).history();
        assertThat(HistoryCheck.of(history).violations()).hasSize(1);
        HistoryCheck check = HistoryCheck.of(history, 10);
        assertThat(check.undecided()).containsExactly("k");
        assertThat(check.problem()).contains("undecided: k");
    }

    @Test
    void operationsThatMakeNoSenseAreRefused() {
        assertThatThrownBy(() -> new Histories().ok(WRITE, null, 0, 1)).hasMessage("write with value null");
        assertThatThrownBy(() -> new Histories().ok(READ, "a", 2, 1)).hasMessage("2 to 1 us");
        assertThatThrownBy(() -> new Histories().ok(PUT_IF_VERSION, "a", 0, 1)).hasMessage("ifVersion 0");
        assertThatThrownBy(() -> new Histories().ok(READ, "a", 0, 5, 0, 1)).hasMessage("version 5");
        assertThatThrownBy(() -> new Histories().ended(Outcome.REFUSED, PUT, "a", 0, 0, 1))
                .hasMessage("put cannot be refused");
        assertThatThrownBy(() -> new Histories().ended(Outcome.OK, PUT, "a", 0, 0, Operation.NEVER))
                .hasMessage("ok but never completed");
        assertThatThrownBy(() ->
                        new Histories().ok(READ, "a", 0, 1).ok(GET, "a", 0, 1).history())
                .hasMessage("k is used as a register and as an object");
    }
}
