package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class ExtentSessionsTest {
    private static final PrincipalId NODE = PrincipalId.node(3);
    private static final PrincipalId ALICE = PrincipalId.client(1);
    private static final PrincipalId MALLORY = PrincipalId.client(2);

    private final Continuations continuations = new Continuations();
    private final StorageQuota quota = new StorageQuota(1 << 30);
    private final ExtentBlocks blocks = new ExtentBlocks(continuations, quota, (_, _) -> true);
    private final ExtentSessions sessions = new ExtentSessions(NODE, continuations, blocks::discard, blocks::reference);
    private final NavigableMap<Bytes, Mutation.Put> disk = new TreeMap<>();
    private final Set<RecordKey> broken = new HashSet<>();
    private final List<Effect.Evidence> evidence = new ArrayList<>();

    @Test
    void whatTheDiskFailedToDeleteIsDeletedLater() {
        BlockId one = new BlockId(1, ALICE, 1, 1);
        BlockId two = new BlockId(1, ALICE, 1, 2);
        put(one);
        put(two);
        broken.add(RecordKey.of(RecordKind.EXTENT, one));
        ServerCall turn = ServerCall.at(0);
        sessions.learn(turn, new Fact.Freed(new BlockRange(1, ALICE, 1, 1, 2)));
        run(turn);
        assertThat(extents()).containsExactly(one);
        tick();
        assertThat(extents()).containsExactly(one);
        assertThat(isSweeping()).as("the next life would go on").isTrue();
        broken.clear();
        tick();
        assertThat(extents()).isEmpty();
        assertThat(isSweeping()).isFalse();
    }

    @Test
    void aRangeOfSeveralPagesIsDeletedAndNoMore() {
        for (int counter = 1; counter <= 600; counter++) {
            put(new BlockId(1, ALICE, 1, counter));
        }
        ServerCall turn = ServerCall.at(0);
        sessions.learn(turn, new Fact.Freed(new BlockRange(1, ALICE, 1, 1, 599)));
        run(turn);
        assertThat(extents()).containsExactly(new BlockId(1, ALICE, 1, 600));
        assertThat(isSweeping()).isFalse();
    }

    @Test
    void whatIsToldWhileTheRecordIsWrittenIsWrittenNext() {
        ServerCall first = ServerCall.at(0);
        sessions.learn(first, new Fact.Freed(new BlockRange(1, ALICE, 1, 1, 2)));
        ServerCall stored = ServerCall.at(0);
        Effect.LoadMetas load = (Effect.LoadMetas) first.effects().getFirst();
        continuations.onLoaded(stored, load.token(), metas(load.kind(), load.block(), load.block(), 9));
        sessions.learn(stored, new Fact.Freed(new BlockRange(1, ALICE, 1, 5, 1)));
        run(stored);
        ExtentSessions.Session again =
                session(new ExtentSessions(NODE, continuations, blocks::discard, blocks::reference));
        assertThat(again.isFreed(new BlockId(1, ALICE, 1, 2))).isTrue();
        assertThat(again.isFreed(new BlockId(1, ALICE, 1, 5))).isTrue();
    }

    /** Dropped in the middle of something, a session would come back without what that something has promised. */
    @Test
    void whatNobodyUsesIsDroppedFromMemoryAndWhatIsInUseStays() {
        ExtentSessions.Session idle = session(1);
        ExtentSessions.Session used = session(2);
        used.users++;
        ExtentSessions.Session undeleted = session(3);
        undeleted.onDeleteFailed(new BlockId(1, ALICE, 3, 1));
        ExtentSessions.Session stored = session(4);
        sessions.learn(ServerCall.at(0), new Fact.Freed(new BlockRange(1, ALICE, 4, 1, 1)));
        for (long other = 10_000; other < 15_000; other++) {
            session(other);
        }
        assertThat(session(1)).isNotSameAs(idle);
        assertThat(session(2)).isSameAs(used);
        assertThat(session(3)).isSameAs(undeleted);
        assertThat(session(4)).isSameAs(stored);
    }

    @Test
    void soManyOpenSessionsOfAnOwnerAndOfAllStayInMemory() {
        for (long number = 1; number <= 129; number++) {
            open(ALICE, number);
        }
        assertThat(session(1).state).isEqualTo(SessionState.UNKNOWN);
        assertThat(session(2).state).isEqualTo(SessionState.OPEN);
        for (int owner = 10; owner < 180; owner++) {
            for (long number = 1; number <= 100; number++) {
                open(PrincipalId.client(owner), number);
            }
        }
        assertThat(session(3).state).isEqualTo(SessionState.UNKNOWN);
    }

    private void open(PrincipalId owner, long number) {
        ServerCall turn = ServerCall.at(0);
        sessions.with(turn, new ExtentSessions.Key(1, owner, number), (_, _) -> {});
        run(turn);
        sessions.learn(new Fact.OfSession(1, owner, number, SessionState.OPEN));
    }

    @Test
    void bogusSessionsPushOutNoOpenOne() {
        ServerCall turn = ServerCall.at(0);
        sessions.with(turn, new ExtentSessions.Key(1, ALICE, 1), (_, _) -> {});
        run(turn);
        sessions.learn(new Fact.OfSession(1, ALICE, 1, SessionState.OPEN));
        for (long session = 1; session < 20_000; session++) {
            ServerCall next = ServerCall.at(session);
            sessions.with(
                    next, new ExtentSessions.Key(1, session % 2 == 0 ? MALLORY : ALICE, 1_000 + session), (_, _) -> {});
            run(next);
        }
        SessionState[] found = {SessionState.UNKNOWN};
        sessions.with(ServerCall.at(0), new ExtentSessions.Key(1, ALICE, 1), (_, session) -> found[0] = session.state);
        assertThat(found[0]).isEqualTo(SessionState.OPEN);
    }

    /** Read as empty it would let ids be used again that were freed. */
    @Test
    void aDamagedRecordIsReportedAndNothingMoreIsStoredUnderItsSession() {
        ServerCall turn = ServerCall.at(0);
        sessions.learn(turn, new Fact.Freed(new BlockRange(1, ALICE, 1, 1, 2)));
        run(turn);
        RecordKey key = SessionRecord.key(1, ALICE, 1);
        for (Bytes rotten : List.of(Bytes.EMPTY, Bytes.of((byte) 9, (byte) 0, (byte) 0, (byte) 0, (byte) 0))) {
            disk.put(key.encoded(), new Mutation.Put(key, rotten, Bytes.EMPTY));
            ExtentSessions restarted = new ExtentSessions(NODE, continuations, blocks::discard, blocks::reference);
            evidence.clear();
            ExtentSessions.Session session = session(restarted);
            assertThat(session.closed()).isTrue();
            assertThat(session.isFreed(new BlockId(1, ALICE, 1, 7)))
                    .as("still readable")
                    .isFalse();
            assertThat(evidence).singleElement().satisfies(seen -> {
                assertThat(seen.about()).isEqualTo(NODE);
                assertThat(seen.verdict()).isEqualTo(Verdict.DAMAGED);
            });
            restarted.learn(new Fact.OfSession(1, ALICE, 1, SessionState.OPEN));
            assertThat(session.closed()).as("what the replicas believe of it").isTrue();
            // It is remembered, also when something is written in its place.
            ServerCall later = ServerCall.at(1);
            restarted.learn(later, new Fact.Freed(new BlockRange(1, ALICE, 1, 5, 1)));
            run(later);
            ExtentSessions.Session again =
                    session(new ExtentSessions(NODE, continuations, blocks::discard, blocks::reference));
            assertThat(again.closed()).isTrue();
            assertThat(again.isFreed(new BlockId(1, ALICE, 1, 5))).isTrue();
        }
        ServerCall closing = ServerCall.at(2);
        sessions.learn(closing, new Fact.ClosedWith(1, ALICE, 1, List.of(new BlockRange(1, ALICE, 1, 7, 1))));
        run(closing);
        ExtentSessions.Session whole =
                session(new ExtentSessions(NODE, continuations, blocks::discard, blocks::reference));
        assertThat(whole.isFreed(new BlockId(1, ALICE, 1, 6))).isTrue();
        assertThat(whole.isFreed(new BlockId(1, ALICE, 1, 7))).isFalse();
    }

    /**
     * Object campaign, seed 210000: a store waited for the answer that its session was open when the node heard that
     * the session had collapsed. The node found nothing on its disk, and kept the data stored afterwards for ever.
     */
    @Test
    void aCollapsedSessionInMemoryIsClosedWhateverIsHeardOfItLater() {
        ExtentSessions.Session waiting = session(4);
        ExtentSessions.Session opened = session(5);
        sessions.learn(new Fact.OfSession(1, ALICE, 5, SessionState.OPEN));
        ServerCall turn = ServerCall.at(0);
        sessions.learn(turn, new Fact.Collapsed(MALLORY, 0, 9));
        sessions.learn(turn, new Fact.Collapsed(ALICE, 6, 9));
        run(turn);
        assertThat(waiting.closed()).isFalse();
        assertThat(opened.closed()).isFalse();
        ServerCall collapsed = ServerCall.at(1);
        sessions.learn(collapsed, new Fact.Collapsed(ALICE, 4, 5));
        run(collapsed);
        sessions.learn(new Fact.OfSession(1, ALICE, 4, SessionState.OPEN));
        for (long number = 4; number <= 5; number++) {
            ExtentSessions restarted = new ExtentSessions(NODE, continuations, blocks::discard, blocks::reference);
            assertThat(session(number).closed()).isTrue();
            assertThat(session(restarted, number).isFreed(new BlockId(1, ALICE, number, 0)))
                    .isTrue();
        }
    }

    private ExtentSessions.Session session(ExtentSessions of) {
        return session(of, 1);
    }

    private ExtentSessions.Session session(long number) {
        return session(sessions, number);
    }

    private ExtentSessions.Session session(ExtentSessions of, long number) {
        List<ExtentSessions.Session> found = new ArrayList<>();
        ServerCall turn = ServerCall.at(0);
        of.with(turn, new ExtentSessions.Key(1, ALICE, number), (_, session) -> found.add(session));
        run(turn);
        return found.getFirst();
    }

    private void tick() {
        ServerCall turn = ServerCall.at(1_000);
        sessions.onTick(turn);
        run(turn);
    }

    private void put(BlockId block) {
        RecordKey key = RecordKey.of(RecordKind.EXTENT, block);
        disk.put(key.encoded(), new Mutation.Put(key, Bytes.of(new byte[3]), Bytes.EMPTY));
    }

    private List<BlockId> extents() {
        return disk.values().stream()
                .map(Mutation.Put::key)
                .filter(key -> key.kind() == RecordKind.EXTENT)
                .map(RecordKey::block)
                .toList();
    }

    private boolean isSweeping() {
        return disk.values().stream().anyMatch(put -> SessionRecord.isSweeping(new Loaded.Meta(put.key(), put.meta())));
    }

    /** Does what is asked of the disk until nothing more is. */
    private void run(ServerCall first) {
        Deque<Effect> effects = new ArrayDeque<>(first.effects());
        while (!effects.isEmpty()) {
            ServerCall next = ServerCall.at(first.nowMillis());
            switch (effects.removeFirst()) {
                case Effect.Store store -> continuations.onStored(next, store.token(), apply(store.mutations()));
                case Effect.LoadMetas load ->
                    continuations.onLoaded(
                            next, load.token(), metas(load.kind(), load.block(), load.block(), Integer.MAX_VALUE));
                case Effect.Scan scan ->
                    continuations.onLoaded(next, scan.token(), metas(scan.kind(), scan.from(), scan.to(), scan.max()));
                case Effect.Evidence seen -> evidence.add(seen);
                case Effect other -> throw new AssertionError(other.toString());
            }
            effects.addAll(next.effects());
        }
    }

    private Stored apply(List<Mutation> mutations) {
        if (mutations.stream().anyMatch(mutation -> broken.contains(mutation.key()))) {
            return Stored.FAILED;
        }
        for (Mutation mutation : mutations) {
            if (mutation instanceof Mutation.Put put) {
                disk.put(put.key().encoded(), put);
            } else {
                disk.remove(mutation.key().encoded());
            }
        }
        return Stored.DURABLE;
    }

    private Loaded.Metas metas(RecordKind kind, BlockId from, BlockId to, int max) {
        return new Loaded.Metas(
                kind,
                disk.values().stream()
                        .filter(put -> put.key().kind() == kind
                                && put.key().block().compareTo(from) >= 0
                                && put.key().block().compareTo(to) <= 0)
                        .map(put -> new Loaded.Meta(put.key(), put.meta()))
                        .limit(max)
                        .toList());
    }
}
