package io.bulwark.transport;

import io.netty.channel.Channel;
import io.netty.util.Attribute;
import io.netty.util.AttributeKey;
import java.util.concurrent.TimeUnit;

/**
 * For how long a connection that is in the handshake has been waited for, in sum: it stands still while something is computed
 * here for it, or waits for that. Thread-safe.
 */
final class HandshakeClock {
    private static final AttributeKey<HandshakeClock> KEY = AttributeKey.valueOf("bulwark.handshake.clock");

    private long waitedNanos;
    private long sinceNanos = System.nanoTime();
    private int computing;

    /** The one of this connection, which begins to run when it is first asked for. */
    static HandshakeClock of(Channel channel) {
        Attribute<HandshakeClock> attribute = channel.attr(KEY);
        HandshakeClock before = attribute.get();
        if (before != null) {
            return before;
        }
        HandshakeClock clock = new HandshakeClock();
        attribute.set(clock);
        return clock;
    }

    synchronized void stop() {
        if (computing++ == 0) {
            waitedNanos += System.nanoTime() - sinceNanos;
        }
    }

    synchronized void proceed() {
        if (--computing == 0) {
            sinceNanos = System.nanoTime();
        }
    }

    synchronized long waitedNanos() {
        return waitedNanos + (computing > 0 ? 0 : System.nanoTime() - sinceNanos);
    }

    long waitedMillis() {
        return TimeUnit.NANOSECONDS.toMillis(waitedNanos());
    }
}
