package io.bulwark.storage.revocation;

import io.bulwark.client.object.Metadata;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.control.NodeControlMessage.RevocationReply;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the replicas who is revoked, again and again and at once when somebody wants to know of one, tells the node's servers, and
 * counts what they say. A restart begins anew: the replicas never take a revocation back.
 *
 * <p>Servers are told again for whoever asks: that all is decided is answered to him once, and of a round that began after he first
 * asked since the last such answer. So he can wait for what began before all nodes were done.
 */
public final class Revocations implements BackgroundWork {
    private static final Logger LOG = LoggerFactory.getLogger(Revocations.class);
    private static final BlockId NO_BLOCK = BlockId.register(0, 0);
    private static final long PAUSE_MILLIS = 2_000;
    private static final long ANSWER_MILLIS_MAX = 30_000;
    private static final long NO_VERSION = -1;
    private static final int ASKERS_MAX = 1_024;

    private final Metadata metadata;
    private final List<Standing> servers = new CopyOnWriteArrayList<>();
    /** How often the servers were told of each who is revoked: the number of the round. */
    private final Map<PrincipalId, Integer> told = new ConcurrentHashMap<>();
    /** From which round on the answer is new to an asker. Of the thread that answers. */
    private final LinkedHashMap<Asker, Integer> askers = new LinkedHashMap<>();

    private final Semaphore wanted = new Semaphore(0);
    private volatile @Nullable NodeAccess hosting;
    private volatile @Nullable Thread thread;
    private volatile boolean stopping;
    private long version = NO_VERSION;

    private record Asker(PrincipalId who, PrincipalId revoked) {}

    /** What one server has said in its round. */
    private record Said(int round, boolean refuses, int undecided) {}

    private static final class Standing implements RevocationWatch {
        private static final Said NOTHING = new Said(0, false, 0);
        private final Map<PrincipalId, Said> said = new ConcurrentHashMap<>();

        @Override
        public void begins(PrincipalId revoked) {
            said.compute(revoked, (_, before) -> new Said(before == null ? 1 : before.round() + 1, false, 0));
        }

        @Override
        public void refuses(PrincipalId revoked, int left) {
            said.computeIfPresent(revoked, (_, now) -> new Said(now.round(), true, left));
        }

        Said of(PrincipalId revoked) {
            return said.getOrDefault(revoked, NOTHING);
        }
    }

    public Revocations(Metadata metadata) {
        this.metadata = metadata;
    }

    /** For one server of a register protocol, which counts from now on. */
    public RevocationWatch watch() {
        Standing standing = new Standing();
        servers.add(standing);
        return standing;
    }

    /** To be hosted by the node. */
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
                var _ = wanted.tryAcquire(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
                var _ = wanted.drainPermits();
            } catch (InterruptedException e) {
                return;
            } catch (ExecutionException | TimeoutException | RuntimeException e) {
                LOG.debug("node {} did not learn who is revoked", node.node(), e);
                pause();
            }
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
        long first = NO_VERSION;
        long last;
        do {
            Reply reply = metadata.query(new Query.ListPrincipals(version, after, Query.PAGE_MAX))
                    .get(ANSWER_MILLIS_MAX, TimeUnit.MILLISECONDS);
            if (!(reply instanceof Reply.PrincipalList page)) {
                throw new IllegalStateException("the replicas answer " + reply);
            }
            for (Reply.PrincipalEntry entry : page.principals()) {
                if (entry.revoked() && told.putIfAbsent(entry.principal(), 1) == null) {
                    LOG.info("node {} refuses {} from now on: it is revoked", node.node(), entry.principal());
                    node.tell(new Fact.Revoked(entry.principal()));
                }
            }
            first = first == NO_VERSION ? page.version() : first;
            last = page.version();
            after = page.next();
        } while (!after.equals(PrincipalId.NOBODY));
        // What changed between two pages is looked through again.
        version = first == last ? last : NO_VERSION;
    }

    private RevocationReply answer(Asker asker) {
        PrincipalId revoked = asker.revoked();
        Integer round = told.get(revoked);
        NodeAccess node = hosting;
        if (round == null || node == null) {
            wanted.release();
            return new RevocationReply(revoked, false, 0);
        }
        long undecided = 0;
        boolean refused = true;
        for (Standing server : servers) {
            Said said = server.of(revoked);
            refused &= said.refuses() && said.round() == round;
            undecided += said.undecided();
        }
        int since = askers.computeIfAbsent(asker, _ -> round + 1);
        if (askers.size() > ASKERS_MAX) {
            askers.pollFirstEntry();
        }
        if (!refused || undecided > 0) {
            return new RevocationReply(revoked, refused, undecided);
        }
        if (round >= since) {
            askers.remove(asker);
            return new RevocationReply(revoked, true, 0);
        }
        told.put(revoked, round + 1);
        node.tell(new Fact.Revoked(revoked));
        return new RevocationReply(revoked, false, 0);
    }

    private final class Server implements ProtocolServer {
        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
            if (!(message instanceof RevocationRequest(PrincipalId revoked))) {
                return List.of();
            }
            return List.of(new Effect.Send(from, requestId, answer(new Asker(from, revoked))));
        }
    }
}
