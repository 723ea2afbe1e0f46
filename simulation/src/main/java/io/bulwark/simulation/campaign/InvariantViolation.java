package io.bulwark.simulation.campaign;

/** An invariant does not hold. */
public final class InvariantViolation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Invariant invariant;
    private final String subject;

    InvariantViolation(Invariant invariant, String subject, String detail) {
        super(invariant + ": " + subject + ": " + detail);
        this.invariant = invariant;
        this.subject = subject;
    }

    public Invariant invariant() {
        return invariant;
    }

    /** The block or object concerned, as it is named in the trace; may be empty. */
    public String subject() {
        return subject;
    }
}
