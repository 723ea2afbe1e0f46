package io.bulwark.protocol.ordering.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Quotas;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.wire.Bytes;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests the meaning of READY messages, at replica 0 of seven. */
@NullMarked
class RequestPoolReadyTest {
    private static final int BOUND = 16;

    private final RecentResults results = new RecentResults(4);
    private final RequestPool pool = poolWith(2);
    private final Request request = request(1, 1);
    private final RequestId id = request.id();

    private RequestPool poolWith(int faulty) {
        return new RequestPool(
                ReplicaConfig.of(0, faulty).withRoom(new Quotas(3, 1 << 20, BOUND, 4, 2 << 20)), results);
    }

    private static Request request(int client, long call) {
        return new Request(PrincipalId.client(client), call, false, Bytes.of((byte) call));
    }

    private void requestEcho(long nowMillis, RequestId of, int... from) {
        for (int peer : from) {
            pool.onEcho(nowMillis, peer, List.of(of));
        }
    }

    private void announceReady(long nowMillis, RequestId of, int... from) {
        for (int peer : from) {
            pool.onReady(nowMillis, peer, List.of(of));
        }
    }

    private static List<RequestId> ids(Collection<PendingRequest> entries) {
        return entries.stream().map(entry -> entry.id).toList();
    }

    /** Returns the requests for which this replica sends READY with a tick at this time. */
    private List<RequestId> said(long nowMillis) {
        pool.onTick(nowMillis);
        return pool.takeUnsaidReady();
    }

    /** Heard from its client, with 2f+1 vouches. */
    private void becomeReady() {
        pool.onRequest(0, id, request);
        requestEcho(0, id, 1, 2, 3, 4);
    }

    @Test
    void whatWaitsWith2fPlus1VouchesIsSaidToBeReadyAgainAndAgain() {
        becomeReady();
        assertThat(said(90)).isEmpty();
        assertThat(said(100)).containsExactly(id);
        assertThat(said(250)).isEmpty();
        assertThat(said(300)).containsExactly(id);
        requestEcho(600, id, 1, 2, 3, 4);
        assertThat(said(1_200)).containsExactly(id);
        pool.onExecuted(0, id, 1);
        assertThat(said(1_500)).isEmpty();
    }

    @Test
    void whatWasExecutedBeforeItCouldBeSaidIsNotSaid() {
        becomeReady();
        pool.onTick(100);
        pool.onExecuted(0, id, 1);
        assertThat(pool.takeUnsaidReady()).isEmpty();
    }

    /** Otherwise READY messages could keep each other alive after all vouches have expired. */
    @Test
    void nobodySaysReadyBecauseOthersDo() {
        announceReady(0, id, 1, 2, 3, 4, 5, 6);
        pool.onBody(0, id, request);
        assertThat(ids(pool.ready())).containsExactly(id);
        assertThat(said(500)).isEmpty();
    }

    /** The primary may have to fetch it from those who say so. */
    @PlantedBug(
            in = RequestPool.class,
            rule = "READY is said only with the body",
            replace = "&& entry.body != null && entry.hasQuorum()",
            with = "&& entry.hasQuorum()")
    @Test
    void nobodySaysReadyWithoutTheBody() {
        requestEcho(0, id, 1, 2, 3, 4, 5);
        assertThat(ids(pool.ready())).containsExactly(id);
        assertThat(said(200)).isEmpty();
        pool.onBody(200, id, request);
        assertThat(said(200)).containsExactly(id);
    }

    @PlantedBug(
            in = RequestPool.class,
            rule = "2f + 1 replicas make a request due",
            replace = "int needed = config.quorum();",
            with = "int needed = config.quorum() - 1;")
    @Test
    void aRequestIsDueOnce2fPlus1SayReady() {
        becomeReady();
        announceReady(0, id, 1, 2, 3);
        pool.onTick(50);
        assertThat(pool.due()).isEmpty();
        said(100);
        assertThat(pool.due()).as("2f").isEmpty();
        announceReady(700, id, 4);
        assertThat(pool.due()).isEmpty();
        pool.onTick(720);
        assertThat(ids(pool.due())).containsExactly(id);
        assertThat(pool.due().iterator().next().sinceMillis).isEqualTo(720);
        pool.onExecuted(0, id, 1);
        assertThat(pool.due()).isEmpty();
    }

