package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.RunningNode;
import io.bulwark.appliance.drill.Lie;
import io.bulwark.appliance.drill.NodeTampering;
import io.bulwark.client.Bulwark;
import io.bulwark.metadata.ReplicaDirectory;
import io.bulwark.metadata.log.PromiseLog;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.ordering.replica.LogRecord;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Does to the members of a running cluster what its promise allows: at any time at most one storage node and one replica are down,
 * slow, unreachable or damaged, and the next ones only once those are whole again; or all are killed at once.
 */
final class Nemesis {
    /** What can befall a member. */
    enum Fault {
        /** kill -9. */
        KILL,
        /** SIGSTOP, later SIGCONT: its connections stay. */
        PAUSE,
        /** Its connections break, and nobody or only some can make new ones; its own towards others stay. */
        CUT,
        /** Nothing comes through its connections in either direction; later everything does. */
        SILENCE,
        /** kill -9, and its files are damaged before it starts again. */
        CORRUPT
    }

    private static final List<Lie> LIES = List.of(Lie.SWAP, Lie.FLIP, Lie.DROP, Lie.GARBLE);
    private static final int FAULT_MILLIS_MIN = 500;
    private static final int FAULT_MILLIS_MAX = 3_000;

    private final LiveCluster cluster;
    private final MixedLoad load;
    private final Bulwark client;
    private final Random random;
    private final long operations;
    private int rounds;
    /** In which part of a replica's directory a file was damaged last. */
    private String damagedDirectory = "";

    /**
     * Strikes nobody yet.
     *
     * @param client for its own writes, which bring a damaged node up to date
     * @param operations so many must succeed during each round's faults, and after them
     */
    Nemesis(LiveCluster cluster, MixedLoad load, Bulwark client, Random random, long operations) {
        this.cluster = cluster;
        this.load = load;
        this.client = client;
        this.random = random;
        this.operations = operations;
    }

    /**
     * One round for each fault, in another order for the node and for the replica, in which no operation may fail; and one in
     * which all are killed.
     */
    void strikeWithEverything() throws Exception {
        List<Fault> ofNodes = shuffled();
        List<Fault> ofReplicas = shuffled();
        for (int i = 0; i < ofNodes.size(); i++) {
            strike(ofNodes.get(i), ofReplicas.get(i));
        }
        assertThat(load.failures())
                .as("-Dbulwark.seed=%d: one node and one replica are not too many", LiveCluster.SEED)
                .isEmpty();
        killAll();
    }

    /** One node and one replica at once, until both are whole again. */
    void strike(Fault ofNode, Fault ofReplica) throws Exception {
        int node = random.nextInt(cluster.nodes());
        int replica = ofReplica == Fault.KILL ? leader() : random.nextInt(cluster.replicas());
        tell(ofNode + " node-" + node + ", " + ofReplica + " replica-" + replica);
        Member first = cluster.member("node-" + node);
        Member second = cluster.member("replica-" + replica);
        begin(ofNode, first, () -> damageNode(node));
        begin(ofReplica, second, () -> damageReplica(replica));
        load.awaitOperations(operations);
        Thread.sleep(FAULT_MILLIS_MIN + random.nextInt(FAULT_MILLIS_MAX - FAULT_MILLIS_MIN));
        end(ofNode, first);
        end(ofReplica, second);
        if (ofNode == Fault.CORRUPT) {
            // What a node lacks of a register block it learns when that block's turn comes, or when it is written
            // again.
            load.writeAllBlocks(client, "nemesis");
            load.writeAllBlocks(client, "nemesis");
        }
        cluster.awaitCounts(replica);
        cluster.awaitFullFaults();
        load.awaitOperations(operations);
    }

    /** kill -9 of every member, and their start. */
    void killAll() throws Exception {
        tell("KILL all");
        cluster.killAll();
        cluster.startAll();
        for (int replica = 0; replica < cluster.replicas(); replica++) {
            cluster.awaitCounts(replica);
        }
        cluster.awaitFullFaults();
        load.awaitOperations(operations);
    }

    /** The primary, as the replicas' logs of promises have it. */
    private int leader() throws IOException {
        long view = 0;
        for (int replica = 0; replica < cluster.replicas(); replica++) {
            for (LogRecord record : promised(cluster.plan().data().replica(replica))) {
                if (record instanceof LogRecord.NewView entered) {
                    view = Math.max(view, entered.message().view());
                }
            }
        }
        return (int) (view % cluster.replicas());
    }

