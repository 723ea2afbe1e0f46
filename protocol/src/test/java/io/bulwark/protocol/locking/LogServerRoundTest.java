package io.bulwark.protocol.locking;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.P256;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LockingMessage.Append;
import io.bulwark.protocol.locking.LockingMessage.LogRefused;
import io.bulwark.protocol.metadata.Signer;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The part of a log server in the round that closes a log. */
@NullMarked
class LogServerRoundTest {
    private static final PrincipalId HOLDER = PrincipalId.client(7);

    /** First in the order of log 1, so that it submits pieces at once. */
    private static final PrincipalId SELF = PrincipalId.replica(1);

    private static final List<PrincipalId> REPLICAS =
            IntStream.range(0, 4).mapToObj(PrincipalId::replica).toList();
    private static final Signer SIGNER = Signer.fresh();

    private CounterState state = new CounterState(3);
    private final List<LogStoreRecord> disk = new ArrayList<>();
    private final List<LogStoreRecord> unsynced = new ArrayList<>();
    private final SignedLog log = new SignedLog(new LogId(HOLDER, 3, 1), SIGNER);
    private LogServer server = server(SELF);
    private long lastToken;
    private long now = 1_000;

    private LogServer server(PrincipalId self) {
        lastToken = 0;
        return new LogServer(
                new LogServer.Config(CounterState.CLUSTER, REPLICAS, self, 0),
                state,
                CounterState.SUBMISSIONS,
                List.copyOf(disk));
    }

    @BeforeEach
    void lock() {
        assertThat(state.execute(HOLDER, CounterState.lock(3, SIGNER.key()))).isTrue();
    }

    /** Keeps the records of the stores until the sync, and returns the other effects. */
    private List<LogEffect> written(List<LogEffect> effects) {
        List<LogEffect> others = new ArrayList<>();
        for (LogEffect effect : effects) {
            if (effect instanceof LogEffect.Store(long token, LogStoreRecord record)) {
                unsynced.add(record);
                lastToken = token;
            } else {
                others.add(effect);
            }
        }
        return others;
    }

    private List<LogEffect> synced() {
        disk.addAll(unsynced);
        unsynced.clear();
        return written(server.onStored(now, lastToken));
    }

    private void append(Append batch) {
        assertThat(written(server.onMessage(HOLDER, 9, batch))).isEmpty();
        assertThat(synced()).hasSize(1);
    }

    private void openRound() {
        assertThat(state.execute(PrincipalId.client(8), CounterState.openRound()))
                .isTrue();
    }

    private static Bytes fetch(SignedLog log, int length) {
        return SignedLog.fetch(log.id, log.head(length));
    }

    private Bytes pieces(int first, int last) {
        return CounterState.SUBMISSIONS.pieces(
                log.id, first, log.hashes.get(first - 1), log.entries.subList(first - 1, last));
    }

    /** Executes what is to be submitted, and returns it. */
    private List<Bytes> ordered(PrincipalId by, List<LogEffect> effects) {
        List<Bytes> submissions = effects.stream()
                .filter(LogEffect.Submit.class::isInstance)
                .map(effect -> ((LogEffect.Submit) effect).submission())
                .toList();
        submissions.forEach(submission -> state.execute(by, submission));
        return submissions;
    }

    @PlantedBug(
            in = LogServer.class,
            rule = "a FETCH is submitted only when the end of the log is stored",
            replace = "if (log.lastToken() <= stored) { rounds",
            with = "if (log.lastToken() >= 0) { rounds")
    @Test
    void fetchIsSubmittedOnceTheEndIsStored() {
        append(log.batch(5, 6));
        openRound();
        assertThat(written(server.onExecuted(now))).isEmpty();
        assertThat(unsynced).containsExactly(new LogStoreRecord.Closure(log.id));
        assertThat(synced())
                .containsExactly(new LogEffect.Submit(fetchOf(log.entries.size())), new LogEffect.Submit(pieces(1, 2)));
    }

