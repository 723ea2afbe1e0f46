package io.bulwark.protocol.metadata;

import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.nio.charset.StandardCharsets;

/**
 * Condition of a command on the latest version of its target name, or on the version that it names. It is judged in the
 * ordered step of the command.
 *
 * @param version the number that the version must have; 0 unless {@link Kind#IF_VERSION}
 * @param property the name of a property; empty unless {@link Kind#IF_PROPERTY}
 * @param value the value that the property must have
 */
public record Condition(Kind kind, long version, String property, String value) {
    public static final Condition NONE = new Condition(Kind.NONE, 0, "", "");
    /** No object of this name, or only a delete marker on top. */
    public static final Condition IF_ABSENT = new Condition(Kind.IF_ABSENT, 0, "", "");
    /** An object of this name, whatever its version. */
    public static final Condition IF_PRESENT = new Condition(Kind.IF_PRESENT, 0, "", "");

    private static final Kind[] KINDS = Kind.values();

    /** The order is on the wire. */
    public enum Kind {
        NONE,
        IF_ABSENT,
        IF_VERSION,
        IF_PRESENT,
        IF_PROPERTY
    }

    public Condition {
        if (kind == Kind.IF_VERSION ? version < 1 : version != 0) {
            throw new IllegalArgumentException(kind + " with version " + version);
        }
        boolean named = !property.isEmpty();
        if (kind == Kind.IF_PROPERTY
                ? !named
                        || bytes(property) > ObjectAttributes.PROPERTY_KEY_BYTES_MAX
                        || bytes(value) > ObjectAttributes.VALUE_BYTES_MAX
                : named || !value.isEmpty()) {
            throw new IllegalArgumentException(kind + " with a property of " + bytes(property) + " bytes");
        }
    }

    public static Condition ifVersion(long version) {
        return new Condition(Kind.IF_VERSION, version, "", "");
    }

    /** Requires a version whose property has this value. */
    public static Condition ifProperty(String property, String value) {
        return new Condition(Kind.IF_PROPERTY, 0, property, value);
    }

    void write(WireWriter out) {
        out.u8(kind.ordinal());
        switch (kind) {
            case NONE, IF_ABSENT, IF_PRESENT -> {}
            case IF_VERSION -> out.i64(version);
            case IF_PROPERTY -> out.string(property).string(value);
        }
    }

    static Condition read(WireReader in) {
        int kind = in.u8();
        if (kind >= KINDS.length) {
            throw new MalformedException("unknown condition " + kind);
        }
        try {
            return switch (KINDS[kind]) {
                case NONE -> NONE;
                case IF_ABSENT -> IF_ABSENT;
                case IF_PRESENT -> IF_PRESENT;
                case IF_VERSION -> ifVersion(in.i64());
                case IF_PROPERTY ->
                    ifProperty(
                            in.string(ObjectAttributes.PROPERTY_KEY_BYTES_MAX),
                            in.string(ObjectAttributes.VALUE_BYTES_MAX));
            };
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
