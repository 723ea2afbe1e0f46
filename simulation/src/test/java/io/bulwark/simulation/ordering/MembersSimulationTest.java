package io.bulwark.simulation.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.Runs;
import io.bulwark.simulation.campaign.Run;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.Shape;
import io.bulwark.simulation.campaign.SimulatedProtocol;
import java.util.OptionalInt;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Replicas that are replaced, one of which lies. */
@NullMarked
class MembersSimulationTest {
    private static final int RUNS = Runs.of(10);
    private static final int SHOWN = 60;
    private static final Shape SHAPE = new Shape(
            OptionalInt.empty(), OptionalInt.of(1), OptionalInt.empty(), OptionalInt.of(2), OptionalInt.empty());

    @Test
    void noInvariantIsViolated() {
        long configurations = 0;
        long first = Long.getLong("bulwark.seed", 1);
        for (long seed = first; seed < first + RUNS; seed++) {
            Setting setting = SHAPE.setting(seed);
            Watched watched = new Watched();
            Run run = new Run(watched, setting);
            run.go().ifPresent(violation -> {
                StringBuilder trace = new StringBuilder();
                run.lastEvents(SHOWN).forEach(entry -> trace.append('\n').append(entry));
                throw new AssertionError(
                        setting + trace.toString() + '\n' + watched.world + violation.getMessage(), violation);
            });
            configurations += watched.world.configurations();
        }
        // A campaign in which nobody is replaced shows nothing.
        assertThat(configurations).isGreaterThan(RUNS);
    }

    /** Keeps its world, to be asked at the end. */
    private static final class Watched implements SimulatedProtocol {
        @SuppressWarnings("NullAway.Init") // a run begins with it
        private OrderingWorld world;

        @Override
        public String name() {
            return new MembersProtocol().name();
        }

        @Override
        public OrderingWorld build(Setting setting) {
            world = new MembersProtocol().build(setting);
            return world;
        }
    }
}
