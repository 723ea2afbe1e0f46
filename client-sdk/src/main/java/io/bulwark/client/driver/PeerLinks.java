package io.bulwark.client.driver;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.wire.Message;
import io.bulwark.transport.Delivery;
import io.bulwark.transport.InboundHandler;
import io.bulwark.transport.LinkRefusal;
import io.bulwark.transport.LinkState;
import io.bulwark.transport.Peer;
import io.bulwark.transport.PeerLink;
import io.bulwark.transport.Transport;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** One link to each server that operations talk to. Thread-safe. */
public final class PeerLinks implements Outbox, AutoCloseable {
    private final Transport transport;
    private final Map<PrincipalId, PeerLink> links = new ConcurrentHashMap<>();
    private volatile @Nullable OperationDriver driver;
    private volatile boolean everUp;
    private volatile boolean closed;

    /** @param transport stays the caller's */
    public PeerLinks(Transport transport) {
        this.transport = transport;
    }

    /** Sets the driver that receives answers; must be called before any connection is made. */
    public void deliverTo(OperationDriver target) {
        driver = target;
    }

    /** Keeps a link to a server at this address; one at another address is given up. */
    public void connect(PrincipalId server, InetSocketAddress address) {
        boolean own = server.equals(transport.self()) && server.kind() == PrincipalKind.NODE;
        if (closed || own) {
            return; // A node answers itself without a link. A replica may ask as a client, itself included.
        }
        PeerLink[] replaced = new PeerLink[1];
        links.compute(server, (ignored, current) -> {
            if (current != null && current.address().equals(address)) {
                return current;
            }
            replaced[0] = current;
            return transport.link(server, address, new AnswerHandler());
        });
        if (replaced[0] != null) {
            replaced[0].close();
        }
    }

    /** A link that waits tries again now, as things have changed. */
    public void hurry(PrincipalId server) {
        PeerLink link = links.get(server);
        if (link != null) {
            link.hurry();
        }
    }

    /** Gives up the links to storage nodes that are not among these. */
    public void keepNodes(Set<PrincipalId> nodes) {
        for (PrincipalId server : List.copyOf(links.keySet())) {
            if (server.kind() == PrincipalKind.NODE && !nodes.contains(server)) {
                disconnect(server);
            }
        }
    }

    /** Gives the link to a server up, if there is one. */
    public void disconnect(PrincipalId server) {
        PeerLink link = links.remove(server);
        if (link != null) {
            Thread.ofVirtual().name("disconnect-" + server).start(link::close);
        }
    }

    /** Returns whether there is no connection now, and none is being made. */
    public boolean isDisconnected(PrincipalId server) {
        PeerLink link = links.get(server);
        return link == null || link.state() == LinkState.WAITING || link.state() == LinkState.CLOSED;
    }

    /** Returns the principal as which this process uses its links. */
    public PrincipalId self() {
        return transport.self();
    }

    /** Returns the refusal if there is no connection because one side does not trust the other. */
    public Optional<LinkRefusal> refusal(PrincipalId server) {
        PeerLink link = links.get(server);
        return link == null ? Optional.empty() : link.refusal();
    }

    /** Returns whether any server has accepted this process, and was trusted here, since it began. */
    public boolean hasEverConnected() {
        return everUp;
    }

    @Override
    public Delivery send(PrincipalId to, long requestId, Message message) {
        PeerLink link = links.get(to);
        return link == null
                ? Delivery.UNSURE
                : link.dispatch(requestId, message).orElse(Delivery.UNSURE);
    }

    @Override
    public void close() {
        closed = true;
        try (ExecutorService closing = Executors.newVirtualThreadPerTaskExecutor()) {
            links.values().forEach(link -> closing.execute(link::close));
        }
        links.clear();
    }

    private final class AnswerHandler implements InboundHandler {
        @Override
        public void onConnected(Peer peer) {
            everUp = true;
        }

        @Override
        public void onMessage(Peer peer, long requestId, Message message, Runnable done) {
            OperationDriver target = driver;
            if (target == null || !target.onMessage(peer.principal(), requestId, message, done)) {
                done.run();
            }
        }
    }
}
