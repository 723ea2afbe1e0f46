package io.bulwark.simulation.ordering;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.key.KeyMessage;
import io.bulwark.protocol.ordering.key.KeyMessage.Authentic;
import io.bulwark.protocol.ordering.key.KeyMessage.GiveNonce;
import io.bulwark.protocol.ordering.key.KeyMessage.NewKey;
import io.bulwark.protocol.ordering.key.SessionKeys;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.campaign.Invariant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The session keys of one life of a replica, and what must hold of them if it is right. Times are true ones, but for those of the keys. */
final class IncarnationKeys {
    /** Clocks run a fifth too slow at most; so does what they show for a moment. */
    private static final long ROUNDING_MILLIS = 2;

    private final Configuration configuration;
    private final int self;
    private final SessionKeys keys;
    private final long keyMillis;
    private final long sinceMillis;
    private final long[] droppedMillis;
    private final @Nullable Authentic[] lastBelieved;
    /** By place: what it was given and has not used. */
    private final Map<Integer, Set<Bytes>> nonces = new TreeMap<>();

    /** @param self its place */
    IncarnationKeys(Configuration configuration, int self, SessionKeys keys, long keyMillis, long sinceMillis) {
        this.configuration = configuration;
        this.self = self;
        this.keys = keys;
        this.keyMillis = keyMillis;
        this.sinceMillis = sinceMillis;
        droppedMillis = new long[configuration.members().size()];
        Arrays.fill(droppedMillis, sinceMillis);
        lastBelieved = new Authentic[droppedMillis.length];
    }

    Configuration configuration() {
        return configuration;
    }

    int self() {
        return self;
    }

    SessionKeys keys() {
        return keys;
    }

    /** -1 if this one is in no place of the configuration. */
    int placeOf(int name) {
        return configuration.placeOf(PrincipalId.replica(name));
    }

    int nameOf(int place) {
        return configuration.members().get(place).replica().number();
    }

    /** This one says so. */
    void tells(int place, KeyMessage message) {
        if (message instanceof GiveNonce given) {
            nonces.computeIfAbsent(place, _ -> new HashSet<>()).add(given.nonce());
        }
    }

    /**
     * Handles a NEW-KEY, perhaps a repeated one. It counts if its sender has signed it, over an unused nonce of this
     * life.
     */
    void take(long nowMillis, int place, NewKey key, BooleanSupplier isItsSenders) {
        Optional<Authentic> before = keys.authenticate(place, 0, Bytes.EMPTY);
        keys.onMessage(nowMillis, place, key);
        if (keys.authenticate(place, 0, Bytes.EMPTY).equals(before)) {
            return;
        }
        if (!nonces.getOrDefault(place, new HashSet<>()).remove(key.nonce())) {
            throw violation(place, "a NEW-KEY is taken over a nonce that was used, or is of another life");
        }
        if (!isItsSenders.getAsBoolean()) {
            throw violation(place, "a NEW-KEY is taken that its sender has not signed");
        }
    }

    /** Records that a message of a time is believed. */
    void believed(long trueMillis, int place, long saidMillis, Authentic message) {
        if (saidMillis < sinceMillis) {
            throw violation(place, "it said in an earlier life of the receiver what is believed");
        }
        if (saidMillis < droppedMillis[place]) {
            throw violation(place, "it said before its recovery what is believed");
        }
        if (trueMillis - saidMillis > keyMillis * 5 / 4 + ROUNDING_MILLIS) {
            throw violation(place, "it said what is believed " + (trueMillis - saidMillis) + " ms ago");
        }
        lastBelieved[place] = message;
    }

    /** Records the recovery of the other replica: nothing that it said before is valid any more. */
    void dropped(long nowMillis, long trueMillis, int place) {
        droppedMillis[place] = trueMillis;
        Authentic last = lastBelieved[place];
        if (last != null && keys.verify(nowMillis, place, last)) {
            throw violation(place, "what it said before its recovery is still believed");
        }
    }

    private RuntimeException violation(int place, String what) {
        return Invariant.OLD_KEYS_REFUSED.violation(
                "replica-" + nameOf(place), "at replica " + nameOf(self) + ": " + what);
    }
}
