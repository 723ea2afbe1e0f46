package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Reporters that lie frame nobody: f nodes report whatever they like of all others, with forged evidence, beside correct
 * reporters whose peers fail as often as correct nodes may ({@link FaultKind}).
 */
@NullMarked
class NodeFaultsPropertyTest {
    private static final int NODES = 9;
    private static final int FAULTS = 2;
    private static final int WINDOWS = 60;
    private static final int WINDOW_MILLIS = FaultPolicy.DEFAULT.windowSeconds() * 1_000;
    private static final int RUNS = Integer.getInteger("bulwark.runs", 5);

    private final Map<Integer, User> users = new HashMap<>();

    @Test
    void liarsBelowTheBoundFrameNobody() {
        long seed = Long.getLong("bulwark.seed", System.nanoTime());
        for (int run = 0; run < RUNS; run++) {
            System.out.println("-Dbulwark.seed=" + (seed + run) + " -Dbulwark.runs=1");
            frame(new Random(seed + run));
        }
    }

    private void frame(Random random) {
        users.clear();
        MetadataFixture rig = new MetadataFixture();
        rig.machine = new MetadataStateMachine(MetadataFixture.genesis(NODES));
        User alice = rig.user(ALICE, 0);
        ProtectionPolicy policy = new ProtectionPolicy(FAULTS, 3, 7, MetadataFixture.BLOCK);
        rig.volume = ((Reply.VolumeCreated)
                        alice.run(new Command.CreateVolume("main", VolumeKind.OBJECT, policy, 0, 4, 0)))
                .volume();
        alice.done(new Command.SetFaultPolicy(new FaultPolicy(true, FaultPolicy.DEFAULT.windowSeconds(), 9)));
        Set<Integer> liars = new TreeSet<>();
        while (liars.size() < FAULTS) {
            liars.add(random.nextInt(NODES));
        }
        for (int window = 0; window < WINDOWS; window++) {
            Volume volume = rig.map().volume("main").orElseThrow();
            for (int reporter = 0; reporter < NODES; reporter++) {
                User user = users.computeIfAbsent(reporter, number -> rig.user(PrincipalId.node(number), 0));
                if (liars.contains(reporter)) {
                    lie(random, user, volume);
                } else {
                    user.run(new Command.ReportPeers(List.of(honest(random, volume, liars))));
                }
            }
            rig.nowMillis += WINDOW_MILLIS;
        }
        Reply.NodeFaultList found = (Reply.NodeFaultList) rig.ask(READER, new Query.ListNodeFaults());
        assertThat(liars)
                .as("named nodes")
                .containsAll(found.faults().stream().map(NodeFault::node).collect(Collectors.toSet()));
        assertThat(rig.map().volume("main").orElseThrow().groups())
                .as("only slots of liars are to move")
                .allMatch(group -> group.change()
                        .map(change -> liars.contains(group.holders().get(change.slot())))
                        .orElse(true));
    }

    private static void lie(Random random, User liar, Volume volume) {
        int group = random.nextInt(volume.groups().size());
        int victim = random.nextInt(NODES);
        FaultKind kind = FaultKind.values()[random.nextInt(FaultKind.values().length)];
        int asked = 1 + random.nextInt(PeerObservation.ASKED_MAX);
        liar.run(new Command.ReportPeers(List.of(new PeerObservation(victim, kind, volume.id(), group, asked, asked))));
        BlockId block = new BlockId(volume.id(), ALICE, 1, random.nextInt(64));
        liar.run(new Command.ReportEvidence(victim, block, Verdict.CORRUPT, "framed"));
    }

    /** Peers are silent no more often than correct nodes may be; liars may be reported as they are. */
    private static PeerObservation honest(Random random, Volume volume, Set<Integer> liars) {
        int peer = random.nextInt(NODES);
        int asked = 8;
        int bad = 0;
        for (int question = 0; question < asked; question++) {
            bad += random.nextDouble() < (liars.contains(peer) ? 0.5 : 0.05) ? 1 : 0;
        }
        return new PeerObservation(
                peer,
                FaultKind.SILENT,
                volume.id(),
                random.nextInt(volume.groups().size()),
                asked,
                bad);
    }
}
