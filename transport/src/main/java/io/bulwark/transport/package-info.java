/**
 * Authenticated frames in and out over Netty, without interpretation. The package has the common wire rules (fixed
 * header, bounds before allocation, checksums), reconnection, and backpressure in both directions. Security is TLS 1.3
 * with pinned keys on both sides (the authenticated channels that thesis sections 2.1 and 3.3 presume). On loopback
 * only, and if configured, it is a MAC challenge that opens each connection.
 *
 * <p>{@link io.bulwark.transport.Transport} owns the event loops; {@link io.bulwark.transport.TransportServer} accepts,
 * {@link io.bulwark.transport.PeerLink} keeps one connection to one principal, and both hand decoded messages to an
 * {@link io.bulwark.transport.InboundHandler}.
 */
@NullMarked
package io.bulwark.transport;

import org.jspecify.annotations.NullMarked;
