package io.bulwark.protocol.ordering.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.driver.JournalApplication;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Quotas;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestBodies;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestEcho;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.ordering.replica.Replica;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Vouches and room (docs/ordering), seen from replica 0 of four, or of seven where f+1 others must be fewer than
 * 2f.
 */
@NullMarked
class RequestPoolTest {
    private static final int VOUCHES_MAX = 16;

    private final RecentResults results = new RecentResults(4);
    private RequestPool pool = poolWith(1);

    private RequestPool poolWith(int faulty) {
        return new RequestPool(
                ReplicaConfig.of(0, faulty).withRoom(new Quotas(3, 1 << 20, VOUCHES_MAX, 4, 2 << 20)), results);
    }

    private static Request request(int client, long call, int operation) {
        return new Request(PrincipalId.client(client), call, false, Bytes.of((byte) operation));
    }

    private boolean hear(Request request) {
        return pool.onRequest(0, request.id(), request);
    }

    private void requestEcho(Request request, int... from) {
        for (int peer : from) {
            pool.onEcho(0, peer, List.of(request.id()));
        }
    }

    private List<RequestId> ready() {
        return pool.ready().stream().map(entry -> entry.id).toList();
    }

    @Test
    void theReplicaVouchesForWhatItHeardOnce() {
        Request request = request(1, 1, 1);
        assertThat(hear(request)).isTrue();
        assertThat(hear(request)).isTrue();
        assertThat(pool.takeUnsaid()).containsExactly(request.id());
        assertThat(pool.takeUnsaid()).isEmpty();
        assertThat(pool.isAcceptable(request.id())).isTrue();
    }

    @Test
    void ofOneCallOnlyTheFirstDigestIsVouchedForUnlessOthersDo() {
        Request first = request(1, 1, 1);
        Request second = request(1, 1, 2);
        hear(first);
        hear(second);
        assertThat(pool.takeUnsaid()).containsExactly(first.id());
        requestEcho(second, 1, 2);
        assertThat(pool.missing()).containsOnlyKeys(second.id());
        pool.onBody(0, second.id(), second);
        assertThat(pool.takeUnsaid()).containsExactly(second.id());
        assertThat(ready()).containsExactly(second.id());
    }

    @PlantedBug(
            in = PendingRequest.class,
            rule = "2f + 1 echoes make a request ready",
            replace = "return Long.bitCount(vouchers) >= config.quorum();",
            with = "return Long.bitCount(vouchers) >= config.quorum() - 1;")
    @Test
    void twoFPlusOneVouchesMakeARequestReady() {
        Request request = request(1, 1, 1);
        hear(request);
        requestEcho(request, 1);
        requestEcho(request, 1);
        assertThat(ready()).isEmpty();
        requestEcho(request, 2);
        assertThat(ready()).containsExactly(request.id());
        pool.onExecuted(0, request.id(), 1);
        assertThat(ready()).isEmpty();
        assertThat(pool.body(request.id())).isNull();
    }

    @PlantedBug(
            in = RequestPool.class,
            rule = "a backup takes no request that the primary alone names",
            replace = "return entry != null && (entry.isVouchedHere() || entry.isBacked());",
            with = "return true;")
    @Test
    void aBackupAcceptsWhatItVerifiedOrFPlusOneOthersVouchFor() {
        Request one = request(1, 1, 1);
        requestEcho(one, 1);
        assertThat(pool.isAcceptable(one.id())).isFalse();
        requestEcho(one, 1);
        assertThat(pool.isAcceptable(one.id())).as("the same again").isFalse();
        requestEcho(one, 2);
        assertThat(pool.isAcceptable(one.id())).isTrue();
        Request two = request(1, 2, 1);
        assertThat(pool.isAcceptable(two.id())).isFalse();
        pool.onRequest(0, two.id(), two);
        assertThat(pool.isAcceptable(two.id())).isTrue();
    }

    @PlantedBug(
            in = RequestPool.class,
            rule = "echoes under an old key do not count",
            replace = "ofPeers.get(peer).clear().forEach(id -> retract(peer, id));",
            with = "")
    @Test
    void vouchesDieWithTheirKey() {
        Request request = request(1, 1, 1);
        hear(request);
        requestEcho(request, 1, 2);
        pool.onKeyChange(2);
        assertThat(ready()).isEmpty();
        requestEcho(request, 2);
        assertThat(ready()).containsExactly(request.id());
    }

