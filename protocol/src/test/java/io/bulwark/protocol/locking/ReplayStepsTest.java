package io.bulwark.protocol.locking;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Steps of the order while entries of closed logs are left to be executed. */
@NullMarked
class ReplayStepsTest {
    private static final List<PrincipalId> REPLICAS =
            IntStream.range(0, 4).mapToObj(PrincipalId::replica).toList();
    private static final LogEffect.Submit STEP = new LogEffect.Submit(CounterState.SUBMISSIONS.step());

    private final CounterState state = new CounterState(3);
    private final List<LogServer> servers = REPLICAS.stream()
            .map(self -> new LogServer(
                    new LogServer.Config(CounterState.CLUSTER, REPLICAS, self, 0),
                    state,
                    CounterState.SUBMISSIONS,
                    List.of()))
            .toList();
    private long now = 1_000;

    /** Servers that have a step ordered now. */
    private List<Integer> submitters() {
        return IntStream.range(0, 4)
                .filter(server -> servers.get(server).onExecuted(now).contains(STEP))
                .boxed()
                .toList();
    }

    private void execute() {
        state.execute(REPLICAS.getFirst(), CounterState.SUBMISSIONS.step());
    }

    @Test
    void nobodyTakesAStepWhileNothingIsLeft() {
        assertThat(submitters()).isEmpty();
        now += 10_000;
        assertThat(submitters()).isEmpty();
    }

    @Test
    void oneServerTakesEachStepAndTheNextOneFollows() {
        state.isReplaying = true;
        for (int step = 0; step < 8; step++) {
            assertThat(submitters()).containsExactly(step % 4);
            assertThat(submitters()).isEmpty();
            execute();
        }
    }

    @Test
    void othersTakeTheStepOfOneThatIsSilent() {
        state.isReplaying = true;
        assertThat(submitters()).containsExactly(0);
        now += ReplaySteps.TURN_MILLIS;
        assertThat(submitters()).containsExactly(1);
        now += 2 * ReplaySteps.TURN_MILLIS;
        assertThat(submitters()).containsExactly(2, 3);
    }

    @Test
    void theStepsEndWithTheReplay() {
        state.isReplaying = true;
        assertThat(submitters()).hasSize(1);
        execute();
        state.isReplaying = false;
        assertThat(submitters()).isEmpty();
    }
}
