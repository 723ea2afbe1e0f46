package io.bulwark.simulation.history;

/** Thrown when the input is not a history. The message names the line, counted from 1. */
public final class MalformedHistoryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MalformedHistoryException(long line, String problem) {
        super("line " + line + ": " + problem);
    }
}
