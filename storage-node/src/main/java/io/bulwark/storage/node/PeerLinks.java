package io.bulwark.storage.node;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.wire.Message;
import io.bulwark.transport.InboundHandler;
import io.bulwark.transport.PeerLink;
import io.bulwark.transport.Transport;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Links to the other nodes, made when something is first sent there, and anew when the map moves a node. Thread-safe. */
final class PeerLinks {
    private static final Logger LOG = LoggerFactory.getLogger(PeerLinks.class);

    private final Transport transport;
    private final PeerDirectory directory;
    private final InboundHandler handler;
    private final Map<PrincipalId, PeerLink> links = new HashMap<>();
    private boolean closed;

    PeerLinks(Transport transport, PeerDirectory directory, InboundHandler handler) {
        this.transport = transport;
        this.directory = directory;
        this.handler = handler;
    }

    /** Sends if the receiver is a node with a known address; drops the message otherwise, as a network may. */
    void send(PrincipalId to, long requestId, Message message) {
        if (to.kind() != PrincipalKind.NODE) {
            LOG.debug("an operation of this node sends to {}, which is no node", to);
            return;
        }
        InetSocketAddress address = directory.addressOf(to.number()).orElse(null);
        if (address != null) {
            try {
                var _ = link(to, address).send(requestId, message);
            } catch (IllegalArgumentException | IllegalStateException e) {
                LOG.warn("{} cannot be sent to at {}: {}", to, address, e.getMessage());
            }
        }
    }

    void close() {
        Map<PrincipalId, PeerLink> closing;
        synchronized (this) {
            closed = true;
            closing = Map.copyOf(links);
            links.clear();
        }
        closing.values().forEach(PeerLink::close);
    }

    private synchronized PeerLink link(PrincipalId to, InetSocketAddress address) {
        if (closed) {
            throw new IllegalStateException("the node is closing");
        }
        PeerLink link = links.get(to);
        if (link != null && !link.address().equals(address)) {
            Thread.startVirtualThread(link::close);
            link = null;
        }
        if (link == null) {
            link = transport.link(to, address, handler);
            links.put(to, link);
        }
        return link;
    }
}
