package io.bulwark.storage.store;

import io.bulwark.protocol.control.NodeControlMessage.StoreStart;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The starts of a node with this store, which the store counts, and the last start of each peer that it has heard of: a store that was
 * set back in time, or is new, does not know of starts that peers remember. Thread-safe.
 */
public final class NodeStarts {
    private static final String OWN = "life";
    private static final String OWN_NONCE = "life-nonce";
    private static final String CONFIRMED = "life-confirmed";

    /** A peer has its life written down once in so long: each time is a sync. */
    static final long WRITES_MILLIS = 1_000;

    private final RecordIndex index;
    private final Map<Integer, StoreStart> peers = new HashMap<>();
    private final Map<Integer, Long> writtenMillis = new HashMap<>();
    private StoreStart own;

    /**
     * Begins a life, durably. A life that was never confirmed continues. Otherwise a store that was set back could
     * pass, after enough starts, the start that its peers remember.
     */
    NodeStarts(RecordIndex index) throws StoreException {
        this.index = index;
        long last = index.number(OWN);
        this.own = last > index.number(CONFIRMED) ? new StoreStart(last, index.number(OWN_NONCE)) : begin(last + 1);
    }

    public synchronized StoreStart own() {
        return own;
    }

    /**
     * Confirms that no later life of this node is known, so that the next start begins another one.
     *
     * @throws StoreException if it cannot be written
     */
    public synchronized void confirm() throws StoreException {
        index.putNumber(CONFIRMED, own.number());
    }

    /**
     * Begins a life after the missed ones, whose losses were made up, as if the store had known of that life.
     *
     * @throws StoreException if it cannot be written
     */
    public synchronized void beginAfter(long life) throws StoreException {
        own = begin(Math.max(life, own.number()) + 1);
    }

    /**
     * A peer says that this is its life.
     *
     * @return the number of one that its store does not know of; 0 if none was ever heard of here; empty if this one is not remembered, as
     *     the peer named another one a moment ago
     * @throws StoreException if it cannot be written
     */
    public synchronized OptionalLong hear(long nowMillis, int peer, StoreStart life) throws StoreException {
        StoreStart known = peers.get(peer);
        if (known == null) {
            known = new StoreStart(index.number(nameOf(peer)), index.number(nonceOf(peer)));
        }
        if (life.isBehind(known)) {
            peers.put(peer, known);
            return OptionalLong.of(known.number());
        }
        if (!life.equals(known)) {
            Long last = writtenMillis.get(peer);
            if (last != null && nowMillis - last < WRITES_MILLIS) {
                return OptionalLong.empty();
            }
            writtenMillis.put(peer, nowMillis);
            index.putNumber(nonceOf(peer), life.nonce());
            index.putNumber(nameOf(peer), life.number());
        }
        peers.put(peer, life);
        return OptionalLong.of(0);
    }

    private StoreStart begin(long number) throws StoreException {
        StoreStart life = new StoreStart(number, new SecureRandom().nextLong());
        index.putNumber(OWN_NONCE, life.nonce());
        index.putNumber(OWN, number);
        return life;
    }

    private static String nameOf(int peer) {
        return "life-of-" + peer;
    }

    private static String nonceOf(int peer) {
        return "nonce-of-" + peer;
    }
}
