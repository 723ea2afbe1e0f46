package io.bulwark.protocol.mutation;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The tokens of a Java source text, without white space and comments. Operators count as one token per character. */
final class JavaTokens {
    private static final Pattern TOKEN = Pattern.compile("""
        (?<skipped>\\s+|//[^\\n]*|/\\*.*?\\*/)\
        |\"""(?:\\\\.|.)*?\"""\
        |"(?:\\\\.|[^"\\\\])*+"\
        |'(?:\\\\.|[^'\\\\])*+'\
        |[\\w$]+\
        |.\
        """, Pattern.DOTALL);

    private record Token(String text, int start, int end) {}

    private final String source;
    private final List<Token> tokens = new ArrayList<>();

    JavaTokens(String source) {
        this.source = source;
        Matcher matcher = TOKEN.matcher(source);
        while (matcher.find()) {
            if (matcher.group("skipped") == null) {
                tokens.add(new Token(matcher.group(), matcher.start(), matcher.end()));
            }
        }
    }

    /**
     * The source with other code in one place.
     *
     * @throws AssertionError unless the replaced code stands in the source exactly once
     */
    String replaceOnce(String replaced, String replacement) {
        List<String> wanted = new JavaTokens(replaced).texts();
        List<Integer> places = placesOf(wanted);
        if (wanted.isEmpty() || places.size() != 1) {
            throw new AssertionError(
                    "this code stands in the source " + places.size() + " times instead of once: " + replaced);
        }
        Token first = tokens.get(places.getFirst());
        Token last = tokens.get(places.getFirst() + wanted.size() - 1);
        return source.substring(0, first.start()) + replacement + source.substring(last.end());
    }

    /** Returns whether both have the same tokens. */
    boolean isSameCodeAs(JavaTokens other) {
        return texts().equals(other.texts());
    }

    private List<String> texts() {
        return tokens.stream().map(Token::text).toList();
    }

    private List<Integer> placesOf(List<String> wanted) {
        List<Integer> places = new ArrayList<>();
        for (int place = 0; place + wanted.size() <= tokens.size(); place++) {
            boolean same = true;
            for (int i = 0; same && i < wanted.size(); i++) {
                same = tokens.get(place + i).text().equals(wanted.get(i));
            }
            if (same) {
                places.add(place);
            }
        }
        return places;
    }
}
