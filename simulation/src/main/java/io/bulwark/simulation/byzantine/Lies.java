package io.bulwark.simulation.byzantine;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.List;

/** How the lies of one faulty node look in the messages of one protocol. */
public interface Lies {
    /** The node is asked something; for what it learns by that. */
    void onRequest(PrincipalId from, Message request);

    /** What it answers without doing what it is asked; empty if it does what it is asked. */
    List<Message> instead(Lie lie, PrincipalId from, Message request);

    /** What it says where a correct node would say {@code answer}. */
    Message altered(Lie lie, PrincipalId to, Message answer);
}
