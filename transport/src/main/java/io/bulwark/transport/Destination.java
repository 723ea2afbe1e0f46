package io.bulwark.transport;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * Address of a listener: a literal address, or a name. A name is looked up for each connection, since a party that
 * restarts elsewhere keeps only the name. A name service is not trusted: the key identifies the party at the address.
 */
public final class Destination {
    private Destination() {}

    /** Looks nothing up: a name stays unresolved. */
    public static InetSocketAddress of(String host, int port) {
        if (NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host)) {
            try {
                return new InetSocketAddress(InetAddress.getByName(host), port);
            } catch (UnknownHostException e) {
                return InetSocketAddress.createUnresolved(host, port); // Its zone is no interface of this machine.
            }
        }
        return InetSocketAddress.createUnresolved(host, port);
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
