package io.bulwark.simulation.engine;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.id.PrincipalId;
import java.util.HashMap;
import java.util.Map;

/** The sessions of clients, and what the replicas tell of them. */
public final class KnownSessions {
    private record Key(PrincipalId owner, long session) {}

    private final Map<Key, SessionState> states = new HashMap<>();

    public void open(PrincipalId owner, long session) {
        states.put(new Key(owner, session), SessionState.OPEN);
    }

    public void close(PrincipalId owner, long session) {
        states.put(new Key(owner, session), SessionState.CLOSED);
    }

    /** All that a client has. */
    public void close(PrincipalId owner) {
        states.replaceAll((key, state) -> key.owner().equals(owner) ? SessionState.CLOSED : state);
    }

    public Fact answer(Question.OfSession of) {
        SessionState state = states.getOrDefault(new Key(of.owner(), of.session()), SessionState.UNKNOWN);
        return new Fact.OfSession(of.volume(), of.owner(), of.session(), state);
    }
}
