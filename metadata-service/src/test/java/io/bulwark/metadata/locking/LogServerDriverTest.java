package io.bulwark.metadata.locking;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.metadata.ordering.LockTable;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LockingMessage;
import io.bulwark.protocol.locking.LockingMessage.Appended;
import io.bulwark.protocol.locking.LockingMessage.LogRead;
import io.bulwark.protocol.locking.LockingMessage.LogRefused;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.LogRefusal;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import io.bulwark.transport.Peer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log server in a replica's life: when it answers, and what remains of it over restarts and transfers of state. */
@NullMarked
class LogServerDriverTest implements LogServerDriver.Host {
    private static final PrincipalId SELF = PrincipalId.replica(1);
    private static final List<PrincipalId> REPLICAS =
            IntStream.range(0, 4).mapToObj(PrincipalId::replica).toList();

    @TempDir
    private Path directory = Path.of("");

    private final CountingLocks locks = new CountingLocks();
    private final List<Message> answers = new ArrayList<>();
    private final List<Bytes> submissions = new ArrayList<>();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final BlockingQueue<Long> stored = new LinkedBlockingQueue<>();
    private Optional<LogServerDriver> driver = Optional.empty();
    private boolean isReadable = true;
    private boolean isCurrent = true;
    private long now = 1_000;

    @Override
    public Optional<LockTable> locks() {
        return Optional.of(locks.table());
    }

    @Override
    public boolean isReadable() {
        return isReadable;
    }

    @Override
    public boolean isCurrent(long nowMillis) {
        return isReadable && isCurrent;
    }

    @Override
    public void submit(long nowMillis, Bytes submission) {
        submissions.add(submission);
    }

    private final class HolderPeer implements Peer {
        @Override
        public PrincipalId principal() {
            return CountingLocks.HOLDER;
        }

        @Override
        public InetSocketAddress remoteAddress() {
            return new InetSocketAddress(0);
        }

        @Override
        public boolean send(long requestId, Message message) {
            assertThat(requestId).isEqualTo(77);
            return answers.add(message);
        }

        @Override
        public boolean isWritable() {
            return true;
        }

        @Override
        public void disconnect(String reason) {}
    }

    private LogServerDriver driver() throws IOException {
        if (driver.isEmpty()) {
            LogStore store = LogStore.open(directory, LogStore.Past.KEPT, new LogStore.Listener() {
                @Override
                public void onStored(long token) {
                    stored.add(token);
                }

                @Override
                public void onFailure(IOException failed) {
                    throw new AssertionError(failed);
                }
            });
            driver = Optional.of(new LogServerDriver(SELF, REPLICAS, this, store, new LogMeters(meters)));
        }
        return driver.get();
    }

    /** The store is new, and abstains from nothing: no log has begun. */
    @BeforeEach
    void begin() throws IOException {
        tick();
    }

    @AfterEach
    void stop() {
        driver.ifPresent(LogServerDriver::close);
        driver = Optional.empty();
        stored.clear();
    }

    private void send(LockingMessage.ToServer message) throws IOException {
        driver().onMessage(++now, new HolderPeer(), 77, message);
    }

    private void sync() throws Exception {
        Long token = stored.poll(10, TimeUnit.SECONDS);
        assertThat(token).isNotNull();
        driver().onStored(++now, token);
    }

    private void tick() throws IOException {
        now += 20;
        driver().onTick(now);
    }

    private Message last() {
        return answers.getLast();
    }

    private void append(LogId log, long... deltas) throws Exception {
        send(locks.batch(log, deltas));
        sync();
        assertThat(last()).isInstanceOf(Appended.class);
    }

    private static Bytes number(long value) {
        return new WireWriter().i64(value).toBytes();
    }

    private void assertRefused(LogRefusal reason) {
        assertThat(((LogRefused) last()).reason()).isEqualTo(reason);
    }

    /** Replaces the process, and perhaps the state by that of the last checkpoint. */
    private void restart() {
        stop();
    }

    private void loseStore() {
        stop();
        directory = directory.resolve("another");
    }

    private List<String> submitted() {
        return submissions.stream().map(each -> new WireReader(each).string(10)).toList();
    }

    @Test
    void aBatchIsAnsweredOnceItIsStored() throws Exception {
        LogId log = locks.lock();
        send(locks.batch(log, 5, 6));
        assertThat(answers).isEmpty();
        sync();
        Appended appended = (Appended) last();
        assertThat(appended.replies()).containsExactly(number(5), number(11));
        assertThat(meters.get("bulwark.locking.entries").counter().count()).isEqualTo(2);
        assertThat(meters.get("bulwark.locking.appends").counter().count()).isEqualTo(1);
    }

