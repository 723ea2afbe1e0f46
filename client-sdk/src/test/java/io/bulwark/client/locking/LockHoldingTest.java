package io.bulwark.client.locking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.client.driver.EvidenceListener;
import io.bulwark.client.driver.OperationDriver;
import io.bulwark.client.object.Metadata;
import io.bulwark.client.object.SessionPool;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LockingMessage;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.LogRefusal;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.transport.Delivery;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The log of a session whose servers close it before they answer. */
@NullMarked
class LockHoldingTest {
    private static final List<Subtree> SUBTREES = List.of(new Subtree("films", "a/"));
    private static final Subtree OF_OTHERS = new Subtree("films", "b/");
    private static final List<PrincipalId> REPLICAS =
            IntStream.range(0, 4).mapToObj(PrincipalId::replica).toList();
    private static final Reply.Deleted DELETED = new Reply.Deleted(7, false, false);

    private final ExecutorService callbacks = Executors.newSingleThreadExecutor();
    private final OperationDriver driver =
            new OperationDriver(this::refuse, EvidenceListener.NONE, new OperationDriver.Limits(1, 0, 0), 1);
    private final AtomicLong commands = new AtomicLong();
    private final Set<Long> asked = ConcurrentHashMap.newKeySet();

    private final LockHolding holding = new LockHolding(
            new LockHolding.Environment(new Replicas(), driver, new Servers(), callbacks, new LockStatistics()),
            new Replicas());

    @AfterEach
    void close() {
        driver.close();
        callbacks.shutdownNow();
    }

    /** Each log server says that the log is closed. */
    private Delivery refuse(PrincipalId to, long requestId, Message message) {
        if (message instanceof LockingMessage.Append append) {
            callbacks.execute(() -> driver.onMessage(
                    to,
                    requestId,
                    new LockingMessage.LogRefused(
                            append.log(), LockingMessage.LogRefused.BATCH, LogRefusal.CLOSED, 0)));
        }
        return Delivery.UNSURE;
    }

    private record Servers() implements LogServers {
        @Override
        public Bytes cluster() {
            return Bytes.of(new byte[32]);
        }

        @Override
        public List<PrincipalId> replicas() {
            return REPLICAS;
        }
    }

    /** The metadata service. The next LOCK of the session comes right behind the first answer about a log, and ends it. */
    private final class Replicas implements Metadata, Metadata.Session {
        @Override
        public CompletableFuture<Reply> query(Query query) {
            boolean isKept = query instanceof Query.LogOutcome outcome && asked.add(outcome.lock());
            return CompletableFuture.completedFuture(
                    isKept
                            ? new Reply.LogOutcome(1, 1, List.of(DELETED.encoded()))
                            : new Reply.Failed(MetadataError.NO_SUCH_LOG, ""));
        }

        @Override
        public CompletableFuture<Session> open(int volume) {
            return CompletableFuture.completedFuture(this);
        }

        @Override
        public long number() {
            return 1;
        }

        @Override
        public long ttlMillis() {
            return 60_000;
        }

        @Override
        public CompletableFuture<Reply> submit(Command command, Optional<PrincipalId> onBehalfOf) {
            if (command instanceof Command.Lock lock && lock.subtrees().contains(OF_OTHERS)) {
                return CompletableFuture.completedFuture(new Reply.Failed(MetadataError.LOCKED, OF_OTHERS.toString()));
            }
            return CompletableFuture.completedFuture(
                    command instanceof Command.Lock
                            ? new Reply.Locked(
                                    new LogId(PrincipalId.client(1), 1, commands.incrementAndGet()), 1, 1, 1, 1, 1)
                            : new Reply.Done());
        }
    }

    @Test
    void anEntryHasTheReplyOfTheOnlyAnswerAboutItsLog() throws Exception {
        assertThat(holding.lock(SUBTREES).get(20, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Reply> deletion =
                holding.submit(new Command.DeleteObject("films", "a/b", 0), Optional.empty());
        assertThat(deletion.get(20, TimeUnit.SECONDS)).isEqualTo(DELETED);
    }

    @Test
    void aPartThatOthersNeedIsGivenUpAlone() {
        VolumeLocks locks = new VolumeLocks(
                () -> CompletableFuture.completedFuture(SessionPool.lease(1, PrincipalId.client(1), holding)));
        locks.want(SUBTREES.getFirst());
        await().until(() -> locks.held().equals(SUBTREES));
        locks.want(OF_OTHERS);
        await().until(() -> commands.get() == 2 && locks.held().equals(SUBTREES));
    }
}
