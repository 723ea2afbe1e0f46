package io.bulwark.client.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.driver.OperationDriver;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.ordering.CallRefusal;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Delivery;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Client's handling of the answers of four replicas, one of which lies or is silent. */
@NullMarked
class MetadataClientTest {
    private static final int REPLICAS = 4;
    private static final Bytes REQUEST = Bytes.of((byte) 1, (byte) 2);
    private static final Bytes RIGHT = Bytes.of((byte) 7);
    private static final Bytes WRONG = Bytes.of((byte) 8);

    /** Answer of a replica; null for silence. */
    private interface Script
            extends BiFunction<Integer, OrderingMessage.ToReplica, OrderingMessage.@Nullable ToClient> {}

    private final ConcurrentLinkedQueue<Message> sent = new ConcurrentLinkedQueue<>();
    private final List<OperationDriver> drivers = new ArrayList<>();

    @AfterEach
    void close() {
        drivers.forEach(OperationDriver::close);
    }

    @Test
    void aCommandGoesToAllReplicasAndIsDoneAtThreeEqualReplies() {
        MetadataClient client = client((replica, request) -> reply(request, 1, replica == 2 ? WRONG : RIGHT));
        assertThat(result(client.submit(REQUEST))).isEqualTo(RIGHT);
        assertThat(sent)
                .hasSizeGreaterThanOrEqualTo(REPLICAS)
                .allSatisfy(message -> assertThat(message)
                        .isInstanceOfSatisfying(
                                OrderingMessage.Submit.class,
                                submit -> assertThat(submit.command()).isEqualTo(REQUEST)));
    }

    @Test
    void aSilentReplicaDelaysNobody() {
        MetadataClient client = client((replica, request) -> replica == 0 ? null : reply(request, 1, RIGHT));
        assertThat(result(client.query(REQUEST))).isEqualTo(RIGHT);
    }

    @Test
    void repliesOfTwoIncarnationsDoNotCountTogether() {
        // Two of the old incarnation first; those of the new one come when the call is sent again.
        Map<Integer, Integer> asked = new HashMap<>();
        MetadataClient client = client((replica, request) -> {
            synchronized (asked) {
                boolean again = asked.merge(replica, 1, Integer::sum) > 1;
                return reply(request, replica < 2 && !again ? 1 : 2, replica < 2 && !again ? WRONG : RIGHT);
            }
        });
        assertThat(result(client.submit(REQUEST))).isEqualTo(RIGHT);
    }

    @Test
    void aQueryOnWhichTheReplicasDisagreeIsOrdered() {
        MetadataClient client = client((replica, request) -> request instanceof OrderingMessage.OrderedQuery
                ? reply(request, 1, RIGHT)
                : reply(request, 1, replica < 2 ? RIGHT : WRONG));
        assertThat(result(client.query(REQUEST))).isEqualTo(RIGHT);
        assertThat(sent).anySatisfy(message -> assertThat(message).isInstanceOf(OrderingMessage.OrderedQuery.class));
        assertThat(sent).noneSatisfy(message -> assertThat(message).isInstanceOf(OrderingMessage.Submit.class));
    }

    @Test
    void whatTheStateMachineFailsOnIsRejectedAtTwoReplicasWordNotAtOnes() {
        MetadataClient failing = client((replica, request) ->
                replica < 2 ? new OrderingMessage.Refused(request.call(), CallRefusal.FAILED) : null);
        assertThatThrownBy(() -> result(failing.submit(REQUEST))).hasCauseInstanceOf(MetadataRejectedException.class);
        MetadataClient oneLiar = client((replica, request) -> replica == 0
                ? new OrderingMessage.Refused(request.call(), CallRefusal.FAILED)
                : reply(request, 1, RIGHT));
        assertThat(result(oneLiar.submit(REQUEST))).isEqualTo(RIGHT);
    }

    @Test
    void anOverloadedReplicaIsAskedAgain() {
        Map<Integer, Integer> asked = new HashMap<>();
        MetadataClient client = client((replica, request) -> {
            synchronized (asked) {
                boolean again = asked.merge(replica, 1, Integer::sum) > 1;
                CallRefusal reason = replica % 2 == 0 ? CallRefusal.OVERLOADED : CallRefusal.NOT_READY;
                return again ? reply(request, 1, RIGHT) : new OrderingMessage.Refused(request.call(), reason);
            }
        });
        assertThat(result(client.submit(REQUEST))).isEqualTo(RIGHT);
    }

