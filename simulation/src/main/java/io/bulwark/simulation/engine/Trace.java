package io.bulwark.simulation.engine;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Predicate;
import java.util.zip.CRC32C;

/**
 * Events of a simulation: a running hash of all of them, by which two runs are compared, and the last events in
 * readable form. The hash is fast, not cryptographic, as nobody here tries to cause collisions.
 */
public final class Trace {
    private static final int KEPT = 1 << 14;

    /**
     * One event of the trace.
     *
     * @param what a verb
     * @param by the party that acted
     * @param detail a message, an effect, an outcome; read only when the trace is displayed
     */
    public record Entry(long millis, String what, PrincipalId by, Object detail) {
        @Override
        public String toString() {
            return "%9d ms  %-10s %-9s %s".formatted(millis, by, what, detail);
        }
    }

    /** A message on its way; {@code requestId} ties an answer to its operation. */
    public record SentMessage(PrincipalId to, long requestId, Object message) {
        @Override
        public String toString() {
            return "to " + to + " #" + requestId + " " + message;
        }
    }

    private final Deque<Entry> last = new ArrayDeque<>();
    private final CRC32C crc = new CRC32C();
    private long hash;
    private long events;

    /** An event is about to happen. */
    void recordEvent(long millis, long number) {
        events++;
        mix(millis);
        mix(number);
    }

    /** @param content what distinguishes this from what another run may have had here */
    void add(long millis, String what, PrincipalId by, Object detail, long content) {
        mix(content);
        mix(((long) by.kind().ordinal() << 32 | by.number()) + what.length());
        if (last.size() == KEPT) {
            last.removeFirst();
        }
        last.addLast(new Entry(millis, what, by, detail));
    }

    /** A checksum of bytes, for {@code content} above. */
    long checksum(Bytes bytes) {
        crc.reset();
        crc.update(bytes.array(), bytes.offset(), bytes.length());
        return crc.getValue() << 32 | bytes.length();
    }

    private void mix(long value) {
        long z = (hash ^ value) * 0x9E3779B97F4A7C15L;
        z = (z ^ z >>> 32) * 0xBF58476D1CE4E5B9L;
        hash = z ^ z >>> 29;
    }

    /** Returns the digest of everything so far; more may be added. */
    public String digest() {
        return HexFormat.of().toHexDigits(hash);
    }

    /** Returns the number of events. */
    public long events() {
        return events;
    }

    /** The latest of the entries kept that match, in the order in which they happened. */
    public List<Entry> last(int max, Predicate<Entry> matches) {
        List<Entry> found = new ArrayList<>(last.stream().filter(matches).toList());
        return found.subList(Math.max(0, found.size() - max), found.size());
    }
}
