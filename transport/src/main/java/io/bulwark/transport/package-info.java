/**
 * Authenticated frames in and out over Netty, without a meaning: the wire rules of the house (fixed header, bounds
 * before allocation, checksums), the MAC challenge that opens each connection (the authenticated channels that thesis
 * sections 2.1 and 3.3 presume), reconnection, and backpressure in both directions.
 *
 * <p>{@link io.bulwark.transport.Transport} owns the event loops; {@link io.bulwark.transport.TransportServer} accepts,
 * {@link io.bulwark.transport.PeerLink} keeps one connection to one principal, and both hand decoded messages to an
 * {@link io.bulwark.transport.InboundHandler}.
 */
@NullMarked
package io.bulwark.transport;

import org.jspecify.annotations.NullMarked;
