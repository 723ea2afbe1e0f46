package io.bulwark.protocol.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The tree as a state: whatever checkpoints, a small cache and undone operations do in between. */
@NullMarked
class StateTreeTest extends KeyValueStateContract {
    private static final long CACHE_BYTES = 64 << 10;

    private MemoryPageStore store = new MemoryPageStore();
    private long number;

    @Override
    KeyValueState create() {
        store = new MemoryPageStore();
        number = 0;
        return StateTree.empty(store, CACHE_BYTES);
    }

    @Override
    void disturb(KeyValueState state, Random random) {
        StateTree tree = (StateTree) state;
        switch (random.nextInt(30)) {
            case 0 -> checkpoint(tree, ++number);
            case 1 -> {
                tree.begin();
                for (int i = random.nextInt(60); i >= 0; i--) {
                    Bytes key = KeyMaker.values()[random.nextInt(4)].next(random);
                    if (random.nextBoolean()) {
                        tree.put(key, value(random));
                    } else {
                        tree.remove(key);
                    }
                }
                tree.rollback();
            }
            case 2 -> tree.begin();
            default -> {}
        }
        if (tree.checkpoints().size() > 3) {
            List<Long> numbers = List.copyOf(tree.checkpoints().keySet());
            store.write(tree.discard(numbers.get(random.nextInt(numbers.size() - 1))));
        }
    }

    private void checkpoint(StateTree tree, long at) {
        store.write(tree.checkpoint(at).batch());
        tree.stored(at);
    }

