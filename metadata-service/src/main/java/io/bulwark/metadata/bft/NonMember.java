package io.bulwark.metadata.bft;

import io.bulwark.client.replicas.KnownReplicas;
import io.bulwark.metadata.RecoveryAnswers;
import io.bulwark.metadata.ReplicaConfig;
import io.bulwark.metadata.ReplicaLinks;
import io.bulwark.metadata.ReplicaLoop;
import io.bulwark.metadata.ReplicaStatus;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.CallRefusal;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.Phase;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.ConfigurationChain;
import io.bulwark.protocol.ordering.membership.MembershipMessage;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import io.bulwark.protocol.wire.Message;
import io.bulwark.transport.Peer;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica that is in no configuration: not yet, no longer, or because it has forgotten which one. It orders nothing,
 * and keeps what is on its disk. It gives proofs to everyone that asks, and asks the replicas of the last configuration
 * that it knows for the next one.
 */
final class NonMember implements ReplicaIncarnation {
    private static final Logger LOG = LoggerFactory.getLogger(NonMember.class);
    private static final long TICK_MILLIS = 50;

    private final ReplicaLoop loop;
    private final Transport transport;
    private final TransportServer server;
    private final KnownReplicas group;
    private final ReplicaLinks links;
    private final MembershipExchange talk;
    private final Consumer<Successor> commitLearner;
    private final StartReason wanted;
    private final Runnable onEnd;
    private final ReplicaStatus alive;
    private volatile boolean over;

    /**
     * One that listens; to be begun.
     *
     * @param wanted how a life that votes is to begin
     * @param least the last configuration in which it has promised anything
     */
    NonMember(
            ReplicaConfig config,
            StartReason wanted,
            KnownReplicas group,
            ConfigurationChain configurationChain,
            long least,
            Transport transport,
            Runnable onEnd)
            throws IOException {
        this.transport = transport;
        this.wanted = wanted;
        this.group = group;
        this.onEnd = onEnd;
        PrincipalId self = PrincipalId.replica(config.replica());
        Configuration last = configurationChain.configuration();
        String waiting = waiting(self, group, configurationChain, least);
        alive = new ReplicaStatus(
                config.replica(), Phase.FOLLOWING, -1, -1, 0, 0, false, "", waiting, Optional.empty());
        LOG.warn("{} {}", self, waiting);
        loop = new ReplicaLoop(self.toString(), TICK_MILLIS, transport.eventLoop(), new LoopSteps());
        links = new ReplicaLinks(transport, last, config.addresses(), this::onMessage);
        talk = new MembershipExchange(self, group, configurationChain, least, (to, message) -> {
            int place = links.replicaOf(to);
            if (place >= 0) {
                links.send(place, message);
            }
            return place >= 0;
        });
        commitLearner = said -> loop.run(() -> talk.onLearned(now(), said));
        server = transport.listen(config.listen(), this::onMessage);
    }

    /** Begins; what is learned of other configurations from now on it hears. */
    void begin() {
        loop.start();
        group.onSuccessor(commitLearner);
        group.successors().forEach(commitLearner);
    }

    private static String waiting(
            PrincipalId self, KnownReplicas group, ConfigurationChain configurationChain, long least) {
        Configuration last = configurationChain.configuration();
        if (last.number() < least) {
            return "was in configuration " + least + ", and has lost the configuration of the replicas (" + last
                    + "); it asks these, or copy registry.replicas from a member that you trust like the genesis file";
        }
        return group.genesis().placeOf(self) >= 0 || wasMember(configurationChain, self)
                ? "is no longer a member of the group (" + last + "); stop it, and wipe its disk"
                : "is not a member of the group yet (" + last + "); an operator must add it";
    }

    private static boolean wasMember(ConfigurationChain configurationChain, PrincipalId self) {
        return configurationChain.proofs().stream()
                .anyMatch(proof -> proof.handover().next().placeOf(self) >= 0);
    }

    private void onMessage(Peer peer, long requestId, Message message, Runnable done) {
        loop.run(peer.principal(), () -> onMessage(peer, requestId, message), done);
    }

    private void onMessage(Peer peer, long requestId, Message message) throws IOException {
        // Refused until now, this one asks seldom; a replica that speaks to it has let it in.
        links.hurry(peer.principal());
        switch (message) {
            case MembershipMessage said -> talk.onMessage(now(), peer, requestId, said);
            case OrderingMessage.ToReplica request -> {
                var _ = peer.send(requestId, new OrderingMessage.Refused(request.call(), CallRefusal.NOT_READY));
            }
            default -> {
                if (!RecoveryAnswers.answer(status(), peer, requestId, message)) {
                    LOG.debug("{} sent a message to a replica that is in no configuration", peer.principal());
                }
            }
        }
    }

    private final class LoopSteps implements ReplicaLoop.Owner {
        @Override
        public void afterSteps() {
            endIfOver();
        }

        private void endIfOver() {
            if (talk.isOver() && !over) {
                over = true;
                onEnd.run();
            }
        }

        @Override
        public void onTick() throws IOException {
            talk.onTick(now());
            endIfOver();
        }

        @Override
        public boolean tryMend(Exception thrown) {
            return false;
        }

        @Override
        public void onFailure() {
            onEnd.run();
        }
    }

    @Override
    public Optional<StartReason> next() {
        return over ? Optional.of(wanted) : Optional.empty();
    }

    @Override
    public InetSocketAddress address() {
        return server.boundAddress();
    }

    @Override
    public ReplicaStatus status() {
        String failure = loop.failure();
        return failure.isEmpty() ? alive : alive.failed(false, failure);
    }

    @Override
    public void close() {
        group.forget(commitLearner);
        loop.close();
        transport.close();
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }
}
