package io.bulwark.simulation.ordering;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.key.KeyMessage;
import io.bulwark.protocol.ordering.key.KeyMessage.NewKey;
import io.bulwark.protocol.ordering.key.SessionKeys;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.campaign.Invariant;
import io.bulwark.simulation.campaign.Setting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** The session keys of all replicas: production ones, agreed on over the simulated network. Chosen apart from the workload. */
final class OrderingKeys {
    /**
     * Factor that packs the time and the configuration of each message into one number. Correct replicas look at
     * neither.
     */
    private static final long CONFIGURATIONS = 1_000;

    private static final long KEY_MILLIS_MIN = 1_000;
    /** Least T_k, in multiples of the longest delay. */
    private static final long DELAYS = 16;

    /** T_w. */
    static final long WATCHDOG_MILLIS = 1_500;

    private static final long RETRY_MILLIS_MAX = 100;
    private static final long AGREED_MILLIS = 20_000;

    private final OrderingWorld world;
    private final SessionKeys.Settings settings;
    private final Random random;
    private final List<ReplicaMessenger> mails = new ArrayList<>();
    private final Map<Integer, Set<Bytes>> signatures = new HashMap<>();
    private final KeyLies lies;

    OrderingKeys(OrderingWorld world, Setting setting, int replicas) {
        this.world = world;
        random = new Random(setting.random("keys").nextLong());
        long keyMillis = keyMillis(setting);
        long retryMillis = Math.clamp(keyMillis / 16, 1, RETRY_MILLIS_MAX);
        settings = new SessionKeys.Settings(keyMillis, retryMillis, WATCHDOG_MILLIS, 0);
        lies = new KeyLies(world, this, new Random(random.nextLong()));
        for (int replica = 0; replica < replicas; replica++) {
            mails.add(new ReplicaMessenger(world, this, replica));
        }
    }

    /** T_k: long enough to agree on a key within half of it. */
    static long keyMillis(Setting setting) {
        return Math.max(KEY_MILLIS_MIN, DELAYS * setting.network().delayMillisMax());
    }

    static long stamp(long millis, long configuration) {
        return millis * CONFIGURATIONS + configuration;
    }

    static long millisOf(long stamp) {
        return stamp / CONFIGURATIONS;
    }

    static long configurationOf(long stamp) {
        return stamp % CONFIGURATIONS;
    }

    ReplicaMessenger of(int replica) {
        return mails.get(replica);
    }

    KeyLies lies() {
        return lies;
    }

    /** A life begins, of the replica with this name. */
    IncarnationKeys begin(Configuration configuration, int name) {
        int place = configuration.placeOf(PrincipalId.replica(name));
        SessionKeys keys = sessionKeys(configuration, name);
        return new IncarnationKeys(
                configuration,
                place,
                keys,
                settings.keyMillis(),
                world.simulation().nowMillis());
    }

    SessionKeys sessionKeys(Configuration configuration, int name) {
        MemberSignatures ports = new MemberSignatures(configuration, name);
        return new SessionKeys(
                configuration.placeOf(PrincipalId.replica(name)),
                configuration.members().size(),
                new SessionKeys.Settings(
                        settings.keyMillis(), settings.retryMillis(), WATCHDOG_MILLIS, configuration.number()),
                ports,
                ports,
                new Random(random.nextLong()));
    }

    /** This one has signed it. */
    void signed(int by, KeyMessage message) {
        if (message instanceof NewKey key) {
            signatures.computeIfAbsent(by, _ -> new HashSet<>()).add(key.signature());
        }
    }

    boolean hasSigned(int by, NewKey key) {
        return signatures.getOrDefault(by, Set.of()).contains(key.signature());
    }

    /** Checks that correct replicas share keys in the end. */
    void checkAtEnd() {
        long end = world.simulation().nowMillis() + AGREED_MILLIS;
        for (String missing = missing(); !missing.isEmpty(); missing = missing()) {
            if (world.simulation().nowMillis() >= end) {
                throw Invariant.KEYS_AGREED.violation("", missing);
            }
            world.simulation().runFor(100);
        }
    }

    private String missing() {
        for (int from = 0; from < mails.size(); from++) {
            for (int to = 0; to < mails.size(); to++) {
                if (from != to && isRight(from) && isRight(to) && !of(from).isBelievedBy(of(to))) {
                    return "replica " + from + " is not believed by replica " + to;
                }
            }
        }
        return "";
    }

    private boolean isRight(int replica) {
        return !world.isFaulty(replica)
                && world.simulation().isUp(PrincipalId.replica(replica))
                && world.processes().memberOf(replica) != null;
    }
}