    @PlantedBug(
            in = RequestQuota.class,
            rule = "a client's requests are limited",
            replace = "while (usage.entries.size() >= factor * config.room().requestsPerClient()",
            with = "while (usage.entries.size() < 0")
    @Test
    void oneClientsRoomIsBoundedAndNobodyElses() {
        for (int call = 0; call < 3; call++) {
            assertThat(hear(request(1, call, call))).isTrue();
        }
        assertThat(hear(request(1, 3, 3))).isFalse();
        assertThat(hear(request(2, 3, 3))).isTrue();
        pool.onExecuted(0, request(1, 0, 0).id(), 1);
        assertThat(hear(request(1, 3, 3))).isTrue();
    }

    /** Returns a large request: two fill a client's room, four the room of all. */
    private static Request large(int client, long call) {
        return sized(client, call, 512 << 10);
    }

    private static Request sized(int client, long call, int bytes) {
        return new Request(PrincipalId.client(client), call, false, Bytes.of(new byte[bytes]));
    }

    @PlantedBug(
            in = RequestQuota.class,
            rule = "the requests of all clients are limited",
            replace = "while (heldBytes + bytes > all) {",
            with = "while (heldBytes < 0) {")
    @Test
    void whenTheRoomOfAllIsFullTheClientThatHoldsMostGivesWay() {
        for (Request each : List.of(large(1, 1), large(1, 2), large(2, 1))) {
            assertThat(hear(each)).isTrue();
        }
        assertThat(hear(request(3, 1, 1))).isTrue();
        assertThat(hear(large(4, 1))).isTrue();
        assertThat(pool.body(large(1, 1).id())).as("the largest gave way").isNull();
        assertThat(hear(large(1, 1))).as("and is refused").isFalse();
        assertThat(pool.body(request(3, 1, 1).id())).isNotNull();
        assertThat(pool.body(large(2, 1).id())).isNotNull();
    }

    @Test
    void whatIsAboutToBeExecutedLeavesAsMuchRoomAgain() {
        for (int client = 1; client <= 4; client++) {
            hear(large(client, 1));
            requestEcho(large(client, 1), 1, 2);
        }
        assertThat(hear(request(5, 1, 1))).isTrue();
        assertThat(hear(large(1, 2))).isFalse();
        assertThat(hear(sized(6, 1, 450 << 10)))
                .as("less than others hold, but more than its share")
                .isFalse();
        for (int client = 1; client <= 4; client++) {
            assertThat(pool.body(large(client, 1).id())).isNotNull();
        }
    }

    @Test
    void ifWhoHoldsMostHasNothingToLoseTheNextOneGivesWay() {
        for (Request each : List.of(large(1, 1), large(1, 2))) {
            hear(each);
            requestEcho(each, 1, 2);
        }
        assertThat(hear(large(2, 1))).isTrue();
        assertThat(hear(sized(2, 2, 400 << 10))).isTrue();
        assertThat(hear(sized(3, 1, 400 << 10))).isTrue();
        assertThat(pool.body(large(2, 1).id())).isNull();
        for (Request kept : List.of(large(1, 1), large(1, 2), sized(2, 2, 400 << 10), sized(3, 1, 400 << 10))) {
            assertThat(pool.body(kept.id())).isNotNull();
        }
    }

    /** Eight that attack hold all that what f+1 others vouch for may take. */
    @Test
    void whateverOthersHoldWhoHoldsNextToNothingHasRoom() {
        for (int client = 1; client <= 8; client++) {
            requestEcho(large(client, 1), 1, 2);
            assertThat(hear(large(client, 1))).isTrue();
        }
        assertThat(hear(sized(9, 1, 2 << 10))).isTrue();
        assertThat(hear(sized(9, 2, 1))).as("more than is its own").isFalse();
        requestEcho(request(10, 1, 1), 1, 2);
        pool.onBody(0, request(10, 1, 1).id(), request(10, 1, 1));
        assertThat(pool.body(request(10, 1, 1).id())).as("fetched").isNotNull();
        assertThat(hear(sized(11, 1, 3 << 10))).isFalse();
    }

