package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.driver.JournalApplication;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Batches;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.RequestEcho;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Status;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.retransmission.StatusExchange;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests which messages a primary that has proposed one batch repeats to replica 1, which lacks some of it (4.6.1). */
@NullMarked
class StatusExchangeTest {
    private static final long LATER = 1_000;

    private final Replica primary = new Replica(ReplicaConfig.of(0, 1), new JournalApplication(), List.of());
    private final Request request = new Request(PrincipalId.client(1), 1, false, TestCluster.operation(1));

    @BeforeEach
    void propose() {
        primary.onClock(0, 1_000_000);
        primary.onTick(0);
        var _ = drained(0);
        primary.onRequest(0, request);
        primary.onMessage(0, 1, new RequestEcho(List.of(request.id())));
        primary.onMessage(0, 2, new RequestEcho(List.of(request.id())));
        assertThat(toReplicaOne(drained(0))).hasAtLeastOneElementOfType(PrePrepare.class);
    }

    /** All that it promises is on disk at once. */
    private List<ReplicaEffect> drained(long nowMillis) {
        return drained(primary, nowMillis);
    }

    private static List<ReplicaEffect> drained(Replica primary, long nowMillis) {
        List<ReplicaEffect> effects = new ArrayList<>(primary.drain(nowMillis));
        long appended = -1;
        for (ReplicaEffect effect : effects) {
            if (effect instanceof ReplicaEffect.Append append) {
                appended = append.index();
            } else if (effect instanceof ReplicaEffect.Roll roll) {
                appended = roll.index();
            }
        }
        if (appended >= 0) {
            primary.onDurable(nowMillis, appended);
            effects.addAll(primary.drain(nowMillis));
        }
        return effects;
    }

    private static List<ReplicaMessage> toReplicaOne(List<ReplicaEffect> effects) {
        List<ReplicaMessage> messages = new ArrayList<>();
        for (ReplicaEffect effect : effects) {
            if (effect instanceof ReplicaEffect.Send send && send.to() == 1) {
                messages.add(send.message());
            }
        }
        return messages;
    }

    /** @param decided whether it has decided the first number */
    private static Status status(boolean decided) {
        return new Status(0, true, 0, 0, Bytes.of((byte) (decided ? 0b10 : 0)), Bytes.of((byte) 0), 0, false);
    }

    private List<ReplicaMessage> answer(long nowMillis, boolean decided) {
        primary.onMessage(nowMillis, 1, status(decided));
        return toReplicaOne(drained(nowMillis));
    }

    @Test
    void whatTheOtherLacksIsSaidAgain() {
        assertThat(answer(LATER, false))
                .hasAtLeastOneElementOfType(PrePrepare.class)
                .hasAtLeastOneElementOfType(Prepare.class);
    }

    @Test
    void whatTheOtherHasDecidedIsNot() {
        assertThat(answer(LATER, true)).isEmpty();
    }

    @Test
    void whatHasJustBeenSaidIsOnItsWay() {
        assertThat(answer(20, false)).isEmpty();
    }

    @Test
    void whoAsksAllTheTimeGetsNoMoreForIt() {
        int said = answer(LATER, false).size();
        for (int i = 0; i < 100; i++) {
            said += answer(LATER + i / 10, false).size();
        }
        assertThat(said).isEqualTo(2);
    }

    private static List<Long> proposedAgain(Replica primary, long nowMillis, int known) {
        primary.onMessage(nowMillis, 1, new Status(0, true, 0, 0, Bytes.EMPTY, Bytes.of(bits(known)), 0, false));
        return toReplicaOne(drained(primary, nowMillis)).stream()
                .filter(PrePrepare.class::isInstance)
                .map(message -> ((PrePrepare) message).sequence())
                .toList();
    }

    private static byte[] bits(int set) {
        byte[] bits = new byte[3];
        for (int i = 0; i < set; i++) {
            bits[i / 8] |= (byte) (1 << i % 8);
        }
        return bits;
    }

    /** Otherwise a replica that claims to have nothing would be sent megabytes each time. */
    @PlantedBug(
            in = StatusExchange.class,
            rule = "proposals in answers name a bounded number of bodies",
            replace = "|| names >= FULL_MAX * config.batches().requestsMax()",
            with = "|| false")
    @Test
    void oneAnswerHasNoMoreProposalsThanSixteenFullOnesHaveNames() {
        Replica busy = new Replica(
                ReplicaConfig.of(0, 1).withBatches(new Batches(2, 1 << 20, 2)), new JournalApplication(), List.of());
        busy.onClock(0, 1_000_000);
        busy.onTick(0);
        var _ = drained(busy, 0);
        for (int call = 0; call < 40; call++) {
            Request each = new Request(PrincipalId.client(1), call, false, TestCluster.operation(call));
            busy.onRequest(0, each);
            busy.onMessage(0, 1, new RequestEcho(List.of(each.id())));
            busy.onMessage(0, 2, new RequestEcho(List.of(each.id())));
        }
        assertThat(toReplicaOne(drained(busy, 0)))
                .filteredOn(PrePrepare.class::isInstance)
                .hasSize(20);
        assertThat(proposedAgain(busy, LATER, 0))
                .isEqualTo(LongStream.rangeClosed(1, 16).boxed().toList());
        assertThat(proposedAgain(busy, 2 * LATER, 16)).isEqualTo(List.of(17L, 18L, 19L, 20L));
    }

    @Test
    void vouchesAreRepeatedAsLongAsTheyAreOpen() {
        Replica backup = new Replica(ReplicaConfig.of(2, 1), new JournalApplication(), List.of());
        backup.onRequest(0, request);
        assertThat(toReplicaOne(backup.drain(0))).contains(new RequestEcho(List.of(request.id())));
        backup.onTick(LATER);
        assertThat(toReplicaOne(backup.drain(LATER))).contains(new RequestEcho(List.of(request.id())));
    }
}
