package io.bulwark.metadata.bft;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.CallRefusal;
import io.bulwark.protocol.ordering.OrderingMessage.Refused;
import io.bulwark.protocol.ordering.OrderingMessage.Reply;
import io.bulwark.protocol.ordering.OrderingMessage.Submit;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.transport.Peer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class WaitingClientsTest {
    private static final long INCARNATION = 0;

    private final WaitingClients clients = new WaitingClients(0);

    /** A connection that remembers what it was to send. */
    private static final class Recorder implements Peer {
        private final PrincipalId principal;
        private final List<Message> sent = new ArrayList<>();

        Recorder(int client) {
            principal = PrincipalId.client(client);
        }

        @Override
        public PrincipalId principal() {
            return principal;
        }

        @Override
        public InetSocketAddress remoteAddress() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        }

        @Override
        public boolean send(long requestId, Message message) {
            return sent.add(message);
        }

        @Override
        public boolean isWritable() {
            return true;
        }

        @Override
        public void disconnect(String reason) {
            throw new AssertionError(reason);
        }
    }

    private void ask(Recorder peer, long call) {
        clients.expect(0, peer, call, new Submit(call, Bytes.EMPTY));
    }

    private void answer(Recorder peer, long call) {
        clients.answer(peer.principal(), new Reply(call, INCARNATION, Bytes.EMPTY));
    }

    /**
     * These calls were executed while this replica fetched a state, and others answered them. The client continues, and
     * needs this replica again.
     */
    @Test
    void callsThatAreNeverAnsweredHereKeepNoLaterOneFromItsAnswer() {
        Recorder peer = new Recorder(1);
        int unanswered = 2 * WaitingClients.CALLS_PER_CLIENT;
        for (int call = 0; call < unanswered; call++) {
            ask(peer, call);
        }
        assertThat(peer.sent).hasSize(unanswered - WaitingClients.CALLS_PER_CLIENT);
        assertThat(peer.sent.getFirst()).isEqualTo(new Refused(0, CallRefusal.OVERLOADED));
        peer.sent.clear();
        ask(peer, unanswered);
        answer(peer, unanswered);
        assertThat(peer.sent)
                .hasSize(2)
                .contains(new Refused(unanswered - WaitingClients.CALLS_PER_CLIENT, CallRefusal.OVERLOADED))
                .last()
                .isInstanceOf(Reply.class);
    }

    @Test
    void aCallThatIsRepeatedIsNotTheOldestAndTakesNoMoreRoom() {
        Recorder peer = new Recorder(1);
        for (int call = 0; call < WaitingClients.CALLS_PER_CLIENT; call++) {
            ask(peer, call);
        }
        ask(peer, 0);
        assertThat(peer.sent).isEmpty();
        ask(peer, WaitingClients.CALLS_PER_CLIENT);
        assertThat(peer.sent).containsExactly(new Refused(1, CallRefusal.OVERLOADED));
    }

    @Test
    void whoAsksForMuchTakesNobodyElsesPlace() {
        Recorder modest = new Recorder(1);
        Recorder other = new Recorder(2);
        ask(modest, 0);
        for (int call = 0; call < 2 * WaitingClients.CALLS_PER_CLIENT; call++) {
            ask(other, call);
        }
        answer(modest, 0);
        assertThat(modest.sent).hasSize(1).first().isInstanceOf(Reply.class);
    }
}