    /**
     * A primary without room for a ready request could not give it a number. A request that is not ready would keep the
     * place for as long as its clients like.
     */
    @Test
    void whatIsReadyHasRoomThoughThatOfWhatOthersVouchForIsFull() {
        pool = poolWith(2);
        for (int client = 1; client <= 8; client++) {
            requestEcho(large(client, 1), 1, 2, 3);
            hear(large(client, 1));
        }
        Request late = large(9, 1);
        requestEcho(late, 1, 2, 3);
        pool.onBody(0, late.id(), late);
        assertThat(pool.body(late.id())).isNull();
        assertThat(ready()).isEmpty();
        requestEcho(late, 4);
        assertThat(ready()).as("it lacks the own vouch").isEmpty();
        pool.onBody(0, late.id(), late);
        assertThat(pool.body(late.id())).isNotNull();
        assertThat(ready()).containsExactly(late.id());
    }

    /**
     * A primary vouches once it has the body, so it must not wait for its own vouch before it has room. Requests that
     * are not ready give way, if necessary.
     */
    @Test
    void whatLacksTheOwnVouchOnlyMayTakeTwiceAClientsRoom() {
        pool = poolWith(2);
        for (int call = 0; call < 3; call++) {
            requestEcho(request(1, call, call), 1, 2, 3);
            assertThat(hear(request(1, call, call))).isTrue();
        }
        for (int call = 3; call < 10; call++) {
            requestEcho(request(1, call, call), 1, 2, 3);
            assertThat(hear(request(1, call, call))).isFalse();
            requestEcho(request(1, call, call), 4);
            assertThat(hear(request(1, call, call))).isEqualTo(call < 9);
            assertThat(pool.body(request(1, 0, 0).id()) == null).isEqualTo(call >= 6);
        }
        assertThat(ready()).hasSize(6);
    }

    @Test
    void whatIsReadyDisplacesWhatIsNotOnceAllRoomIsFull() {
        pool = poolWith(2);
        for (int client = 1; client <= 8; client++) {
            requestEcho(large(client, 1), 1, 2, 3);
            hear(large(client, 1));
        }
        for (int client = 11; client <= 18; client++) {
            requestEcho(large(client, 1), 1, 2, 3, 4);
            assertThat(hear(large(client, 1))).isTrue();
        }
        assertThat(ready()).hasSize(8);
        assertThat(IntStream.rangeClosed(1, 8)
                        .filter(client -> pool.body(large(client, 1).id()) != null))
                .as("no more than need be give way")
                .hasSize(4);
    }

    /** Replica 0 has the large requests. The test shows for all others whether the primary may lack them. */
    @Test
    void whoHoldsNextToNothingIsNeverCrowdedOut() {
        hear(sized(1, 1, 400 << 10));
        hear(sized(2, 1, 3 << 10));
        assertThat(crowded(sized(1, 1, 400 << 10))).isFalse();
        assertThat(crowded(sized(2, 1, 3 << 10))).isFalse();
        hear(sized(3, 1, 200 << 10));
        assertThat(crowded(sized(1, 1, 400 << 10))).as("all hold much").isTrue();
        assertThat(crowded(sized(2, 1, 3 << 10))).as("all hold much").isTrue();
        hear(sized(4, 1, 1 << 10));
        assertThat(crowded(sized(4, 1, 1 << 10))).as("next to nothing").isFalse();
        hear(sized(4, 2, 1));
        assertThat(crowded(sized(4, 1, 1 << 10))).as("two of three").isTrue();
    }

    private boolean crowded(Request request) {
        requestEcho(request, 1, 2);
        return pool.ready().stream()
                .filter(entry -> entry.id.equals(request.id()))
                .anyMatch(pool::isCrowded);
    }

    /** Sends three requests of a client and returns the first, which loses its room. */
    private Request displaced(int client) {
        for (int call = 0; call < 3; call++) {
            hear(request(client, call, call));
        }
        Request vouched = request(client, 9, 9);
        requestEcho(vouched, 1, 2);
        pool.onBody(0, vouched.id(), vouched);
        return request(client, 0, 0);
    }

