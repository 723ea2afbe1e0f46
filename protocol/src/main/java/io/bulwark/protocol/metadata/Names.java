package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Rules for the names of buckets, volumes and objects. Clients check before they send, the state machine decides. */
public final class Names {
    public static final int NAME_LENGTH_MIN = 3;
    public static final int NAME_LENGTH_MAX = 63;
    public static final int KEY_BYTES_MAX = 1024;

    /** Longer names do not even get a typed error. */
    static final int WIRE_BYTES_MAX = 32 << 10;

    private Names() {}

    /**
     * Returns the error in the name of a bucket or volume. A name has 3 to 63 characters out of a-z, 0-9, '-' and '.'.
     * It begins and ends with a letter or digit, and has no two dots in a row.
     */
    public static Optional<String> problemOfName(String name) {
        if (name.length() < NAME_LENGTH_MIN || name.length() > NAME_LENGTH_MAX) {
            return Optional.of("a name has " + NAME_LENGTH_MIN + " to " + NAME_LENGTH_MAX + " characters, this has "
                    + name.length());
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean inner = c == '-' || (c == '.' && name.charAt(i - (i > 0 ? 1 : 0)) != '.');
            if (!letterOrDigit(c) && !(inner && i > 0 && i < name.length() - 1)) {
                return Optional.of("character " + i + " is not allowed; allowed are a-z, 0-9, and between them '-' "
                        + "and single '.'");
            }
        }
        return Optional.empty();
    }

    /** Returns the error in an object's key. A key has 1 to 1,024 bytes of UTF-8 and no control characters. */
    public static Optional<String> problemOfKey(String key) {
        byte[] utf8 = key.getBytes(StandardCharsets.UTF_8);
        if (utf8.length == 0 || utf8.length > KEY_BYTES_MAX) {
            return Optional.of("a key has 1 to " + KEY_BYTES_MAX + " bytes in UTF-8, this has " + utf8.length);
        }
        for (int i = 0; i < key.length(); i++) {
            if (Character.isISOControl(key.charAt(i))) {
                return Optional.of("character " + i + " is a control character");
            }
        }
        return key.equals(new String(utf8, StandardCharsets.UTF_8))
                ? Optional.empty()
                : Optional.of("the key is not well-formed Unicode");
    }

    static Bytes utf8(String text) {
        return Bytes.of(text.getBytes(StandardCharsets.UTF_8));
    }

    static String text(Bytes utf8) {
        return new String(utf8.array(), utf8.offset(), utf8.length(), StandardCharsets.UTF_8);
    }

    private static boolean letterOrDigit(char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    }
}
