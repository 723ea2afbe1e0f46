package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import java.util.List;

/**
 * Information about sessions that a node needs. Only an opening can be followed by another change; the rest never
 * reverts. A node that keeps the last sequence number it has seen learns everything, in few records: later changes
 * replace earlier ones.
 */
public sealed interface SessionChange {
    /** A session holds at most so many intervals of used ranges. */
    int INTERVALS_MAX = 1024;

    /** Grows with each change of the state machine's sessions. */
    long sequence();

    PrincipalId owner();

    /** The session was opened for the volume. */
    record Opened(long sequence, PrincipalId owner, long session, int volume) implements SessionChange {}

    /**
     * The session is closed: of all its blocks only those in {@code used} may be referenced, and of these none that a
     * {@link Freed} names.
     *
     * @param used at most {@link #INTERVALS_MAX} ranges, in order
     */
    record Closed(long sequence, PrincipalId owner, long session, int volume, List<BlockRange> used)
            implements SessionChange {
        public Closed {
            used = List.copyOf(used);
        }
    }

    /** These blocks are freed or abandoned for good. */
    record Freed(long sequence, BlockRange range) implements SessionChange {
        @Override
        public PrincipalId owner() {
            return range.owner();
        }
    }

    /** All these sessions, of whatever volume, are closed, and none of their blocks is referenced any more. */
    record Collapsed(long sequence, PrincipalId owner, long firstSession, long lastSession) implements SessionChange {
        public Collapsed {
            if (firstSession < 1 || lastSession < firstSession) {
                throw new IllegalArgumentException("sessions " + firstSession + " to " + lastSession);
            }
        }
    }
}
