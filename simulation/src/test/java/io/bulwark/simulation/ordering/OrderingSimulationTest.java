package io.bulwark.simulation.ordering;

import io.bulwark.protocol.Runs;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.simulation.campaign.Run;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.Shape;
import java.util.OptionalInt;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Four replicas, one of which lies, and two faulty clients. */
@NullMarked
class OrderingSimulationTest {
    private static final int RUNS = Runs.of(10);
    private static final int SHOWN = 60;
    private static final Shape SHAPE = new Shape(
            OptionalInt.empty(), OptionalInt.of(1), OptionalInt.empty(), OptionalInt.of(2), OptionalInt.empty());

    @PlantedBug(
            inClass = "io.bulwark.protocol.ordering.request.PendingRequest",
            rule = "f + 1 others must vouch for a request",
            replace = "return Long.bitCount(vouchers & ~self());",
            with = "return Long.bitCount(vouchers & ~self()) + 1;",
            runs = 48)
    @PlantedBug(
            inClass = "io.bulwark.protocol.ordering.log.Slot",
            rule = "PREPAREs of earlier views do not count",
            replace = "prepares.clear();",
            with = "",
            runs = 48)
    @Test
    void noInvariantIsViolated() {
        for (long seed = 1; seed <= RUNS; seed++) {
            Setting setting = SHAPE.setting(seed);
            Run run = new Run(new OrderingProtocol(), setting);
            run.go().ifPresent(violation -> {
                StringBuilder trace = new StringBuilder();
                run.lastEvents(SHOWN).forEach(entry -> trace.append('\n').append(entry));
                throw new AssertionError(setting + trace.toString() + '\n' + violation.getMessage(), violation);
            });
        }
    }
}
