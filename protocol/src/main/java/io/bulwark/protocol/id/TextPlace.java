package io.bulwark.protocol.id;

import java.util.Locale;

/**
 * Place and form of a character in messages about names. The texts follow from the code points alone, as all replicas
 * must give the same answer.
 */
public final class TextPlace {
    private TextPlace() {}

    /** Returns the place of the character at this index. People count characters from 1. */
    public static String of(String text, int index) {
        return "character " + (text.codePointCount(0, index) + 1);
    }

    /** Returns a graphic character of ASCII as it is, and the code point of any other. */
    public static String shown(int c) {
        return c > ' ' && c < 0x7f ? "'" + Character.toString(c) + "'" : String.format(Locale.ROOT, "U+%04X", c);
    }
}