    @Test
    void whatCeasesToBeReadyAndIsAgainIsDueByTheSameWords() {
        requestEcho(0, id, 1, 2, 3, 4, 5);
        announceReady(900, id, 1, 2, 3, 4, 5);
        pool.onTick(900);
        assertThat(ids(pool.due())).containsExactly(id);
        pool.onTick(1_001);
        assertThat(pool.due()).as("nobody vouches any more").isEmpty();
        requestEcho(1_100, id, 1, 2, 3, 4, 5);
        pool.onTick(1_110);
        assertThat(ids(pool.due())).containsExactly(id);
    }

    @Test
    void whatWasSaidAWhileAgoMakesNothingDueButIsGoodForThePrimary() {
        becomeReady();
        announceReady(0, id, 1, 2, 3, 4);
        said(100);
        assertThat(ids(pool.due())).containsExactly(id);
        requestEcho(900, id, 1, 2, 3, 4);
        pool.onTick(999);
        assertThat(ids(pool.due())).containsExactly(id);
        pool.onTick(1_000);
        assertThat(pool.due()).isEmpty();
        pool.onTick(5_000);
        assertThat(ids(pool.ready())).containsExactly(id);
        announceReady(5_000, id, 1, 2, 3, 4, 5);
        pool.onTick(5_000);
        assertThat(pool.due().iterator().next().sinceMillis)
                .as("restarts no timer")
                .isEqualTo(100);
        assertThat(pool.due().iterator().next().dueMillis).isEqualTo(5_000);
    }

    @PlantedBug(
            in = PendingRequest.class,
            rule = "f + 1 replicas must say READY",
            replace = "Long.bitCount(saidReady) >= config.weakQuorum()",
            with = "Long.bitCount(saidReady) >= config.faulty()")
    @Test
    void whatFPlus1SayIsReadyIsSoWithoutTheirVouches() {
        announceReady(0, id, 1, 2);
        assertThat(pool.missing()).isEmpty();
        pool.onBody(0, id, request);
        assertThat(pool.body(id)).as("f").isNull();
        assertThat(pool.isAcceptable(id)).isFalse();
        announceReady(0, id, 3);
        assertThat(pool.isAcceptable(id)).isTrue();
        assertThat(pool.missing()).containsEntry(id, 0b1110L);
        assertThat(pool.ready()).as("it lacks the body").isEmpty();
        pool.onBody(0, id, request);
        assertThat(pool.takeUnsaid()).containsExactly(id);
        assertThat(ids(pool.ready())).containsExactly(id);
        pool.onTick(5_000);
        assertThat(ids(pool.ready())).containsExactly(id);
        pool.onTick(5_001);
        assertThat(pool.ready()).isEmpty();
    }

    /** Replicas that only vouch may have dropped the body. */
    @Test
    void aBodyIsFetchedFromThoseWhoSayReady() {
        requestEcho(0, id, 1, 2, 3);
        assertThat(pool.missing()).containsEntry(id, 0b1110L);
        announceReady(0, id, 3, 4, 5);
        assertThat(pool.missing()).containsEntry(id, 0b111000L);
    }

    /** Attackers and liars can have more missing here than links carry, which finds no room and is missing again. */
    @Test
    void whatIsReadyOnceItsBodyIsHereIsFetchedFirst() {
        requestEcho(0, request(2, 2).id(), 1, 2, 3);
        announceReady(0, id, 1, 2, 3);
        requestEcho(0, request(2, 3).id(), 1, 2, 3, 4);
        assertThat(pool.missing().keySet())
                .containsExactly(id, request(2, 3).id(), request(2, 2).id());
    }

    /** Three are held, for which f+1 others vouch and which are never ready. */
    private void fillClient() {
        for (int call = 11; call <= 13; call++) {
            requestEcho(0, request(1, call).id(), 4, 5, 6);
            pool.onRequest(0, request(1, call).id(), request(1, call));
        }
    }

    @Test
    void whatFPlus1SayIsReadyHasTheRoomOfWhatIsReady() {
        fillClient();
        requestEcho(0, id, 1, 2, 3);
        assertThat(pool.onRequest(0, id, request)).isFalse();
        announceReady(0, id, 1, 2);
        assertThat(pool.onRequest(0, id, request)).as("f").isFalse();
        announceReady(0, id, 3);
        assertThat(pool.onRequest(0, id, request)).isTrue();
        assertThat(ids(pool.ready())).containsExactly(id);
    }

