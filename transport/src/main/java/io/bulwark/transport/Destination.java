package io.bulwark.transport;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Address of a listener: a literal address, or a name. A name is looked up for each connection, since a party that
 * restarts elsewhere keeps only the name. A name service is not trusted: the key identifies the party at the address.
 */
public final class Destination {
    private Destination() {}

    /** Looks nothing up: a name stays unresolved. */
    public static InetSocketAddress of(String host, int port) {
        InetAddress literal;
        try {
            literal = InetAddress.ofLiteral(host);
        } catch (IllegalArgumentException e) {
            return InetSocketAddress.createUnresolved(host, port);
        }
        return new InetSocketAddress(literal, port);
    }

    /** Resolves a name, which may take seconds; the address stays unresolved if the name is unknown. */
    public static InetSocketAddress resolve(InetSocketAddress destination) {
        return destination.isUnresolved()
                ? new InetSocketAddress(destination.getHostString(), destination.getPort())
                : destination;
    }

    /** As {@code HOST:PORT}, an address in place of the name that it may have been looked up by. */
    public static String text(InetSocketAddress destination) {
        String host = destination.isUnresolved()
                ? destination.getHostString()
                : destination.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + destination.getPort();
    }
}
