package io.bulwark.simulation.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.Runs;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.simulation.campaign.Run;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.Shape;
import java.util.OptionalInt;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nodes are replaced again and again while clients write and read, some lie, and all crash and restart; fixed seeds. */
@NullMarked
@Tag("long")
class ReplacementTest {
    private static final int RUNS = Runs.of(4);
    private static final int STEPS = 60;
    private static final int SHOWN = 60;

    private static Setting setting(long seed) {
        return Shape.any().withSteps(STEPS).setting(seed);
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsLostWhenNodesAreReplaced(Protocol protocol) {
        long first = Long.getLong("bulwark.seed", 1);
        System.out.println("ReplacementTest " + protocol + " seeds " + first + " to " + (first + RUNS - 1));
        long opened = 0;
        for (long seed = first; seed < first + RUNS; seed++) {
            opened += run(protocol, setting(seed));
        }
        assertThat(opened).as("epochs that opened").isPositive();
    }

    /** All replicas restart at once, so the operator meets none that has executed the creation of the volume. */
    @Test
    void holdersSettleThoughAllReplicasHaveJustStarted() {
        Shape oneFault = new Shape(
                OptionalInt.empty(), OptionalInt.of(1), OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty());
        var _ = run(Protocol.FP, oneFault.setting(1796118943520L));
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        Run once = new Run(ObjectProtocol.replacing(ObjectParts.PRODUCTION, Protocol.FP), setting(2));
        Run again = new Run(ObjectProtocol.replacing(ObjectParts.PRODUCTION, Protocol.FP), setting(2));
        assertThat(once.go()).isEmpty();
        assertThat(again.go()).isEmpty();
        assertThat(again.traceDigest()).isEqualTo(once.traceDigest());
    }

    private static long run(Protocol protocol, Setting setting) {
        Run run = new Run(ObjectProtocol.replacing(ObjectParts.PRODUCTION, protocol), setting);
        run.go().ifPresent(violation -> {
            StringBuilder trace = new StringBuilder();
            run.lastEvents(SHOWN).forEach(entry -> trace.append('\n').append(entry));
            throw new AssertionError("objects " + setting + trace + '\n' + violation.getMessage(), violation);
        });
        return run.world() instanceof ObjectWorld world ? world.epochsOpened() : 0;
    }
}