    /** The head that the server has got, as signatures differ each time. */
    private Bytes fetchOf(int length) {
        LogHead head = disk.stream()
                .filter(LogStoreRecord.Batch.class::isInstance)
                .map(record -> ((LogStoreRecord.Batch) record).append().head())
                .filter(each -> each.length() == length)
                .findFirst()
                .orElseThrow();
        return SignedLog.fetch(log.id, head);
    }

    @PlantedBug(
            in = LogServer.class,
            rule = "after the end of a log nothing is acknowledged",
            replace = "log -> refusalOfState(log).isEmpty())",
            with = "log -> true)")
    @Test
    void batchThatIsStoredAfterTheEndIsNotAcknowledged() {
        assertThat(written(server.onMessage(HOLDER, 9, log.batch(5)))).isEmpty();
        openRound();
        assertThat(written(server.onExecuted(now))).isEmpty();
        List<LogEffect> effects = synced();
        assertThat(effects).hasSize(2).allMatch(LogEffect.Submit.class::isInstance);
        assertThat(effects.getFirst()).isEqualTo(new LogEffect.Submit(fetchOf(1)));
        assertThat(server.onMessage(HOLDER, 9, log.batch(6)))
                .containsExactly(
                        new LogEffect.Send(HOLDER, 9, new LogRefused(log.id, LogRefused.BATCH, LogRefusal.CLOSED, 1)));
    }

    @PlantedBug(
            in = LogServer.class,
            rule = "a server that has closed a log takes nothing for it in another life either",
            replace = "found != null && found.isClosed()",
            with = "found != null && found.length() < 0")
    @Test
    void lifeThatBeginsBeforeTheRoundFindsTheLogClosed() {
        append(log.batch(5));
        openRound();
        var _ = written(server.onExecuted(now));
        var _ = synced();
        // The replica begins again from a state in which the round is not open yet.
        state = new CounterState(3);
        server = server(SELF);
        lock();
        assertThat(server.onMessage(HOLDER, 9, log.batch(6)))
                .containsExactly(
                        new LogEffect.Send(HOLDER, 9, new LogRefused(log.id, LogRefused.BATCH, LogRefusal.CLOSED, 1)));
        openRound();
        assertThat(written(server.onExecuted(now))).contains(new LogEffect.Submit(fetchOf(1)));
    }

    @Test
    void fetchIsRepeatedUntilTheStateHasIt() {
        openRound();
        var _ = written(server.onExecuted(now));
        Bytes empty = fetch(log, 0);
        assertThat(synced()).containsExactly(new LogEffect.Submit(empty));
        assertThat(server.onExecuted(now)).isEmpty();
        now += Rounds.REPEAT_FIRST_MILLIS;
        assertThat(server.onTick(now)).containsExactly(new LogEffect.Submit(empty));
        now += Rounds.REPEAT_FIRST_MILLIS;
        assertThat(server.onTick(now)).isEmpty();
        now += Rounds.REPEAT_FIRST_MILLIS;
        assertThat(server.onTick(now)).containsExactly(new LogEffect.Submit(empty));
        assertThat(state.execute(SELF, empty)).isTrue();
        now += Rounds.REPEAT_MAX_MILLIS;
        assertThat(server.onTick(now)).isEmpty();
    }

    @Test
    void longLogComesInPiecesThatFitAndTheRoundEnds() {
        LogEntry large = SignedLog.entry(3, 20_000);
        append(log.batch(Collections.nCopies(10, large)));
        openRound();
        var _ = written(server.onExecuted(now));
        List<Bytes> submitted = ordered(SELF, synced());
        assertThat(submitted).hasSize(1 + 4).allMatch(bytes -> bytes.length() <= 64 << 10);
        assertThat(state.execute(PrincipalId.replica(2), fetch(log, 0))).isTrue();
        assertThat(state.locked()).isPresent();
        assertThat(state.execute(PrincipalId.replica(3), fetch(log, 0))).isTrue();
        assertThat(state.outcome(log.id).orElseThrow().entries()).isEqualTo(log.entries);
        assertThat(state.counter()).isEqualTo(30);
    }

