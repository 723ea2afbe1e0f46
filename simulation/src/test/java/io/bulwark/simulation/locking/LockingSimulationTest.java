package io.bulwark.simulation.locking;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.Runs;
import io.bulwark.simulation.campaign.Run;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.Shape;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Fixed seeds, and a few fresh ones; each is run twice and must give the same trace. */
@NullMarked
class LockingSimulationTest {
    private static final int FIXED = Runs.of(8);
    private static final int FRESH = 2;
    private static final int SHOWN = 60;

    @Test
    void noInvariantIsViolated() {
        long fresh = Long.getLong("bulwark.seed", System.nanoTime() >>> 8);
        System.out.println("LockingSimulationTest seeds 1 to " + FIXED + ", " + fresh + " and after");
        long acknowledged = 0;
        long compared = 0;
        for (long seed = 1; seed <= FIXED + FRESH; seed++) {
            LockingWorld world = runTwice(Shape.any().setting(seed <= FIXED ? seed : fresh + seed));
            acknowledged += world.acknowledged();
            compared += world.compared();
        }
        assertThat(acknowledged).as("acknowledged entries").isPositive();
        assertThat(compared).as("entries compared with their replay").isPositive();
        System.out.println(acknowledged + " acknowledged, " + compared + " compared");
    }

    private static LockingWorld runTwice(Setting setting) {
        Run once = run(setting);
        Run again = run(setting);
        assertThat(again.traceDigest()).as("%s, run again", setting).isEqualTo(once.traceDigest());
        return (LockingWorld) once.world();
    }

    private static Run run(Setting setting) {
        Run run = new Run(new LockingProtocol(), setting);
        run.go().ifPresent(violation -> {
            StringBuilder trace = new StringBuilder();
            run.lastEvents(SHOWN).forEach(entry -> trace.append('\n').append(entry));
            throw new AssertionError("locking " + setting + trace + '\n' + violation.getMessage(), violation);
        });
        return run;
    }
}
