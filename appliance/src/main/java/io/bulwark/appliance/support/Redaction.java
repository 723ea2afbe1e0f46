package io.bulwark.appliance.support;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Replaces secrets in text. Files of keys are never read for an archive; this is for what may stand in logs, settings
 * and flags: private keys in PEM, links and invitations with tokens, passwords, and credentials in URLs.
 */
final class Redaction {
    static final String REPLACED = "[removed]";

    private static final String BEGIN = "-----BEGIN ";
    private static final String END = "-----END ";
    private static final String KIND = "PRIVATE KEY-----";

    private static final List<Pattern> SECRETS = List.of(
            Pattern.compile("bulwark-join-[0-9]+\\.[A-Za-z0-9_.=-]+"),
            Pattern.compile("(?<=://)[^/@\\s\"']+(?=@)"),
            Pattern.compile("(?i)(?<=authorization: )\\S+ \\S+"),
            // The first look behind is cheap, and leaves few places for the second.
            Pattern.compile(
                    "(?i)(?<=[=:\\s\"'])(?<=(?:token|password|passwd|passphrase|secret|\\bpin|\\bown|\\bcookie)[\"']?"
                            + "\\s{0,4}[=:]\\s{0,4}[\"']?)[^\\s\"'&;,]+"));

    private Redaction() {}

    static String of(String text) {
        String clean = withoutKeys(text);
        for (Pattern secret : SECRETS) {
            clean = secret.matcher(clean).replaceAll(Matcher.quoteReplacement(REPLACED));
        }
        return clean;
    }

    /** Removes private keys in PEM, also one whose begin or end was cut off. */
    private static String withoutKeys(String text) {
        StringBuilder clean = new StringBuilder();
        int at = 0;
        int firstEnd = text.indexOf(END);
        int firstBegin = text.indexOf(BEGIN);
        if (firstEnd >= 0 && (firstBegin < 0 || firstEnd < firstBegin)) {
            clean.append(REPLACED);
            at = firstEnd + END.length();
        }
        while (true) {
            int begin = text.indexOf(BEGIN, at);
            if (begin < 0) {
                return clean.append(text, at, text.length()).toString();
            }
            int line = text.indexOf('\n', begin);
            boolean secret =
                    text.substring(begin, line < 0 ? text.length() : line).contains(KIND);
            int end = text.indexOf(END, begin);
            int next = end < 0 ? text.length() : end + END.length();
            clean.append(text, at, begin).append(secret ? REPLACED : text.substring(begin, next));
            at = next;
        }
    }
}