    @Test
    void lostPiecesAreSubmittedAgainFromTheFirstOneThatIsMissing() {
        LogEntry large = SignedLog.entry(3, 20_000);
        append(log.batch(Collections.nCopies(10, large)));
        openRound();
        var _ = written(server.onExecuted(now));
        List<LogEffect> submitted = synced();
        ordered(SELF, submitted.subList(0, 2));
        assertThat(server.onExecuted(now)).isEmpty();
        now += Rounds.REPEAT_FIRST_MILLIS;
        List<LogEffect> again = server.onTick(now);
        assertThat(again)
                .hasSize(4)
                .startsWith(submitted.get(0))
                .endsWith(submitted.subList(2, 5).toArray(LogEffect[]::new));
        ordered(SELF, again);
        now += Rounds.REPEAT_MAX_MILLIS;
        assertThat(server.onTick(now)).isEmpty();
    }

    @Test
    void piecesOfALateServerWaitForThoseOfTheOthers() {
        server = server(PrincipalId.replica(0));
        append(log.batch(5));
        openRound();
        var _ = written(server.onExecuted(now));
        assertThat(synced()).containsExactly(new LogEffect.Submit(fetchOf(1)));
        now += 3 * Rounds.TURN_MILLIS;
        assertThat(server.onTick(now)).contains(new LogEffect.Submit(pieces(1, 1)));
        assertThat(state.execute(SELF, pieces(1, 1))).isTrue();
        assertThat(state.execute(PrincipalId.replica(0), fetchOf(1))).isTrue();
        now += Rounds.REPEAT_MAX_MILLIS;
        assertThat(server.onTick(now)).isEmpty();
    }

    @PlantedBug(
            in = Rounds.class,
            rule = "a server that brings less than it could does not keep the turn",
            replace = "isOwn || backed >= round.awaited",
            with = "true")
    @Test
    void aServerThatBringsEntriesOneByOneLosesTheTurn() {
        server = server(PrincipalId.replica(0));
        for (int i = 0; i < 4; i++) {
            append(log.batch(i));
        }
        openRound();
        var _ = written(server.onExecuted(now));
        assertThat(synced()).containsExactly(new LogEffect.Submit(fetchOf(4)));
        now += 2 * Rounds.TURN_MILLIS;
        assertThat(state.execute(SELF, pieces(1, 1))).isTrue();
        assertThat(server.onExecuted(now)).isEmpty();
        now += Rounds.TURN_MILLIS;
        assertThat(server.onTick(now)).contains(new LogEffect.Submit(pieces(2, 4)));
    }

    @Test
    void aServerThatBringsWholePiecesKeepsTheTurn() {
        server = server(PrincipalId.replica(0));
        append(log.batch(Collections.nCopies(10, SignedLog.entry(3, 20_000))));
        openRound();
        var _ = written(server.onExecuted(now));
        assertThat(synced()).containsExactly(new LogEffect.Submit(fetchOf(10)));
        now += 2 * Rounds.TURN_MILLIS;
        assertThat(state.execute(SELF, pieces(1, 3))).isTrue();
        assertThat(server.onExecuted(now)).isEmpty();
        now += 2 * Rounds.TURN_MILLIS;
        assertThat(server.onTick(now)).doesNotContain(new LogEffect.Submit(pieces(4, 6)));
        now += Rounds.TURN_MILLIS;
        assertThat(server.onTick(now)).contains(new LogEffect.Submit(pieces(4, 6)));
    }