    @Test
    void aCheckpointStaysAsItWasWhateverIsWrittenAfterIt() {
        StateTree tree = (StateTree) create();
        tree.put(key(1), key(2));
        Bytes digest = tree.checkpoint(128).digest();
        tree.put(key(1), key(3));
        assertThat(tree.checkpoints()).containsExactly(Map.entry(128L, digest));
        assertThat(tree.checkpoint(256).digest()).isNotEqualTo(digest);
        assertThatThrownBy(() -> tree.checkpoint(256)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> tree.discard(256)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> tree.discard(127)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aCheckpointThatIsNotWrittenYetIsReadFromMemory() {
        StateTree tree = StateTree.empty(store, 0);
        tree.put(key(1), filled(1, 10_000));
        StateTree.Checkpoint checkpoint = tree.checkpoint(1);
        assertThat(tree.get(key(1))).contains(filled(1, 10_000));
        store.write(checkpoint.batch());
        tree.stored(1);
        assertThat(tree.get(key(1))).contains(filled(1, 10_000));
    }

    @Test
    void aPageThatIsWrittenAgainAsItWasHasAnotherDigest() {
        StateTree tree = (StateTree) create();
        tree.put(key(1), key(1));
        Bytes first = tree.checkpoint(1).digest();
        assertThat(tree.checkpoint(2).digest()).isEqualTo(first);
        tree.put(key(1), key(2));
        tree.put(key(1), key(1));
        assertThat(tree.checkpoint(3).digest()).isNotEqualTo(first);
    }

    @Test
    void theLongestPageFitsIntoAMessage() {
        Bytes key = filled(1, KeyValueState.KEY_BYTES_MAX);
        Bytes value = filled(1, KeyValueState.VALUE_BYTES_MAX);
        assertThat(PageCodec.encodeValue(1, key, value).length()).isEqualTo(FetchSettings.PAGE_BYTES_MAX);
    }

    @Test
    void onlyThePagesThatWereModifiedAreInTheBatch() {
        StateTree tree = (StateTree) create();
        for (int i = 0; i < 60_000; i++) {
            tree.put(Bytes.of(new byte[] {(byte) (i >> 16), (byte) (i >> 8), (byte) i}), filled(i, 100));
        }
        int all = tree.checkpoint(1).batch().pages().size();
        assertThat(all).isBetween(60_000 * 108 / PageCodec.PAGE_BYTES_MAX, 60_000 * 108 / PageCodec.PAGE_BYTES_MIN * 2);
        tree.put(key(0, 100, 100), key(1));
        PageBatch one = tree.checkpoint(2).batch();
        assertThat(one.pages()).hasSize(3);
        assertThat(tree.checkpoint(3).batch().pages()).isEmpty();
    }

    @Test
    void aTreeThatIsOpenedIsTheLastCheckpoint() {
        StateTree tree = (StateTree) create();
        Random random = new Random(3);
        for (int i = 0; i < 3_000; i++) {
            tree.put(KeyMaker.NUMBERED.next(random), value(random));
            if (i % 500 == 0) {
                checkpoint(tree, i);
            }
        }
        checkpoint(tree, 3_000);
        List<Map.Entry<Bytes, Bytes>> before = all(tree);
        tree.put(key(1), key(1));
        StateTree opened = StateTree.open(store, CACHE_BYTES);
        assertThat(opened.checkpoints()).isEqualTo(tree.checkpoints());
        assertThat(all(opened).equals(before)).isTrue();
        opened.put(key(1), key(1));
        assertThat(opened.checkpoint(3_500).digest())
                .isEqualTo(tree.checkpoint(3_500).digest());
    }

    @Test
    void aDamagedRecordOfACheckpointIsNoticed() {
        StateTree tree = (StateTree) create();
        checkpoint(tree, 1);
        tree.put(key(1), key(1));
        checkpoint(tree, 2);
        byte[] record = Objects.requireNonNull(store.checkpoints().get(2L)).toByteArray();
        record[3] ^= 1;
        store.write(new PageBatch(Map.of(), Map.of(), List.of(), Map.of(2L, Bytes.of(record)), Set.of(), false, true));
        StateTree opened = StateTree.open(store, CACHE_BYTES);
        assertThat(opened.damagedCheckpoints()).containsExactly(2L);
        assertThat(opened.checkpoints()).containsOnlyKeys(1L);
    }

    @PlantedBug(
            in = StateTree.class,
            rule = "a page that is fetched is checked against its digest",
            replace = "if (!Hashes.sha256(page).equals(digest)) {",
            with = "if (false) {")
    @Test
    void aDamagedPageIsNeverReadAndTheOperationCanBeUndone() {
        Random random = new Random(5);
        int met = 0;
        for (int round = 0; round < 40; round++) {
            StateTree tree = (StateTree) create();
            KeyMaker keys = KeyMaker.values()[round % 4];
            for (int i = 0; i < 600; i++) {
                tree.put(keys.next(random), value(random));
            }
            checkpoint(tree, 1);
            List<Bytes> pages = new ArrayList<>();
            store.forEach(pages::add);
            Bytes victim = pages.get(random.nextInt(pages.size()));
            Bytes right = store.get(victim).orElseThrow();
            byte[] wrong = right.toByteArray();
            wrong[random.nextInt(wrong.length)] ^= (byte) (1 << random.nextInt(8));
            store.rot(victim, random.nextBoolean() ? Optional.empty() : Optional.of(Bytes.of(wrong)));

            StateTree damaged = StateTree.open(store, CACHE_BYTES);
            StateTree whole = tree;
            for (int i = 0; i < 300; i++) {
                long seed = random.nextLong();
                damaged.begin();
                try {
                    operation(damaged, keys, new Random(seed));
                } catch (DamagedPageException e) {
                    assertThat(e.digest()).isEqualTo(victim);
                    met++;
                    damaged.rollback();
                    store.write(PageBatch.repaired(Map.of(victim, right)));
                    operation(damaged, keys, new Random(seed));
                }
                operation(whole, keys, new Random(seed));
            }
            assertThat(damaged.checkpoint(2).digest())
                    .isEqualTo(whole.checkpoint(2).digest());
        }
        assertThat(met).isBetween(10, 40);
    }

    private static void operation(StateTree tree, KeyMaker keys, Random random) {
        for (int i = 0; i < 5; i++) {
            Bytes key = keys.next(random);
            switch (random.nextInt(3)) {
                case 0 -> tree.remove(key);
                case 1 -> tree.put(key, value(random));
                default -> tree.get(key);
            }
        }
    }
}
