package io.bulwark.protocol.locking;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LockingMessage.Append;
import io.bulwark.protocol.locking.LockingMessage.Appended;
import io.bulwark.protocol.locking.LockingMessage.LogAnswer;
import io.bulwark.protocol.locking.LockingMessage.LogAnswerDigest;
import io.bulwark.protocol.locking.LockingMessage.LogRead;
import io.bulwark.protocol.locking.LockingMessage.LogRefused;
import io.bulwark.protocol.metadata.Signer;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class LogServerTest {
    private static final PrincipalId HOLDER = PrincipalId.client(7);
    private static final PrincipalId SELF = PrincipalId.replica(1);
    private static final List<PrincipalId> REPLICAS =
            IntStream.range(0, 4).mapToObj(PrincipalId::replica).toList();
    private static final Signer SIGNER = Signer.fresh();

    private final CounterState state = new CounterState(3);
    private final List<LogStoreRecord> disk = new ArrayList<>();
    private final SignedLog log = new SignedLog(new LogId(HOLDER, 3, 1), SIGNER);
    private LogServer server = server(0);
    private long now;

    private LogServer server(long abstainUpTo) {
        return new LogServer(
                new LogServer.Config(CounterState.CLUSTER, REPLICAS, SELF, abstainUpTo),
                state,
                CounterState.SUBMISSIONS,
                List.copyOf(disk));
    }

    private void lock() {
        assertThat(state.execute(HOLDER, CounterState.lock(3, SIGNER.key()))).isTrue();
    }

    /** Makes all stores durable, and returns the other effects, with those that follow. */
    private List<LogEffect> synced(List<LogEffect> effects) {
        List<LogEffect> others = new ArrayList<>();
        for (LogEffect effect : effects) {
            if (effect instanceof LogEffect.Store(long token, LogStoreRecord record)) {
                disk.add(record);
                others.addAll(synced(server.onStored(now, token)));
            } else {
                others.add(effect);
            }
        }
        return others;
    }

    private List<LockingMessage.ToHolder> answers(List<LogEffect> effects) {
        return synced(effects).stream()
                .filter(LogEffect.Send.class::isInstance)
                .map(effect -> ((LogEffect.Send) effect).message())
                .toList();
    }

    private LockingMessage.ToHolder ask(LockingMessage.ToServer message) {
        List<LockingMessage.ToHolder> answers = answers(server.onMessage(HOLDER, 9, message));
        assertThat(answers).hasSize(1);
        return answers.getFirst();
    }

    private LogRead read(long length, int replier, Bytes query) {
        return new LogRead(log.id, 5, replier, length, Optional.empty(), query);
    }

    private LogRefused refused(LogRefusal reason, long length) {
        return new LogRefused(log.id, LogRefused.BATCH, reason, length);
    }

    @Test
    void chainIsTheOneThatThePageDescribes() {
        // By another program, from the text of docs/protocols/locking.md.
        LogId id = LockingSamples.LOG;
        List<LogEntry> entries = LockingSamples.append().entries();
        Bytes root = LogChain.root(CounterState.CLUSTER, id);
        assertThat(root.toHex()).isEqualTo("269e0fdf0110eaa2749b358b09753f94d9d6d66acf4c2ef5dd847c95c4ee39b8");
        Bytes second = LogChain.next(LogChain.next(root, 1, entries.get(0)), 2, entries.get(1));
        assertThat(second.toHex()).isEqualTo("0bda9efc5beddba2fff9a4914b7f85ae2ff467dd3043155f85c9f3a82b29f783");
        assertThat(LogChain.signed(CounterState.CLUSTER, id, 2, second).toHex())
                .isEqualTo("62756c7761726b20686561640001020303000000070000000000000003000000000000010200000000000000"
                        + "020bda9efc5beddba2fff9a4914b7f85ae2ff467dd3043155f85c9f3a82b29f783");
    }

    @PlantedBug(
            in = LogServer.class,
            rule = "a log server acknowledges nothing before it is stored",
            replace = "log.lastToken() <= stored) { effects.add(send);",
            with = "log.lastToken() >= 0) { effects.add(send);")
    @Test
    void batchIsAcknowledgedOnceItIsStored() {
        lock();
        Append first = log.batch(5, 6);
        List<LogEffect> effects = server.onMessage(HOLDER, 9, first);
        assertThat(effects).containsExactly(new LogEffect.Store(1, new LogStoreRecord.Batch(first)));
        Append second = log.batch(1);
        assertThat(server.onMessage(HOLDER, 10, second))
                .containsExactly(new LogEffect.Store(2, new LogStoreRecord.Batch(second)));
        assertThat(server.onStored(now, 1))
                .containsExactly(new LogEffect.Send(
                        HOLDER,
                        9,
                        new Appended(
                                log.id,
                                2,
                                log.hashes.get(2),
                                List.of(CounterState.number(5), CounterState.number(11)))));
        assertThat(server.onStored(now, 2))
                .containsExactly(new LogEffect.Send(
                        HOLDER, 10, new Appended(log.id, 3, log.hashes.get(3), List.of(CounterState.number(12)))));
    }

    @Test
    void repeatedBatchGetsTheSameReplyAfterARestartToo() {
        lock();
        Append first = log.batch(5, 6);
        Append second = log.batch(7);
        LockingMessage.ToHolder reply = ask(first);
        var _ = ask(second);
        assertThat(ask(first)).isEqualTo(reply);
        server = server(0);
        assertThat(ask(first)).isEqualTo(reply);
        assertThat(ask(log.batch(1)))
                .isEqualTo(new Appended(log.id, 4, log.hashes.get(4), List.of(CounterState.number(19))));
    }

    @Test
    void repetitionBeforeTheSyncWaitsForItToo() {
        lock();
        Append first = log.batch(5);
        var _ = server.onMessage(HOLDER, 9, first);
        assertThat(server.onMessage(HOLDER, 10, first)).isEmpty();
        assertThat(server.onStored(now, 1)).hasSize(2);
    }

    @Test
    void serverTellsWhereItStandsInsteadOfTakingAPart() {
        lock();
        var _ = ask(log.batch(5));
        Append second = log.batch(6);
        Append third = log.batch(7);
        assertThat(ask(third)).isEqualTo(refused(LogRefusal.GAP, 1));
        var _ = ask(second);
        Append merged = new Append(log.id, log.entries, log.head(3));
        assertThat(ask(merged)).isEqualTo(refused(LogRefusal.GAP, 2));
        assertThat(ask(third)).isInstanceOf(Appended.class);
        assertThat(disk).hasSize(3);
    }

    @PlantedBug(
            in = ServerLog.class,
            rule = "a batch is taken whole or not at all: its head follows from its entries",
            replace = "return last.equals(batch.head().hash()) ? chain : List.of();",
            with = "return chain;")
    @Test
    void batchWhoseHeadIsOfOtherEntriesIsRefusedWhole() {
        lock();
        Append right = log.batch(5, 6);
        Append wrong = new Append(log.id, List.of(SignedLog.entry(5, 0), SignedLog.entry(9, 0)), right.head());
        assertThat(ask(wrong)).isEqualTo(refused(LogRefusal.INVALID, 0));
        assertThat(disk).isEmpty();
        assertThat(ask(right)).isInstanceOf(Appended.class);
    }

    @Test
    void secondHistoryIsRefused() {
        lock();
        var _ = ask(log.batch(5));
        Append other = new SignedLog(log.id, SIGNER).batch(6);
        assertThat(ask(other)).isEqualTo(refused(LogRefusal.INVALID, 1));
    }

    @Test
    void logBeyondItsLimitIsRefused() {
        lock();
        LogEntry large = SignedLog.entry(1, LogEntry.COMMAND_BYTES_MAX - Long.BYTES);
        int most = LogLimits.BYTES_MAX / large.length();
        var _ = ask(log.batch(Collections.nCopies(most, large)));
        Append beyond = log.batch(List.of(large));
        assertThat(ask(beyond)).isEqualTo(refused(LogRefusal.INVALID, most));
    }

    @Test
    void onlyTheHolderIsServed() {
        lock();
        for (LockingMessage.ToServer message : List.of(log.batch(5), read(0, LockingMessage.ALL, Bytes.EMPTY))) {
            assertThat(answers(server.onMessage(PrincipalId.client(8), 9, message)))
                    .singleElement()
                    .isInstanceOfSatisfying(
                            LogRefused.class,
                            refused -> assertThat(refused.reason()).isEqualTo(LogRefusal.INVALID));
        }
        assertThat(disk).isEmpty();
    }

    @Test
    void serverIsBehindUntilItsReplicaHasExecutedTheLock() {
        Append first = log.batch(5);
        assertThat(ask(first)).isEqualTo(refused(LogRefusal.BEHIND, 0));
        assertThat(ask(read(0, LockingMessage.ALL, Bytes.EMPTY)))
                .isEqualTo(new LogRefused(log.id, 5, LogRefusal.BEHIND, 0));
        lock();
        assertThat(ask(first)).isInstanceOf(Appended.class);
    }

    @Test
    void logThatNobodyHoldsIsClosed() {
        assertThat(state.execute(HOLDER, CounterState.add(1))).isTrue();
        assertThat(ask(log.batch(5))).isEqualTo(refused(LogRefusal.CLOSED, 0));
        assertThat(disk).isEmpty();
    }

    @PlantedBug(
            in = LogServer.class,
            rule = "(18) a read runs as of the length that the holder names",
            replace = "read.length() != log.length()",
            with = "read.length() > LogLimits.ENTRIES_MAX")
    @Test
    void readSeesTheEntriesUpToItsLengthAndWaitsForThem() {
        lock();
        var _ = server.onMessage(HOLDER, 9, log.batch(5));
        assertThat(server.onMessage(HOLDER, 10, read(1, LockingMessage.ALL, Bytes.EMPTY)))
                .isEmpty();
        assertThat(server.onStored(now, 1))
                .contains(new LogEffect.Send(HOLDER, 10, new LogAnswer(log.id, 5, CounterState.number(5))));
        for (long other : new long[] {0, 2}) {
            assertThat(ask(read(other, LockingMessage.ALL, Bytes.EMPTY)))
                    .isEqualTo(new LogRefused(log.id, 5, LogRefusal.GAP, 1));
        }
    }

    @Test
    void longAnswerComesWholeFromTheReplierAlone() {
        lock();
        LockingMessage.ToHolder whole = ask(read(0, SELF.number(), CounterState.LONG));
        assertThat(whole).isInstanceOf(LogAnswer.class);
        assertThat(ask(read(0, 2, CounterState.LONG)))
                .isEqualTo(new LogAnswerDigest(log.id, 5, Hashes.sha256(((LogAnswer) whole).reply())));
        assertThat(ask(read(0, 2, Bytes.EMPTY))).isEqualTo(new LogAnswer(log.id, 5, CounterState.number(0)));
    }

    @Test
    void answersThatWaitForTheStoreAreBounded() {
        lock();
        var _ = server.onMessage(HOLDER, 9, log.batch(5));
        for (int i = 1; i < LogServer.HELD_PER_LOG_MAX; i++) {
            assertThat(server.onMessage(HOLDER, 10, read(1, LockingMessage.ALL, Bytes.EMPTY)))
                    .isEmpty();
        }
        assertThat(ask(read(1, LockingMessage.ALL, Bytes.EMPTY)))
                .isEqualTo(new LogRefused(log.id, 5, LogRefusal.OVERLOADED, 1));
        assertThat(server.onStored(now, 1)).hasSize(LogServer.HELD_PER_LOG_MAX);
        assertThat(ask(read(1, LockingMessage.ALL, Bytes.EMPTY))).isInstanceOf(LogAnswer.class);
    }

    /** An overlay takes ten times the memory of its entries. */
    @PlantedBug(
            in = ServerLog.class,
            rule = "the memory of a log server is bounded, with the overlays",
            replace = "(state == null ? 0 : state.bytes())",
            with = "0")
    @Test
    void overlaysCountForTheMemoryOfAllLogs() {
        lock();
        state.overlayBytes = LogServer.BYTES_MAX;
        assertThat(ask(log.batch(5))).isInstanceOf(Appended.class);
        assertThat(ask(log.batch(6))).isEqualTo(refused(LogRefusal.OVERLOADED, 1));
        assertThat(state.execute(HOLDER, CounterState.openRound())).isTrue();
        var _ = synced(server.onExecuted(now));
        assertThat(server.bytes()).isLessThan(1_000).isPositive();
    }

    @PlantedBug(
            in = LogServer.class,
            rule = "(11) a server that has lost its store abstains from the logs that were open then",
            replace = "return log.lock() <= config.abstainUpTo()",
            with = "return log.lock() < 0")
    @Test
    void newStoreAbstainsFromOldLogsOnly() {
        lock();
        server = server(1);
        assertThat(ask(log.batch(5))).isEqualTo(refused(LogRefusal.ABSTAINS, 0));
        assertThat(state.execute(HOLDER, CounterState.openRound())).isTrue();
        assertThat(synced(server.onExecuted(now))).isEmpty();
        finishRound();
        assertThat(state.execute(HOLDER, CounterState.lock(3, SIGNER.key()))).isTrue();
        SignedLog next = new SignedLog(state.locked().orElseThrow(), SIGNER);
        assertThat(ask(next.batch(5))).isInstanceOf(Appended.class);
    }

    private void finishRound() {
        for (int replica : new int[] {0, 2, 3}) {
            state.execute(PrincipalId.replica(replica), SignedLog.fetch(log.id, log.head(0)));
        }
        assertThat(state.locked()).isEmpty();
    }

    @Test
    void serverWhoseDiskLacksABatchAbstainsFromThatLog() {
        lock();
        var _ = ask(log.batch(5));
        var _ = ask(log.batch(6));
        disk.removeFirst();
        server = server(0);
        assertThat(ask(log.batch(7)))
                .isInstanceOfSatisfying(
                        LogRefused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(LogRefusal.ABSTAINS));
        assertThat(state.execute(HOLDER, CounterState.openRound())).isTrue();
        assertThat(synced(server.onExecuted(now))).isEmpty();
    }
}