    @Test
    void whatLostItsRoomIsGoodInABatchForAWhileOnly() {
        Request lost = displaced(1);
        assertThat(pool.body(lost.id())).isNull();
        pool.onTick(20_000);
        assertThat(pool.isAcceptable(lost.id())).isTrue();
        assertThat(pool.evictedBytes(lost.id())).isEqualTo(1);
        pool.onTick(40_000);
        assertThat(pool.isAcceptable(lost.id())).isFalse();
        assertThat(pool.evictedBytes(lost.id())).isEqualTo(-1);
    }

    @Test
    void whatLostItsRoomPassesOverOthersToo() {
        Request waits = request(2, 1, 1);
        hear(waits);
        requestEcho(waits, 1, 2);
        Request lost = displaced(1);
        pool.onProposed(List.of(lost.id()), true);
        assertThat(pool.ready().iterator().next().passedOver).isEqualTo(1);
        pool.onProposed(List.of(), true);
        assertThat(pool.ready().iterator().next().passedOver).as("a null batch").isEqualTo(1);
        results.put(lost.id(), 1, Bytes.EMPTY);
        pool.onExecuted(0, lost.id(), 1);
        pool.onProposed(List.of(lost.id()), true);
        assertThat(pool.ready().iterator().next().passedOver)
                .as("a proposal that comes after its execution")
                .isEqualTo(1);
    }

    @Test
    void whatOthersVouchForDisplacesWhatTheyDoNot() {
        for (int call = 0; call < 3; call++) {
            hear(request(1, call, call));
        }
        Request vouched = request(1, 9, 9);
        requestEcho(vouched, 1, 2);
        pool.onBody(0, vouched.id(), vouched);
        assertThat(pool.body(vouched.id())).isEqualTo(vouched);
        assertThat(pool.body(request(1, 0, 0).id())).isNull();
        assertThat(pool.body(request(1, 1, 1).id())).isNotNull();
    }

    @PlantedBug(
            in = RequestEchoes.class,
            rule = "the echoes of a peer are limited",
            replace = "if (saidMillis.size() <= max) {",
            with = "if (true) {")
    @Test
    void aPeersVouchesAreBoundedTheOldestOfTheBusiestClientGo() {
        Request rare = request(1, 100, 1);
        requestEcho(rare, 1, 2);
        for (int i = 0; i <= VOUCHES_MAX; i++) {
            requestEcho(request(5, i, i), 1, 2);
        }
        assertThat(pool.isAcceptable(rare.id())).isTrue();
        assertThat(pool.isAcceptable(request(5, 1, 1).id())).isFalse();
        assertThat(pool.isAcceptable(request(5, 2, 2).id())).isTrue();
        requestEcho(request(5, 1, 1), 1, 2);
        assertThat(pool.isAcceptable(request(5, 1, 1).id())).isTrue();
        assertThat(pool.isAcceptable(request(5, 2, 2).id())).isFalse();
    }

    @Test
    void vouchesThatComeAgainRestartNoTimer() {
        Request request = request(1, 1, 1);
        hear(request);
        requestEcho(request, 1, 2);
        pool.onKeyChange(2);
        pool.onEcho(500, 2, List.of(request.id()));
        assertThat(pool.ready().iterator().next().readyMillis).isEqualTo(500);
        assertThat(pool.ready().iterator().next().sinceMillis).isZero();
    }

    @Test
    void aBodyThatFewerThanFPlusOneVouchForTakesNoRoom() {
        Request forged = request(1, 1, 1);
        requestEcho(forged, 1);
        pool.onBody(0, forged.id(), forged);
        assertThat(pool.body(forged.id())).isNull();
    }

    /** Else a primary would give it a number again, which those that execute it in the meantime do not accept. */
    @Test
    void whoHasNotExecutedYetWhatWasExecutedHereDoesNotWantItAgain() {
        Request request = request(1, 1, 1);
        results.put(request.id(), 7, Bytes.EMPTY);
        pool.onStatus(1, 6);
        requestEcho(request, 1, 2, 3);
        assertThat(pool.isWantedByOthers(request.id())).isFalse();
        hear(request);
        assertThat(pool.isVouchedFor(request.id())).as("by its client").isTrue();
        assertThat(ready()).isEmpty();
    }

