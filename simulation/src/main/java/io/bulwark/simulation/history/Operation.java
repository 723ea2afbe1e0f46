package io.bulwark.simulation.history;

import org.jspecify.annotations.Nullable;

/**
 * One operation of a history.
 *
 * <p>Among a faulty client's operations only changes matter, and only those that a correct node has accepted. {@code
 * invokedMicros} is when the first correct node prepared that timestamp and cross-checksum, or executed the command.
 * The outcome carries no information: it may take effect once from then on, or never (thesis 3.3.1). Reads of faulty
 * clients are not judged.
 *
 * @param client the client that invoked it
 * @param correct whether the client is correct
 * @param key the register or object
 * @param value the id of the value written or returned; null where nothing was returned, for DELETE, and for reads
 *     without result
 * @param ifVersion the version that the condition names; 0 unless PUT_IF_VERSION
 * @param version the version that a put made, a get returned or a delete removed; 0 if it is not known. A put's version
 *     is greater than all earlier ones of this object
 * @param invokedMicros from any origin, not negative; an operation that completed before another was invoked comes
 *     before it, equal times are concurrent
 * @param completedMicros {@link #NEVER} if the client got no answer
 */
public record Operation(
        String client,
        boolean correct,
        Action action,
        String key,
        @Nullable String value,
        long ifVersion,
        long version,
        long invokedMicros,
        long completedMicros,
        Outcome outcome) {
    public static final long NEVER = Long.MAX_VALUE;
    public static final int NAME_LENGTH_MAX = 1_024;

    public Operation {
        checkName("client", client);
        checkName("key", key);
        if (value != null) {
            checkName("value", value);
        }
        boolean result = !action.reads() || outcome == Outcome.OK;
        require(action.hasOwnValue() == (value != null) || action.reads(), action.text() + " with value " + value);
        require(result || value == null, action.text() + " is " + outcome.text() + " and returned " + value);
        require(ifVersion >= 0 && (action == Action.PUT_IF_VERSION) == (ifVersion != 0), "ifVersion " + ifVersion);
        boolean versioned =
                outcome == Outcome.OK && !action.isRegisterAction() && (value != null || action == Action.DELETE);
        require(version >= 0 && (version == 0 || versioned), "version " + version);
        require(
                0 <= invokedMicros && invokedMicros <= completedMicros,
                invokedMicros + " to " + completedMicros + " us");
        require(outcome == Outcome.UNKNOWN || completedMicros != NEVER, outcome.text() + " but never completed");
        require(outcome != Outcome.REFUSED || action.mayBeRefused(), action.text() + " cannot be refused");
    }

    private static void checkName(String what, String name) {
        require(!name.isEmpty() && name.length() <= NAME_LENGTH_MAX, what + " of " + name.length() + " characters");
    }

    private static void require(boolean condition, String problem) {
        if (!condition) {
            throw new IllegalArgumentException(problem);
        }
    }

    /** Returns whether it may be left out when the operations are put in order. */
    boolean optional() {
        return !correct || outcome == Outcome.UNKNOWN;
    }

    /** Returns whether it cannot be part of any order: it says nothing and changes nothing. */
    boolean isIrrelevant() {
        return (correct && outcome == Outcome.FAILED) || (action.reads() && optional());
    }

    boolean refused() {
        return correct && outcome == Outcome.REFUSED;
    }

    /** Returns the latest time at which it took effect. */
    long lastMicros() {
        return optional() ? NEVER : completedMicros;
    }

    /** Returns text for people, for example {@code write b1 by client-1 [1000, 2000] ok}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(action.text());
        if (action.hasOwnValue()) {
            text.append(' ').append(value);
        }
        if (ifVersion != 0) {
            text.append(" if version ").append(ifVersion);
        }
        text.append(" by ").append(correct ? "" : "faulty ").append(client);
        text.append(" [").append(invokedMicros).append(", ");
        text.append(completedMicros == NEVER ? "-" : completedMicros).append("] ");
        text.append(outcome.text());
        if (action.reads() && outcome == Outcome.OK) {
            text.append(": ").append(value == null ? "nothing" : value);
        }
        if (version != 0) {
            text.append(", version ").append(version);
        }
        return text.toString();
    }
}