    /**
     * Another replica may count the request as due because of this READY, so this replica keeps it, ready to be
     * proposed.
     */
    @Test
    void whoSaysReadyKeepsTheRequestForAsLongAsThatCounts() {
        becomeReady();
        assertThat(said(100)).containsExactly(id);
        pool.onTick(1_100);
        fillClient();
        requestEcho(1_100, request(1, 14).id(), 4, 5, 6);
        assertThat(pool.onRequest(1_100, request(1, 14).id(), request(1, 14))).isFalse();
        assertThat(ids(pool.ready())).as("nobody vouches any more").containsExactly(id);
        pool.onTick(6_000);
        assertThat(pool.ready()).isEmpty();
        requestEcho(6_000, request(1, 14).id(), 4, 5, 6);
        assertThat(pool.onRequest(6_000, request(1, 14).id(), request(1, 14))).isTrue();
        assertThat(pool.body(id)).isNull();
    }

    @Test
    void readyDiesWithItsKey() {
        announceReady(0, id, 1, 2, 3);
        pool.onKeyChange(2);
        assertThat(pool.missing()).isEmpty();
        announceReady(0, id, 2);
        assertThat(pool.missing()).containsOnlyKeys(id);
        becomeReady();
        announceReady(100, id, 4);
        said(100);
        assertThat(ids(pool.due())).containsExactly(id);
        pool.onKeyChange(3);
        pool.onTick(110);
        assertThat(pool.due()).isEmpty();
    }

    @Test
    void anotherStateForgetsWhatIsDue() {
        becomeReady();
        announceReady(0, id, 1, 2, 3, 4);
        pool.onTick(100);
        pool.clear();
        assertThat(pool.due()).isEmpty();
        assertThat(pool.takeUnsaidReady()).isEmpty();
        announceReady(100, id, 1, 2);
        assertThat(pool.missing()).isEmpty();
    }

    @Test
    void aPeersWordsAreBounded() {
        announceReady(0, id, 1, 2, 3);
        for (int call = 100; call < 100 + BOUND; call++) {
            announceReady(0, request(1, call).id(), 1);
        }
        assertThat(pool.missing()).isEmpty();
    }

    /** As with echoes: a replica that is behind does not want a request again that was executed here. */
    @Test
    void whatWasExecutedHereIsNotReadyForWhoIsBehind() {
        results.put(id, 7, Bytes.EMPTY);
        for (int peer = 1; peer <= 3; peer++) {
            pool.onStatus(peer, 6);
        }
        announceReady(0, id, 1, 2, 3);
        assertThat(pool.missing()).isEmpty();
        for (int peer = 1; peer <= 3; peer++) {
            pool.onStatus(peer, 7);
        }
        announceReady(0, id, 1, 2, 3);
        assertThat(pool.missing()).containsOnlyKeys(id);
    }

    /** The primary learns of a request when it is due; numbers assigned earlier do not count as passing it over. */
    @Test
    void onlyWhatIsDueIsPassedOver() {
        becomeReady();
        Request before = request(2, 2);
        Request after = request(3, 3);
        requestEcho(10, before.id(), 1, 2, 3, 4, 5);
        said(100);
        announceReady(100, id, 1, 2, 3, 4);
        pool.onTick(150);
        requestEcho(200, after.id(), 1, 2, 3, 4, 5);
        pool.onProposed(List.of(before.id()), true);
        assertThat(pool.due().iterator().next().passedOver).isZero();
        pool.onProposed(List.of(after.id()), true);
        assertThat(pool.due().iterator().next().passedOver).isEqualTo(1);
    }

    @Test
    void withOneFaultNobodySaysOrHearsReady() {
        RequestPool four = poolWith(1);
        four.onReady(0, 1, List.of(id));
        four.onReady(0, 2, List.of(id));
        assertThat(four.missing()).isEmpty();
        four.onRequest(0, id, request);
        four.onEcho(0, 1, List.of(id));
        four.onEcho(0, 2, List.of(id));
        assertThat(ids(four.due())).containsExactly(id);
        four.onTick(500);
        assertThat(four.takeUnsaidReady()).isEmpty();
        four.onTick(1_100);
        assertThat(four.due()).isEmpty();
    }

    /** Others count its vouch, perhaps towards 2f+1. */
    @Test
    void whatThisReplicaVouchesForItAccepts() {
        requestEcho(0, id, 1, 2, 3);
        pool.onBody(0, id, request);
        assertThat(pool.takeUnsaid()).containsExactly(id);
        pool.onTick(1_100);
        assertThat(pool.isAcceptable(id)).isTrue();
    }
}
