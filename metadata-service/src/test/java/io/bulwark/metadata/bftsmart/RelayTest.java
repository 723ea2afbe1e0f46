package io.bulwark.metadata.bftsmart;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.metadata.ordering.OrderedBatch;
import io.bulwark.metadata.ordering.Submission;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Choice of the replica that hands a request to the consensus, its time, and the number of others. */
@NullMarked
class RelayTest {
    private static final int REPLICAS = 4;

    /** Batches that one replica's relay has submitted, by its number. */
    private static final class Side {
        final List<OrderedBatch> batches = new ArrayList<>();
        final Relay relay;

        Side(int self) {
            relay = new Relay(self, REPLICAS, content -> {
                batches.add(OrderedBatch.decode(Bytes.of(content)));
                return batches.size() - 1;
            });
        }

        List<Submission> handedIn() {
            return batches.stream()
                    .flatMap(batch -> batch.submissions().stream())
                    .toList();
        }
    }

    private final List<Side> sides = List.of(new Side(0), new Side(1), new Side(2), new Side(3));

    @Test
    void oneReplicaHandsInWhatAllWereGiven() {
        openAll();
        for (int client = 0; client < REPLICAS; client++) {
            submitToAll(0, request(client, 1));
        }
        for (Side side : sides) {
            assertThat(side.handedIn()).hasSize(1);
            assertThat(side.relay.pending()).isEqualTo(REPLICAS);
        }
        assertThat(sides.stream().map(side -> side.handedIn().getFirst().client()))
                .doesNotHaveDuplicates();
    }

    @Test
    void theSameRequestTwiceIsOne() {
        openAll();
        Submission request = request(0, 1);
        submitToAll(0, request);
        submitToAll(10, request);
        assertThat(handedInByAll()).containsExactly(request);
        deliverToAll(20, named(request), 0);
        assertThat(sides).allSatisfy(side -> assertThat(side.relay.pending()).isZero());
    }

    @Test
    void nothingIsHandedInBeforeTheConsensusIsOpenOrAfterItIsClosed() {
        Submission request = request(0, 1);
        submitToAll(0, request);
        assertThat(handedInByAll()).isEmpty();
        openAll();
        assertThat(handedInByAll()).containsExactly(request);
        Side side = sides.get(named(request));
        side.relay.close();
        assertThat(side.relay.pending()).isZero();
        side.relay.submit(50, request(0, 2));
        side.relay.onTick(60_000);
        assertThat(side.handedIn()).containsExactly(request);
    }

    @Test
    void fewBatchesAreUnderWayAndTheRestGoesTogether() {
        openAll();
        List<Submission> requests = new ArrayList<>();
        for (int call = 0; call < 100; call++) {
            requests.add(request(0, call));
            submitToAll(0, requests.getLast());
        }
        int owner = named(requests.getFirst());
        Side side = sides.get(owner);
        assertThat(side.batches).hasSize(4);
        deliverToAll(10, owner, 0);
        assertThat(side.batches).hasSize(5);
        assertThat(side.batches.getLast().submissions()).hasSize(96);
        assertThat(side.handedIn()).containsExactlyElementsOf(requests);
    }

    @Test
    void aBatchIsNoLongerThanItsBounds() {
        openAll();
        for (int call = 0; call < 1_200; call++) {
            submitToAll(0, request(0, call));
        }
        for (int call = 2_000; call < 2_010; call++) {
            submitToAll(0, new Submission(PrincipalId.client(0), call, false, Bytes.of(new byte[700_000])));
        }
        int owner = named(request(0, 0));
        Side side = sides.get(owner);
        for (int number = 0; number < side.batches.size(); number++) {
            deliverToAll(10, owner, number);
        }
        assertThat(side.handedIn()).hasSize(1_210).doesNotHaveDuplicates();
        assertThat(side.batches).allSatisfy(batch -> {
            assertThat(batch.submissions().size()).isLessThanOrEqualTo(512);
            assertThat(batch.submissions().stream()
                            .mapToInt(one -> one.command().length())
                            .sum())
                    .isLessThanOrEqualTo(OrderedBatch.BYTES_MAX);
        });
        assertThat(side.relay.pending()).isZero();
    }

