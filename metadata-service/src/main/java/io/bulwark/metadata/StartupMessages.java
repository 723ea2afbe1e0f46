package io.bulwark.metadata;

import io.bulwark.metadata.ordering.OrderingEngine;
import io.bulwark.protocol.ordering.PeerMessage;
import java.util.ArrayList;
import java.util.List;

/**
 * Messages of peers' engines that arrived before this replica's engine was started. Bounded: further messages are
 * dropped.
 */
final class StartupMessages {
    private static final int BYTES_MAX = 32 << 20;

    private record EarlyMessage(int from, PeerMessage.Engine sent) {}

    private final List<EarlyMessage> messages = new ArrayList<>();
    private long bytes;

    void add(int from, PeerMessage.Engine sent) {
        if (bytes < BYTES_MAX) {
            messages.add(new EarlyMessage(from, sent));
            bytes += sent.message().length();
        }
    }

    /** Hands those of this incarnation to its engine, in the order in which they came, and forgets all. */
    void deliver(long incarnation, OrderingEngine engine) {
        for (EarlyMessage early : messages) {
            if (early.sent().incarnation() == incarnation) {
                engine.onMessage(early.from(), early.sent().message());
            }
        }
        clear();
    }

    void clear() {
        messages.clear();
        bytes = 0;
    }
}
