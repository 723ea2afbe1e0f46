package io.bulwark.simulation.campaign;

/**
 * Property that must hold.
 *
 * @param name short, in kebab-case
 * @param source the lemma, theorem or section that says so
 */
public record Invariant(String name, String source) {
    /** Every operation of a correct client ends once the correct nodes are up and connected. */
    public static final Invariant OPERATIONS_END = new Invariant(
            "operations-end", "thesis theorems 4.2.1 (wait-free writes) and 4.2.4 (obstruction-free reads)");

    /** No state machine throws, for any message from others. */
    public static final Invariant NEVER_THROWS =
            new Invariant("never-throws", "misbehaviour of others is evidence, never a crash");

    /** There is one order of all operations that explains what every client saw. */
    public static final Invariant LINEARIZABLE =
            new Invariant("linearizable", "thesis definition 3.2.3, with the criteria of 3.3.1");

    /** Members that are right share keys once all is well. */
    public static final Invariant KEYS_AGREED =
            new Invariant("keys-agreed", "proactive recovery paper 4.1: those that hear each other share keys");

    /** A message under a key that is no longer in force counts nowhere. */
    public static final Invariant OLD_KEYS_REFUSED = new Invariant(
            "old-keys-refused",
            "proactive recovery paper 4.1: nothing counts under keys of a life that is over, or before a recovery, or"
                    + " older than T_k");

    public InvariantViolation violation(String subject, String detail) {
        return new InvariantViolation(this, subject, detail);
    }

    @Override
    public String toString() {
        return name + " (" + source + ")";
    }
}
