package io.bulwark.gateway.s3.object;

import io.bulwark.gateway.s3.request.ErrorCode;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Part of an object.
 *
 * @param length at least 1
 */
public record ByteRange(long offset, long length) {
    private static final Pattern FORM = Pattern.compile("bytes=([0-9]*)-([0-9]*)");

    /** Most digits that a long always holds. */
    private static final int DIGITS_MAX = 18;

    /**
     * Reads a header. One that is not a single range is ignored, as HTTP allows.
     *
     * @param total length of the object
     */
    static Optional<ByteRange> of(String header, long total) {
        Matcher matcher = FORM.matcher(header.strip());
        if (!matcher.matches() || header.strip().equals("bytes=-")) {
            return Optional.empty();
        }
        String first = matcher.group(1);
        String last = matcher.group(2);
        if (first.isEmpty()) {
            long suffix = Math.min(position(last), total);
            return Optional.of(checked(total - suffix, total - 1, total));
        }
        long from = position(first);
        if (!last.isEmpty() && position(last) < from) {
            return Optional.empty();
        }
        return Optional.of(checked(from, last.isEmpty() ? total - 1 : Math.min(position(last), total - 1), total));
    }

    /** Reads the header of a copied part, which names both ends and lies in the source. */
    public static ByteRange ofCopy(String header, long total) {
        Matcher matcher = FORM.matcher(header.strip());
        if (!matcher.matches() || matcher.group(1).isEmpty() || matcher.group(2).isEmpty()) {
            throw ErrorCode.INVALID_ARGUMENT.because(
                    "The x-amz-copy-source-range value must be of the form bytes=first-last");
        }
        long first = position(matcher.group(1));
        long last = position(matcher.group(2));
        if (last < first || last >= total) {
            throw ErrorCode.INVALID_RANGE.because("Range specified is not valid for source object of size: " + total);
        }
        return new ByteRange(first, last - first + 1);
    }

    String contentRange(long total) {
        return "bytes " + offset + "-" + (offset + length - 1) + "/" + total;
    }

    /** Reads a position. One that no object reaches is the highest: clients send such ones for "to the end". */
    private static long position(String digits) {
        String number = digits.replaceFirst("^0+(?=.)", "");
        return number.length() > DIGITS_MAX ? Long.MAX_VALUE : Long.parseLong(number);
    }

    private static ByteRange checked(long first, long last, long total) {
        if (first >= total || last < first) {
            throw ErrorCode.INVALID_RANGE.because("The requested range is not satisfiable");
        }
        return new ByteRange(first, last - first + 1);
    }
}
