package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.TextPlace;
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
            boolean inner = i > 0 && i < name.length() - 1;
            if (c == '.' && i > 0 && name.charAt(i - 1) == '.') {
                return Optional.of("'.' follows '.' as " + TextPlace.of(name, i) + "; only single dots are allowed");
            }
            if ((c == '-' || c == '.') && !inner) {
                return Optional.of(TextPlace.of(name, i) + " is " + TextPlace.shown(c)
                        + "; a name begins and ends with a letter or digit");
            }
            if (!letterOrDigit(c) && c != '-' && c != '.') {
                return Optional.of(TextPlace.of(name, i) + " is " + TextPlace.shown(name.codePointAt(i))
                        + "; allowed are a-z, 0-9, and between them '-' and single '.'");
            }
        }
        return Optional.empty();
    }

    /** Returns the error in an object's key. A key has 1 to 1,024 bytes of UTF-8 and no control characters. */
    public static Optional<String> problemOfKey(String key) {
        return key.isEmpty()
                ? Optional.of("a key has 1 to " + KEY_BYTES_MAX + " bytes in UTF-8, this has 0")
                : problemOfKeyPart("key", key);
    }

    /** Returns the error in the beginning of keys. It may be empty. */
    public static Optional<String> problemOfPrefix(String prefix) {
        return problemOfKeyPart("prefix", prefix);
    }

    private static Optional<String> problemOfKeyPart(String kind, String text) {
        int length = text.getBytes(StandardCharsets.UTF_8).length;
        if (length > KEY_BYTES_MAX) {
            return Optional.of("a " + kind + " has at most " + KEY_BYTES_MAX + " bytes in UTF-8, this has " + length);
        }
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            int c = text.codePointAt(i);
            if (Character.isISOControl(c)) {
                return Optional.of(TextPlace.of(text, i) + " is the control character " + TextPlace.shown(c));
            }
            if ((c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) || c == 0xFFFE || c == 0xFFFF) {
                return Optional.of(
                        TextPlace.of(text, i) + " is " + TextPlace.shown(c) + ", which is no character of Unicode");
            }
        }
        return Optional.empty();
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