    /** Read from a copy: the replica goes on writing. */
    private static List<LogRecord> promised(Path replica) throws IOException {
        Path copy = Files.createTempDirectory("promises");
        try {
            for (Path file : files(new ReplicaDirectory(replica).promises())) {
                try {
                    Files.copy(file, copy.resolve(file.getFileName()));
                } catch (NoSuchFileException e) {
                    // The next segment stands for it.
                }
            }
            try (PromiseLog log = PromiseLog.open(copy, false, _ -> {}, _ -> {})) {
                return log.found();
            }
        } finally {
            LiveCluster.deleteTree(copy);
        }
    }

    private List<Fault> shuffled() {
        List<Fault> faults = new ArrayList<>(List.of(Fault.values()));
        Collections.shuffle(faults, random);
        return faults;
    }

    private void tell(String what) {
        System.out.println("round " + rounds++ + ": " + what + ", after " + load.operations() + " operations");
    }

    private interface Damage {
        void apply() throws IOException;
    }

    private void begin(Fault fault, Member member, Damage damage) throws Exception {
        switch (fault) {
            case KILL -> LiveCluster.kill(member);
            case PAUSE -> signal(member, "STOP");
            case CUT -> cluster.links().cut(member.name(), someone());
            case SILENCE -> cluster.links().silence(member.name(), someone());
            case CORRUPT -> {
                LiveCluster.kill(member);
                damage.apply();
                member.start();
                try {
                    member.awaitListening();
                } catch (IOException e) {
                    // A replica that cannot know whose directory it has says so, and an operator sets it up again with
                    // an
                    // empty one. What rots of its state and its promises it mends by itself.
                    assertThat(member.name()).as(e.getMessage()).startsWith("replica-");
                    assertThat(damagedDirectory).as(e.getMessage()).isNotIn("pages", "promises");
                    removeFiles(cluster.plan().data().replica(numberOf(member)));
                    member.start();
                    member.awaitListening();
                }
            }
        }
    }

    private void end(Fault fault, Member member) throws Exception {
        switch (fault) {
            case KILL -> {
                member.start();
                member.awaitListening();
            }
            case PAUSE -> signal(member, "CONT");
            case CUT, SILENCE -> cluster.links().heal(member.name());
            case CORRUPT -> {}
        }
    }

    private Predicate<PrincipalId> someone() {
        return switch (random.nextInt(3)) {
            case 0 -> _ -> true;
            case 1 -> peer -> peer.kind() == PrincipalKind.CLIENT;
            default -> peer -> peer.kind() != PrincipalKind.CLIENT;
        };
    }

    private static void signal(Member member, String signal) throws IOException, InterruptedException {
        String pid = Long.toString(member.pid().orElseThrow());
        int code = new ProcessBuilder("kill", "-" + signal, pid)
                .inheritIO()
                .start()
                .waitFor();
        if (code != 0) {
            throw new IOException("kill -" + signal + " " + member.name() + " gave " + code);
        }
    }

    private void damageNode(int node) throws IOException {
        Path directory = cluster.plan().data().node(node);
        Lie lie = LIES.get(random.nextInt(LIES.size()));
        long wrong = new NodeTampering(
                        directory,
                        directory.resolveSibling("saved"),
                        RunningNode.store(cluster.plan().node(node, directory)),
                        random)
                .apply(lie);
        System.out.println("  " + lie + ": " + wrong + " wrong fragments");
    }

    /** Flips bits in one of its files, cuts it short, or removes all of them. */
    private void damageReplica(int replica) throws IOException {
        Path directory = cluster.plan().data().replica(replica);
        List<Path> files = files(directory);
        int how = random.nextInt(4);
        Path file = files.get(random.nextInt(files.size()));
        long length = Files.size(file);
        if (how == 0) {
            removeFiles(directory);
            System.out.println("  all files gone");
            return;
        }
        damagedDirectory = directory.relativize(file).getName(0).toString();
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            if (how == 1) {
                open.setLength(length / 2);
            } else if (length > 0) {
                long at = Math.floorMod(random.nextLong(), length);
                open.seek(at);
                int old = open.read();
                open.seek(at);
                open.write(old ^ (1 << random.nextInt(8)));
            }
        }
        System.out.println("  " + file.getFileName() + " of " + length + " bytes " + (how == 1 ? "cut" : "flipped"));
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private static void removeFiles(Path directory) throws IOException {
        for (Path file : files(directory)) {
            Files.delete(file);
        }
    }

    private static int numberOf(Member member) {
        return Integer.parseInt(member.name().substring(member.name().indexOf('-') + 1));
    }
}
