package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.JournalApplication;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.log.ReplicaContext;
import io.bulwark.protocol.ordering.log.SlotLog;
import io.bulwark.protocol.ordering.log.View;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.FetchRequests;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestBodies;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestEcho;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.ordering.normal.Agreement;
import io.bulwark.protocol.ordering.normal.Assignments;
import io.bulwark.protocol.ordering.normal.BatchStore;
import io.bulwark.protocol.ordering.request.RecentResults;
import io.bulwark.protocol.ordering.request.RequestPool;
import io.bulwark.protocol.ordering.view.ViewGroup;
import io.bulwark.protocol.ordering.view.ViewHistory;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests attacks by liars with names of requests that nobody has made. */
@NullMarked
class InventedRequestIdsTest {
    private static final int MIB = 1 << 20;
    private static final int NUMBERS = 16;

    private final ReplicaConfig config = ReplicaConfig.of(3, 1);

    /** All of these hash alike: in each pair of bytes 31 times the one and the other are 0 together. */
    private static Bytes colliding(int number) {
        byte[] digest = new byte[32];
        for (int bit = 0; bit < 16; bit++) {
            if ((number >> bit & 1) == 1) {
                digest[2 * bit] = 1;
                digest[2 * bit + 1] = -31;
            }
        }
        return Bytes.of(digest);
    }

    private static RequestId madeUp(int number) {
        return new RequestId(PrincipalId.client(9), 7, colliding(number));
    }

    /** Else a table keeps them in a list, and looks through it for each of them. That the class is the table's to compare ArchitectureTest holds. */
    @Test
    void namesThatHashAlikeHaveAnOrder() {
        TreeSet<RequestId> names = new TreeSet<>();
        for (int number = 0; number < 4_096; number++) {
            names.add(madeUp(number));
        }
        assertThat(names).hasSize(4_096);
        assertThat(names.stream().mapToInt(RequestId::hashCode).distinct().count())
                .isEqualTo(1);
    }

    private static List<RequestId> hear(Replica backup, long nowMillis, int client, int count, int length) {
        List<RequestId> ids = new ArrayList<>();
        for (int call = 0; call < count; call++) {
            Request request = new Request(PrincipalId.client(client), call, false, Bytes.of(new byte[length]));
            backup.onRequest(nowMillis, request);
            ids.add(request.id());
        }
        return ids;
    }

    /** Until what no correct replica needs to stand behind has expired. */
    private static long wait(Replica backup, long fromMillis) {
        long end = fromMillis + 40_000;
        for (long now = fromMillis; now < end; now += 200) {
            backup.onTick(now);
            var _ = backup.drain(now);
        }
        return end;
    }

    private static long keptBytes(Replica backup, long nowMillis, List<RequestId> ids) {
        long bytes = 0;
        long now = nowMillis;
        for (RequestId id : ids) {
            now += 200;
            backup.onMessage(now, 2, new FetchRequests(List.of(id)));
            for (ReplicaEffect effect : backup.drain(now)) {
                if (effect instanceof ReplicaEffect.Send send && send.message() instanceof RequestBodies served) {
                    for (Request request : served.requests()) {
                        bytes += request.operation().length();
                    }
                }
            }
        }
        return bytes;
    }

    /** A primary names what clients of its have told this replica, and one request that there is not. */
    @Test
    void whatAPrimaryNamesBesideWhatItMadeUpIsNotKept() {
        Replica backup = new Replica(config, new JournalApplication(), List.of());
        List<RequestId> all = new ArrayList<>();
        long now = 0;
        for (int number = 1; number <= 4; number++) {
            List<RequestId> named = hear(backup, now, number, 4, MIB);
            all.addAll(named);
            assertThat(keptBytes(backup, now, named)).isEqualTo(4L * MIB);
            now += 1_000;
            named.add(madeUp(number));
            backup.onMessage(now, 0, new PrePrepare(0, number, new Batch(now, named)));
            now = wait(backup, now);
        }
        assertThat(backup.view()).isZero();
        assertThat(keptBytes(backup, now, all)).isZero();
    }

    private static final ReplicaConfig SMALL =
            ReplicaConfig.of(3, 2).withRoom(new ReplicaConfig.Quotas(256, MIB, 16_384, 64, MIB));

    private static Request quarter(int client) {
        return new Request(PrincipalId.client(client), 1, false, Bytes.of(new byte[MIB / 4]));
    }

    /** Proposes the request and others under this number; f+1 others vouch for the request and have its body. */
    private static void nameVouchedFor(
            Replica backup, long nowMillis, long number, Request request, List<RequestId> beside) {
        List<RequestId> named = new ArrayList<>(beside);
        named.add(request.id());
        for (int peer : List.of(1, 2, 4)) {
            backup.onMessage(nowMillis, peer, new RequestEcho(List.of(request.id())));
        }
        backup.onMessage(nowMillis, 0, new PrePrepare(0, number, new Batch(1, named)));
        backup.onTick(nowMillis);
        backup.onTick(nowMillis + 40);
        backup.onMessage(nowMillis + 40, 1, new RequestBodies(List.of(request)));
    }

    /** With liars and clients of its own a primary has what it names fetched, too, and nothing that anybody waits for. */
    @Test
    void whatIsFetchedForOthersVouchesIsKeptWithinBoundsThoughAPrimaryNamesIt() {
        Replica backup = new Replica(SMALL, new JournalApplication(), List.of());
        List<RequestId> all = new ArrayList<>();
        long now = 0;
        for (int number = 1; number <= 64; number++) {
            Request request = quarter(number);
            nameVouchedFor(backup, now, number, request, List.of(madeUp(number)));
            all.add(request.id());
            var _ = backup.drain(now + 40);
            now += 60;
        }
        now = wait(backup, now);
        assertThat(backup.view()).isZero();
        assertThat(backup.isActive()).isTrue();
        assertThat(keptBytes(backup, now, all)).isLessThanOrEqualTo(MIB);
    }