    @Test
    void piecesBehindAForgedChainAreSubmittedAnyway() {
        append(log.batch(5));
        SignedLog forged = new SignedLog(log.id, Signer.fresh());
        var _ = forged.batch(9);
        openRound();
        var _ = written(server.onExecuted(now));
        state.execute(
                PrincipalId.replica(2),
                CounterState.SUBMISSIONS.pieces(log.id, 1, forged.hashes.get(0), forged.entries));
        assertThat(state.execute(PrincipalId.replica(2), fetch(forged, 1))).isFalse();
        ordered(SELF, synced());
        state.execute(PrincipalId.replica(2), fetch(log, 0));
        state.execute(PrincipalId.replica(3), fetch(log, 0));
        assertThat(state.counter()).isEqualTo(5);
    }

    @PlantedBug(
            in = ServerLog.class,
            rule = "(9) a log is good up to its last head that verifies",
            replace = ".filter(head -> head.isSigned(cluster, id, key))",
            with = "")
    @Test
    void logOfAFaultyHolderIsGoodUpToItsLastSignedHead() {
        append(log.batch(5));
        Append right = log.batch(6);
        Bytes wrong = LockingSamples.filled(P256.SIGNATURE_BYTES, 1);
        append(new Append(
                log.id,
                right.entries(),
                new LogHead(right.head().length(), right.head().hash(), wrong)));
        openRound();
        var _ = written(server.onExecuted(now));
        assertThat(synced()).containsExactly(new LogEffect.Submit(fetchOf(1)), new LogEffect.Submit(pieces(1, 1)));
    }

    @Test
    void logWithoutAGoodSignatureIsEmpty() {
        Append right = log.batch(6);
        append(new Append(
                log.id,
                right.entries(),
                new LogHead(1, right.head().hash(), LockingSamples.filled(P256.SIGNATURE_BYTES, 1))));
        openRound();
        var _ = written(server.onExecuted(now));
        assertThat(synced()).containsExactly(new LogEffect.Submit(fetch(log, 0)));
    }

    @Test
    void batchThatWasNotSyncedIsNotInTheRoundAfterACrash() {
        append(log.batch(5));
        assertThat(written(server.onMessage(HOLDER, 9, log.batch(6)))).isEmpty();
        unsynced.clear();
        server = server(SELF);
        openRound();
        var _ = written(server.onExecuted(now));
        assertThat(synced()).contains(new LogEffect.Submit(fetchOf(1)));
    }

    @PlantedBug(
            in = LogServer.class,
            rule = "records of a log are kept while a life of the replica may begin with the log open",
            replace = "if (each.getValue() <= commands) {",
            with = "if (each.getValue() > 0) {")
    @Test
    void recordsAreDeletedWhenNoLifeCanFindTheLogOpen() {
        append(log.batch(5));
        openRound();
        var _ = written(server.onExecuted(now));
        ordered(SELF, synced());
        long open = state.commands();
        state.execute(PrincipalId.replica(2), fetch(log, 0));
        state.execute(PrincipalId.replica(3), fetch(log, 0));
        assertThat(state.locked()).isEmpty();
        now += Rounds.REPEAT_MAX_MILLIS;
        assertThat(server.onTick(now)).isEmpty();
        assertThat(server.onStable(open)).isEmpty();
        assertThat(server.onMessage(HOLDER, 9, log.batch(6)))
                .singleElement()
                .isInstanceOfSatisfying(
                        LogEffect.Send.class,
                        send -> assertThat(send.message())
                                .isEqualTo(new LogRefused(log.id, LogRefused.BATCH, LogRefusal.CLOSED, 0)));
        assertThat(server.onStable(state.commands())).containsExactly(new LogEffect.Delete(log.id));
        assertThat(server.onStable(state.commands())).isEmpty();
    }

    @Test
    void recordsOfALogWhoseLockWillBeExecutedAgainAreKept() {
        append(log.batch(5));
        state = new CounterState(3);
        server = server(SELF);
        assertThat(server.onTick(now)).isEmpty();
        assertThat(server.onStable(0)).isEmpty();
        lock();
        assertThat(written(server.onMessage(HOLDER, 9, log.batch(6)))).isEmpty();
        assertThat(synced()).hasSize(1);
    }
}
