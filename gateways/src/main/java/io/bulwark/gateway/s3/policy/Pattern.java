package io.bulwark.gateway.s3.policy;

/** Text with {@code *} for any characters and {@code ?} for one. */
final class Pattern {
    private Pattern() {}

    /** Takes time in proportion to the product of the lengths at most, whatever the pattern is. */
    static boolean matches(String pattern, String text) {
        int at = 0;
        int in = 0;
        int star = -1;
        int resume = 0;
        while (in < text.length()) {
            char wanted = at < pattern.length() ? pattern.charAt(at) : 0;
            if (at < pattern.length() && wanted == '*') {
                star = at++;
                resume = in;
            } else if (at < pattern.length() && (wanted == '?' || wanted == text.charAt(in))) {
                at++;
                in++;
            } else if (star >= 0) {
                at = star + 1;
                in = ++resume;
            } else {
                return false;
            }
        }
        while (at < pattern.length() && pattern.charAt(at) == '*') {
            at++;
        }
        return at == pattern.length();
    }
}
