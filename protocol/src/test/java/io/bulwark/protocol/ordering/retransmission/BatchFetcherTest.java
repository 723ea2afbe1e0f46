package io.bulwark.protocol.ordering.retransmission;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.log.Outbox;
import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchRequests;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestBodies;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.ordering.normal.BatchStore;
import io.bulwark.protocol.ordering.replica.TestCluster;
import io.bulwark.protocol.ordering.request.RecentResults;
import io.bulwark.protocol.ordering.request.RequestPool;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class BatchFetcherTest {
    private static final ReplicaConfig CONFIG = ReplicaConfig.of(3, 1);
    private static final long AGAIN = CONFIG.timers().fetchMillis();

    /** Not asked for before: it may be on its way. */
    private static final long DUE = AGAIN / 4;

    private static final long ALL = -1;

    private final Outbox outbox = new Outbox(CONFIG);
    private final BatchFetcher fetching = new BatchFetcher(CONFIG, outbox);

    private static RequestId id(long call) {
        return new Request(PrincipalId.client(1), call, false, TestCluster.operation(call)).id();
    }

    /** Names the wanted requests, as with each tick, and asks. */
    private SortedMap<Integer, List<Long>> tick(long nowMillis, long sources, long... calls) {
        for (long call : calls) {
            fetching.wantRequest(nowMillis, id(call), sources);
        }
        fetching.ask(nowMillis);
        return asked();
    }

    private SortedMap<Integer, List<Long>> answer(long nowMillis, int from, Set<RequestId> came) {
        fetching.onBodies(nowMillis, from, came);
        return asked();
    }

    private SortedMap<Integer, List<Long>> asked() {
        SortedMap<Integer, List<Long>> asked = new TreeMap<>();
        for (ReplicaEffect effect : outbox.drain()) {
            if (effect instanceof ReplicaEffect.Send send && send.message() instanceof FetchRequests fetch) {
                fetch.requests()
                        .forEach(id -> asked.computeIfAbsent(send.to(), _ -> new ArrayList<>())
                                .add(id.call()));
            }
        }
        return asked;
    }

    /**
     * The answer is on its way, perhaps behind others: further requests would bring duplicates, or queue up with votes
     * behind them.
     */
    @Test
    void aReplicaIsAskedForNothingMoreBeforeItAnswersOrTheTimeIsUp() {
        tick(0, 1, 1, 2);
        assertThat(tick(DUE, 1, 1, 2)).containsOnlyKeys(0).containsValue(List.of(1L, 2L));
        assertThat(tick(2 * DUE, 1, 1, 2, 3)).isEmpty();
        assertThat(tick(3 * DUE, 1, 1, 2, 3)).isEmpty();
        assertThat(tick(DUE + AGAIN, 1, 1, 2, 3)).containsOnlyKeys(0).containsValue(List.of(1L, 2L, 3L));
    }

    @Test
    void whatDidNotFitIntoAnAnswerIsAskedForAtOnce() {
        tick(0, 1, 1, 2, 3);
        tick(DUE, 1, 1, 2, 3);
        assertThat(answer(DUE + 5, 0, Set.of(id(1)))).containsOnlyKeys(0).containsValue(List.of(2L, 3L));
        assertThat(answer(DUE + 6, 1, Set.of()))
                .as("of who was not asked for it")
                .isEmpty();
    }

    @Test
    void whoIsSilentIsNotAskedAgainBeforeTheOthers() {
        tick(0, 0b11, 1);
        fetching.wantRequest(DUE, id(2), 0b10);
        assertThat(tick(DUE, 0b11, 1)).containsOnlyKeys(0);
        fetching.wantRequest(3 * DUE, id(2), 0b10);
        assertThat(tick(3 * DUE, 0b11, 1)).containsOnlyKeys(1);
        fetching.wantRequest(DUE + AGAIN, id(2), 0b10);
        assertThat(tick(DUE + AGAIN, 0b11, 1)).isEmpty();
        assertThat(answer(DUE + AGAIN + 1, 1, Set.of(id(2))))
                .containsOnlyKeys(1)
                .containsValue(List.of(1L));
    }

    /** Answers arrive faster than ticks, which name the missing requests. */
    @Test
    void whatCameIsNotAskedForAgainAfterTheNextAnswer() {
        tick(0, 1, 1, 2, 3);
        tick(DUE, 1, 1, 2, 3);
        answer(DUE + 5, 0, Set.of(id(1)));
        assertThat(answer(DUE + 6, 0, Set.of(id(2)))).containsOnlyKeys(0).containsValue(List.of(3L));
    }

    /** Silent ones would hold it up else. */
    @Test
    void whoGaveSomethingIsAskedForTheRestWhileOthersAreBusy() {
        for (long nowMillis : new long[] {0, DUE}) {
            fetching.wantRequest(nowMillis, id(9), 0b10);
            tick(nowMillis, 0b11, 1, 2, 3);
        }
        assertThat(answer(DUE + 1, 0, Set.of(id(1)))).containsOnlyKeys(0).containsValue(List.of(2L, 3L));
    }

    /** While one does not answer, another one that may have it is asked, and not the silent one again at once. */
    @Test
    void whatOneDoesNotGiveTheNextOneIsAskedFor() {
        tick(0, ALL, 1);
        assertThat(tick(DUE, ALL, 1)).containsOnlyKeys(0);
        assertThat(tick(DUE + AGAIN, ALL, 1)).containsOnlyKeys(1);
        assertThat(tick(DUE + 2 * AGAIN, ALL, 1)).containsOnlyKeys(2);
        assertThat(tick(DUE + 3 * AGAIN, ALL, 1)).containsOnlyKeys(0);
    }

    @Test
    void whatIsSaidFirstIsAskedForFirst() {
        tick(0, 1, 1, 2, 3);
        assertThat(tick(DUE, 1, 3, 1, 2)).containsValue(List.of(3L, 1L, 2L));
    }

    @Test
    void whatIsNotWantedAnyMoreIsNotAskedFor() {
        tick(0, 1, 1, 2);
        assertThat(tick(DUE, 1, 2)).containsValue(List.of(2L));
    }

    /**
     * Otherwise a liar that answers at once with nothing could keep the most urgent requests from replicas that are
     * busy with later ones.
     */
    @Test
    void whoAnsweredInVainIsNotAskedAgainBeforeTheOthers() {
        fetching.wantRequest(0, id(1), 0b11);
        fetching.wantRequest(0, id(2), 0b10);
        fetching.ask(0);
        assertThat(asked()).isEmpty();
        fetching.wantRequest(DUE, id(1), 0b11);
        fetching.wantRequest(DUE, id(2), 0b10);
        fetching.wantRequest(DUE, id(3), 0b10);
        fetching.ask(DUE);
        assertThat(asked()).containsOnlyKeys(0, 1).containsEntry(0, List.of(1L)).containsEntry(1, List.of(2L));
        assertThat(answer(DUE + 1, 0, Set.of())).isEmpty();
        assertThat(answer(2 * DUE, 1, Set.of(id(2)))).containsOnlyKeys(1).containsValue(List.of(1L, 3L));
        assertThat(answer(2 * DUE + 1, 1, Set.of())).as("all were asked").isEmpty();
        fetching.wantRequest(2 * DUE + AGAIN, id(1), 0b11);
        fetching.wantRequest(2 * DUE + AGAIN, id(3), 0b10);
        fetching.ask(2 * DUE + AGAIN);
        assertThat(asked()).containsOnlyKeys(0, 1).containsEntry(0, List.of(1L)).containsEntry(1, List.of(3L));
    }

    /** A replica without any of the requests sends an empty answer, at a limited rate. */
    @Test
    void whoHasNothingSaysSo() {
        BatchServer serving =
                new BatchServer(CONFIG, new BatchStore(new RequestPool(CONFIG, new RecentResults(1))), outbox);
        serving.onFetchRequests(0, 1, new FetchRequests(List.of(id(1))));
        assertThat(outbox.drain()).containsExactly(new ReplicaEffect.Send(1, new RequestBodies(List.of())));
        for (int i = 0; i < 1_000; i++) {
            serving.onFetchRequests(0, 1, new FetchRequests(List.of(id(1))));
        }
        assertThat(outbox.drain()).hasSizeLessThan(10);
    }

    /** Otherwise a sender of such answers would trigger a scan of all wanted requests each time. */
    @Test
    void anAnswerToNoQuestionChangesNothing() {
        tick(0, 1, 1);
        assertThat(answer(DUE, 0, Set.of())).isEmpty();
        assertThat(tick(DUE, 1, 1)).containsOnlyKeys(0);
    }

    @Test
    void whatIsTooMuchForOneQuestionAnotherReplicaIsAskedFor() {
        long[] calls = LongStream.range(0, 300).toArray();
        tick(0, 0b11, calls);
        SortedMap<Integer, List<Long>> asked = tick(DUE, 0b11, calls);
        assertThat(asked).containsOnlyKeys(0, 1);
        assertThat(asked.get(0)).hasSize(256);
        assertThat(asked.get(1)).hasSize(44);
    }

    /** Messages sent meanwhile wait behind the answer. */
    @Test
    void anAnswerHasNoMoreThanABatch() {
        RequestPool pool = new RequestPool(CONFIG, new RecentResults(1));
        List<RequestId> asked = new ArrayList<>();
        for (long call = 0; call < 3; call++) {
            Bytes half = Bytes.of(new byte[CONFIG.batches().bytesMax() / 2 - Short.MAX_VALUE]);
            Request request = new Request(PrincipalId.client(1), call, false, half);
            assertThat(pool.onRequest(0, request.id(), request)).isTrue();
            asked.add(request.id());
        }
        new BatchServer(CONFIG, new BatchStore(pool), outbox).onFetchRequests(0, 1, new FetchRequests(asked));
        assertThat(outbox.drain()).singleElement().satisfies(effect -> {
            RequestBodies answer = (RequestBodies) ((ReplicaEffect.Send) effect).message();
            assertThat(answer.requests()).extracting(Request::id).containsExactlyElementsOf(asked.subList(0, 2));
        });
    }
}
