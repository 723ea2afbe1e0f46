package io.bulwark.appliance.transfer;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A pattern for paths, with rclone's rules:
 *
 * <pre>
 * *            any characters but '/'
 * **           any characters
 * ?            one character but '/'
 * [a-z] [^a]   one character of a class; [[:alpha:]] and the like inside
 * {a,b}        one of these, also nested
 * {{regexp}}   a regular expression
 * \            takes away the meaning of the next character
 * </pre>
 */
public final class Glob {
    private static final String REGEX_SPECIAL = ".+()|^$*?[]{}\\";
    private static final Set<String> CLASSES = Set.of(
            "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper",
            "xdigit");

    private final String glob;
    private final Pattern pattern;

    private Glob(String glob, String regex) {
        this.glob = glob;
        try {
            this.pattern = Pattern.compile(regex, Pattern.DOTALL);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException("bad pattern " + glob + ": " + e.getDescription(), e);
        }
    }

    /**
     * A pattern that matches a whole path.
     *
     * @throws IllegalArgumentException with a message for people
     */
    public static Glob ofPath(String glob) {
        return new Glob(glob, new Translation(glob, 0).regex());
    }

    /**
     * A pattern of a filter: one that begins with '/' matches from the start of the path, another matches from the start of any of its
     * names. One that ends with '/' matches all below.
     *
     * @throws IllegalArgumentException with a message for people
     */
    static Glob ofRule(String rule) {
        String glob = rule.endsWith("/") ? rule + "**" : rule;
        return glob.startsWith("/")
                ? new Glob(glob, new Translation(glob, 1).regex())
                : new Glob(glob, "(?:.*/)?" + new Translation(glob, 0).regex());
    }

    /** Returns whether a path holds a character that means more than itself. */
    public static boolean isPattern(String text) {
        return literalLength(text) < text.length();
    }

    /** Returns the text with which all matching paths begin. */
    public static String literalPrefix(String glob) {
        return unescaped(glob.substring(0, literalLength(glob)));
    }

    /** Returns the part of a pattern behind the last '/' of its plain beginning. */
    public static String belowPlainDirectory(String glob) {
        return glob.substring(glob.substring(0, literalLength(glob)).lastIndexOf('/') + 1);
    }

    /** Takes away the backslashes that stand before a character of patterns. */
    public static String unescaped(String text) {
        return text.replaceAll("\\\\([*?\\[{\\\\])", "$1");
    }

    private static int literalLength(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                i++;
            } else if ("*?[{".indexOf(c) >= 0) {
                return i;
            }
        }
        return text.length();
    }

    public boolean matches(String path) {
        return pattern.matcher(path).matches();
    }

    /** Returns whether it matches every path below this directory. */
    boolean matchesAllBelow(String directory) {
        return glob.equals("*") || (glob.endsWith("**") && !glob.endsWith("\\**") && matches(directory + "/"));
    }

    @Override
    public String toString() {
        return glob;
    }

    /** The translation of one pattern into a regular expression. */
    private static final class Translation {
        private final String glob;
        private final StringBuilder regex = new StringBuilder();
        private int at;
        private int braces;

        private Translation(String glob, int from) {
            this.glob = glob;
            this.at = from;
        }

        private String regex() {
            while (at < glob.length()) {
                char c = glob.charAt(at++);
                switch (c) {
                    case '\\' -> literal(next("ends with a backslash"));
                    case '*' -> stars();
                    case '?' -> regex.append("[^/]");
                    case '[' -> characterClass();
                    case ']' -> throw bad("has a ']' without its '['");
                    case '{' -> brace();
                    case '}' -> {
                        if (braces-- == 0) {
                            throw bad("has a '}' without its '{'");
                        }
                        regex.append(')');
                    }
                    case ',' -> regex.append(braces > 0 ? '|' : ',');
                    default -> literal(c);
                }
            }
            if (braces > 0) {
                throw bad("has a '{' without its '}'");
            }
            return regex.toString();
        }

        private void literal(char c) {
            if (REGEX_SPECIAL.indexOf(c) >= 0) {
                regex.append('\\');
            }
            regex.append(c);
        }

        private void stars() {
            int first = at - 1;
            while (at < glob.length() && glob.charAt(at) == '*') {
                at++;
            }
            regex.append(
                    switch (at - first) {
                        case 1 -> "[^/]*";
                        case 2 -> ".*";
                        default -> throw bad("has more than two '*' in a row");
                    });
        }

        private void brace() {
            if (!glob.startsWith("{", at)) {
                braces++;
                regex.append("(?:");
                return;
            }
            int end = glob.indexOf("}}", at);
            if (end < 0) {
                throw bad("has a '{{' without its '}}'");
            }
            while (glob.startsWith("}", end + 2)) {
                end++; // The last of several braces ends it, so that a regular expression may end with one.
            }
            regex.append("(?:").append(glob, at + 1, end).append(')');
            at = end + 2;
        }

        private void characterClass() {
            regex.append('[');
            if (glob.startsWith("^", at)) {
                regex.append('^');
                at++;
            }
            int first = at;
            for (char c = next(UNCLOSED); c != ']' || at == first; c = next(UNCLOSED)) {
                if (c == ']') {
                    throw bad("has an empty class '[]'");
                }
                if (c == '[' && glob.startsWith(":", at)) {
                    namedClass();
                } else if (c == '\\') {
                    classMember(next(UNCLOSED));
                } else if (c == '-') {
                    regex.append('-');
                } else {
                    classMember(c);
                }
            }
            regex.append(']');
        }

        private static final String UNCLOSED = "has a '[' without its ']'";

        private void classMember(char c) {
            if ("[]&^-\\".indexOf(c) >= 0) {
                regex.append('\\');
            }
            regex.append(c);
        }

        private void namedClass() {
            int end = glob.indexOf(":]", at);
            String name = end < 0 ? "" : glob.substring(at + 1, end);
            if (!CLASSES.contains(name)) {
                throw bad("has an unknown class of characters");
            }
            String java = name.equals("xdigit") ? "XDigit" : name.equals("ascii") ? "ASCII" : capitalized(name);
            regex.append("\\p{").append(java).append('}');
            at = end + 2;
        }

        private static String capitalized(String name) {
            return name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
        }

        private char next(String otherwise) {
            if (at == glob.length()) {
                throw bad(otherwise);
            }
            return glob.charAt(at++);
        }

        private IllegalArgumentException bad(String why) {
            return new IllegalArgumentException("the pattern " + glob + " " + why);
        }
    }
}
