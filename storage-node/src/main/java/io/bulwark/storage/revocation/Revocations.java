package io.bulwark.storage.revocation;

import io.bulwark.client.object.Metadata;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.control.NodeControlMessage.RevocationRequest;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.wire.Message;
import io.bulwark.storage.node.BackgroundWork;
import io.bulwark.storage.node.HostedProtocol;
import io.bulwark.storage.node.NodeAccess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the replicas for revoked principals, periodically and at once when a caller asks about one. It informs the
 * node's servers, and reports their answers. A restart begins anew: the replicas never take a revocation back.
 */
public final class Revocations implements BackgroundWork {
    private static final Logger LOG = LoggerFactory.getLogger(Revocations.class);
    private static final BlockId NO_BLOCK = BlockId.register(0, 0);
    private static final long PAUSE_MILLIS = 2_000;
    /** Pause while no client asks for anything. */
    private static final long REST_MILLIS = 10_000;

    private static final long ANSWER_MILLIS_MAX = 30_000;
    private static final long NO_VERSION = -1;

    private final Metadata metadata;
    private final RevocationRounds rounds =
            new RevocationRounds(this::tell, () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()), this::logAwaited);
    private final Semaphore wanted = new Semaphore(0);
    private volatile @Nullable NodeAccess hosting;
    private volatile @Nullable Thread thread;
    private volatile boolean stopping;
    private long version = NO_VERSION;

    public Revocations(Metadata metadata) {
        this.metadata = metadata;
    }

    /** Returns the watch of one more server of a register protocol, which counts from now on. */
    public RevocationWatch watch() {
        return rounds.watch();
    }

    /** Returns the protocol for the node to host. */
    public HostedProtocol protocol() {
        return new HostedProtocol(
                RevocationRequest.class::isInstance, message -> NO_BLOCK, false, message -> 0, shard -> new Server());
    }

    @Override
    public void start(NodeAccess node) {
        hosting = node;
        thread = Thread.ofVirtual().name("bulwark-revocations-" + node.node()).start(() -> follow(node));
    }

    @Override
    public void stop() {
        stopping = true;
        Thread running = thread;
        if (running != null) {
            running.interrupt();
        }
    }

    private void follow(NodeAccess node) {
        while (!stopping) {
            try {
                learn(node);
                awaitNext(node);
            } catch (InterruptedException e) {
                return;
            } catch (ExecutionException | TimeoutException | RuntimeException e) {
                LOG.debug("node {} could not read the revocations", node.node(), e);
                pause();
            }
        }
    }

    private void awaitNext(NodeAccess node) throws InterruptedException {
        for (long waited = 0; waited < REST_MILLIS; waited += PAUSE_MILLIS) {
            if (wanted.tryAcquire(PAUSE_MILLIS, TimeUnit.MILLISECONDS)
                    || node.sinceForegroundMillis() <= PAUSE_MILLIS) {
                break;
            }
        }
        var _ = wanted.drainPermits();
    }

    private void tell(PrincipalId revoked) {
        NodeAccess node = hosting;
        if (node != null) {
            node.tell(new Fact.Revoked(revoked));
        }
    }

    private void logAwaited(BlockId block, long timestamp, List<PrincipalId> peers) {
        NodeAccess node = hosting;
        Object self = node == null ? "?" : node.node();
        String ts = Long.toUnsignedString(timestamp);
        if (peers.isEmpty()) {
            LOG.warn(
                    "node {}: a repair has staged a version of block {} (timestamp {}) that is not in force: a "
                            + "revocation may not complete until that block is written",
                    self,
                    block,
                    ts);
        } else {
            LOG.warn(
                    "node {}: an unfinished write of a closed session, block {} (timestamp {}), cannot "
                            + "be dropped yet: {} have not confirmed that the session is closed and the write is "
                            + "absent. It counts for its client until they do, are replaced, or the block is written",
                    self,
                    block,
                    ts,
                    peers);
        }
    }

    private void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS / 10);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void learn(NodeAccess node) throws InterruptedException, ExecutionException, TimeoutException {
        PrincipalId after = PrincipalId.NOBODY;
        List<PrincipalId> revoked = new ArrayList<>();
        long first = NO_VERSION;
        long last;
        do {
            Reply reply = metadata.query(new Query.ListPrincipals(version, after, Query.PAGE_MAX))
                    .get(ANSWER_MILLIS_MAX, TimeUnit.MILLISECONDS);
            if (!(reply instanceof Reply.PrincipalList page)) {
                throw new IllegalStateException("unexpected reply of the replicas: " + reply);
            }
            for (Reply.PrincipalEntry entry : page.principals()) {
                if (entry.revoked() && !rounds.knows(entry.principal())) {
                    LOG.info("node {} refuses {} from now on: it is revoked", node.node(), entry.principal());
                    revoked.add(entry.principal());
                }
            }
            first = first == NO_VERSION ? page.version() : first;
            last = page.version();
            after = page.next();
        } while (!after.equals(PrincipalId.NOBODY));
        rounds.learn(revoked);
        // Changes between two pages require another scan.
        version = first == last ? last : NO_VERSION;
    }

    private final class Server implements ProtocolServer {
        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
            if (!(message instanceof RevocationRequest(PrincipalId revoked))) {
                return List.of();
            }
            if (!rounds.knows(revoked)) {
                wanted.release();
            }
            return List.of(new Effect.Send(from, requestId, rounds.answer(from, revoked)));
        }
    }
}
