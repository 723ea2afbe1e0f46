package io.bulwark.storage.revocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.driver.EvidenceLog;
import io.bulwark.client.object.Metadata;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.wire.Message;
import io.bulwark.storage.node.NodeAccess;
import io.bulwark.storage.store.FragmentStore;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests how a node learns which principals are revoked. */
@NullMarked
class RevocationsTest {
    private static final PrincipalId ONE = PrincipalId.client(20);
    private static final PrincipalId ANOTHER = PrincipalId.client(21);

    private record Asked(Query.ListPrincipals query, CompletableFuture<Reply> reply) {
        void answer(PrincipalId revoked, PrincipalId next) {
            reply.complete(new Reply.PrincipalList(1, List.of(new Reply.PrincipalEntry(revoked, List.of(), 0)), next));
        }
    }

    private final BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
    private final BlockingQueue<Fact> told = new LinkedBlockingQueue<>();

    private final class Replicas implements Metadata {
        @Override
        public CompletableFuture<Reply> query(Query query) {
            Asked one = new Asked((Query.ListPrincipals) query, new CompletableFuture<>());
            asked.add(one);
            return one.reply();
        }

        @Override
        public CompletableFuture<Session> open(int volume) {
            throw new IllegalStateException("opens a session");
        }
    }

    private final class Node implements NodeAccess {
        @Override
        public int node() {
            return 3;
        }

        @Override
        public FragmentStore store() {
            throw new IllegalStateException("stores");
        }

        @Override
        public <R> CompletableFuture<R> run(ClientOperation<R> operation) {
            throw new IllegalStateException("runs operations");
        }

        @Override
        public EvidenceLog evidence() {
            throw new IllegalStateException("has evidence");
        }

        @Override
        public CompletableFuture<Message> ask(Message request, long timeoutMillis) {
            throw new IllegalStateException("asks");
        }

        @Override
        public void answer(PrincipalId to, long requestId, Message answer) {
            throw new IllegalStateException("answers");
        }

        @Override
        public long sinceForegroundMillis() {
            return 0;
        }

        @Override
        public int requestsInProcessing() {
            return 0;
        }

        @Override
        public void hearRefusals(Consumer<Effect.Refuses> hearer) {}

        @Override
        public void tell(Fact fact) {
            told.add(fact);
        }
    }

    private Asked next() throws InterruptedException {
        Asked next = asked.poll(2, TimeUnit.MINUTES);
        assertThat(next).isNotNull();
        return next;
    }

    /**
     * A version that both have prepared would count as that of a client that is not revoked, and the node would report
     * done too early.
     */
    @Test
    void nobodyIsToldOfOneBeforeAllPagesAreHere() throws InterruptedException {
        Revocations revocations = new Revocations(new Replicas());
        revocations.start(new Node());
        try {
            next().answer(ONE, ONE);
            Asked second = next();
            assertThat(second.query().after()).isEqualTo(ONE);
            assertThat(told).as("the other page is not here yet").isEmpty();
            second.answer(ANOTHER, PrincipalId.NOBODY);
            assertThat(told.poll(2, TimeUnit.MINUTES)).isEqualTo(new Fact.Revoked(ONE));
            assertThat(told.poll(2, TimeUnit.MINUTES)).isEqualTo(new Fact.Revoked(ANOTHER));
        } finally {
            revocations.stop();
        }
    }
}
