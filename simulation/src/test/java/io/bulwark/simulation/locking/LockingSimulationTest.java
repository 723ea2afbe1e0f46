package io.bulwark.simulation.locking;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.Runs;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.simulation.campaign.Run;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.Shape;
import java.util.OptionalInt;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Four replicas with log servers, one of which lies or forgets, and two faulty clients. */
@NullMarked
class LockingSimulationTest {
    private static final int RUNS = Runs.of(6);
    private static final int STEPS = 80;
    private static final int SHOWN = 60;
    private static final Shape SHAPE = new Shape(
            OptionalInt.empty(), OptionalInt.of(1), OptionalInt.empty(), OptionalInt.of(2), OptionalInt.of(STEPS));

    @PlantedBug(
            inClass = "io.bulwark.protocol.metadata.Grant",
            rule = "(2) versions of a log are above all given before, and what is left of them never returns",
            replace = "totals.lastVersion += (long) VERSIONS_PER_ENTRY * LogLimits.ENTRIES_MAX;",
            with = "")
    @PlantedBug(
            inClass = "io.bulwark.protocol.metadata.Touches",
            rule = "(12) a put touches its name",
            replace = "case Command.PutObject put -> List.of(new Touch.OfKey(put.bucket(), put.key()));",
            with = "case Command.PutObject ignored -> List.of();",
            runs = 20)
    @Test
    void noInvariantIsViolated() {
        long acknowledged = 0;
        long compared = 0;
        long configurations = 0;
        int undecided = 0;
        for (long seed = 1; seed <= RUNS; seed++) {
            LockingWorld world = run(SHAPE.setting(seed));
            undecided += world.isUndecided() ? 1 : 0;
            acknowledged += world.acknowledged();
            configurations += world.configuration();
            compared += world.compared();
        }
        assertThat(undecided).as("undecided runs").isLessThanOrEqualTo(RUNS / 10);
        assertThat(acknowledged).as("acknowledged entries").isPositive();
        assertThat(configurations).as("changes of replicas").isPositive();
        assertThat(compared).as("entries compared with their replay").isPositive();
    }

    private static LockingWorld run(Setting setting) {
        Run run = new Run(new LockingProtocol(), setting);
        run.go().ifPresent(violation -> {
            StringBuilder trace = new StringBuilder();
            run.lastEvents(SHOWN).forEach(entry -> trace.append('\n').append(entry));
            throw new AssertionError("locking " + setting + trace + '\n' + violation.getMessage(), violation);
        });
        return (LockingWorld) run.world();
    }
}
