package io.bulwark.simulation.history;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** Builds small histories of one key, by hand. */
@NullMarked
final class Histories {
    private final List<Operation> operations = new ArrayList<>();

    Histories ok(Action action, @Nullable String value, long from, long to) {
        return ok(action, value, 0, 0, from, to);
    }

    Histories ok(Action action, @Nullable String value, long ifVersion, long version, long from, long to) {
        return add(true, action, value, ifVersion, version, from, to, Outcome.OK);
    }

    Histories unknown(Action action, @Nullable String value, long from) {
        return add(true, action, value, 0, 0, from, Operation.NEVER, Outcome.UNKNOWN);
    }

    Histories faulty(Action action, @Nullable String value, long from) {
        return add(false, action, value, 0, 0, from, Operation.NEVER, Outcome.UNKNOWN);
    }

    Histories ended(Outcome outcome, Action action, @Nullable String value, long ifVersion, long from, long to) {
        return add(true, action, value, ifVersion, 0, from, to, outcome);
    }

    private Histories add(
            boolean correct,
            Action action,
            @Nullable String value,
            long ifVersion,
            long version,
            long from,
            long to,
            Outcome outcome) {
        String client = "client-" + operations.size();
        operations.add(new Operation(client, correct, action, "k", value, ifVersion, version, from, to, outcome));
        return this;
    }

    History history() {
        return new History(operations);
    }
}
