package io.bulwark.protocol.locking;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Comparator;

/**
 * Name of one log. Each LOCK begins a log of its own, so that no name returns.
 *
 * @param holder the principal that appends
 * @param session of the holder, opened for locking
 * @param lock number of the LOCK in the order of all commands
 */
public record LogId(PrincipalId holder, long session, long lock) implements Comparable<LogId> {
    private static final Comparator<LogId> ORDER = Comparator.comparing(LogId::holder)
            .thenComparingLong(LogId::session)
            .thenComparingLong(LogId::lock);

    public LogId {
        if (session < 1 || lock < 1) {
            throw new IllegalArgumentException("log " + session + ", " + lock);
        }
    }

    public void write(WireWriter out) {
        holder.write(out);
        out.i64(session).i64(lock);
    }

    public static LogId read(WireReader in) {
        return new LogId(PrincipalId.read(in), in.nonNegative64(), in.nonNegative64());
    }

    @Override
    public int compareTo(LogId other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return holder + "." + session + "@" + lock;
    }
}
