package io.bulwark.storage.store;

import static io.bulwark.storage.store.Records.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random operations with restarts against a map; {@code -Dbulwark.seed} repeats a run. */
class StorePropertyTest {
    private static final int STEPS = 1200;
    private static final int BLOCKS = 12;

    private final long seed = Long.getLong("bulwark.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);
    private final Map<RecordKey, Loaded.Found> model = new TreeMap<>(Comparator.comparing(RecordKey::encoded));

    @TempDir
    Path directory;

    @Test
    void theStoreIsAMapThatSurvivesRestarts() throws IOException {
        System.out.println("bulwark.seed=" + seed);
        FragmentStore store = open();
        try {
            for (int step = 0; step < STEPS; step++) {
                int dice = random.nextInt(100);
                if (dice < 60) {
                    write(store);
                } else if (dice < 80) {
                    RecordKey key = key();
                    assertThat(store.load(key).join())
                            .as("seed %d step %d", seed, step)
                            .isEqualTo(expected(key));
                } else if (dice < 98) {
                    scan(store, step);
                } else {
                    store.close();
                    store = open();
                    check(store);
                }
            }
            check(store);
        } finally {
            store.close();
        }
    }

    private FragmentStore open() throws IOException {
        Durability durability = Durability.values()[random.nextInt(3)];
        return FragmentStore.open(Records.small(directory).withDurability(durability));
    }

    private void write(FragmentStore store) {
        List<CompletableFuture<Stored>> stores = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            List<Mutation> mutations = new ArrayList<>();
            for (int j = random.nextInt(3); j >= 0; j--) {
                mutations.add(mutation());
            }
            stores.add(store.store(mutations));
        }
        assertThat(stores).as("seed %d", seed).allMatch(each -> each.join() == Stored.DURABLE);
    }

    private Mutation mutation() {
        RecordKey key = key();
        Bytes meta = bytes(random, random.nextInt(300));
        return switch (random.nextInt(4)) {
            case 0 -> {
                model.remove(key);
                yield new Mutation.Delete(key);
            }
            case 1 -> {
                model.computeIfPresent(key, (k, old) -> new Loaded.Found(key, meta, old.fragment()));
                yield new Mutation.UpdateMeta(key, meta);
            }
            default -> {
                int length = random.nextBoolean() ? random.nextInt(6000) : random.nextInt(60_000);
                Bytes fragment = bytes(random, length);
                model.put(key, new Loaded.Found(key, meta, fragment));
                yield new Mutation.Put(key, meta, fragment);
            }
        };
    }

    private RecordKey key() {
        RecordKind kind = RecordKind.values()[random.nextInt(RecordKind.values().length)];
        byte[] suffix = new byte[random.nextInt(2)];
        random.nextBytes(suffix);
        return new RecordKey(kind, Records.block(random.nextInt(BLOCKS)), Bytes.of(suffix));
    }

    private Loaded expected(RecordKey key) {
        Loaded.Found found = model.get(key);
        return found == null ? new Loaded.Missing(key) : found;
    }

    private void scan(FragmentStore store, int step) {
        RecordKind kind = RecordKind.values()[random.nextInt(RecordKind.values().length)];
        int from = random.nextInt(BLOCKS);
        int to = random.nextInt(from, BLOCKS);
        int max = random.nextInt(1, 10);
        List<Loaded.Meta> expected = model.values().stream()
                .filter(each -> each.key().kind() == kind)
                .filter(each -> each.key().block().counter() >= from
                        && each.key().block().counter() <= to)
                .limit(max)
                .map(each -> new Loaded.Meta(each.key(), each.meta()))
                .toList();
        assertThat(store.scan(kind, Records.block(from), Records.block(to), max, each -> true)
                        .join()
                        .records())
                .as("seed %d step %d", seed, step)
                .isEqualTo(expected);
    }

    private void check(FragmentStore store) {
        StoreUsage usage = store.usage();
        assertThat(usage.records()).as("seed %d", seed).isEqualTo(model.size());
        assertThat(usage.storedBytes())
                .as("seed %d", seed)
                .isEqualTo(model.values().stream()
                        .mapToLong(
                                each -> each.meta().length() + each.fragment().length())
                        .sum());
        assertThat(usage.damaged()).as("seed %d", seed).isZero();
        model.keySet()
                .forEach(key ->
                        assertThat(store.load(key).join()).as("seed %d", seed).isEqualTo(expected(key)));
    }
}
