package io.bulwark.simulation.history;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Reads one JSON object (RFC 8259) whose members are strings, integers of at most 18 digits, true, false and null: a {@link String},
 * a {@link Long}, a {@link Boolean}, or empty. No member may come twice.
 */
final class FlatJson {
    private static final int MEMBERS_MAX = 32;
    private static final int DIGITS_MAX = 18;

    private final String text;
    private int at;

    private FlatJson(String text) {
        this.text = text;
    }

    /** @throws IllegalArgumentException with a problem that names the column, counted from 1 */
    static Map<String, Optional<Object>> read(String text) {
        FlatJson reader = new FlatJson(text);
        Map<String, Optional<Object>> members = reader.object();
        reader.blanks();
        if (reader.at != text.length()) {
            throw reader.wrong("more than one object");
        }
        return members;
    }

    private Map<String, Optional<Object>> object() {
        Map<String, Optional<Object>> members = new LinkedHashMap<>();
        blanks();
        expect('{');
        blanks();
        if (peek() == '}') {
            at++;
            return members;
        }
        while (true) {
            blanks();
            String name = string();
            blanks();
            expect(':');
            blanks();
            if (members.putIfAbsent(name, value()) != null) {
                throw wrong(name + " comes twice");
            }
            if (members.size() > MEMBERS_MAX) {
                throw wrong("more than " + MEMBERS_MAX + " members");
            }
            blanks();
            if (peek() != ',') {
                expect('}');
                return members;
            }
            at++;
        }
    }

    private Optional<Object> value() {
        char c = peek();
        if (c == '"') {
            return Optional.of(string());
        }
        if (c == '-' || isDigit(c)) {
            return Optional.of(integer());
        }
        if (word("true")) {
            return Optional.of(true);
        }
        if (word("false")) {
            return Optional.of(false);
        }
        if (word("null")) {
            return Optional.empty();
        }
        throw wrong("a string, an integer, true, false or null is expected");
    }

    private boolean word(String word) {
        boolean here = text.startsWith(word, at);
        at += here ? word.length() : 0;
        return here;
    }

    private long integer() {
        int start = at;
        at += peek() == '-' ? 1 : 0;
        int digits = at;
        while (isDigit(peek())) {
            at++;
        }
        int count = at - digits;
        if (count == 0 || count > DIGITS_MAX || (count > 1 && text.charAt(digits) == '0')) {
            throw wrong("an integer of 1 to " + DIGITS_MAX + " digits is expected");
        }
        return Long.parseLong(text.substring(start, at));
    }

    private String string() {
        expect('"');
        StringBuilder out = new StringBuilder();
        while (peek() != '"') {
            char c = text.charAt(at);
            if (c < 0x20) {
                throw wrong("a control character in a string");
            }
            at++;
            out.append(c == '\\' ? escaped() : c);
        }
        at++;
        return out.toString();
    }

    private char escaped() {
        char c = peek();
        at++;
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> throw wrong("no such escape");
        };
    }

    private char unicode() {
        int code = 0;
        for (int i = 0; i < 4; i++) {
            int digit = Character.digit(peek(), 16);
            if (digit < 0) {
                throw wrong("four hexadecimal digits are expected");
            }
            code = code << 4 | digit;
            at++;
        }
        return (char) code;
    }

    private void blanks() {
        while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
            at++;
        }
    }

    private void expect(char c) {
        if (peek() != c) {
            throw wrong("'" + c + "' is expected");
        }
        at++;
    }

    private char peek() {
        if (at >= text.length()) {
            throw wrong("it ends too early");
        }
        return text.charAt(at);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private IllegalArgumentException wrong(String problem) {
        return new IllegalArgumentException(problem + " (column " + (at + 1) + ")");
    }
}
