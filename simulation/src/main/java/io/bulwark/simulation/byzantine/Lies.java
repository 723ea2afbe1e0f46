package io.bulwark.simulation.byzantine;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.List;

/** Translation of a faulty node's lies into the messages of one protocol. */
public interface Lies {
    /** The node is asked something; for what it learns by that. */
    void onRequest(PrincipalId from, Message request);

    /** Returns its answers in place of obeying the request; empty if it obeys. */
    List<Message> instead(Lie lie, PrincipalId from, Message request);

    /** Returns its answer where a correct node would send {@code answer}. */
    Message altered(Lie lie, PrincipalId to, Message answer);
}
