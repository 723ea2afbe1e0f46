package io.bulwark.client.object;

import io.bulwark.client.driver.EvidenceListener;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Nodes that were recently slow or bad: reads ask their slots last, and do not wait for them. The information is a
 * guess and expires. Thread-safe.
 */
public final class NodeHealth implements EvidenceListener {
    private static final long SLOW_MILLIS = 5_000;
    private static final long BAD_MILLIS = 30_000;

    private final Map<Integer, Long> slowUntil = new ConcurrentHashMap<>();
    private final Map<Integer, Long> badUntil = new ConcurrentHashMap<>();
    private final Predicate<PrincipalId> disconnected;
    private final LongSupplier nowMillis;

    /** @param disconnected whether there is no connection with a node now */
    public NodeHealth(Predicate<PrincipalId> disconnected) {
        this(disconnected, () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
    }

    NodeHealth(Predicate<PrincipalId> disconnected, LongSupplier nowMillis) {
        this.disconnected = disconnected;
        this.nowMillis = nowMillis;
    }

    @Override
    public void onEvidence(Effect.Evidence evidence) {
        if (evidence.about().kind() != PrincipalKind.NODE) {
            return;
        }
        int node = evidence.about().number();
        switch (evidence.verdict()) {
            case SLOW -> slowUntil.put(node, nowMillis.getAsLong() + SLOW_MILLIS);
            case CORRUPT, MISBEHAVED -> badUntil.put(node, nowMillis.getAsLong() + BAD_MILLIS);
            case DAMAGED, OTHER_VERSION, BEHIND, POISONOUS -> {}
        }
    }

    /** Slots whose holders seem not to answer, or sent what was not right. */
    public Set<Integer> doubtfulSlots(PlacementGroup group) {
        return slots(
                group,
                node -> disconnected.test(PrincipalId.node(node))
                        || isWithin(slowUntil, node)
                        || isWithin(badUntil, node));
    }

    private static Set<Integer> slots(PlacementGroup group, IntPredicate doubted) {
        Set<Integer> slots = new HashSet<>();
        for (int slot = 0; slot < group.holders().size(); slot++) {
            if (doubted.test(group.holders().get(slot))) {
                slots.add(slot);
            }
        }
        return slots;
    }

    private boolean isWithin(Map<Integer, Long> until, int node) {
        Long end = until.get(node);
        return end != null && nowMillis.getAsLong() < end;
    }
}
