package io.bulwark.protocol.wire;

/** Bytes that are not the canonical encoding of anything: too short, too long, out of bounds, or not canonical. */
public final class MalformedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MalformedException(String message) {
        super(message);
    }

    /** A value that its record refuses. */
    public MalformedException(IllegalArgumentException cause) {
        super(cause);
    }
}
