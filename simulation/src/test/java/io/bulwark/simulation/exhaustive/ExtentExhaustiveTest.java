package io.bulwark.simulation.exhaustive;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.simulation.extent.ExtentParts;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Every order of the tiny worlds of extents. */
@NullMarked
class ExtentExhaustiveTest {
    private static final int DEPTH_MAX = Integer.getInteger("bulwark.exhaustive.depth", 200);
    private static final long STATES_MAX = Long.getLong("bulwark.exhaustive.states", 200_000);

    private static final long WIDE_STATES_MAX = 50_000;

    @Test
    void everyOrderOfTheSmallWorldsKeepsWhatWasComplete() {
        for (TinyWorld world : ExtentTinyWorlds.small(ExtentParts.PRODUCTION)) {
            Exploration explored = Explorer.explore(world, DEPTH_MAX, STATES_MAX);
            System.out.println("ExtentExhaustiveTest " + explored.summary());
            assertThat(explored.counterexample()).as(world.name()).isEmpty();
            assertThat(explored.complete()).as(world.name()).isTrue();
        }
    }

    @Test
    void theFirstOrdersOfWideWorldsKeepWhatWasComplete() {
        for (TinyWorld world : ExtentTinyWorlds.wide(ExtentParts.PRODUCTION)) {
            Exploration explored = Explorer.explore(world, DEPTH_MAX, Math.min(STATES_MAX, WIDE_STATES_MAX));
            System.out.println("ExtentExhaustiveTest " + explored.summary());
            assertThat(explored.counterexample()).as(world.name()).isEmpty();
        }
    }
}
