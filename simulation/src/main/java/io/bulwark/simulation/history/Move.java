package io.bulwark.simulation.history;

import org.jspecify.annotations.Nullable;

/**
 * An operation as the search for an order sees it.
 *
 * @param number its place in the history
 * @param value what it brings or returned; {@link KeyState#UNSEEN} for a value that no read returned
 * @param version what it made, returned or removed; 0 if that is not known
 * @param required whether it must be in the order; an optional one is there only if it changes something
 * @param firstMicros not before what ended earlier
 * @param lastMicros before what begins later
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
    /** Whether it leaves every state as it is. */
    boolean changesNothing() {
        return refused || action.reads();
    }

    /** Whether it makes a version that is known. */
    boolean makes() {
        return version != 0 && !refused && action.brings();
    }

    /** Whether two optional moves do the same, so that it does not matter which of them is taken first. */
    boolean sameAs(Move other) {
        boolean unseen = KeyState.UNSEEN.equals(value) && KeyState.UNSEEN.equals(other.value);
        return action == other.action && ifVersion == other.ifVersion && (unseen || action == Action.DELETE);
    }
}
