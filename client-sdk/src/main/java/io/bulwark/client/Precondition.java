package io.bulwark.client;

import io.bulwark.protocol.metadata.Condition;

/**
 * Condition on the target name of a put, copy or rename, or on the version that a delete names. The replicas judge it in
 * the step in which the change happens.
 *
 * @param version the number that the latest version must have; 0 unless {@link Kind#IF_VERSION}
 * @param property the name of a property; empty unless {@link Kind#IF_PROPERTY}
 * @param value the value that the property must have
 */
public record Precondition(Kind kind, long version, String property, String value) {
    /** No condition. */
    public static final Precondition NONE = new Precondition(Kind.NONE, 0, "", "");

    /** No object of this name. */
    public static final Precondition IF_ABSENT = new Precondition(Kind.IF_ABSENT, 0, "", "");

    /** An object of this name. */
    public static final Precondition IF_PRESENT = new Precondition(Kind.IF_PRESENT, 0, "", "");

    public enum Kind {
        NONE,
        IF_ABSENT,
        IF_VERSION,
        IF_PRESENT,
        IF_PROPERTY
    }

    public Precondition {
        if (kind == Kind.IF_VERSION ? version < 1 : version != 0) {
            throw new IllegalArgumentException(kind + " with version " + version);
        }
        if (kind == Kind.IF_PROPERTY ? property.isEmpty() : !property.isEmpty() || !value.isEmpty()) {
            throw new IllegalArgumentException(kind + " with property " + property);
        }
    }

    /** The latest version has exactly this number, as {@link Bucket#head} tells it. */
    public static Precondition ifVersion(long version) {
        return new Precondition(Kind.IF_VERSION, version, "", "");
    }

    /** There is an object, and this property of its latest version has just this value. */
    public static Precondition ifProperty(String property, String value) {
        return new Precondition(Kind.IF_PROPERTY, 0, property, value);
    }

    /** Returns this condition as the replicas know it. */
    Condition condition() {
        return switch (kind) {
            case NONE -> Condition.NONE;
            case IF_ABSENT -> Condition.IF_ABSENT;
            case IF_PRESENT -> Condition.IF_PRESENT;
            case IF_VERSION -> Condition.ifVersion(version);
            case IF_PROPERTY -> Condition.ifProperty(property, value);
        };
    }
}
