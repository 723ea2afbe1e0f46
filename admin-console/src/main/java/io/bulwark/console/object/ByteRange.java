package io.bulwark.console.object;

import org.jspecify.annotations.Nullable;

/**
 * The bytes of an object that a request wants (RFC 9110, section 14). Headers that are malformed or name several ranges
 * are ignored, as the RFC allows: the answer is the whole object.
 *
 * @param partial whether the answer is a part, with status 206
 */
record ByteRange(long first, long length, boolean partial) {
    /** Returns the wanted range, or null if it lies outside the object: the answer is 416 then. */
    static @Nullable ByteRange of(@Nullable String header, long total) {
        ByteRange whole = new ByteRange(0, total, false);
        if (header == null || !header.startsWith("bytes=") || header.indexOf(',') >= 0) {
            return whole;
        }
        String range = header.substring("bytes=".length()).trim();
        int dash = range.indexOf('-');
        if (dash < 0) {
            return whole;
        }
        String from = range.substring(0, dash);
        String to = range.substring(dash + 1);
        if ((from.isEmpty() && to.isEmpty()) || !isNumber(from) || !isNumber(to)) {
            return whole;
        }
        if (from.isEmpty()) {
            long last = Math.min(number(to), total);
            return last == 0 ? null : new ByteRange(total - last, last, true);
        }
        long first = number(from);
        long end = to.isEmpty() ? Long.MAX_VALUE : number(to);
        if (end < first) {
            return whole;
        }
        return first >= total ? null : new ByteRange(first, Math.min(end, total - 1) - first + 1, true);
    }

    /** Returns the value of {@code Content-Range}. */
    String header(long total) {
        return "bytes " + first + "-" + (first + length - 1) + "/" + total;
    }

    private static boolean isNumber(String digits) {
        return digits.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static long number(String digits) {
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException e) {
            return Long.MAX_VALUE; // More digits than any object has bytes.
        }
    }
}
