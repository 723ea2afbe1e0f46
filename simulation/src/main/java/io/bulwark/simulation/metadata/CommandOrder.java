package io.bulwark.simulation.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.MetadataStateMachine;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The order that correct replicas agree on, in memory: what some replica was asked to order gets the next place, once for each
 * call; a call that is sent again may be ordered again, as by any engine. Agreed time runs as fast as the world wants.
 */
public final class CommandOrder {
    private static final int CHECKPOINT_EVERY = 16;
    private static final long BEGIN_MILLIS = 1_750_000_000_000L;

    private final LongSupplier nowMillis;
    private final List<Entry> entries = new ArrayList<>();
    private final Map<Call, Integer> places = new HashMap<>();
    private long agreedMillis = BEGIN_MILLIS;
    private long seenMillis;
    private int speed = 1;

    /**
     * One place of the order.
     *
     * @param first the place at which the same call stands for the first time
     */
    record Entry(PrincipalId submitter, Bytes body, boolean query, long agreedMillis, int first) {}

    private record Call(PrincipalId from, long call) {}

    /** @param nowMillis virtual time */
    public CommandOrder(LongSupplier nowMillis) {
        this.nowMillis = nowMillis;
    }

    /** Sets how many milliseconds of agreed time pass in one millisecond. */
    public void setSpeed(int factor) {
        advance();
        speed = factor;
    }

    /** Returns the number of entries ordered so far. */
    public int size() {
        return entries.size();
    }

    Entry at(int place) {
        return entries.get(place);
    }

    /**
     * The first place of a call.
     *
     * @param again whether a call that has a place already gets another one
     */
    int order(PrincipalId from, long call, Bytes body, boolean query, boolean again) {
        Integer known = places.get(new Call(from, call));
        if (known == null || again) {
            advance();
            int place = entries.size();
            entries.add(new Entry(from, body, query, agreedMillis, known == null ? place : known));
            places.putIfAbsent(new Call(from, call), place);
        }
        return known == null ? entries.size() - 1 : known;
    }

    /** Begins with the next replicas, if there are some, at a place where every replica does so: at a checkpoint. */
    static void reconfigure(MetadataStateMachine machine, int place) {
        if (place % CHECKPOINT_EVERY == 0) {
            machine.nextReplicas()
                    .map(members -> new Configuration(machine.configuration().number() + 1, members))
                    .ifPresent(machine::onReconfigured);
        }
    }

    private void advance() {
        long now = nowMillis.getAsLong();
        agreedMillis += (now - seenMillis) * speed;
        seenMillis = now;
    }
}
