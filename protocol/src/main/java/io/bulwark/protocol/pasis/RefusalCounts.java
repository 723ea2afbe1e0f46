package io.bulwark.protocol.pasis;

import io.bulwark.protocol.kernel.Failure;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** RefusalCounts of an operation by nodes. It fails if more than b give the same reason, as one of them is correct then. */
final class RefusalCounts {
    /** Failures that the operation waits out. They count together, as nodes may have several reasons. */
    private static final Set<Failure> LIMITS = EnumSet.of(Failure.LIMIT, Failure.BLOCK_LIMIT, Failure.POOL);

    private final PasisGroup group;
    private final Map<Integer, PasisMessage.Refused> bySlot = new HashMap<>();

    RefusalCounts(PasisGroup group) {
        this.group = group;
    }

    void add(int slot, PasisMessage.Refused refused) {
        bySlot.put(slot, refused);
    }

    void remove(int slot) {
        bySlot.remove(slot);
    }

    boolean has(int slot) {
        return bySlot.containsKey(slot);
    }

    long count(PasisRefusal refusal) {
        return bySlot.values().stream()
                .filter(refused -> refused.refusal() == refusal)
                .count();
    }

    /** Returns the failure that ends the operation at once, or after it has waited. */
    Optional<Failure> decisive(boolean waited) {
        return most().filter(failure -> !LIMITS.contains(failure) && (waited || failure == Failure.OTHER_EPOCH));
    }

    /** Returns the failure that more than b nodes name; of several bounds the one that most name. */
    Optional<Failure> most() {
        Map<Failure, Integer> counts = new EnumMap<>(Failure.class);
        for (PasisMessage.Refused refused : bySlot.values()) {
            failure(refused).ifPresent(failure -> counts.merge(failure, 1, Integer::sum));
        }
        LIMITS.stream()
                .filter(counts::containsKey)
                .max(Comparator.comparingInt(each -> counts.getOrDefault(each, 0)))
                .ifPresent(named -> {
                    int all = LIMITS.stream()
                            .mapToInt(each -> counts.getOrDefault(each, 0))
                            .sum();
                    counts.keySet().removeAll(LIMITS);
                    counts.put(named, all);
                });
        return counts.entrySet().stream()
                .filter(entry -> entry.getValue() >= group.weakQuorum())
                .map(Map.Entry::getKey)
                .findFirst();
    }

    private Optional<Failure> failure(PasisMessage.Refused refused) {
        return switch (refused.refusal()) {
            case CLIENT_LIMIT -> Optional.of(Failure.LIMIT);
            case BLOCK_LIMIT -> Optional.of(Failure.BLOCK_LIMIT);
            case POOL -> Optional.of(Failure.POOL);
            case SESSION_CLOSED -> Optional.of(Failure.SESSION_CLOSED);
            case SESSION_UNKNOWN -> Optional.of(Failure.SESSION_UNKNOWN);
            case NO_GRANT -> Optional.of(Failure.NO_GRANT);
            // A node that is behind in epochs learns of the new one and answers later.
            case OTHER_EPOCH ->
                refused.epoch() > group.placement().epoch() ? Optional.of(Failure.OTHER_EPOCH) : Optional.empty();
            case WRONG_SLOT -> Optional.of(Failure.OTHER_EPOCH);
            case NO_SPACE -> Optional.of(Failure.NO_SPACE);
            case INCONSISTENT, POISONOUS, FAR, NOT_FOUND, DEVICE, BUSY -> Optional.empty();
        };
    }
}
