package io.bulwark.protocol.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class StateFetchTest {
    private static final long SEED = Long.getLong("bulwark.seed", 20261124L);

    private final Random random = new Random(SEED);

    StateFetchTest() {
        System.out.println("StateFetchTest bulwark.seed=" + SEED);
    }

    private FetchFixture rig(MemoryPageStore store, Source source) {
        FetchFixture rig = new FetchFixture(store, random);
        for (int i = 0; i < 3; i++) {
            rig.servers.add(FetchFixture.honest(source.store));
        }
        return rig;
    }

    @Test
    void anEmptyReplicaFetchesEverythingAndGoesOnFromThere() {
        Source source = new Source();
        Bytes digest = source.advance(128, KeyMaker.NUMBERED, random, 3_000).digest();
        FetchFixture rig = rig(new MemoryPageStore(), source);
        StateFetch fetch = rig.fetch(false);
        rig.finish(fetch, fetch.target(0, 128, digest));
        assertThat(Source.pages(rig.store)).isEqualTo(Source.pages(source.store));
        assertThat(fetch.progress().fetched())
                .isEqualTo(Source.pages(source.store).size());
        assertThat(rig.store.staged()).isEmpty();
        assertThat(rig.asked.values()).as("all share the load").hasSize(3).allMatch(count -> count > 2);
        Source follower = new Source();
        StateTree opened = StateTree.open(rig.store, 1 << 20);
        follower.tree = opened;
        long seed = random.nextLong();
        assertThat(follower.advance(256, KeyMaker.NUMBERED, new Random(seed), 200)
                        .digest())
                .isEqualTo(source.advance(256, KeyMaker.NUMBERED, new Random(seed), 200)
                        .digest());
    }

    @Test
    void onlyThePagesThatDifferAreReadAndFetched() {
        Source source = new Source();
        source.advance(128, KeyMaker.NUMBERED, random, 9_000);
        Source behind = source.copy();
        int all = Source.pages(source.store).size();
        StateTree.Checkpoint changed = source.advance(256, KeyMaker.NUMBERED, random, 10);
        int differing = changed.batch().pages().size();
        FetchFixture rig = rig(behind.store, source);
        StateFetch fetch = rig.fetch(false);
        rig.finish(fetch, fetch.target(0, 256, changed.digest()));
        assertThat(fetch.progress().fetched()).isEqualTo(differing);
        assertThat(fetch.progress().read()).isEqualTo(differing);
        assertThat(differing).isLessThan(all / 10);
        // The old checkpoint can still be served; without it, exactly the new one is left.
        StateTree opened = StateTree.open(behind.store, 1 << 20);
        assertThat(opened.checkpoints()).containsOnlyKeys(128L, 256L);
        assertThat(Source.pages(behind.store)).isEqualTo(Source.pages(source.store));
        behind.store.write(opened.discard(128));
        source.discard(128);
        assertThat(Source.pages(behind.store)).isEqualTo(Source.pages(source.store));
        assertThat(KeyValueStateContract.all(opened).equals(KeyValueStateContract.all(source.tree)))
                .isTrue();
    }

    @Test
    void liarsAreFoundOutAndSilentOnesPassedOver() {
        for (int round = 0; round < 12; round++) {
            Source source = new Source();
            source.advance(1, KeyMaker.MIXED, random, 300);
            Source behind = source.copy();
            Bytes digest = source.advance(2, KeyMaker.MIXED, random, 300).digest();
            FetchFixture rig = new FetchFixture(behind.store, random);
            // f = 2, seven replicas, of which two are down beside the two that lie.
            rig.servers.add(FetchFixture.honest(source.store));
            rig.servers.add(FetchFixture.honest(source.store));
            rig.servers.add(FetchFixture.lying(source.store, random));
            rig.servers.add(round % 2 == 0 ? FetchFixture.lacking() : FetchFixture.stingy(source.store, random));
            rig.servers.add(FetchFixture.silent());
            rig.servers.add(FetchFixture.silent());
            StateFetch fetch = rig.fetch(false);
            rig.finish(fetch, fetch.target(0, 2, digest));
            assertThat(rig.accused).isSubsetOf(2);
            assertThat(rig.nowMillis).isLessThan(60_000);
            StateTree opened = StateTree.open(behind.store, 1 << 20);
            assertThat(KeyValueStateContract.all(opened).equals(KeyValueStateContract.all(source.tree)))
                    .isTrue();
        }
    }

    @Test
    void whatArrivedIsKeptWhenTheOthersHaveANewerCheckpointOnly() {
        Source source = new Source();
        source.advance(128, KeyMaker.NUMBERED, random, 500);
        Source behind = source.copy();
        StateTree.Checkpoint first = source.advance(256, KeyMaker.NUMBERED, random, 2_000);
        FetchFixture rig = rig(behind.store, source);
        StateFetch fetch = rig.fetch(false);
        rig.run(fetch, fetch.target(0, 256, first.digest()), 4);
        assertThat(rig.complete).isNull();
        StateTree.Checkpoint second = source.advance(384, KeyMaker.NUMBERED, random, 80);
        source.discard(128);
        source.discard(256);
        rig.finish(fetch, List.of());
        assertThat(rig.unavailable).isNotEmpty();
        rig.unavailable.clear();
        long before = fetch.progress().fetched();
        Set<Bytes> missing = new HashSet<>(Source.pages(source.store));
        missing.removeAll(Source.pages(behind.store));
        rig.finish(fetch, fetch.target(rig.nowMillis, 384, second.digest()));
        assertThat(rig.complete).isNotNull();
        assertThat(before).isGreaterThan(10);
        assertThat(fetch.progress().fetched() - before).isEqualTo(missing.size());
        StateTree opened = StateTree.open(behind.store, 1 << 20);
        behind.store.write(opened.discard(128));
        assertThat(Source.pages(behind.store)).isEqualTo(Source.pages(source.store));
    }

    @Test
    void aFetchAndACheckComeToTheirEndThoughEachCheckpointIsDiscardedSoon() {
        for (boolean checking : new boolean[] {false, true}) {
            Source source = new Source();
            source.advance(128, KeyMaker.NUMBERED, random, 500);
            Source behind = source.copy();
            long number = 256;
            StateTree.Checkpoint latest = source.advance(number, KeyMaker.NUMBERED, random, 12_000);
            FetchFixture rig = rig(behind.store, source);
            StateFetch fetch = rig.fetch(checking);
            List<FetchEffect> first = fetch.target(0, number, latest.digest());
            int checkpoints = 1;
            while (rig.complete == null) {
                rig.run(fetch, first, 3);
                first = List.of();
                if (rig.complete == null && rig.unavailable.isEmpty()) {
                    latest = source.advance(number + 128, KeyMaker.NUMBERED, random, 20);
                    source.discard(number);
                    number += 128;
                    checkpoints++;
                } else if (rig.complete == null) {
                    rig.unavailable.clear();
                    first = fetch.target(rig.nowMillis, number, latest.digest());
                }
                assertThat(checkpoints).isLessThan(500);
            }
            int all = Source.pages(source.store).size();
            assertThat(checkpoints).as("discarded while it was fetched").isGreaterThan(3);
            assertThat(fetch.progress().read())
                    .as("what was found right is not read again for each checkpoint")
                    .isLessThan(4L * all);
            assertThat(rig.nowMillis).isLessThan(5_000);
            StateTree opened = StateTree.open(behind.store, 1 << 20);
            assertThat(KeyValueStateContract.all(opened).equals(KeyValueStateContract.all(source.tree)))
                    .isEqualTo(rig.complete.number() == number);
            if (!checking) {
                behind.store.write(opened.discard(128));
            }
            if (rig.complete.number() == number) {
                assertThat(Source.pages(behind.store)).isEqualTo(Source.pages(source.store));
            }
        }
    }

    /** Each answer comes just before its timeout, when the others have discarded the checkpoint. */
    @Test
    void aSlowLiarDoesNotKeepAFetchFromItsEnd() {
        for (int kind = 0; kind < 4; kind++) {
            for (int liar = 0; liar < 3; liar++) {
                Source source = new Source();
                source.advance(128, KeyMaker.NUMBERED, random, 500);
                FetchFixture rig = new FetchFixture(source.copy().store, random);
                for (int server = 0; server < 3; server++) {
                    rig.servers.add(FetchFixture.honest(source.store));
                }
                rig.delays.put(liar, 900L);
                switch (kind) {
                    case 0 -> rig.servers.set(liar, (_, _) -> Optional.of(List.of()));
                    case 1 -> rig.servers.set(liar, FetchFixture.lacking());
                    case 2 -> rig.servers.set(liar, FetchFixture.stingy(source.store, random));
                    default -> {} // slow, and right
                }
                long number = 256;
                StateTree.Checkpoint latest = source.advance(number, KeyMaker.NUMBERED, random, 4_000);
                StateFetch fetch = rig.fetch(true);
                List<FetchEffect> first = fetch.target(0, number, latest.digest());
                long nextMillis = 400;
                while (rig.complete == null) {
                    rig.run(fetch, first, 1);
                    first = List.of();
                    if (rig.nowMillis >= nextMillis) {
                        latest = source.advance(number + 128, KeyMaker.NUMBERED, random, 20);
                        source.discard(number);
                        number += 128;
                        nextMillis += 400;
                    }
                    if (rig.complete == null && !rig.unavailable.isEmpty()) {
                        rig.unavailable.clear();
                        first = fetch.target(rig.nowMillis, number, latest.digest());
                    }
                    assertThat(rig.nowMillis)
                            .as("kind %d, liar %d: %s", kind, liar, fetch.progress())
                            .isLessThan(20_000);
                }
                assertThat(rig.accused).isEmpty();
            }
        }
    }

    @Test
    void whoHasDiscardedACheckpointIsAskedForTheNextOneAtOnce() {
        Source source = new Source();
        source.advance(128, KeyMaker.NUMBERED, random, 500);
        Source behind = source.copy();
        Bytes gone = source.advance(256, KeyMaker.NUMBERED, random, 100).digest();
        StateTree.Checkpoint latest = source.advance(384, KeyMaker.NUMBERED, random, 100);
        source.discard(256);
        FetchFixture rig = rig(behind.store, source);
        StateFetch fetch = rig.fetch(false);
        rig.finish(fetch, fetch.target(0, 256, gone));
        assertThat(rig.unavailable).containsOnly(gone);
        rig.unavailable.clear();
        rig.asked.clear();
        rig.finish(fetch, fetch.target(rig.nowMillis, 384, latest.digest()));
        assertThat(rig.complete).isNotNull();
        assertThat(rig.asked.keySet()).containsExactlyInAnyOrderElementsOf(rig.replicas());
    }

    @Test
    void aCheckpointThatIsAllHereIsNotGivenUpForTheNext() {
        Source source = new Source();
        source.advance(128, KeyMaker.NUMBERED, random, 500);
        Source behind = source.copy();
        StateTree.Checkpoint first = source.advance(256, KeyMaker.NUMBERED, random, 2_000);
        Set<Bytes> missing = new HashSet<>(Source.pages(source.store));
        missing.removeAll(Source.pages(behind.store));
        FetchFixture rig = rig(behind.store, source);
        StateFetch fetch = rig.fetch(false);
        rig.run(fetch, fetch.target(0, 256, first.digest()), 1);
        while (fetch.progress().fetched() < missing.size()) {
            rig.run(fetch, List.of(), 1);
        }
        assertThat(rig.complete).isNull();
        StateTree.Checkpoint second = source.advance(384, KeyMaker.NUMBERED, random, 80);
        rig.finish(fetch, fetch.target(rig.nowMillis, 384, second.digest()));
        assertThat(Objects.requireNonNull(rig.complete).number()).isEqualTo(256);
    }

    @Test
    void aPageThatIsLostBeforeTheEndIsFetchedForTheNextCheckpoint() {
        Source source = new Source();
        source.advance(128, KeyMaker.NUMBERED, random, 500);
        Source behind = source.copy();
        StateTree.Checkpoint first = source.advance(256, KeyMaker.NUMBERED, random, 2_000);
        FetchFixture rig = rig(behind.store, source);
        StateFetch fetch = rig.fetch(false);
        rig.run(fetch, fetch.target(0, 256, first.digest()), 8);
        StateTree.Checkpoint second = source.advance(384, KeyMaker.NUMBERED, random, 20);
        source.discard(128);
        source.discard(256);
        List<FetchEffect> effects = fetch.target(rig.nowMillis, 384, second.digest());
        Set<Bytes> missing = new HashSet<>(Source.pages(source.store));
        for (int answers = 0; !missing.isEmpty(); answers++) {
            // Pages in flight for the first checkpoint may be gone.
            rig.unavailable.clear();
            rig.run(fetch, effects, 1);
            effects = List.of();
            missing.removeAll(Source.pages(behind.store));
            assertThat(answers).isLessThan(1_000);
        }
        assertThat(rig.complete).isNull();
        List<Bytes> staged = new ArrayList<>();
        behind.store.staged().forEach(staged::add);
        staged.retainAll(Source.pages(source.store));
        behind.store.write(new PageBatch(
                Map.of(), Map.of(), staged.subList(0, staged.size() / 2), Map.of(), Set.of(), false, false));
        StateTree.Checkpoint third = source.advance(512, KeyMaker.NUMBERED, random, 2_000);
        source.discard(384);
        rig.finish(fetch, fetch.target(rig.nowMillis, 512, third.digest()));
        assertThat(Objects.requireNonNull(rig.complete).number()).isEqualTo(512);
        StateTree opened = StateTree.open(behind.store, 1 << 20);
        assertThat(KeyValueStateContract.all(opened).equals(KeyValueStateContract.all(source.tree)))
                .isTrue();
    }

    @Test
    void aFetchThatWasInterruptedGoesOnWithoutAskingAgainOrIsRemovedWhole() {
        Source source = new Source();
        source.advance(128, KeyMaker.NUMBERED, random, 500);
        Source behind = source.copy();
        Set<Bytes> own = Source.pages(behind.store);
        Bytes digest = source.advance(256, KeyMaker.NUMBERED, random, 2_000).digest();
        FetchFixture rig = rig(behind.store, source);
        StateFetch fetch = rig.fetch(false);
        rig.run(fetch, fetch.target(0, 256, digest), 4);
        long before = fetch.progress().fetched();
        StateFetch next = rig(behind.store, source).fetch(false);
        FetchFixture after = rig(behind.store, source);
        after.finish(next, next.target(0, 256, digest));
        Set<Bytes> missing = new HashSet<>(Source.pages(source.store));
        missing.removeAll(own);
        assertThat(next.progress().fetched()).isEqualTo(missing.size() - before);

        Source third = behind.copy();
        third.store.write(PageBatch.staged(Map.of(), Map.of(digest, Bytes.EMPTY)));
        Bytes stray = Bytes.of(new byte[32]);
        third.store.write(PageBatch.staged(Map.of(), Map.of(stray, Bytes.EMPTY)));
        third.store.write(StateFetch.abandoned(third.store));
        assertThat(Source.pages(third.store)).isEqualTo(Source.pages(behind.store));
    }

    @Test
    void recoveryFindsEachDamagedPageAndFetchesNoOther() {
        for (int round = 0; round < 8; round++) {
            Source source = new Source();
            Bytes digest = source.advance(128, KeyMaker.MIXED, random, 400).digest();
            Source sick = source.copy();
            List<Bytes> pages = new ArrayList<>(Source.pages(source.store));
            Set<Bytes> victims = new HashSet<>();
            for (int i = 0; i < 5; i++) {
                Bytes victim = pages.get(random.nextInt(pages.size()));
                victims.add(victim);
                Bytes right = source.store.get(victim).orElseThrow();
                sick.store.rot(
                        victim,
                        random.nextBoolean() ? Optional.empty() : Optional.of(FetchFixture.flipped(right, random)));
            }
            FetchFixture rig = rig(sick.store, source);
            StateFetch fetch = rig.fetch(true);
            rig.finish(fetch, fetch.target(0, 128, digest));
            assertThat(rig.damaged).isEqualTo(victims);
            assertThat(fetch.progress().fetched()).isEqualTo(victims.size());
            assertThat(fetch.progress().read()).isEqualTo(pages.size());
            assertThat(sick.store.staged()).isEmpty();
            assertThat(KeyValueStateContract.all(sick.tree).equals(KeyValueStateContract.all(source.tree)))
                    .isTrue();
        }
    }

    @Test
    void recoveryReplacesAStateThatIsAnother() {
        Source source = new Source();
        source.advance(128, KeyMaker.NUMBERED, random, 1_000);
        Source forged = source.copy();
        forged.advance(256, KeyMaker.NUMBERED, random, 100);
        forged.advance(512, KeyMaker.NUMBERED, random, 100);
        Bytes digest = source.advance(256, KeyMaker.NUMBERED, random, 100).digest();
        source.discard(128);
        FetchFixture rig = rig(forged.store, source);
        StateFetch fetch = rig.fetch(true);
        rig.finish(fetch, fetch.target(0, 256, digest));
        assertThat(Source.pages(forged.store)).isEqualTo(Source.pages(source.store));
        StateTree opened = StateTree.open(forged.store, 1 << 20);
        assertThat(opened.checkpoints()).isEqualTo(source.tree.checkpoints());
        assertThat(fetch.progress().fetched())
                .isLessThan(Source.pages(source.store).size());
    }

    /** However many pages of another state stand here, each step reads some of them only. */
    @Test
    void whatIsNotTheTargetsIsFoundInSteps() {
        Source source = new Source();
        Bytes digest = source.advance(128, KeyMaker.NUMBERED, random, 10).digest();
        MemoryPageStore store = new MemoryPageStore();
        Map<Bytes, Bytes> others = new HashMap<>();
        for (int i = 0; i < 4 * PageStore.DIGESTS_AT_ONCE; i++) {
            Bytes page = Bytes.of(ByteBuffer.allocate(4).putInt(i).array());
            others.put(Hashes.sha256(page), page);
        }
        store.write(PageBatch.repaired(others));
        source.store.forEach(page -> store.write(
                PageBatch.repaired(Map.of(page, source.store.get(page).orElseThrow()))));
        StateFetch fetch = rig(store, source).fetch(true);
        List<FetchEffect> effects = fetch.target(0, 128, digest);
        int steps = 0;
        while (effects.equals(List.of(new FetchEffect.ImmediateTick()))) {
            effects = fetch.onTick(0);
            steps++;
        }
        assertThat(steps).isGreaterThan(4);
        assertThat(effects)
                .singleElement()
                .isInstanceOfSatisfying(
                        FetchEffect.Complete.class,
                        complete -> assertThat(complete.batch().removed())
                                .containsExactlyInAnyOrderElementsOf(others.keySet()));
    }

    @Test
    void anOlderCheckpointIsNoTargetUnlessAllIsChecked() {
        Source source = new Source();
        Bytes digest = source.advance(128, KeyMaker.SHORT, random, 10).digest();
        FetchFixture rig = rig(source.store, source);
        assertThatThrownBy(() -> rig.fetch(false).target(0, 128, digest)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void singlePagesAreRepaired() {
        Source source = new Source();
        source.advance(128, KeyMaker.NUMBERED, random, 300);
        Source sick = source.copy();
        Bytes victim = Source.pages(source.store).iterator().next();
        sick.store.rot(victim, Optional.empty());
        PageRepair repair = new PageRepair(List.of(4, 5), FetchSettings.DEFAULT, 9);
        PageServer server = new PageServer(source.store, 1 << 20);
        FetchEffect.Send first = (FetchEffect.Send) repair.want(0, victim).getFirst();
        Bytes wrong = Bytes.of((byte) 1);
        List<FetchEffect> effects = repair.onPages(1, first.replica(), first.token(), List.of(wrong));
        assertThat(effects.getFirst()).isEqualTo(new FetchEffect.WrongPage(first.replica(), victim));
        FetchEffect.Send second = (FetchEffect.Send) effects.getLast();
        assertThat(second.replica()).isNotEqualTo(first.replica());
        List<Bytes> answer = server.onFetch(1, 9, second.digests());
        assertThat(repair.onPages(2, first.replica(), second.token(), answer))
                .as("an answer of another than was asked")
                .isEmpty();
        FetchEffect.Write write = (FetchEffect.Write)
                repair.onPages(2, second.replica(), second.token(), answer).getFirst();
        sick.store.write(write.batch());
        assertThat(sick.store.get(victim)).isEqualTo(source.store.get(victim));
        assertThat(repair.open()).isZero();
    }

    @Test
    void aSinglePageThatTheOthersHaveDiscardedIsNotWantedForEver() {
        PageRepair repair = new PageRepair(List.of(4, 5, 6), FetchSettings.DEFAULT, 9);
        Bytes victim = Hashes.sha256(Bytes.of((byte) 7));
        FetchEffect.Send first = (FetchEffect.Send) repair.want(0, victim).getFirst();
        FetchEffect.Send second =
                (FetchEffect.Send) repair.onPages(1, first.replica(), first.token(), List.of(Bytes.EMPTY))
                        .getLast();
        assertThat(repair.open()).as("one alone may lie").isEqualTo(1);
        assertThat(repair.onPages(2, second.replica(), second.token(), List.of(Bytes.EMPTY)))
                .containsExactly(new FetchEffect.Unavailable(victim));
        assertThat(repair.open()).isZero();
        assertThat(repair.onTick(60_000)).isEmpty();
        assertThat(repair.want(60_001, victim)).as("found again").isNotEmpty();
    }

    @Test
    void aServerSendsABoundedShareAndNothingThatIsWrong() {
        Source source = new Source();
        source.advance(128, KeyMaker.LONG, random, 2_000);
        List<Bytes> pages = List.copyOf(Source.pages(source.store)).subList(0, 60);
        PageServer server = new PageServer(source.store, 100_000);
        long bytes = 0;
        for (int i = 0; i < 30; i++) {
            List<Bytes> answer = server.onFetch(1_000, 1, pages);
            long each = answer.stream().mapToLong(Bytes::length).sum();
            assertThat(each).isLessThan(PageServer.ANSWER_BYTES + 1_060_000L);
            bytes += each;
        }
        assertThat(bytes).isBetween(400_000L, 400_000L + 1_060_000);
        assertThat(server.onFetch(1_000, 2, pages)).isNotEmpty();

        PageServer rotten = new PageServer(source.store, 1 << 30);
        source.store.rot(pages.getFirst(), Optional.of(Bytes.of((byte) 1)));
        assertThat(rotten.onFetch(0, 1, pages.subList(0, 2)).getFirst()).isEqualTo(Bytes.EMPTY);
        assertThat(rotten.takeDamaged()).containsExactly(pages.getFirst());
        assertThat(rotten.takeDamaged()).isEmpty();
    }
}
