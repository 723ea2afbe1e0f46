package io.bulwark.simulation.exhaustive;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.fp.FpWrite;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.simulation.fp.FpParts;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every order of the tiny worlds of the FP register. */
@NullMarked
@Tag("long")
class FpExhaustiveTest {
    private static final int DEPTH_MAX = Integer.getInteger("bulwark.exhaustive.depth", 200);
    private static final long STATES_MAX = Long.getLong("bulwark.exhaustive.states", 200_000);

    @PlantedBug(
            in = FpWrite.class,
            rule = "a register write is done at m + f OKs",
            replace = "committed >= group.policy().writeQuorum()",
            with = "committed >= group.policy().writeQuorum() - 1")
    @PlantedBug(
            inClass = "io.bulwark.protocol.fp.LatestReports",
            rule = "2f + 1 reports are needed for 'never written'",
            replace = "count(first, Timestamp::isNone) >= group.policy().timestampQuorum()",
            with = "count(first, Timestamp::isNone) >= group.policy().timestampQuorum() - 1")
    @PlantedBug(
            inClass = "io.bulwark.protocol.fp.FpRegister",
            rule = "a commit is durable before it is answered",
            replace = "commit( version, nonces, call.from(), call, now -> { answer(call, done);",
            with = "answer(call, done); commit(version, nonces, call.from(), call, now -> {")
    @Test
    void everyOrderOfTheSmallWorldsIsLinearizable() {
        for (TinyWorld world : FpTinyWorlds.small(FpParts.PRODUCTION)) {
            Exploration explored = Explorer.explore(world, DEPTH_MAX, STATES_MAX);
            System.out.println("FpExhaustiveTest " + explored.summary());
            assertThat(explored.counterexample()).as(world.name()).isEmpty();
            assertThat(explored.complete()).as(world.name()).isTrue();
        }
    }

    @Test
    void ordersOfWiderWorldsAreLinearizableUpToABound() {
        for (TinyWorld world : FpTinyWorlds.wide(FpParts.PRODUCTION)) {
            Exploration explored = Explorer.explore(world, DEPTH_MAX, STATES_MAX / 4);
            System.out.println("FpExhaustiveTest " + explored.summary());
            assertThat(explored.counterexample()).as(world.name()).isEmpty();
        }
    }

    @Test
    @Tag("nightly")
    void everyOrderOfTheLargeWorldsIsLinearizableUpToABound() {
        List<TinyWorld> worlds = new ArrayList<>(FpTinyWorlds.large(FpParts.PRODUCTION));
        worlds.addAll(FpTinyWorlds.turns(FpParts.PRODUCTION));
        for (TinyWorld world : worlds) {
            Exploration explored = Explorer.explore(world, DEPTH_MAX, STATES_MAX);
            System.out.println("FpExhaustiveTest " + explored.summary());
            assertThat(explored.counterexample()).as(world.name()).isEmpty();
        }
    }

    /** Tests that the merge of a party's states with equal digests, which makes the search fast, hides nothing. */
    @Test
    void mergedStatesHideNothing() {
        for (TinyWorld world : List.of(new FpTinyWorld("a write and a read that end early", FpParts.PRODUCTION)
                .write(1, -1, 0)
                .read(2, -1, 0)
                .build())) {
            TreeSet<String> merged = new TreeSet<>();
            TreeSet<String> unmerged = new TreeSet<>();
            int depth = 14;
            Explorer.explore(collecting(world, merged), depth, 400_000);
            Exploration all = Explorer.exploreUnmerged(collecting(world, unmerged), depth, 400_000);
            assertThat(all.states()).isLessThan(400_000);
            assertThat(merged).isEqualTo(unmerged).isNotEmpty();
        }
    }

    /** Collects which operations had which outcomes before which others began. */
    private static TinyWorld collecting(TinyWorld world, Set<String> into) {
        return new TinyWorld(
                world.name(),
                world.codec(),
                world.replicas(),
                world.nodes(),
                world.operations(),
                world.repetitions(),
                world.tickMillis(),
                done -> {
                    StringBuilder text = new StringBuilder();
                    for (TinyWorld.OperationResult one : done) {
                        text.append(one.operation()).append(' ').append(one.outcome());
                        done.stream()
                                .filter(other -> other.completed() < one.invoked())
                                .forEach(other -> text.append(" after ").append(other.operation()));
                        text.append("; ");
                    }
                    into.add(text.toString());
                    return world.judge().findViolation(done);
                });
    }

    @Test
    void aBoundIsSaidToBeOne() {
        TinyWorld world = FpTinyWorlds.small(FpParts.PRODUCTION).getFirst();
        Exploration shallow = Explorer.explore(world, 5, STATES_MAX);
        assertThat(shallow.complete()).isFalse();
        assertThat(shallow.depth()).isEqualTo(5);
        Exploration few = Explorer.explore(world, DEPTH_MAX, 10);
        assertThat(few.complete()).isFalse();
        assertThat(few.summary()).contains("bounded");
    }
}
