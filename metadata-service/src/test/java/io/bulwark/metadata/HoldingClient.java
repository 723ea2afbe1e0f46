package io.bulwark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.metadata.MetadataClient;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.locking.HolderEffect;
import io.bulwark.protocol.locking.LockingCodec;
import io.bulwark.protocol.locking.LockingMessage;
import io.bulwark.protocol.locking.LogEntry;
import io.bulwark.protocol.locking.LogHolder;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.LogRefusal;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.GenesisKeys;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Submission;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Peer;
import io.bulwark.transport.PeerLink;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import io.bulwark.transport.identity.Identity;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** A client with one session, which may hold locks, over real connections to the replicas of a group. */
@NullMarked
final class HoldingClient implements AutoCloseable {
    private record Waiting(Bytes command, CompletableFuture<Reply> reply) {}

    private final Transport transport;
    private final MetadataClient metadata;
    private final Identity key;
    private final List<PrincipalId> replicas = new ArrayList<>();
    private final Map<PrincipalId, PeerLink> links = new HashMap<>();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("holding-client").factory());
    private long session;
    private long number;

    // Owned by its thread.
    private final Deque<Waiting> gathered = new ArrayDeque<>();
    private final Map<Long, CompletableFuture<Reply>> sent = new HashMap<>();
    private final Map<Long, CompletableFuture<LockingMessage.ToHolder>> asked = new HashMap<>();
    private @Nullable LogHolder holder;
    private long nextToken = 1_000_000;

    HoldingClient(ReplicaGroup group, PrincipalId self) {
        key = Identity.generate(self, new SecureRandom());
        transport = Transport.open(
                TransportSettings.defaults(),
                group.credentials(self),
                new MessageCodecs(new OrderingCodec(), new LockingCodec()));
        metadata = MetadataClient.connect(transport, group.addresses());
        for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
            PrincipalId id = PrincipalId.replica(replica);
            replicas.add(id);
            links.put(id, transport.link(id, group.addresses().get(replica), this::onMessage));
        }
        var _ = thread.scheduleWithFixedDelay(this::tick, 20, 20, TimeUnit.MILLISECONDS);
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    void open(int volume) {
        byte[] nonce = new byte[Submission.OpenSession.NONCE_BYTES];
        new SecureRandom().nextBytes(nonce);
        Reply opened = submit(new Submission.OpenSession(Bytes.of(nonce), volume));
        session = ((Reply.SessionOpened) opened).session();
        number = 0;
    }

    private Reply submit(Submission submission) {
        return Reply.decode(metadata.submit(submission.encoded()).join());
    }

    /** Has a command ordered in the session. */
    Reply order(Command command) {
        number++;
        return submit(new Submission.InSession(session, number, number, command));
    }

    /** Asks without having anything ordered. */
    Reply ask(Query query) {
        return Reply.decode(metadata.queryUnordered(query.encoded()).join());
    }

    /** Begins a log. */
    LogId lock(Subtree subtree) {
        Reply reply = order(new Command.Lock(List.of(subtree), key.publicKey()));
        assertThat(reply).isInstanceOf(Reply.Locked.class);
        LogId log = ((Reply.Locked) reply).log();
        thread.execute(() -> holder = new LogHolder(
                new LogHolder.Terms(GenesisKeys.NONE.cluster(), log, replicas), key::sign, Timeouts.standard()));
        return log;
    }

    /** Appends a command to the log. */
    CompletableFuture<Reply> append(Command command) {
        Bytes submission = new Submission.InSession(1, 1, 1, command).encoded();
        Bytes bytes = submission.slice(Submission.COMMAND_OFFSET, submission.length() - Submission.COMMAND_OFFSET);
        CompletableFuture<Reply> reply = new CompletableFuture<>();
        thread.execute(() -> {
            gathered.add(new Waiting(bytes, reply));
            pump();
        });
        return reply;
    }

    /** Asks one log server for an answer as of this length of a log. */
    LockingMessage.ToHolder read(int replica, LogId log, long length, Query query) {
        CompletableFuture<LockingMessage.ToHolder> answer = new CompletableFuture<>();
        thread.execute(() -> {
            long call = nextToken++;
            asked.put(call, answer);
            var _ = Objects.requireNonNull(links.get(PrincipalId.replica(replica)))
                    .send(
                            0,
                            new LockingMessage.LogRead(
                                    log, call, LockingMessage.ALL, length, Optional.empty(), query.encoded()));
        });
        // A request over a connection that has just broken is lost.
        return answer.completeOnTimeout(
                        new LockingMessage.LogRefused(log, 1, LogRefusal.BEHIND, 0), 500, TimeUnit.MILLISECONDS)
                .join();
    }

    private void pump() {
        LogHolder current = Objects.requireNonNull(holder);
        while (!gathered.isEmpty()) {
            Waiting next = gathered.getFirst();
            LogEntry entry = new LogEntry(System.currentTimeMillis(), Optional.empty(), next.command());
            if (!current.canAppend(entry)) {
                return;
            }
            gathered.removeFirst();
            long token = nextToken++;
            sent.put(token, next.reply());
            carryOut(current.append(now(), token, entry));
        }
    }

    private void carryOut(List<HolderEffect> effects) {
        for (HolderEffect effect : effects) {
            switch (effect) {
                case HolderEffect.Send send -> {
                    var _ = Objects.requireNonNull(links.get(send.to())).send(0, send.message());
                }
                case HolderEffect.Answered answered ->
                    Objects.requireNonNull(sent.remove(answered.token())).complete(Reply.decode(answered.reply()));
                case HolderEffect.Ended ended ->
                    sent.values()
                            .forEach(each ->
                                    each.completeExceptionally(new AssertionError("the log has ended: " + ended)));
            }
        }
    }

    private void onMessage(Peer peer, long requestId, Message message, Runnable done) {
        thread.execute(() -> {
            if (message instanceof LockingMessage.ToHolder answer) {
                CompletableFuture<LockingMessage.ToHolder> own = asked.remove(callOf(answer));
                if (own != null) {
                    own.complete(answer);
                } else if (holder != null) {
                    carryOut(holder.onMessage(now(), peer.principal(), answer));
                    pump();
                }
            }
        });
        done.run();
    }

    private static long callOf(LockingMessage.ToHolder answer) {
        return switch (answer) {
            case LockingMessage.LogAnswer of -> of.call();
            case LockingMessage.LogAnswerDigest of -> of.call();
            case LockingMessage.LogRefused of -> of.call();
            case LockingMessage.Appended _ -> 0;
        };
    }

    private void tick() {
        if (holder != null) {
            carryOut(holder.onTick(now()));
            pump();
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
        metadata.close();
        transport.close();
    }
}
