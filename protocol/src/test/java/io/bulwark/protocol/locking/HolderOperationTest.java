package io.bulwark.protocol.locking;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.locking.HolderOperation.Result;
import io.bulwark.protocol.locking.LockingMessage.Append;
import io.bulwark.protocol.locking.LockingMessage.Appended;
import io.bulwark.protocol.metadata.Signer;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class HolderOperationTest {
    private static final long NOW = 1_000;
    private static final List<PrincipalId> REPLICAS =
            IntStream.range(0, 4).mapToObj(PrincipalId::replica).toList();
    private static final LogId LOG = new LogId(PrincipalId.client(7), 3, 4);

    private final HolderOperation operation = new HolderOperation(new LogHolder(
            new LogHolder.Terms(CounterState.CLUSTER, LOG, REPLICAS),
            Signer.fresh()::sign,
            new Timeouts(100, 400, 0, 5_000)));
    private final List<Result> results = new ArrayList<>();
    private final List<Effect> effects = new ArrayList<>();

    private void append(long number) {
        operation.append(SignedLog.entry(number, 0), results::add);
    }

    /** All replicas answer the batches that were sent to them. */
    private void answer() {
        List<Effect> sent = List.copyOf(effects);
        effects.clear();
        for (Effect effect : sent) {
            if (effect instanceof Effect.Send send && send.message() instanceof Append batch) {
                long last = batch.head().length();
                List<Bytes> replies = LongStream.rangeClosed(
                                last - batch.entries().size() + 1, last)
                        .mapToObj(CounterState::number)
                        .toList();
                effects.addAll(operation.onMessage(
                        NOW, send.to(), new Appended(LOG, last, batch.head().hash(), replies)));
            }
        }
    }

    @Test
    void requestsBeyondTheWindowAreSentWhenItMoves() {
        int count = LogLimits.OUTSTANDING_MAX + 2;
        LongStream.rangeClosed(1, count).forEach(this::append);
        effects.addAll(operation.start(NOW));
        assertThat(results).isEmpty();
        while (results.size() < count) {
            assertThat(effects).isNotEmpty();
            answer();
        }
        assertThat(results)
                .isEqualTo(LongStream.rangeClosed(1, count)
                        .mapToObj(number -> new Result.Answered(number, CounterState.number(number)))
                        .toList());
    }

    @Test
    void stoppedOperationEndsOnceAllIsAnswered() {
        append(1);
        operation.stop();
        append(2);
        assertThat(results).containsExactly(new Result.NotTaken());
        effects.addAll(operation.start(NOW));
        assertThat(operation.outcome()).isEmpty();
        answer();
        assertThat(results).containsExactly(new Result.NotTaken(), new Result.Answered(1, CounterState.number(1)));
        assertThat(operation.outcome()).contains(HolderEffect.Reason.STOPPED);
    }

    @Test
    void abandonedRequestsLearnWhetherTheyWereSent() {
        append(1);
        operation.read(Optional.empty(), Bytes.EMPTY, results::add);
        effects.addAll(operation.start(NOW));
        append(2);
        operation.abandon();
        append(3);
        assertThat(results)
                .containsExactlyInAnyOrder(
                        new Result.Outstanding(1),
                        new Result.Outstanding(0),
                        new Result.NotTaken(),
                        new Result.NotTaken());
    }
}
