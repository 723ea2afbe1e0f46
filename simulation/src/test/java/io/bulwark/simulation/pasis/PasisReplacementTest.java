package io.bulwark.simulation.pasis;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.simulation.campaign.InvariantViolation;
import io.bulwark.simulation.campaign.Run;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Holders of registers under PASIS are replaced again and again while clients write and read, some lie, and all crash and restart; fixed seeds. */
@NullMarked
class PasisReplacementTest {
    private static final int RUNS = Integer.getInteger("bulwark.runs", 8);
    private static final int STEPS = Integer.getInteger("bulwark.steps", 120);
    private static final int SHOWN = 80;

    private static Setting setting(long seed) {
        return new Shape(
                        OptionalInt.empty(),
                        OptionalInt.empty(),
                        OptionalInt.empty(),
                        OptionalInt.empty(),
                        OptionalInt.of(STEPS))
                .setting(seed);
    }

    @Test
    void nothingIsLostWhenNodesAreReplaced() {
        long first = Long.getLong("bulwark.seed", 1);
        System.out.println("PasisReplacementTest seeds " + first + " to " + (first + RUNS - 1));
        long opened = 0;
        List<AssertionError> found = new ArrayList<>();
        for (long seed = first; seed < first + RUNS; seed++) {
            Run run = new Run(PasisProtocol.replacing(PasisParts.PRODUCTION), setting(seed));
            run.go().ifPresent(violation -> found.add(told(run, violation)));
            opened += run.world() instanceof PasisWorld world ? world.epochsOpened() : 0;
        }
        System.out.println("PasisReplacementTest: " + opened + " epochs opened");
        found.forEach(error -> System.out.println(error.getMessage()));
        if (!found.isEmpty()) {
            throw found.getFirst();
        }
        assertThat(opened).as("epochs that opened").isPositive();
    }

    private static AssertionError told(Run run, InvariantViolation violation) {
        StringBuilder trace = new StringBuilder();
        run.lastEvents(SHOWN).forEach(entry -> trace.append(entry).append('\n'));
        return new AssertionError(
                trace + "pasis-replacing " + run.setting() + '\n' + violation.getMessage(), violation);
    }
}
