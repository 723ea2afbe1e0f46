package io.bulwark.client.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.transport.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the resending of messages, one by one, under a virtual clock. */
@NullMarked
class InFlightRequestsTest {
    private static final PrincipalId NODE = PrincipalId.node(1);
    private static final PrincipalId OTHER = PrincipalId.node(2);

    private final Map<PrincipalId, Long> told = new TreeMap<>();
    private final List<PrincipalId> sent = new ArrayList<>();
    private final Way way = new Way();
    private @Nullable Delivery instead;
    private boolean repeats = true;
    private final InFlightRequests inFlight = new InFlightRequests(new Asking(), (to, _, _) -> {
        sent.add(to);
        Delivery other = instead;
        return other == null ? way : other;
    });

    /** Delivery state of all sent messages. */
    private static final class Way implements Delivery {
        boolean lost;
        boolean waiting;
        long movedMillis;

        @Override
        public boolean lost() {
            return lost;
        }

        @Override
        public boolean waiting() {
            return waiting;
        }

        @Override
        public long movedNanos() {
            return TimeUnit.MILLISECONDS.toNanos(movedMillis);
        }
    }

    private final class Asking implements ClientOperation<Boolean> {
        @Override
        public List<Effect> start(long nowMillis) {
            return List.of();
        }

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
            return List.of();
        }

        @Override
        public List<Effect> onTick(long nowMillis) {
            return List.of();
        }

        @Override
        public boolean isResendOptional() {
            return repeats;
        }

        @Override
        public void onMoving(PrincipalId peer, long atMillis) {
            told.merge(peer, atMillis, Math::max);
        }

        @Override
        public Optional<Boolean> outcome() {
            return Optional.empty();
        }
    }

    private void send(long nowMillis, PrincipalId to, long counter) {
        BlockId block = new BlockId(1, PrincipalId.client(0), 1, counter);
        Message message = new ExtentMessage.ReadPinned(block, 1, to.number(), Bytes.of(new byte[32]), true);
        inFlight.send(nowMillis, 1, new Effect.Send(to, 0, message));
    }

    @Test
    void whereNothingMovesItIsSentAgainAfterASecond() {
        send(10_000, NODE, 1);
        way.movedMillis = 10_500;
        send(11_499, NODE, 1);
        assertThat(sent).hasSize(1);
        send(11_500, NODE, 1);
        assertThat(sent).hasSize(2);
    }

    /** A connection that has been still for long was not asked for long. */
    @Test
    void aSecondIsCountedFromWhenItWasSent() {
        send(10_000, NODE, 1);
        send(10_999, NODE, 1);
        assertThat(sent).hasSize(1);
        send(11_000, NODE, 1);
        assertThat(sent).hasSize(2);
    }

    @Test
    void whoHasAnsweredIsAskedAgainAtOnceAndNobodyElse() {
        way.movedMillis = 20_000;
        send(10_000, NODE, 1);
        send(10_000, OTHER, 1);
        inFlight.answered(NODE);
        send(10_500, NODE, 1);
        send(10_500, OTHER, 1);
        assertThat(sent).containsExactly(NODE, OTHER, NODE);
    }

    @Test
    void somethingElseIsNotKeptBack() {
        way.movedMillis = 20_000;
        send(10_000, NODE, 1);
        send(10_000, NODE, 2);
        assertThat(sent).hasSize(2);
    }

    @Test
    void whoseAnswerChangesIsAskedAsOftenAsItIsWanted() {
        repeats = false;
        way.movedMillis = 20_000;
        send(10_000, NODE, 1);
        send(10_001, NODE, 1);
        assertThat(sent).hasSize(2);
    }

    /** Its queue is full, or there is no connection: that is no connection that moves. */
    @Test
    void whatWasNotTakenIsSentAgainAtOnceAndMovesNothing() {
        instead = Delivery.UNSURE;
        send(10_000, NODE, 1);
        inFlight.tell();
        assertThat(told.getOrDefault(NODE, Long.MIN_VALUE)).isEqualTo(Long.MIN_VALUE);
        instead = null;
        way.movedMillis = 10_300;
        send(10_001, NODE, 1);
        assertThat(sent).hasSize(2);
        inFlight.tell();
        assertThat(Objects.requireNonNull(told.get(NODE))).isEqualTo(10_300);
    }

    /** The memory for one peer is bounded: one superfluous copy may be sent. */
    @Test
    void theOldestOfManyIsForgottenAndTheOthersAreNot() {
        way.movedMillis = 20_000;
        for (long counter = 0; counter <= 64; counter++) {
            send(10_000, NODE, counter);
        }
        sent.clear();
        for (long counter = 1; counter <= 64; counter++) {
            send(10_001, NODE, counter);
        }
        assertThat(sent).isEmpty();
        send(10_001, NODE, 0);
        assertThat(sent).hasSize(1);
    }
}
