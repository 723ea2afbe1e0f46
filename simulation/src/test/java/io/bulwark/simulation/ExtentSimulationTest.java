package io.bulwark.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.extent.ExtentLimits;
import io.bulwark.protocol.extent.ExtentRead;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.engine.NetworkFaults;
import io.bulwark.simulation.engine.RunningOperation;
import io.bulwark.simulation.engine.Simulation;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Extents with up to f lying or dead nodes, and others that crash and restart. Writes are wait-free, acknowledged
 * writes are read with the right bytes, and no correct node is accused.
 */
@NullMarked
class ExtentSimulationTest {
    private static final int SEEDS = 60;

    @PlantedBug(
            in = ExtentRead.class,
            rule = "a reader compares the version with the pin",
            replace = "slot.bad = !found.checksum().pin().equals(pin) ||",
            with = "slot.bad =")
    @Test
    void acknowledgedExtentsAreReadableWhateverFNodesDo() {
        long first = Long.getLong("bulwark.seed", System.nanoTime());
        System.out.println("ExtentSimulationTest bulwark.seed=" + first + ", " + SEEDS + " from there");
        for (long seed = first; seed < first + SEEDS; seed++) {
            String trace = run(seed);
            if (seed % 10 == 0) {
                assertThat(run(seed)).as("seed %d, run again", seed).isEqualTo(trace);
            }
        }
    }

    private static String run(long seed) {
        Random random = new Random(seed);
        int f = 1 + random.nextInt(2);
        int m = f + 1 + random.nextInt(2);
        int n = m + 2 * f;
        Set<Integer> faulty = new HashSet<>();
        while (faulty.size() < f) {
            faulty.add(random.nextInt(n));
        }
        Map<Integer, UnaryOperator<ProtocolServer>> liars = new TreeMap<>();
        for (int node : faulty) {
            ExtentLiar.Alteration how =
                    ExtentLiar.Alteration.values()[random.nextInt(ExtentLiar.Alteration.values().length)];
            liars.put(node, correct -> new ExtentLiar(correct, how, seed));
        }
        ExtentCluster cluster = new ExtentCluster(seed, f, m, NetworkFaults.rough(), ExtentLimits.standard(), liars);
        Simulation simulation = cluster.simulation;
        Map<BlockId, Bytes> contents = new TreeMap<>();
        Map<BlockId, RunningOperation<WriteOutcome>> writes = new TreeMap<>();
        for (int i = 0; i < 8; i++) {
            BlockId block = cluster.newBlock();
            Bytes content = cluster.content();
            contents.put(block, content);
            writes.put(block, cluster.write(block, content));
            simulation.runFor(random.nextInt(100));
            crashOne(simulation, random.nextInt(n), random);
        }
        writes.values().forEach(cluster::finish);
        Map<BlockId, RunningOperation<ReadOutcome>> reads = new TreeMap<>();
        writes.forEach((block, write) -> {
            assertThat(write.outcome())
                    .as("seed %d: %s", seed, block)
                    .hasValueSatisfying(outcome -> assertThat(outcome).isInstanceOf(WriteOutcome.Complete.class));
            reads.put(
                    block,
                    cluster.read(block, ((WriteOutcome.Complete) write.outcome().orElseThrow()).pin()));
            crashOne(simulation, random.nextInt(n), random);
        });
        reads.forEach((block, read) -> {
            cluster.finish(read);
            assertThat(read.outcome())
                    .as("seed %d: %s, faulty %s", seed, block, faulty)
                    .contains(new ReadOutcome.Whole(cluster.padded(Objects.requireNonNull(contents.get(block)))));
        });
        assertThat(simulation.sightings())
                .as("seed %d: only liars are accused", seed)
                .allSatisfy(sighting -> {
                    Verdict verdict = sighting.evidence().verdict();
                    boolean accused = verdict == Verdict.CORRUPT || verdict == Verdict.MISBEHAVED;
                    PrincipalId about = sighting.evidence().about();
                    assertThat(!accused || faulty.contains(about.number()))
                            .as(sighting.toString())
                            .isTrue();
                });
        return simulation.traceDigest();
    }

    /** Sometimes one goes down and comes back a little later. */
    private static void crashOne(Simulation simulation, int number, Random random) {
        if (random.nextInt(3) == 0) {
            PrincipalId node = PrincipalId.node(number);
            simulation.crash(node);
            simulation.runFor(random.nextInt(300));
            simulation.restart(node);
        }
    }
}
