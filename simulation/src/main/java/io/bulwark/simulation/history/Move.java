package io.bulwark.simulation.history;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An operation in the search for an order.
 *
 * @param number its place in the history
 * @param value the value written or returned; {@link KeyState#UNSEEN} for a value that no read returned
 * @param version the version made, returned or removed; 0 if it is not known
 * @param required whether it must be in the order; an optional one is there only if it changes something
 * @param firstMicros earliest time, after the operations that ended before it
 * @param lastMicros latest time, before the operations that begin after it
 */
record Move(
        int number,
        Action action,
        boolean refused,
        @Nullable String value,
        long ifVersion,
        long version,
        boolean required,
        long firstMicros,
        long lastMicros) {
    /** Returns whether it leaves every state unchanged. */
    boolean hasNoEffect() {
        return refused || action.reads();
    }

    /** Returns whether it makes a version that is known. */
    boolean hasKnownVersion() {
        return version != 0 && !refused && action.hasOwnValue();
    }

    /** Returns whether it writes to a register a value that no operation returned. */
    boolean isHiddenWrite() {
        return action == Action.WRITE && KeyState.UNSEEN.equals(value);
    }

    /** Returns false if the other move, which is impossible now, stays impossible right after this one. */
    boolean mayHelp(Move other) {
        return action != Action.WRITE || Objects.equals(value, other.value);
    }

    /** Returns whether two optional moves do the same, so that their order does not matter. */
    boolean sameAs(Move other) {
        boolean values =
                Objects.equals(value, other.value) && (KeyState.UNSEEN.equals(value) || action == Action.WRITE);
        return action == other.action && ifVersion == other.ifVersion && (values || action == Action.DELETE);
    }
}
