package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the memory of incomplete frames over all connections. Beyond the bound, the frame is dropped that has been
 * unfinished longest, of the principal that has the most. A principal that trickles many large frames at once loses its
 * own. Thread-safe.
 */
final class UnfinishedFrames {
    /**
     * Marks a channel that is about to be closed. Its further bytes count no more; otherwise the next one would be
     * closed because of them.
     */
    private static final AttributeKey<Boolean> GOES = AttributeKey.valueOf("bulwark.unfinished.goes");

    private final long bytesMax;
    private final Map<Channel, Frame> frames = new LinkedHashMap<>();
    private long bytes;

    private record Frame(PrincipalId owner, long bytes) {}

    UnfinishedFrames(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** The frame that is arriving there takes so much by now. */
    void hold(Channel channel, PrincipalId owner, long frameBytes) {
        Channel excess;
        do {
            synchronized (this) {
                if (!channel.isActive() || channel.hasAttr(GOES)) {
                    return;
                }
                Frame before = frames.put(channel, new Frame(owner, frameBytes));
                bytes += frameBytes - (before == null ? 0 : before.bytes());
                excess = bytes > bytesMax ? takeLongestOfTheGreatest() : null;
            }
            if (excess != null) {
                close(excess);
            }
        } while (excess != null && !excess.equals(channel));
    }

    /** It has arrived, or never will. */
    synchronized void release(Channel channel) {
        Frame frame = frames.remove(channel);
        bytes -= frame == null ? 0 : frame.bytes();
    }

    synchronized long bytes() {
        return bytes;
    }

    private @Nullable Channel takeLongestOfTheGreatest() {
        Map<PrincipalId, Long> sums = new HashMap<>();
        frames.values().forEach(frame -> sums.merge(frame.owner(), frame.bytes(), Long::sum));
        long most = sums.values().stream().mapToLong(Long::longValue).max().orElse(0);
        Iterator<Map.Entry<Channel, Frame>> all = frames.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<Channel, Frame> next = all.next();
            if (sums.getOrDefault(next.getValue().owner(), 0L) == most) {
                all.remove();
                bytes -= next.getValue().bytes();
                next.getKey().attr(GOES).set(true);
                return next.getKey();
            }
        }
        return null;
    }

    private static void close(Channel channel) {
        channel.eventLoop()
                .execute(() -> channel.pipeline()
                        .fireExceptionCaught(new ConnectionFault(
                                Fault.TOO_MANY_UNFINISHED, "too many unfinished frames, this one is the oldest")));
    }
}
