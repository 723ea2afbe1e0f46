package io.bulwark.protocol.locking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.locking.HolderEffect.Answered;
import io.bulwark.protocol.locking.HolderEffect.Ended;
import io.bulwark.protocol.locking.HolderEffect.Outstanding;
import io.bulwark.protocol.locking.HolderEffect.Reason;
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
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class LogHolderTest {
    private static final Timeouts TIMES = new Timeouts(100, 400, 0, 5_000);
    private static final List<PrincipalId> REPLICAS =
            IntStream.range(0, 4).mapToObj(PrincipalId::replica).toList();

    /** Its lock number makes replicas 0, 1 and 2 the preferred servers. */
    private static final LogId LOG = new LogId(PrincipalId.client(7), 3, 4);

    private static final Signer SIGNER = Signer.fresh();

    private int signatures;
    private final LogHolder holder = new LogHolder(
            new LogHolder.Terms(CounterState.CLUSTER, LOG, REPLICAS),
            content -> {
                signatures++;
                return SIGNER.sign(content);
            },
            TIMES);
    private long now = 1_000;
    private final List<HolderEffect> effects = new ArrayList<>();

    /** The messages for each replica since the last call. */
    private List<LockingMessage.ToServer> sent(int replica) {
        List<LockingMessage.ToServer> sent = effects.stream()
                .filter(effect ->
                        effect instanceof HolderEffect.Send send && send.to().equals(REPLICAS.get(replica)))
                .map(effect -> ((HolderEffect.Send) effect).message())
                .toList();
        effects.removeIf(
                effect -> effect instanceof HolderEffect.Send send && send.to().equals(REPLICAS.get(replica)));
        return sent;
    }

    private List<HolderEffect> reports() {
        List<HolderEffect> reports = effects.stream()
                .filter(effect -> !(effect instanceof HolderEffect.Send))
                .toList();
        effects.removeAll(reports);
        return reports;
    }

    private Append batch(int replica) {
        List<LockingMessage.ToServer> sent = sent(replica);
        assertThat(sent).hasSize(1);
        return (Append) sent.getFirst();
    }

    private LogRead read(int replica) {
        return (LogRead) sent(replica).getLast();
    }

    private void append(long token) {
        effects.addAll(holder.append(now, token, SignedLog.entry(token, 0)));
    }

    private void answer(int replica, LockingMessage.ToHolder message) {
        effects.addAll(holder.onMessage(now, REPLICAS.get(replica), message));
    }

    /** The answer of a correct server, whose state adds up the numbers. */
    private static Appended appended(Append batch, long... replies) {
        List<Bytes> bytes = new ArrayList<>();
        for (long reply : replies) {
            bytes.add(CounterState.number(reply));
        }
        return new Appended(LOG, batch.head().length(), batch.head().hash(), bytes);
    }

    private void tick(long millis) {
        now += millis;
        effects.addAll(holder.onTick(now));
    }

    private static LogRefused refused(LogRefusal reason, long length) {
        return new LogRefused(LOG, LogRefused.BATCH, reason, length);
    }

    @PlantedBug(
            in = LogHolder.class,
            rule = "an operation completes at 2f+1 equal replies",
            replace = "return 2 * faulty() + 1;",
            with = "return 2 * faulty();")
    @Test
    void operationCompletesWithEqualRepliesOfAQuorum() {
        append(5);
        Append batch = batch(0);
        assertThat(batch.entries()).containsExactly(SignedLog.entry(5, 0));
        assertThat(batch.head().isSigned(CounterState.CLUSTER, LOG, SIGNER.key()))
                .isTrue();
        assertThat(batch(1)).isEqualTo(batch);
        assertThat(batch(2)).isEqualTo(batch);
        assertThat(sent(3)).isEmpty();
        answer(0, appended(batch, 5));
        answer(0, appended(batch, 5));
        answer(1, appended(batch, 5));
        assertThat(reports()).isEmpty();
        answer(2, appended(batch, 5));
        assertThat(reports()).containsExactly(new Answered(5, CounterState.number(5)));
    }

    @Test
    void operationsGatherUnderOneSignatureWhileABatchIsUnderWay() {
        append(1);
        Append first = batch(0);
        append(2);
        append(3);
        assertThat(sent(0)).isEmpty();
        for (int replica = 0; replica < 3; replica++) {
            answer(replica, appended(first, 1));
        }
        Append second = batch(0);
        assertThat(second.first()).isEqualTo(2);
        assertThat(second.entries()).hasSize(2);
        assertThat(signatures).isEqualTo(2);
    }

    @Test
    void slowBatchGoesToTheOtherServersWhichArePreferredThen() {
        append(1);
        Append batch = batch(0);
        answer(0, appended(batch, 1));
        answer(1, appended(batch, 1));
        tick(TIMES.hedgeMillis() - 1);
        assertThat(sent(3)).isEmpty();
        tick(1);
        assertThat(batch(3)).isEqualTo(batch);
        answer(3, appended(batch, 1));
        assertThat(reports()).containsExactly(new Answered(1, CounterState.number(1)));
        var _ = sent(2);
        append(2);
        assertThat(sent(2)).isEmpty();
        assertThat(batch(3).first()).isEqualTo(2);
    }

    @Test
    void wrongRepliesDoNotCount() {
        append(1);
        Append batch = batch(0);
        answer(0, appended(batch, 1));
        answer(1, appended(batch, 66));
        answer(2, appended(batch, 1));
        tick(TIMES.hedgeMillis());
        answer(3, appended(batch, 1));
        assertThat(reports()).containsExactly(new Answered(1, CounterState.number(1)));
    }

    @PlantedBug(
            in = LogHolder.class,
            rule = "a reply counts only with the hash of the chain at its place",
            replace = "if (!log.isHead(length, appended.hash())) {",
            with = "if (!log.isHead(length)) {")
    @Test
    void repliesOfAnotherChainDoNotCount() {
        append(1);
        Append batch = batch(0);
        for (int replica = 0; replica < 4; replica++) {
            answer(
                    replica,
                    new Appended(LOG, 1, LockingSamples.filled(Hashes.LENGTH, 3), List.of(CounterState.number(1))));
            answer(replica, new Appended(LOG, 2, batch.head().hash(), List.of(CounterState.number(1))));
        }
        assertThat(reports()).isEmpty();
    }

    @Test
    void serverThatLacksEntriesGetsThemMerged() {
        append(1);
        Append first = batch(0);
        append(2);
        for (int replica : new int[] {0, 2, 3}) {
            answer(replica, appended(first, 1));
        }
        Append second = batch(0);
        var _ = sent(1);
        answer(1, refused(LogRefusal.GAP, 0));
        Append merged = batch(1);
        assertThat(merged.first()).isEqualTo(1);
        assertThat(merged.entries()).hasSize(2);
        assertThat(merged.head()).isEqualTo(second.head());
    }

    @Test
    void batchWithoutAcknowledgmentIsSentAgainDespiteAGap() {
        append(1);
        Append first = batch(0);
        effects.addAll(holder.read(now, 9, Optional.empty(), Bytes.EMPTY));
        LogRead read = read(0);
        answer(0, new LogRefused(LOG, read.call(), LogRefusal.GAP, 1));
        tick(TIMES.retryMillis());
        assertThat(sent(0)).contains(first);
    }

    @Test
    void serverThatRepeatsItsGapGetsNoFloodOfBatches() {
        append(1);
        var _ = sent(0);
        answer(0, refused(LogRefusal.GAP, 0));
        assertThat(sent(0)).hasSize(1);
        for (int i = 0; i < 10; i++) {
            answer(0, refused(LogRefusal.GAP, 0));
        }
        assertThat(sent(0)).isEmpty();
    }

    @Test
    void serverThatIsBehindIsAskedAgainSoon() {
        append(1);
        Append batch = batch(0);
        answer(0, refused(LogRefusal.BEHIND, 0));
        assertThat(batch(3)).isEqualTo(batch);
        tick(LogHolder.BUSY_MILLIS);
        assertThat(batch(0)).isEqualTo(batch);
    }

    @Test
    void lostBatchIsSentAgain() {
        append(1);
        Append batch = batch(0);
        tick(TIMES.retryMillis());
        assertThat(batch(0)).isEqualTo(batch);
        tick(TIMES.retryMillis());
        assertThat(sent(0)).isEmpty();
        tick(TIMES.retryMillis());
        assertThat(batch(0)).isEqualTo(batch);
    }

    @PlantedBug(
            in = LogHolder.class,
            rule = "f servers cannot end a log",
            replace = "filter(LogPeer::hasRefused).count() > terms.faulty()",
            with = "filter(LogPeer::hasRefused).count() >= terms.faulty()")
    @Test
    void closedLogGivesBackWhatIsUnknownInOrder() {
        append(1);
        append(2);
        append(3);
        effects.addAll(holder.read(now, 9, Optional.empty(), Bytes.EMPTY));
        answer(0, refused(LogRefusal.CLOSED, 0));
        answer(0, refused(LogRefusal.CLOSED, 0));
        assertThat(reports()).isEmpty();
        answer(1, refused(LogRefusal.CLOSED, 1));
        assertThat(reports())
                .containsExactly(new Ended(
                        Reason.REFUSED,
                        List.of(
                                new Outstanding(1, 1, SignedLog.entry(1, 0)),
                                new Outstanding(2, 2, SignedLog.entry(2, 0)),
                                new Outstanding(3, 3, SignedLog.entry(3, 0))),
                        List.of(9L)));
        assertThat(holder.isEnded()).isTrue();
        assertThat(holder.canAppend(SignedLog.entry(4, 0))).isFalse();
        assertThatThrownBy(() -> holder.append(now, 4, SignedLog.entry(4, 0)))
                .isInstanceOf(IllegalStateException.class);
        tick(TIMES.timeoutMillis());
        assertThat(effects.stream().noneMatch(Ended.class::isInstance)).isTrue();
    }

    @Test
    void preferredServerThatRefusesForGoodIsReplaced() {
        append(1);
        Append batch = batch(0);
        answer(0, refused(LogRefusal.ABSTAINS, 0));
        for (int replica = 1; replica < 4; replica++) {
            answer(replica, appended(batch, 1));
        }
        assertThat(reports()).hasSize(1);
        var _ = sent(3);
        append(2);
        assertThat(sent(0)).isEmpty();
        assertThat(batch(3).entries()).hasSize(1);
    }

    @PlantedBug(
            in = LogHolder.class,
            rule = "the results of all outstanding entries are kept when the log closes",
            replace = "next - pending.firstKey() < LogLimits.OUTSTANDING_MAX",
            with = "pending.size() < LogLimits.ENTRIES_MAX")
    @Test
    void windowBeginsAtTheOldestEntryWithoutAReply() {
        append(1);
        Append first = batch(0);
        for (long token = 2; token <= LogLimits.OUTSTANDING_MAX; token++) {
            append(token);
        }
        assertThat(holder.canAppend(SignedLog.entry(0, 0))).isFalse();
        for (int replica = 0; replica < 3; replica++) {
            answer(replica, appended(first, 1));
        }
        assertThat(holder.canAppend(SignedLog.entry(0, 0))).isTrue();
        Append second = batch(0);
        assertThat(second.entries()).hasSize(LogLimits.OUTSTANDING_MAX - 1);
        long[] replies = new long[LogLimits.OUTSTANDING_MAX - 1];
        for (int replica = 0; replica < 3; replica++) {
            replies[0] = replica;
            answer(replica, appended(second, replies));
        }
        // All but entry 2 have a reply, whose place keeps the window.
        assertThat(reports()).hasSize(LogLimits.OUTSTANDING_MAX - 1);
        append(1_000);
        assertThat(holder.canAppend(SignedLog.entry(0, 0))).isFalse();
    }

    @Test
    void logThatIsFullTakesNothing() {
        LogEntry large = SignedLog.entry(1, LogEntry.COMMAND_BYTES_MAX - Long.BYTES);
        int most = LogLimits.BYTES_MAX / large.length();
        for (int i = 0; i < most; i++) {
            assertThat(holder.hasRoom(large)).isTrue();
            effects.addAll(holder.append(now, i, large));
        }
        assertThat(holder.hasRoom(large)).isFalse();
        assertThat(holder.canAppend(large)).isFalse();
        assertThat(holder.canAppend(SignedLog.entry(1, 0))).isTrue();
        Append first = batch(0);
        for (int replica = 0; replica < 3; replica++) {
            answer(replica, appended(first, 1));
        }
        Append second = batch(0);
        assertThat(Append.bytesOf(second.entries())).isLessThanOrEqualTo(LogHolder.BATCH_BYTES_MAX);
        assertThat(second.entries()).hasSize(LogHolder.BATCH_BYTES_MAX / large.length());
    }

    @Test
    void stoppedHolderEndsWhenAllIsAnswered() {
        append(1);
        Append first = batch(0);
        append(2);
        effects.addAll(holder.stop(now));
        assertThat(holder.canAppend(SignedLog.entry(1, 0))).isFalse();
        assertThat(holder.canRead()).isFalse();
        for (int replica = 0; replica < 3; replica++) {
            answer(replica, appended(first, 1));
        }
        assertThat(reports()).containsExactly(new Answered(1, CounterState.number(1)));
        Append second = batch(0);
        for (int replica = 0; replica < 3; replica++) {
            answer(replica, appended(second, 3));
        }
        assertThat(reports())
                .containsExactly(
                        new Answered(2, CounterState.number(3)), new Ended(Reason.STOPPED, List.of(), List.of()));
    }

    @Test
    void holderEndsWhenTimeIsUp() {
        append(1);
        tick(TIMES.timeoutMillis() - 1);
        assertThat(reports()).isEmpty();
        tick(1);
        assertThat(reports())
                .containsExactly(
                        new Ended(Reason.TIMED_OUT, List.of(new Outstanding(1, 1, SignedLog.entry(1, 0))), List.of()));
    }

    @Test
    void queryIsAnsweredAsOfAllThatWasSent() {
        append(1);
        append(2);
        effects.addAll(holder.read(now, 9, Optional.of(PrincipalId.client(8)), Bytes.EMPTY));
        LogRead asked = read(0);
        assertThat(asked.length()).isEqualTo(1);
        assertThat(asked.onBehalfOf()).contains(PrincipalId.client(8));
        LogAnswer answer = new LogAnswer(LOG, asked.call(), CounterState.number(1));
        answer(0, answer);
        answer(1, answer);
        assertThat(reports()).isEmpty();
        answer(2, answer);
        assertThat(reports()).containsExactly(new Answered(9, CounterState.number(1)));
    }

    @Test
    void longAnswerComesFromOneServerAndItsDigestFromTheOthers() {
        effects.addAll(holder.read(now, 9, Optional.empty(), CounterState.LONG));
        LogRead asked = read(0);
        Bytes whole = Bytes.of(new byte[100]);
        for (int replica = 0; replica < 3; replica++) {
            answer(replica, new LogAnswer(LOG, asked.call(), whole).by(replica, asked.replier()));
        }
        assertThat(reports()).containsExactly(new Answered(9, whole));
    }

    @Test
    void anotherServerIsToSendTheWholeAnswerWhenTheNamedOneDoesNot() {
        effects.addAll(holder.read(now, 9, Optional.empty(), CounterState.LONG));
        LogRead asked = read(0);
        Bytes whole = Bytes.of(new byte[100]);
        Bytes digest = Hashes.sha256(whole);
        for (int replica = 0; replica < 3; replica++) {
            answer(replica, new LogAnswerDigest(LOG, asked.call(), digest));
        }
        assertThat(reports()).isEmpty();
        tick(HolderReads.REPLIER_MILLIS);
        LogRead again = read(0);
        assertThat(again.call()).isNotEqualTo(asked.call());
        assertThat(again.replier()).isNotEqualTo(asked.replier());
        answer(0, new LogAnswerDigest(LOG, asked.call(), digest));
        for (int replica = 0; replica < 3; replica++) {
            answer(replica, new LogAnswer(LOG, again.call(), whole).by(replica, again.replier()));
        }
        answer(3, new LogAnswer(LOG, again.call(), whole).by(3, again.replier()));
        assertThat(reports()).containsExactly(new Answered(9, whole));
    }

    @Test
    void queryIsAskedAgainOfAllServersAsOfTheNewLength() {
        append(1);
        Append first = batch(0);
        effects.addAll(holder.read(now, 9, Optional.empty(), Bytes.EMPTY));
        LogRead asked = read(0);
        append(2);
        for (int replica = 0; replica < 3; replica++) {
            answer(replica, appended(first, 1));
        }
        answer(0, new LogRefused(LOG, asked.call(), LogRefusal.GAP, 2));
        tick(LogHolder.BUSY_MILLIS);
        assertThat(sent(3)).hasSize(2).element(0).isInstanceOf(Append.class);
        LogRead again = read(0);
        assertThat(again.length()).isEqualTo(2);
        LogAnswer answer = new LogAnswer(LOG, again.call(), CounterState.number(3));
        for (int replica = 1; replica < 4; replica++) {
            answer(replica, new LogAnswer(LOG, asked.call(), CounterState.number(1)));
            answer(replica, answer);
        }
        assertThat(reports()).contains(new Answered(9, CounterState.number(3)));
    }

    @Test
    void strangersAndOtherLogsAreIgnored() {
        append(1);
        Append batch = batch(0);
        Appended reply = appended(batch, 1);
        LogId other = new LogId(LOG.holder(), LOG.session(), LOG.lock() + 1);
        for (int replica = 0; replica < 3; replica++) {
            answer(replica, new Appended(other, 1, reply.hash(), reply.replies()));
            effects.addAll(holder.onMessage(now, PrincipalId.replica(8 + replica), reply));
        }
        assertThat(reports()).isEmpty();
    }
}
