package io.bulwark.client;

/**
 * Condition on the target name of a put, copy or rename, checked in the same ordered step.
 *
 * @param version the number that the latest version must have; 0 unless {@link Kind#IF_VERSION}
 */
public record Precondition(Kind kind, long version) {
    /** No condition. */
    public static final Precondition NONE = new Precondition(Kind.NONE, 0);

    /** No object of this name. */
    public static final Precondition IF_ABSENT = new Precondition(Kind.IF_ABSENT, 0);

    public enum Kind {
        NONE,
        IF_ABSENT,
        IF_VERSION
    }

    public Precondition {
        if (kind == Kind.IF_VERSION ? version < 1 : version != 0) {
            throw new IllegalArgumentException(kind + " with version " + version);
        }
    }

    /** The latest version has exactly this number, as {@link Bucket#head} tells it. */
    public static Precondition ifVersion(long version) {
        return new Precondition(Kind.IF_VERSION, version);
    }
}
