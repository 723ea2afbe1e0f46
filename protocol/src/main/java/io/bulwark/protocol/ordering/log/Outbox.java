package io.bulwark.protocol.ordering.log;

import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Collects effects, and holds each message until the log is durable up to what the message promises. */
public final class Outbox {
    private final ReplicaConfig config;
    private final SortedMap<Long, List<ReplicaEffect.Send>> held = new TreeMap<>();
    private List<ReplicaEffect> effects = new ArrayList<>();
    private long appended;
    private long durable;
    private Predicate<ReplicaMessage> gate = ignored -> true;

    public Outbox(ReplicaConfig config) {
        this.config = config;
    }

    /**
     * Sets the filter for outgoing messages. A message that it rejects on departure is not sent; STATUS brings it again
     * later.
     */
    public void setGate(Predicate<ReplicaMessage> newGate) {
        gate = newGate;
    }

    public void add(ReplicaEffect effect) {
        effects.add(effect);
    }

    private void release(ReplicaEffect.Send send) {
        if (gate.test(send.message())) {
            effects.add(send);
        }
    }

    /** Returns the index to wait for. */
    public long append(LogRecord record) {
        effects.add(new ReplicaEffect.Append(++appended, record));
        return appended;
    }

    public long roll(List<LogRecord> summary) {
        effects.add(new ReplicaEffect.Roll(++appended, summary));
        return appended;
    }

    public boolean isDurable(long index) {
        return index <= durable;
    }

    public void send(int to, ReplicaMessage message) {
        sendAfter(durable, to, message);
    }

    void sendAfter(long index, int to, ReplicaMessage message) {
        if (to == config.self()) {
            throw new IllegalArgumentException("a message to itself");
        }
        ReplicaEffect.Send send = new ReplicaEffect.Send(to, message);
        if (isDurable(index)) {
            release(send);
        } else {
            held.computeIfAbsent(index, ignored -> new ArrayList<>()).add(send);
        }
    }

    public void multicast(ReplicaMessage message) {
        multicastAfter(durable, message);
    }

    public void multicastAfter(long index, ReplicaMessage message) {
        for (int to = 0; to < config.replicas(); to++) {
            if (to != config.self()) {
                sendAfter(index, to, message);
            }
        }
    }

    public void onDurable(long upTo) {
        if (upTo > appended) {
            throw new IllegalArgumentException(upTo + " was never appended");
        }
        if (upTo > durable) {
            durable = upTo;
            SortedMap<Long, List<ReplicaEffect.Send>> free = held.headMap(upTo + 1);
            free.values().forEach(sends -> sends.forEach(this::release));
            free.clear();
        }
    }

    public List<ReplicaEffect> drain() {
        List<ReplicaEffect> drained = effects;
        effects = new ArrayList<>();
        return drained;
    }
}
