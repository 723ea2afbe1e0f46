package io.bulwark.simulation.exhaustive;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import java.util.Optional;

/** A node or an operation, live: it is made anew for each path of inputs that is run. */
interface Party {
    /** Outgoing messages of the party; called once for each input. */
    interface Mail {
        /** Sends a request to a server. */
        void request(PrincipalId to, long requestId, Message message);

        /** Sends an answer to an operation of this client, or of this node. */
        void answer(PrincipalId to, long requestId, Message message);

        void evidence(Effect.Evidence evidence);
    }

    void begin(Mail mail);

    void deliver(Envelope envelope, Message message, Mail mail);

    void tick(Mail mail);

    void crash(Mail mail);

    void disk(Mail mail);

    /** The replicas tell the node something, unasked. */
    void tell(Fact fact, Mail mail);

    /** Lies to choose from. */
    int choices();

    void choose(int choice);

    boolean isDiskBusy();

    Optional<Object> outcome();

    /** Returns whether no message can have an effect any more. */
    boolean isFinished();

    /** All that decides what it does next. */
    List<Object> state();
}
