package io.bulwark.simulation.ordering;

import io.bulwark.protocol.effect.LongAgo;
import java.util.Arrays;

/**
 * Which session keys are in force: of each pair of replicas and direction a number, which the receiver has chosen and the
 * sender knows at once. A receiver changes each at the latest after T_k of its own time, and rejects what comes under others.
 */
final class SimulatedKeys {
    private static final long NEW = LongAgo.MILLIS;

    /** Who is told of a new key. */
    interface Receiver {
        void onKeyChange(int from);
    }

    private final long keyMillis;
    private final long[][] keys;
    private final long[][] sinceMillis;

    SimulatedKeys(int replicas, long keyMillis) {
        this.keyMillis = keyMillis;
        keys = new long[replicas][replicas];
        sinceMillis = new long[replicas][replicas];
        for (long[] each : sinceMillis) {
            Arrays.fill(each, NEW);
        }
    }

    /** In force from one replica to another. */
    long of(int from, int to) {
        return keys[from][to];
    }

    /** The receiver wants another key from this sender. */
    void change(int from, int to) {
        keys[from][to]++;
        sinceMillis[from][to] = NEW;
    }

    /** Changes what is too old by the receiver's time, before it hears anything. */
    void refresh(long nowMillis, int to, Receiver receiver) {
        for (int from = 0; from < keys.length; from++) {
            if (from == to) {
                continue;
            }
            if (sinceMillis[from][to] == NEW) {
                sinceMillis[from][to] = nowMillis;
            } else if (nowMillis - sinceMillis[from][to] >= keyMillis) {
                change(from, to);
                receiver.onKeyChange(from);
            }
        }
    }
}
