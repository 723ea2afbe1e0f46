package io.bulwark.protocol.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * A replica fetches while f others lie and the correct ones continue and discard checkpoints. It executes part of the
 * missing requests itself, crashes, and finds damaged pages in recovery. It ends with the right state, and with no page
 * that it does not need.
 */
@NullMarked
class StateFetchPropertyTest {
    private static final long SEED = Long.getLong("bulwark.seed", 20261126L);

    @Test
    void theStateIsRightInTheEndAndNothingElseIsKept() {
        System.out.println("StateFetchPropertyTest bulwark.seed=" + SEED);
        for (int round = 0; round < 40; round++) {
            new Run(SEED + round).check();
        }
    }

    private record Interval(long seed, int changes) {}

    private static final class Run {
        final Random random;
        final KeyMaker keys;
        final boolean checking;
        final Source source = new Source();
        /** Events of the interval that ends with a checkpoint. */
        final NavigableMap<Long, Interval> intervals = new TreeMap<>();

        final Set<Integer> liars = new HashSet<>();
        final FetchFixture rig;
        final Source behind;
        StateFetch fetch;
        long last;

        Run(long seed) {
            random = new Random(seed);
            keys = KeyMaker.values()[random.nextInt(4)];
            checking = random.nextInt(3) == 0;
            for (int i = 0; i < 3; i++) {
                advance(400);
            }
            behind = source.copy();
            for (int i = random.nextInt(3); i >= 0; i--) {
                advance(150);
            }
            rig = new FetchFixture(behind.store, random);
            int f = 1 + random.nextInt(2);
            for (int i = 0; i < 3 * f; i++) {
                boolean liar = i < f;
                rig.servers.add(
                        liar
                                ? liar()
                                : random.nextInt(4) > 0 || i < 2 * f
                                        ? FetchFixture.honest(source.store)
                                        : FetchFixture.silent());
                if (liar) {
                    liars.add(i);
                }
            }
            fetch = rig.fetch(checking);
        }

        private FetchFixture.Server liar() {
            return switch (random.nextInt(4)) {
                case 0 -> FetchFixture.lacking();
                case 1 -> FetchFixture.stingy(source.store, random);
                case 2 -> FetchFixture.silent();
                default -> FetchFixture.lying(source.store, random);
            };
        }

        private void advance(int changes) {
            last += 128;
            Interval interval = new Interval(random.nextLong(), 1 + random.nextInt(changes));
            intervals.put(last, interval);
            replay(source, last, interval);
        }

        private void replay(Source replica, long number, Interval interval) {
            replica.advance(number, keys, new Random(interval.seed()), interval.changes());
        }

        void check() {
            if (checking) {
                damage();
            }
            List<FetchEffect> effects = target();
            while (true) {
                rig.run(fetch, effects, random.nextInt(40));
                if (rig.complete != null) {
                    break;
                }
                effects = List.of();
                if (!rig.unavailable.isEmpty()) {
                    rig.unavailable.clear();
                    effects = target();
                }
                switch (random.nextInt(6)) {
                    case 0 -> {
                        advance(100);
                        while (source.tree.checkpoints().size() > 1 && random.nextBoolean()) {
                            source.discard(source.tree.checkpoints().firstKey());
                        }
                    }
                    case 1 -> effects = target();
                    case 2 -> {
                        if (random.nextBoolean()) {
                            behind.store.write(StateFetch.abandoned(behind.store));
                        }
                        fetch = rig.fetch(checking);
                        effects = target();
                    }
                    case 3 -> execute();
                    default -> {}
                }
            }
            judge();
        }

        private List<FetchEffect> target() {
            long number = source.tree.checkpoints().lastKey();
            if (!checking && number <= behind.tree.checkpoints().lastKey()) {
                advance(100);
                number = last;
            }
            return fetch.target(
                    rig.nowMillis,
                    number,
                    Objects.requireNonNull(source.tree.checkpoints().get(number)));
        }

        /** The replica executes the next interval by itself: its state is right and complete so far. */
        private void execute() {
            long next = behind.tree.checkpoints().lastKey() + 128;
            if (!checking && next < source.tree.checkpoints().lastKey()) {
                replay(behind, next, Objects.requireNonNull(intervals.get(next)));
                if (random.nextBoolean()) {
                    behind.discard(behind.tree.checkpoints().firstKey());
                }
            }
        }

        private void damage() {
            List<Bytes> pages = new ArrayList<>(Source.pages(behind.store));
            for (int i = random.nextInt(8); i > 0; i--) {
                Bytes victim = pages.get(random.nextInt(pages.size()));
                Optional<Bytes> now = behind.store.get(victim);
                behind.store.rot(
                        victim,
                        random.nextBoolean() ? Optional.empty() : now.map(it -> FetchFixture.flipped(it, random)));
            }
            if (random.nextBoolean()) {
                behind.store.write(PageBatch.repaired(Map.of(Bytes.of(new byte[32]), Bytes.EMPTY)));
            }
        }

        private void judge() {
            assertThat(liars).containsAll(rig.accused);
            FetchEffect.Complete complete = Objects.requireNonNull(rig.complete);
            StateTree opened = StateTree.open(behind.store, 1 << 20);
            assertThat(opened.checkpoints().get(complete.number())).isEqualTo(complete.digest());
            assertThat(behind.store.staged()).isEmpty();
            if (opened.checkpoints().lastKey() > complete.number()) {
                throw new AssertionError("it cannot be ahead");
            }
            while (opened.checkpoints().size() > 1) {
                List<Long> numbers = List.copyOf(opened.checkpoints().keySet());
                behind.store.write(opened.discard(numbers.get(random.nextInt(numbers.size() - 1))));
            }
            Set<Bytes> reached = new HashSet<>();
            reach(complete.digest(), reached);
            assertThat(Source.pages(behind.store).equals(reached)).isTrue();
            Source again = new Source();
            intervals.headMap(complete.number(), true).forEach((at, interval) -> replay(again, at, interval));
            assertThat(KeyValueStateContract.all(opened).equals(KeyValueStateContract.all(again.tree)))
                    .isTrue();
        }

        private void reach(Bytes digest, Set<Bytes> reached) {
            Bytes page = behind.store.get(digest).orElseThrow();
            reached.add(digest);
            PageCodec.outline(page, digest).below().forEach(ref -> reach(ref.digest(), reached));
        }
    }
}
