package io.bulwark.simulation.history;

import java.util.Locale;
import java.util.Optional;

/**
 * Kind of an operation. The first two belong to registers, the others to named objects. A key is a register or an
 * object, not both.
 */
public enum Action {
    /** Replaces a register's value. */
    WRITE,
    /** Returns a register's value, null if it was never written. */
    READ,
    /** Replaces an object, whatever was there. */
    PUT,
    /** Puts if there is no object, else is refused. */
    PUT_IF_ABSENT,
    /** Puts if the object has the version named, else is refused. */
    PUT_IF_VERSION,
    /** Returns an object, null if there is none. */
    GET,
    /** Removes an object; refused if there is none. */
    DELETE;

    public boolean isRegisterAction() {
        return this == WRITE || this == READ;
    }

    /** Returns whether it returns a value and changes nothing. */
    public boolean reads() {
        return this == READ || this == GET;
    }

    /** Returns whether it brings a value of its own. */
    public boolean hasOwnValue() {
        return !reads() && this != DELETE;
    }

    boolean mayBeRefused() {
        return this == PUT_IF_ABSENT || this == PUT_IF_VERSION || this == DELETE;
    }

    /** Returns the text on file, for example {@code put-if-absent}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Optional<Action> of(String text) {
        for (Action action : values()) {
            if (action.text().equals(text)) {
                return Optional.of(action);
            }
        }
        return Optional.empty();
    }
}
