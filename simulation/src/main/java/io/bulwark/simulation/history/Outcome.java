package io.bulwark.simulation.history;

import java.util.Locale;
import java.util.Optional;

/** Outcome of an operation, as its client knows it. */
public enum Outcome {
    /** It took effect once, between invocation and completion. */
    OK,
    /** Its condition did not hold at some moment between invocation and completion; it changed nothing. */
    REFUSED,
    /** It changed nothing and says nothing: an error before any effect. */
    FAILED,
    /** It may take effect once, at any time after its invocation, or never. */
    UNKNOWN;

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Optional<Outcome> of(String text) {
        for (Outcome outcome : values()) {
            if (outcome.text().equals(text)) {
                return Optional.of(outcome);
            }
        }
        return Optional.empty();
    }
}