    /** All backups may be short of room, while the primary has it. */
    @Test
    void whatFindsNoRoomIsAcceptedAllTheSame() {
        Replica backup = new Replica(SMALL, new JournalApplication(), List.of());
        for (int client = 1; client <= 20; client++) {
            for (int peer : List.of(4, 5, 6)) {
                backup.onMessage(
                        0, peer, new RequestEcho(List.of(quarter(client).id())));
            }
            backup.onRequest(0, quarter(client));
        }
        for (int number = 1; number <= 6; number++) {
            nameVouchedFor(backup, 60L * number, number, quarter(30 + number), List.of());
            assertThat(backup.drain(60L * number + 40))
                    .as("number %d: what was accepted counts as the log's", number)
                    .anyMatch(effect -> effect instanceof ReplicaEffect.Append append
                            && append.record() instanceof LogRecord.Prepare);
        }
    }

    /** With the view in which they were named. */
    @Test
    void whatFoundNoRoomGoesWithTheBatchesThatNameIt() {
        for (int number = 1; number <= 8; number++) {
            Request request = quarter(number);
            Batch batch = new Batch(1, List.of(request.id()));
            batches.put(batch.digest(), batch);
            batches.offer(request.id(), request, MIB);
            assertThat(batches.body(request.id()) != null)
                    .as("%d quarters", number)
                    .isEqualTo(number <= 4);
        }
        batches.retain(Set.of());
        Request request = quarter(9);
        Batch batch = new Batch(1, List.of(request.id()));
        batches.put(batch.digest(), batch);
        batches.offer(request.id(), request, MIB);
        assertThat(batches.body(request.id())).isEqualTo(request);
    }

    /** Others may need these bodies, because the backup has promised the batch. */
    @Test
    void theBodiesOfWhatWasAcceptedStay() {
        Replica backup = new Replica(config, new JournalApplication(), List.of());
        List<RequestId> named = hear(backup, 0, 1, 2, 1_000);
        List<RequestId> others = hear(backup, 0, 2, 2, 1_000);
        backup.onMessage(0, 0, new PrePrepare(0, 1, new Batch(1, named)));
        assertThat(backup.drain(0))
                .anyMatch(effect ->
                        effect instanceof ReplicaEffect.Append append && append.record() instanceof LogRecord.Prepare);
        long now = wait(backup, 0);
        assertThat(keptBytes(backup, now, others)).isZero();
        assertThat(keptBytes(backup, now, named)).isEqualTo(2_000);
    }

    private static final class CountingStore extends BatchStore {
        private int looked;

        private CountingStore(RequestPool pool) {
            super(pool);
        }

        @Override
        public @Nullable Request body(RequestId id) {
            looked++;
            return super.body(id);
        }
    }

    private final SlotLog log = new SlotLog(config.logSize(), 0);
    private final RequestPool pool = new RequestPool(config, new RecentResults(1));
    private final CountingStore batches = new CountingStore(pool);
    private final Agreement agreement = new Agreement(
            new ReplicaContext(config, new View(config, 0, true), log),
            new ViewHistory(ViewGroup.of(config), 0),
            pool,
            batches,
            new Assignments(log));

    private List<RequestId> thousandKnown(int length) {
        List<RequestId> known = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            Request request = new Request(PrincipalId.client(1 + i % 4), i, false, Bytes.of(new byte[length]));
            assertThat(pool.onRequest(0, request.id(), request)).isTrue();
            known.add(request.id());
        }
        return known;
    }

    private void propose(long millis, List<RequestId> named) {
        for (int number = 1; number <= NUMBERS; number++) {
            agreement.onPrePrepare(0, 0, new PrePrepare(0, number, new Batch(millis, named)));
        }
    }

    /** With one look at each proposal a drain is done, however many names it has. */
    private void assertThatDrainsAreCheap() {
        batches.looked = 0;
        for (int drain = 0; drain < 10; drain++) {
            agreement.retry(0);
        }
        assertThat(batches.looked).isLessThanOrEqualTo(10 * NUMBERS);
        assertThat(log.all()).hasSize(NUMBERS).noneMatch(slot -> slot.accepted);
    }

    @Test
    void whatWaitsForOneBodyIsNotLookedThroughWithEachDrain() {
        Request late = new Request(PrincipalId.client(5), 1, false, Bytes.EMPTY);
        List<RequestId> named = thousandKnown(10);
        named.add(late.id());
        propose(1, named);
        assertThatDrainsAreCheap();
        assertThat(pool.onRequest(0, late.id(), late)).isTrue();
        agreement.retry(0);
        assertThat(log.all())
                .as("one number at a time")
                .filteredOn(slot -> slot.accepted)
                .hasSize(1);
    }

    @Test
    void whatIsOfAnotherTimeIsNotLookedThroughWithEachDrain() {
        propose(1_000_000, thousandKnown(10));
        assertThatDrainsAreCheap();
    }

    @Test
    void whatIsTooLongIsNotLookedThroughWithEachDrainButTakenOnceOthersHaveIt() {
        List<RequestId> named = thousandKnown(2_000);
        propose(1, named);
        assertThatDrainsAreCheap();
        Bytes digest = new Batch(1, named).digest();
        agreement.onPrepare(1, new Prepare(0, 1, digest));
        agreement.onPrepare(2, new Prepare(0, 1, digest));
        agreement.retry(0);
        assertThat(log.all()).filteredOn(slot -> slot.accepted).hasSize(1);
    }
}
