package io.bulwark.it;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Genesis;
import io.bulwark.protocol.metadata.MetadataStateMachine;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Submission;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Credentials;
import io.bulwark.transport.Peer;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;

/**
 * Replicas that have one state machine of the metadata between them, and order nothing: it is a node that is tested.
 */
@NullMarked
final class AnsweringReplicas implements AutoCloseable {
    private final MetadataStateMachine machine;
    private final List<Transport> transports = new ArrayList<>();
    private final long openedMillis = System.currentTimeMillis();

    /** @param credentials of each, by number */
    AnsweringReplicas(Genesis genesis, List<Credentials> credentials, List<InetSocketAddress> addresses)
            throws IOException {
        machine = new MetadataStateMachine(genesis);
        for (int i = 0; i < addresses.size(); i++) {
            Transport transport = Transport.open(
                    TransportSettings.defaults(), credentials.get(i), new MessageCodecs(new OrderingCodec()));
            transports.add(transport);
            var _ = transport.listen(addresses.get(i), (peer, requestId, message, done) -> {
                answer(peer, requestId, message);
                done.run();
            });
        }
    }

    /** Makes an object volume whose one group is of all nodes. */
    Volume createVolume(PrincipalId operator, ProtectionPolicy policy) {
        long session = open(operator, 0);
        Command create = new Command.CreateVolume("many", VolumeKind.OBJECT, policy, 0, 1, 0);
        Reply made = execute(operator, new Submission.InSession(session, 1, 1, create));
        int id = ((Reply.VolumeCreated) made).volume();
        Reply.Map map = (Reply.Map) Reply.decode(query(operator, new Query.GetMap().encoded()));
        return map.map().volume(id).orElseThrow();
    }

    /** Opens a session and tells its number. */
    long open(PrincipalId owner, int volume) {
        Bytes nonce = Bytes.of(new byte[Submission.OpenSession.NONCE_BYTES]);
        return ((Reply.SessionOpened) execute(owner, new Submission.OpenSession(nonce, volume))).session();
    }

    private Reply execute(PrincipalId by, Submission submission) {
        return Reply.decode(execute(by, submission.encoded()));
    }

    private synchronized Bytes execute(PrincipalId by, Bytes command) {
        return machine.execute(by, command, openedMillis);
    }

    private synchronized Bytes query(PrincipalId by, Bytes query) {
        return machine.query(by, query);
    }

    private void answer(Peer peer, long requestId, Message message) {
        Bytes reply = switch ((OrderingMessage.ToReplica) message) {
            case OrderingMessage.Query asked -> query(peer.principal(), asked.query());
            case OrderingMessage.OrderedQuery asked -> query(peer.principal(), asked.query());
            // Each of its copies: the machine gives the same reply again.
            case OrderingMessage.Submit told -> execute(peer.principal(), told.command());
        };
        var _ = peer.send(requestId, new OrderingMessage.Reply(((OrderingMessage) message).call(), 1, reply));
    }

    @Override
    public void close() {
        transports.forEach(Transport::close);
    }
}