    @Test
    void whatOthersHaveExecutedAndForgottenIsARequestLikeAnyOther() {
        Request request = request(1, 1, 1);
        results.put(request.id(), 7, Bytes.EMPTY);
        pool.onStatus(1, 7);
        requestEcho(request, 1);
        assertThat(pool.isWantedByOthers(request.id())).isTrue();
        pool.onStatus(2, 8);
        requestEcho(request, 2);
        assertThat(pool.missing()).containsOnlyKeys(request.id());
        pool.onBody(0, request.id(), request);
        assertThat(pool.takeUnsaid()).containsExactly(request.id());
        assertThat(ready()).containsExactly(request.id());
    }

    @Test
    void vouchesThatAreNotRepeatedDoNotCount() {
        Request request = request(1, 1, 1);
        hear(request);
        requestEcho(request, 1, 2);
        pool.onEcho(800, 1, List.of(request.id()));
        pool.onTick(900);
        assertThat(ready()).containsExactly(request.id());
        pool.onTick(1_100);
        assertThat(ready()).isEmpty();
        pool.onEcho(1_200, 2, List.of(request.id()));
        assertThat(ready()).containsExactly(request.id());
    }

    @Test
    void whatNobodyElseKnowsExpires() {
        Request request = request(1, 1, 1);
        hear(request);
        pool.onTick(20_000);
        assertThat(pool.body(request.id())).isNotNull();
        pool.onTick(40_000);
        assertThat(pool.body(request.id())).isNull();
        assertThat(pool.ownEchoes(40_000)).isEmpty();
    }

    @Test
    void proposalsPassOverWhatBecameReadyBefore() {
        Request early = request(1, 1, 1);
        Request late = request(2, 2, 2);
        for (Request each : List.of(early, late)) {
            hear(each);
            requestEcho(each, 1, 2);
        }
        pool.onProposed(List.of(late.id()), true);
        assertThat(pool.ready().iterator().next().passedOver).isEqualTo(1);
        pool.onProposed(List.of(early.id()), true);
        assertThat(pool.ready()).allMatch(entry -> entry.proposed);
        pool.onNewView(Set.of(late.id()));
        assertThat(pool.ready().iterator().next().proposed).isFalse();
        assertThat(pool.ready().iterator().next().passedOver).isZero();
    }

    @Test
    void aBackupTakesARequestFromThePrimaryOnlyOnceOthersVouchForIt() {
        Request forged = request(1, 1, 1);
        Batch batch = new Batch(1, List.of(forged.id()));
        Replica backup = new Replica(ReplicaConfig.of(3, 1), new JournalApplication(), List.of());
        backup.onMessage(0, 0, new RequestEcho(batch.requests()));
        backup.onMessage(0, 0, new PrePrepare(0, 1, batch));
        backup.onTick(0);
        backup.onMessage(0, 0, new RequestBodies(List.of(forged)));
        assertThat(prepares(backup)).isEmpty();
        backup.onMessage(0, 1, new RequestEcho(batch.requests()));
        backup.onTick(0);
        backup.onMessage(0, 0, new RequestBodies(List.of(forged)));
        assertThat(prepares(backup)).containsExactly(new LogRecord.Prepare(0, 1, batch.digest()));
    }

    @Test
    void aBackupTakesWhatFPlusOneOthersAccepted() {
        Request request = request(1, 1, 1);
        Batch batch = new Batch(1_000_000, List.of(request.id()));
        Replica backup = new Replica(ReplicaConfig.of(3, 1), new JournalApplication(), List.of());
        backup.onMessage(0, 0, new PrePrepare(0, 1, batch));
        backup.onMessage(0, 0, new Prepare(0, 1, batch.digest()));
        backup.onTick(0);
        backup.onMessage(0, 0, new RequestBodies(List.of(request)));
        assertThat(prepares(backup)).isEmpty();
        backup.onMessage(0, 1, new Prepare(0, 1, batch.digest()));
        assertThat(prepares(backup)).isEmpty();
        backup.onTick(0);
        backup.onMessage(0, 0, new RequestBodies(List.of(request)));
        assertThat(prepares(backup)).hasSize(1);
    }

    private static List<LogRecord> prepares(Replica replica) {
        return replica.drain(0).stream()
                .filter(ReplicaEffect.Append.class::isInstance)
                .map(effect -> ((ReplicaEffect.Append) effect).record())
                .filter(LogRecord.Prepare.class::isInstance)
                .toList();
    }
}