    @PlantedBug(
            in = LogServerDriver.class,
            rule = "a log server answers nothing before its replica has executed all that it helped to decide (6)",
            replace = "host.isReadable() ? host.locks() : Optional.empty();",
            with = "host.locks();")
    @Test
    void nothingIsAnsweredFromAStateThatIsBehind() throws Exception {
        LogId log = locks.lock();
        append(log, 5);
        isReadable = false;
        send(locks.batch(log, 6));
        assertRefused(LogRefusal.BEHIND);
        send(new LogRead(log, 4, 1, 1, Optional.empty(), Bytes.EMPTY));
        assertRefused(LogRefusal.BEHIND);
        assertThat(((LogRefused) last()).call()).isEqualTo(4);
    }

    @Test
    void anotherStateHasTheEntriesOfTheStoreOverIt() throws Exception {
        LogId log = locks.lock();
        append(log, 5);
        isReadable = false;
        tick();
        locks.counter = 0;
        isReadable = true;
        append(log, 6);
        assertThat(((Appended) last()).replies()).containsExactly(number(11));
    }

    @Test
    void aServerAfterATransferWaitsForWhatTheOneBeforeHadStored() throws Exception {
        LogId log = locks.lock();
        tick();
        send(locks.batch(log, 5));
        driver().reset();
        send(locks.batch(log, 6));
        assertRefused(LogRefusal.BEHIND);
        sync();
        assertThat(answers).hasSize(1);
        tick();
        // It has the first batch, and so takes the next; the holder has lost no batch, but its second.
        send(new LogRead(log, 4, 1, 1, Optional.empty(), Bytes.EMPTY));
        assertThat(last()).isEqualTo(new LockingMessage.LogAnswer(log, 4, number(5)));
    }

    @Test
    void logsSurviveARestart() throws Exception {
        LogId log = locks.lock();
        append(log, 5);
        restart();
        append(log, 6);
        assertThat(((Appended) last()).replies()).containsExactly(number(11));
    }

    @Test
    void aClosedLogStaysClosedThoughTheStateIsSetBack() throws Exception {
        LogId log = locks.lock();
        append(log, 5);
        locks.openRound();
        driver().onExecuted(++now);
        sync();
        assertThat(submitted()).contains("fetch");
        restart();
        locks.isClosing = false; // the last checkpoint is older than the round
        tick();
        send(locks.batch(log, 6));
        assertRefused(LogRefusal.CLOSED);
    }

    @Test
    void aFetchIsSubmittedOnlyOnceTheEndOfTheLogIsStored() throws Exception {
        LogId log = locks.lock();
        append(log, 5);
        locks.openRound();
        driver().onExecuted(++now);
        assertThat(submissions).isEmpty();
        sync();
        assertThat(submitted()).contains("fetch");
    }

    @Test
    void aFetchIsOwedAfterARestartToo() throws Exception {
        LogId log = locks.lock();
        append(log, 5);
        restart();
        locks.openRound();
        tick();
        sync();
        assertThat(submissions.getFirst())
                .isEqualTo(new WireWriter().string("fetch").i64(1).toBytes());
    }

    @PlantedBug(
            in = LogServerDriver.class,
            rule = "a log server with a new store abstains from the logs that are open then (11)",
            replace = "store.abstainUpTo(locks.commands());",
            with = "store.abstainUpTo(0);")
    @Test
    void aNewStoreAbstainsFromTheLogsThatAreOpen() throws Exception {
        loseStore();
        LogId log = locks.lock();
        tick();
        send(locks.batch(log, 5));
        assertRefused(LogRefusal.ABSTAINS);
        locks.openRound();
        tick();
        assertThat(submissions).isEmpty();
        locks.endRound();
        append(locks.lock(), 7);
    }

    @Test
    void aNewStoreTakesNothingUntilItsReplicaIsCurrent() throws Exception {
        loseStore();
        isCurrent = false;
        LogId log = locks.lock();
        tick();
        send(locks.batch(log, 5));
        assertRefused(LogRefusal.BEHIND);
        isCurrent = true;
        tick();
        restart();
        isCurrent = false; // which matters no more
        append(locks.lock(), 7);
    }

    @Test
    void logsThatAreOverAreDeletedOnceNoLifeBeginsBeforeTheirEnd() throws Exception {
        LogId log = locks.lock();
        append(log, 5);
        locks.openRound();
        driver().onExecuted(++now);
        sync();
        locks.isFetched = true;
        locks.endRound();
        tick();
        driver().onStable(++now, locks.commands - 1);
        assertThat(driver().logs()).isEqualTo(1);
        driver().onStable(++now, locks.commands);
        assertThat(driver().logs()).isZero();
        assertThat(meters.get("bulwark.locking.rounds")
                        .tag("reason", "unlocked")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void aServerThatFailsBeginsAgainFromItsStore() throws Exception {
        LogId log = locks.lock();
        append(log, 5);
        restart();
        tick();
        locks.fails = true;
        send(new LogRead(log, 4, 1, 1, Optional.empty(), Bytes.EMPTY));
        assertRefused(LogRefusal.BEHIND);
        locks.fails = false;
        append(log, 6);
        assertThat(((Appended) last()).replies()).containsExactly(number(11));
    }
}
