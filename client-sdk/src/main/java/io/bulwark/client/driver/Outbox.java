package io.bulwark.client.driver;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import io.bulwark.transport.Delivery;

/**
 * Outgoing side of the driver: the links of {@code transport} in production, anything in tests. Must not block; a
 * message that cannot be sent now is dropped, since operations send again.
 */
@FunctionalInterface
public interface Outbox {
    /** Sends a message and returns its delivery; {@link Delivery#UNSURE} if it was dropped. */
    Delivery send(PrincipalId to, long requestId, Message message);
}
