package io.bulwark.protocol.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Replicas that keep and forget different checkpoints have equal trees. Pages stay within bounds; no page is leaked or
 * lost.
 */
@NullMarked
class StateTreePropertyTest {
    private static final long SEED = Long.getLong("bulwark.seed", 20261123L);

    /** A replica with its own cache and its own habit of writing, discarding and restarting. */
    private static final class Replica {
        final MemoryPageStore store = new MemoryPageStore();
        final Random habits;
        final long cacheBytes;
        final Map<Long, List<Map.Entry<Bytes, Bytes>>> contents = new TreeMap<>();
        final Deque<StateTree.Checkpoint> unwritten = new ArrayDeque<>();
        StateTree tree;

        Replica(long seed, long cacheBytes) {
            this.cacheBytes = cacheBytes;
            habits = new Random(seed);
            tree = StateTree.empty(store, cacheBytes);
        }

        void maybeFlush(long next) {
            if (cacheBytes > 0 && habits.nextInt(4) == 0) {
                write();
                store.write(tree.flush(next));
                assertThat(tree.modifiedBytes()).isZero();
            }
        }

        Bytes checkpoint(long number) {
            StateTree.Checkpoint checkpoint = tree.checkpoint(number);
            contents.put(number, KeyValueStateContract.all(tree));
            unwritten.add(checkpoint);
            if (habits.nextInt(3) > 0) {
                write();
            }
            while (unwritten.isEmpty() && tree.checkpoints().size() > 1 && habits.nextBoolean()) {
                List<Long> numbers = List.copyOf(tree.checkpoints().keySet());
                long victim = numbers.get(habits.nextInt(numbers.size() - 1));
                store.write(tree.discard(victim));
                contents.remove(victim);
            }
            if (unwritten.isEmpty() && habits.nextInt(4) == 0) {
                tree = StateTree.open(store, cacheBytes);
            }
            return checkpoint.digest();
        }

        void write() {
            while (!unwritten.isEmpty()) {
                StateTree.Checkpoint checkpoint = unwritten.remove();
                store.write(checkpoint.batch());
                tree.stored(checkpoint.number());
            }
        }

        /** The store has the pages of the live checkpoints, and no others. */
        void check() {
            write();
            Set<Bytes> reached = new HashSet<>();
            tree.checkpoints().forEach((number, digest) -> {
                Set<Bytes> own = new HashSet<>();
                List<Map.Entry<Bytes, Bytes>> entries = new ArrayList<>();
                walk(digest, true, own, entries);
                reached.addAll(own);
                assertThat(entries.equals(contents.get(number))).isTrue();
            });
            Set<Bytes> kept = new HashSet<>();
            store.forEach(kept::add);
            assertThat(kept.equals(reached)).isTrue();
        }

        private void walk(Bytes digest, boolean top, Set<Bytes> seen, List<Map.Entry<Bytes, Bytes>> entries) {
            Bytes page = store.get(digest).orElseThrow();
            assertThat(Hashes.sha256(page)).isEqualTo(digest);
            assertThat(seen.add(digest)).as("each page is in one place").isTrue();
            Node node = PageCodec.decode(page, digest, Child.LM_UNKNOWN);
            assertThat(page.length()).isLessThanOrEqualTo(PageCodec.PAGE_BYTES_MAX);
            assertThat(node.bytes()).isEqualTo(page.length());
            assertThat(PageCodec.encode(node.level(), lm(node), node.items(), node.bytes()))
                    .isEqualTo(page);
            if (!top) {
                assertThat(page.length()).isGreaterThanOrEqualTo(PageCodec.PAGE_BYTES_MIN);
                assertThat(node.size()).isGreaterThanOrEqualTo(node.level() > 0 ? 3 : 1);
            }
            for (Item item : node.items()) {
                switch (item) {
                    case Item.Link link -> {
                        Child.Ref ref = (Child.Ref) link.child();
                        assertThat(ref.lm()).isLessThanOrEqualTo(lm(node));
                        walk(ref.digest(), false, seen, entries);
                    }
                    case Item.Entry entry -> {
                        Bytes value = entry.value();
                        Child.Ref ref = entry.page();
                        if (ref != null) {
                            value = PageCodec.decodeValue(
                                    store.get(ref.digest()).orElseThrow(), entry);
                            assertThat(seen.add(ref.digest())).isTrue();
                        }
                        entries.add(Map.entry(entry.key(), value));
                    }
                }
            }
        }

        private static long lm(Node node) {
            Child.Ref ref = node.ref();
            return ref == null ? -1 : ref.lm();
        }
    }

    @Test
    void replicasWithOtherHabitsHaveEqualTreesAndKeepExactlyTheLivePages() {
        for (KeyMaker keys : KeyMaker.values()) {
            System.out.println("StateTreePropertyTest " + keys + " bulwark.seed=" + SEED);
            Random random = new Random(SEED + keys.ordinal());
            List<Replica> replicas = List.of(
                    new Replica(random.nextLong(), 0),
                    new Replica(random.nextLong(), 100_000),
                    new Replica(random.nextLong(), 1 << 30));
            for (int round = 1; round <= 30; round++) {
                long seed = random.nextLong();
                int operations = random.nextInt(200);
                int removals = round % 10 < 6 ? 2 : 8;
                Set<Bytes> digests = new HashSet<>();
                for (Replica replica : replicas) {
                    Random own = new Random(seed);
                    for (int done = 0; done < operations; done += 20) {
                        change(replica.tree, keys, own, Math.min(20, operations - done), removals);
                        replica.maybeFlush(round * 128L);
                    }
                    digests.add(replica.checkpoint(round * 128L));
                }
                assertThat(digests).hasSize(1);
                if (round % 5 == 0) {
                    replicas.forEach(Replica::check);
                }
            }
        }
    }

    private static void change(StateTree tree, KeyMaker keys, Random random, int operations, int removals) {
        List<Bytes> victims = new ArrayList<>();
        for (int i = 0; i < operations; i++) {
            tree.begin();
            Bytes key = keys.next(random);
            if (random.nextInt(10) < removals) {
                victims.clear();
                tree.scan(key, KeyValueStateContract.filled(0xFF, 2), (found, value) -> {
                    victims.add(found);
                    return victims.size() < 3;
                });
                victims.forEach(tree::remove);
            } else {
                tree.put(key, KeyValueStateContract.value(random));
            }
        }
    }
}