    @Test
    void theNextReplicaStepsInForOneThatDoesNothing() {
        openAll();
        Submission request = request(0, 1);
        int dead = named(request);
        for (Side side : sides) {
            if (side != sides.get(dead)) {
                side.relay.submit(0, request);
            }
        }
        tickAllBut(dead, 300);
        assertThat(handedInByAll()).isEmpty();
        tickAllBut(dead, 500);
        int next = (dead + 1) % REPLICAS;
        assertThat(sides.get(next).handedIn()).containsExactly(request);
        assertThat(handedInByAll()).hasSize(1);
        // From now on the next one does not wait for its turn.
        Submission later = request(0, 2);
        for (Side side : sides) {
            if (side != sides.get(dead)) {
                side.relay.submit(600, later);
            }
        }
        assertThat(sides.get(next).handedIn()).containsExactly(request, later);
        assertThat(handedInByAll()).hasSize(2);
    }

    @Test
    void aReplicaThatDeliversIsGivenTime() {
        openAll();
        Submission request = request(0, 1);
        int busy = named(request);
        submitToAll(0, request);
        for (int i = 0; i < REPLICAS; i++) {
            if (i != busy) {
                // Its other batches arrive: it is alive and has much to do.
                sides.get(i).relay.onDelivered(900, busy, 77, new OrderedBatch(0, List.of()));
                sides.get(i).relay.onTick(1_000);
                assertThat(sides.get(i).handedIn()).isEmpty();
            }
        }
        for (int i = 0; i < REPLICAS; i++) {
            if (i != busy) {
                sides.get(i).relay.onDelivered(9_900, busy, 78, new OrderedBatch(0, List.of()));
                sides.get(i).relay.onTick(10_000);
            }
        }
        assertThat(sides.stream().filter(side -> !side.handedIn().isEmpty()).count())
                .as("no patience is endless")
                .isGreaterThan(1);
    }

    @Test
    void aBatchThatIsLostIsHandedInAgainWithoutWhatWasDeliveredOtherwise() {
        openAll();
        Submission lost = request(0, 1);
        int owner = named(lost);
        Side side = sides.get(owner);
        side.relay.submit(0, lost);
        side.relay.onTick(2_900);
        assertThat(side.batches).hasSize(1);
        side.relay.onTick(3_100);
        assertThat(side.handedIn()).containsExactly(lost, lost);
        side.relay.onDelivered(3_200, (owner + 1) % REPLICAS, 0, new OrderedBatch(0, List.of(lost)));
        side.relay.onTick(7_000);
        assertThat(side.handedIn()).hasSize(2);
        assertThat(side.relay.pending()).isZero();
    }

    private void openAll() {
        sides.forEach(side -> side.relay.open(0));
    }

    private void submitToAll(long nowMillis, Submission submission) {
        sides.forEach(side -> side.relay.submit(nowMillis, submission));
    }

    private void deliverToAll(long nowMillis, int from, int number) {
        OrderedBatch batch = sides.get(from).batches.get(number);
        sides.forEach(side -> side.relay.onDelivered(nowMillis, from, number, batch));
    }

    private void tickAllBut(int dead, long nowMillis) {
        for (int i = 0; i < REPLICAS; i++) {
            if (i != dead) {
                sides.get(i).relay.onTick(nowMillis);
            }
        }
    }

    private List<Submission> handedInByAll() {
        return sides.stream().flatMap(side -> side.handedIn().stream()).toList();
    }

    /** The replica that hands in this client's requests first. */
    private static int named(Submission submission) {
        for (int self = 0; self < REPLICAS; self++) {
            Side side = new Side(self);
            side.relay.open(0);
            side.relay.submit(0, submission);
            if (!side.handedIn().isEmpty()) {
                return self;
            }
        }
        throw new AssertionError("nobody hands in " + submission);
    }

    private static Submission request(int client, long call) {
        return new Submission(PrincipalId.client(client), call, false, Bytes.of((byte) call));
    }
}
