package io.bulwark.client;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Options of a read. Immutable; begin with {@link #DEFAULT}.
 *
 * @param version 0 for the latest
 * @param range only the blocks that hold these bytes are fetched
 * @param progress receives the number of bytes that were returned
 * @param deadline for the whole operation, for a stream from its opening; zero for none
 * @param asStored the bytes as servers have them: those of an encrypted object need no key then, and are not decrypted
 * @param salvage true to read also what too few nodes hold, after a short wait for them. The bytes are right or the read fails. An
 *     object of a faulty writer may be incomplete for a later reader, though this one got it.
 */
public record GetOptions(
        long version, Range range, ProgressListener progress, Duration deadline, boolean asStored, boolean salvage) {
    public static final GetOptions DEFAULT =
            new GetOptions(0, Range.ALL, ProgressListener.NONE, Duration.ZERO, false, false);

    /**
     * Bytes of an object.
     *
     * @param offset of the first byte; nothing is read at or beyond the end
     * @param length maximum number of bytes
     */
    public record Range(long offset, long length) {
        public static final Range ALL = new Range(0, Long.MAX_VALUE);

        private static final Pattern SPELLING = Pattern.compile("([0-9]{1,18})-([0-9]{1,18})?");

        public Range {
            if (offset < 0 || length < 0) {
                throw new IllegalArgumentException("offset " + offset + ", length " + length);
            }
        }

        /**
         * Parses {@code FIRST-LAST} or {@code FIRST-}: numbers of bytes from 0, both ends included, as the command line takes them.
         *
         * @throws IllegalArgumentException with a message for people
         */
        public static Range parse(String text) {
            Matcher matcher = SPELLING.matcher(text);
            if (!matcher.matches()) {
                throw new IllegalArgumentException("a range is FIRST-LAST or FIRST-, in bytes from 0: " + text);
            }
            long first = Long.parseLong(matcher.group(1));
            if (matcher.group(2) == null) {
                return new Range(first, Long.MAX_VALUE);
            }
            long last = Long.parseLong(matcher.group(2));
            if (last < first) {
                throw new IllegalArgumentException("a range ends before it begins: " + text);
            }
            return new Range(first, last - first + 1);
        }
    }

    public GetOptions {
        if (version < 0 || deadline.isNegative()) {
            throw new IllegalArgumentException("version " + version + ", deadline " + deadline);
        }
    }

    public long offset() {
        return range.offset();
    }

    public long length() {
        return range.length();
    }

    public GetOptions withVersion(long number) {
        return new GetOptions(number, range, progress, deadline, asStored, salvage);
    }

    public GetOptions withRange(long offset, long length) {
        return withRange(new Range(offset, length));
    }

    public GetOptions withRange(Range bytes) {
        return new GetOptions(version, bytes, progress, deadline, asStored, salvage);
    }

    public GetOptions withProgress(ProgressListener listener) {
        return new GetOptions(version, range, listener, deadline, asStored, salvage);
    }

    public GetOptions withDeadline(Duration limit) {
        return new GetOptions(version, range, progress, limit, asStored, salvage);
    }

    public GetOptions withAsStored(boolean stored) {
        return new GetOptions(version, range, progress, deadline, stored, salvage);
    }

    public GetOptions withSalvage(boolean salvaging) {
        return new GetOptions(version, range, progress, deadline, asStored, salvaging);
    }
}
