package io.bulwark.simulation.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.Runs;
import io.bulwark.simulation.campaign.Run;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.Shape;
import java.util.OptionalInt;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Fixed seeds, those that found something among them, and a few fresh ones; each is run twice and must give the same trace. */
@NullMarked
@Tag("long")
class ObjectSimulationTest {
    private static final int FIXED = Runs.of(4);
    private static final int FRESH = 2;
    private static final int STEPS = 40;
    private static final int SHOWN = 60;

    private static Shape shape(OptionalInt steps) {
        return new Shape(OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty(), steps);
    }

    @Test
    void noInvariantIsViolated() {
        long fresh = Long.getLong("bulwark.seed", System.nanoTime() >>> 8);
        System.out.println("ObjectSimulationTest seeds 1 to " + FIXED + ", " + fresh + " and after");
        int revoked = 0;
        int events = 0;
        for (long seed = 1; seed <= FIXED; seed++) {
            ObjectWorld world = runTwice(shape(OptionalInt.of(STEPS)).setting(seed));
            revoked += world.revoked();
            events += world.eventsHeard();
        }
        assertThat(events).as("delivered events").isPositive();
        assertThat(revoked).as("revoked clients").isPositive();
        for (long seed = fresh; seed < fresh + FRESH; seed++) {
            runTwice(shape(OptionalInt.of(STEPS)).setting(seed));
        }
    }

    /** A session with references was closed, and then all references went at once: nodes kept the extents for ever. */
    @Test
    void extentsOfASessionThatCollapsedLaterAreFreed() {
        run(shape(OptionalInt.empty()).setting(5));
    }

    /** A store waited for an answer about its session while the node heard that the session had collapsed. */
    @Test
    void whatWasAboutToBeStoredInACollapsedSessionIsFreed() {
        run(new Shape(
                        OptionalInt.empty(),
                        OptionalInt.of(1),
                        OptionalInt.empty(),
                        OptionalInt.empty(),
                        OptionalInt.empty())
                .setting(210_000));
    }

    /** A faulty writer stores at a correct node and a liar, which serves some readers and denies it to nodes and to others. */
    @Test
    void whatWasReadOnceStaysReadableWhoeverWroteIt() {
        run(new Shape(OptionalInt.of(4), OptionalInt.of(1), OptionalInt.of(2), OptionalInt.of(3), OptionalInt.of(STEPS))
                .setting(2526));
    }

    private static ObjectWorld runTwice(Setting setting) {
        Run once = run(setting);
        ObjectWorld world = (ObjectWorld) once.world();
        assertThat(world.valuesRead()).as("objects read, %s", setting).isPositive();
        Run again = run(setting);
        assertThat(again.traceDigest()).as("%s, run again", setting).isEqualTo(once.traceDigest());
        return world;
    }

    private static Run run(Setting setting) {
        Run run = new Run(new ObjectProtocol(), setting);
        run.go().ifPresent(violation -> {
            StringBuilder trace = new StringBuilder();
            run.lastEvents(SHOWN).forEach(entry -> trace.append('\n').append(entry));
            throw new AssertionError("objects " + setting + trace + '\n' + violation.getMessage(), violation);
        });
        assertThat(run.undecided()).as("keys of undecided order, %s", setting).isZero();
        return run;
    }
}
