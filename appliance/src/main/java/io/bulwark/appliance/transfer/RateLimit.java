package io.bulwark.appliance.transfer;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A bound on the bytes per second of all transfers together. A thread waits until its bytes fit. Thread-safe. */
public final class RateLimit {
    /** No bound. */
    public static final RateLimit NONE = new RateLimit(0);

    private static final Pattern SIZE =
            Pattern.compile("([0-9]{1,15}(?:\\.[0-9]{0,9})?|\\.[0-9]{1,9})(?:b|([kmgtp])(?:i|ib)?)?");

    /** Unused time counts up to so much, for an even flow after a pause. */
    private static final long BURST_NANOS = 100_000_000;

    private final long bytesPerSecond;
    private long freeFromNanos;

    private RateLimit(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
        this.freeFromNanos = System.nanoTime();
    }

    /**
     * The bounds of both directions.
     *
     * @param up for bytes to the cluster
     * @param down for bytes from the cluster
     */
    public record Both(RateLimit up, RateLimit down) {
        public static final Both NONE = new Both(RateLimit.NONE, RateLimit.NONE);
    }

    /**
     * Parses a rate as rclone spells it: {@code 10M}, {@code 1.5Gi}, {@code 512} for KiB/s, {@code off}, or two of them for up and down,
     * {@code 10M:off}.
     *
     * @throws IllegalArgumentException with a message for people
     */
    public static Both parse(String text) {
        if (text.contains(",") || text.contains(" ")) {
            throw new IllegalArgumentException(
                    "a bandwidth is a rate like 10M, or UP:DOWN; a timetable is not supported");
        }
        int colon = text.indexOf(':');
        if (colon < 0) {
            RateLimit both = of(text);
            return new Both(both, both);
        }
        return new Both(of(text.substring(0, colon)), of(text.substring(colon + 1)));
    }

    static RateLimit of(long bytesPerSecond) {
        return bytesPerSecond == 0 ? NONE : new RateLimit(bytesPerSecond);
    }

    private static RateLimit of(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        if (lower.equals("off")) {
            return NONE;
        }
        Matcher size = SIZE.matcher(lower);
        if (!size.matches()) {
            throw new IllegalArgumentException(
                    "a bandwidth is a number with b, k, M, G, T or P per second, or off, not: " + text);
        }
        int power = size.group(2) != null ? "kmgtp".indexOf(size.group(2)) + 1 : lower.endsWith("b") ? 0 : 1;
        return of((long) Math.min(Long.MAX_VALUE, Double.parseDouble(size.group(1)) * Math.pow(1024, power)));
    }

    public long bytesPerSecond() {
        return bytesPerSecond;
    }

    /** Waits until so many more bytes fit. */
    public void take(long bytes) throws InterruptedIOException {
        if (bytesPerSecond == 0 || bytes <= 0) {
            return;
        }
        long waitNanos = reserve(bytes, System.nanoTime());
        if (waitNanos <= 0) {
            return;
        }
        try {
            Thread.sleep(waitNanos / 1_000_000, (int) (waitNanos % 1_000_000));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted during a transfer");
        }
    }

    /** Returns how long to wait from now until so many more bytes fit. */
    synchronized long reserve(long bytes, long nowNanos) {
        long from = Math.max(freeFromNanos - nowNanos, -BURST_NANOS);
        long waitNanos = from + (long) (bytes * 1e9 / bytesPerSecond);
        freeFromNanos = nowNanos + waitNanos;
        return waitNanos;
    }

    /** A stream that writes no faster. */
    public OutputStream limiting(OutputStream target) {
        return limiting(target, TransferListener.NONE);
    }

    /** A stream that writes no faster, and counts what it has written. */
    public OutputStream limiting(OutputStream target, TransferListener listener) {
        return new FilterOutputStream(target) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                take(length);
                out.write(bytes, offset, length);
                listener.onBytes(length);
            }
        };
    }
}
