package io.bulwark.metadata.bft;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.CallRefusal;
import io.bulwark.protocol.ordering.OrderingMessage.Refused;
import io.bulwark.protocol.ordering.OrderingMessage.Reply;
import io.bulwark.protocol.ordering.OrderingMessage.ToClient;
import io.bulwark.protocol.ordering.OrderingMessage.ToReplica;
import io.bulwark.transport.Peer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Destinations of the answers to calls. Used by one thread. The number of calls per client is limited, independent of
 * other clients. The oldest are dropped: requests executed while this replica fetched a state are never answered here,
 * and must not block the client's new ones.
 */
final class WaitingClients {
    static final int CALLS_PER_CLIENT = 1_024;
    private static final long WAITING_MILLIS_MAX = 60_000;

    private record WaitingClient(Peer peer, long requestId, int replier, long sinceMillis) {}

    private final int self;
    private final Map<PrincipalId, LinkedHashMap<Long, WaitingClient>> calls = new HashMap<>();

    /** @param self the number of this replica */
    WaitingClients(int self) {
        this.self = self;
    }

    /** The connection over which a call came last gets the answer. A call that gives way for this one is refused. */
    void expect(long nowMillis, Peer peer, long requestId, ToReplica request) {
        long call = request.call();
        LinkedHashMap<Long, WaitingClient> own = calls.computeIfAbsent(peer.principal(), _ -> new LinkedHashMap<>());
        own.putLast(call, new WaitingClient(peer, requestId, request.replier(), nowMillis));
        if (own.size() > CALLS_PER_CLIENT) {
            answer(peer.principal(), new Refused(own.firstEntry().getKey(), CallRefusal.OVERLOADED));
        }
    }

    void answer(PrincipalId client, ToClient answer) {
        LinkedHashMap<Long, WaitingClient> own = calls.get(client);
        WaitingClient waiting = own == null ? null : own.remove(answer.call());
        if (waiting != null) {
            ToClient said = answer instanceof Reply reply ? reply.by(self, waiting.replier()) : answer;
            var _ = waiting.peer().send(waiting.requestId(), said);
        }
    }

    /** Forgets who has given up long ago. */
    void onTick(long nowMillis) {
        calls.values().removeIf(own -> {
            own.values().removeIf(waiting -> nowMillis - waiting.sinceMillis() > WAITING_MILLIS_MAX);
            return own.isEmpty();
        });
    }
}
