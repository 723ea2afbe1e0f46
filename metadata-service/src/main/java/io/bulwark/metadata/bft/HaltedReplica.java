package io.bulwark.metadata.bft;

import io.bulwark.metadata.RecoveryAnswers;
import io.bulwark.metadata.ReplicaConfig;
import io.bulwark.metadata.ReplicaStatus;
import io.bulwark.protocol.ordering.CallRefusal;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.Phase;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.wire.Message;
import io.bulwark.transport.Peer;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica that has stopped for good, since what it has executed contradicts what the others would have it adopt. It keeps its disk as it is, votes on
 * nothing, and says why it has stopped, until an operator has decided which disks are right (docs/how-to/recover.md).
 */
final class HaltedReplica implements ReplicaIncarnation {
    private static final Logger LOG = LoggerFactory.getLogger(HaltedReplica.class);

    private final Transport transport;
    private final TransportServer server;
    private final ReplicaStatus status;

    HaltedReplica(ReplicaConfig config, String why, Transport transport) throws IOException {
        this.transport = transport;
        status = new ReplicaStatus(
                config.replica(), Phase.FOLLOWING, -1, -1, 0, 0, false, explained(why), "", Optional.empty());
        LOG.error("replica-{} has stopped: {}", config.replica(), status.failure());
        server = transport.listen(config.listen(), this::onMessage);
    }

    /** Adds the operator's next step to the reason. */
    static String explained(String why) {
        return why
                + ". More than f replicas are faulty or were set back to an older copy, and this one would lose its "
                + "history. It stays halted: stop all replicas, and choose the history to keep with `bulwark "
                + "replica restore` (docs/how-to/recover.md, replicas that contradict each other)";
    }

    private void onMessage(Peer peer, long requestId, Message message, Runnable done) {
        if (message instanceof OrderingMessage.ToReplica request) {
            var _ = peer.send(requestId, new OrderingMessage.Refused(request.call(), CallRefusal.NOT_READY));
        } else {
            var _ = RecoveryAnswers.answer(status, peer, requestId, message);
        }
        done.run();
    }

    @Override
    public Optional<StartReason> next() {
        return Optional.empty();
    }

    @Override
    public InetSocketAddress address() {
        return server.boundAddress();
    }

    @Override
    public ReplicaStatus status() {
        return status;
    }

    @Override
    public void close() {
        transport.close();
    }
}