    @Test
    void anAnswerToAnotherCallOrOfNoReplicaCountsNothing() {
        OperationDriver[] own = new OperationDriver[1];
        own[0] = driver((to, id, message) -> {
            OrderingMessage.ToReplica request = (OrderingMessage.ToReplica) message;
            for (int i = 0; i < 5; i++) {
                own[0].onMessage(PrincipalId.node(i), id, reply(request, 1, WRONG));
                own[0].onMessage(PrincipalId.replica(9), id, reply(request, 1, WRONG));
                own[0].onMessage(to, id, new OrderingMessage.Reply(request.call() + 1, 1, WRONG));
            }
            own[0].onMessage(to, id, reply(request, 1, RIGHT));
            return Delivery.UNSURE;
        });
        assertThat(result(MetadataClient.over(own[0], REPLICAS).submit(REQUEST)))
                .isEqualTo(RIGHT);
    }

    @Test
    void manyCallsAtOnceKeepTheirAnswersApart() {
        MetadataClient client =
                client((replica, request) -> reply(request, 1, ((OrderingMessage.Submit) request).command()));
        List<CompletableFuture<Bytes>> open = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            open.add(client.submit(Bytes.of((byte) i)));
        }
        for (int i = 0; i < 100; i++) {
            assertThat(result(open.get(i))).isEqualTo(Bytes.of((byte) i));
        }
    }

    @Test
    void withoutReplicasTheErrorSaysWhoIsSilentAndAClosedClientTakesNothing() throws IOException {
        List<InetSocketAddress> nobody = new ArrayList<>();
        Map<PrincipalId, Bytes> keys = new HashMap<>();
        keys.put(PrincipalId.client(1), Bytes.of(new byte[PairwiseKeys.KEY_BYTES]));
        for (int i = 0; i < REPLICAS; i++) {
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                nobody.add(new InetSocketAddress(InetAddress.getLoopbackAddress(), socket.getLocalPort()));
            }
            keys.put(PrincipalId.replica(i), Bytes.of(new byte[PairwiseKeys.KEY_BYTES]));
        }
        PairwiseKeys own = new PairwiseKeys(PrincipalId.client(1), keys);
        try (Transport transport =
                Transport.open(TransportSettings.defaults(), own, new MessageCodecs(new OrderingCodec()))) {
            MetadataClient client = MetadataClient.connect(transport, nobody, 300);
            assertThatThrownBy(() -> result(client.submit(REQUEST)))
                    .hasCauseInstanceOf(MetadataUnavailableException.class)
                    .hasMessageContaining("300 ms")
                    .hasMessageContaining("replica-0 has not answered")
                    .hasMessageContaining("replica-3 has not answered");
            client.close();
            assertThatThrownBy(() -> result(client.submit(REQUEST))).isInstanceOf(CompletionException.class);
        }
    }

    @Test
    void thereMustBeThreeFPlusOneReplicas() {
        OperationDriver driver = driver((to, id, message) -> Delivery.UNSURE);
        assertThatThrownBy(() -> MetadataClient.over(driver, 5)).isInstanceOf(IllegalArgumentException.class);
    }

    private MetadataClient client(Script script) {
        OperationDriver[] own = new OperationDriver[1];
        own[0] = driver((to, id, message) -> {
            sent.add(message);
            OrderingMessage.ToClient answer = script.apply(to.number(), (OrderingMessage.ToReplica) message);
            if (answer != null) {
                own[0].onMessage(to, id, answer);
            }
            return Delivery.UNSURE;
        });
        return MetadataClient.over(own[0], REPLICAS);
    }

    private OperationDriver driver(io.bulwark.client.driver.Outbox outbox) {
        OperationDriver driver = new OperationDriver(outbox, _ -> {}, OperationDriver.Limits.standard(), 1);
        drivers.add(driver);
        return driver;
    }

    private static OrderingMessage.Reply reply(OrderingMessage.ToReplica request, long incarnation, Bytes reply) {
        return new OrderingMessage.Reply(request.call(), incarnation, reply);
    }

    private static Bytes result(CompletableFuture<Bytes> future) {
        return future.orTimeout(2, TimeUnit.MINUTES).join();
    }
}
