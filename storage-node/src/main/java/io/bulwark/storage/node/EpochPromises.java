package io.bulwark.storage.node;

import io.bulwark.protocol.effect.Effect;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Durable refusals of placement groups' epochs that all shards of a node have made, each for itself. Thread-safe. */
final class EpochPromises {
    private final int shards;
    private final Map<Group, long[]> said = new HashMap<>();
    private @Nullable Consumer<Effect.Refuses> hearer;

    private record Group(int volume, int group) implements Comparable<Group> {
        private static final Comparator<Group> ORDER =
                Comparator.comparingInt(Group::volume).thenComparingInt(Group::group);

        @Override
        public int compareTo(Group other) {
            return ORDER.compare(this, other);
        }
    }

    EpochPromises(int shards) {
        this.shards = shards;
    }

    /** @param later hears of what all shards refuse, as often as one of them says so again */
    synchronized void hear(Consumer<Effect.Refuses> later) {
        hearer = later;
    }

    synchronized void add(int shard, Effect.Refuses promise) {
        long[] each = said.computeIfAbsent(new Group(promise.volume(), promise.group()), _ -> new long[shards]);
        each[shard] = Math.max(each[shard], promise.before());
        long all = Arrays.stream(each).min().orElse(0);
        Consumer<Effect.Refuses> told = hearer;
        if (all > 1 && told != null) {
            told.accept(new Effect.Refuses(promise.volume(), promise.group(), all));
        }
    }
}
