package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.VolumeSpec;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.simulation.history.History;
import io.bulwark.simulation.history.HistoryCheck;
import io.bulwark.simulation.history.HistoryWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A cluster of processes under a mixed load, whose members are killed, paused, cut off and damaged, one at a time and
 * all at once. Then the recorded history is checked for linearizability, and every acknowledged object and block is
 * read once more.
 */
@NullMarked
class NemesisIT {
    private static final int NODES = 5;
    private static final int CLIENTS = 3;
    private static final int BLOCK = 4096;
    private static final long OPERATIONS = 25;

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.ofCutProcesses(NODES);

    private interface Plan {
        void run(Nemesis nemesis, Random random) throws Exception;
    }

    @Test
    @Tag("long")
    void everyKindOfFaultOnce() throws Exception {
        run("once", (nemesis, _) -> nemesis.strikeWithEverything());
    }

    /** For {@code -Dbulwark.campaign.seconds=N}, 600 if not given. */
    @Test
    @Tag("campaign")
    void faultAfterFault() throws Exception {
        long end = System.nanoTime() + Long.getLong("bulwark.campaign.seconds", 600) * 1_000_000_000L;
        run("campaign", (nemesis, random) -> {
            Nemesis.Fault[] faults = Nemesis.Fault.values();
            Nemesis.Calamity[] calamities = Nemesis.Calamity.values();
            while (System.nanoTime() < end) {
                if (random.nextInt(8) == 0) {
                    nemesis.strikeAll(calamities[random.nextInt(calamities.length)]);
                } else {
                    nemesis.strike(faults[random.nextInt(faults.length)], faults[random.nextInt(faults.length)]);
                }
            }
        });
    }

    private static void run(String name, Plan plan) throws Exception {
        ProtectionPolicy policy = new ProtectionPolicy(1, 2, 4, BLOCK);
        CLUSTER.client().createVolume(VolumeSpec.registers("disk-" + name, policy, MixedLoad.BLOCKS));
        CLUSTER.client().createBucket(BucketSpec.of("objects-" + name));
        List<Bulwark> clients = new ArrayList<>();
        List<String> unreadable;
        MixedLoad load = new MixedLoad("objects-" + name, "disk-" + name, BLOCK, LiveCluster.SEED);
        try (load) {
            for (int i = 0; i < CLIENTS; i++) {
                CLUSTER.grant(2 + i);
                clients.add(CLUSTER.freshClient(2 + i));
                load.start(clients.getLast(), "client-" + (2 + i));
            }
            load.awaitOperations(OPERATIONS);
            Random random = new Random(LiveCluster.SEED);
            plan.run(new Nemesis(CLUSTER, load, CLUSTER.client(), random, OPERATIONS), random);
            load.stop();
            unreadable = load.readAll(CLUSTER.client(), "reader");
        } finally {
            clients.forEach(Bulwark::close);
        }
        History history = load.history();
        HistoryCheck check = HistoryCheck.of(history);
        System.out.println(
                load.operations() + " operations succeeded, " + load.failures().size() + " failed: "
                        + load.failures().stream().limit(5).toList());
        assertThat(check.violations())
                .as("-Dbulwark.seed=%d; the history is %s", LiveCluster.SEED, saved(history, name, check))
                .isEmpty();
        assertThat(check.undecided()).isEmpty();
        assertThat(unreadable).as("-Dbulwark.seed=%d", LiveCluster.SEED).isEmpty();
    }

    private static String saved(History history, String name, HistoryCheck check) throws IOException {
        if (check.violations().isEmpty()) {
            return "not kept";
        }
        Path file = Path.of("target", "history-" + name + "-" + LiveCluster.SEED + ".jsonl");
        return Files.write(file, HistoryWriter.lines(history).toList()).toString();
    }
}
