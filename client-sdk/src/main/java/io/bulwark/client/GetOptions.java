package io.bulwark.client;

import java.time.Duration;

/**
 * Options of a read. Immutable; begin with {@link #DEFAULT}.
 *
 * @param version 0 for the latest
 * @param offset of the first byte; nothing is read at or beyond the end
 * @param length maximum number of bytes; only the blocks that hold them are fetched
 * @param progress receives the number of bytes that were returned
 * @param deadline for the whole operation, for a stream from its opening; zero for none
 * @param asStored the bytes as servers have them: those of an encrypted object need no key then, and are not decrypted
 */
public record GetOptions(
        long version, long offset, long length, ProgressListener progress, Duration deadline, boolean asStored) {
    public static final GetOptions DEFAULT =
            new GetOptions(0, 0, Long.MAX_VALUE, ProgressListener.NONE, Duration.ZERO, false);

    public GetOptions {
        if (version < 0 || offset < 0 || length < 0 || deadline.isNegative()) {
            throw new IllegalArgumentException(
                    "version " + version + ", offset " + offset + ", length " + length + ", deadline " + deadline);
        }
    }

    public GetOptions withVersion(long number) {
        return new GetOptions(number, offset, length, progress, deadline, asStored);
    }

    public GetOptions withRange(long firstByte, long bytes) {
        return new GetOptions(version, firstByte, bytes, progress, deadline, asStored);
    }

    public GetOptions withProgress(ProgressListener listener) {
        return new GetOptions(version, offset, length, listener, deadline, asStored);
    }

    public GetOptions withDeadline(Duration limit) {
        return new GetOptions(version, offset, length, progress, limit, asStored);
    }

    public GetOptions withAsStored(boolean stored) {
        return new GetOptions(version, offset, length, progress, deadline, stored);
    }
}
