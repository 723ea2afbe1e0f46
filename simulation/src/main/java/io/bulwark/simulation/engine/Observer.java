package io.bulwark.simulation.engine;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;

/** Sees every message at the moment that it is sent, whether or not it arrives: checkers do, and so do attackers. */
@FunctionalInterface
public interface Observer {
    void onSent(PrincipalId from, PrincipalId to, long requestId, Message message);
}
