package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.RunningNode;
import io.bulwark.appliance.drill.Lie;
import io.bulwark.appliance.drill.NodeTampering;
import io.bulwark.client.Bulwark;
import io.bulwark.client.error.ConfigException;
import io.bulwark.metadata.ReplicaDirectory;
import io.bulwark.metadata.log.WriteAheadLog;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.ordering.driver.LogRecord;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Injects the faults into a running cluster that its promise allows. At any time at most one storage node and one
 * replica are down, slow, unreachable or damaged. The next ones follow only after those have recovered. Other faults
 * strike all members at once: nothing has to be served then, and nothing may be lost afterwards.
 */
final class Nemesis {
    /** Faults of a member. */
    enum Fault {
        /** kill -9. */
        KILL,
        /** SIGSTOP, later SIGCONT: its connections stay. */
        PAUSE,
        /** As hard as its {@link Links} can: its cable is pulled, or its connections break and none can be made. */
        CUT,
        /**
         * Its connections to everybody, to clients or to members stay open, but nothing passes in either direction
         * until later.
         */
        SILENCE,
        /** kill -9, and its files are damaged before it starts again. */
        CORRUPT
    }

    /** Faults of all members at once. */
    enum Calamity {
        /** kill -9. */
        KILL,
        /** SIGSTOP, later SIGCONT. */
        PAUSE,
        /** The members are on two sides, chosen at random, and nothing comes through between these; clients reach all. */
        SPLIT,
        /** Nobody reaches anybody. */
        SCATTER,
        /** kill -9 of all, then damage to one node's data and a byte of each replica's state before all restart. */
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
     * Creates the nemesis; it strikes nobody yet.
     *
     * @param client for its own writes, which bring a damaged node up to date
     * @param operations the number that must succeed during each round's faults, and after them
     */
    Nemesis(LiveCluster cluster, MixedLoad load, Bulwark client, Random random, long operations) {
        this.cluster = cluster;
        this.load = load;
        this.client = client;
        this.random = random;
        this.operations = operations;
    }

    /**
     * One round for each fault, in another order for the node and for the replica, in which no operation may fail; and one for each
     * calamity but the mere death of all.
     */
    void strikeWithEverything() throws Exception {
        List<Fault> ofNodes = shuffled(Fault.values());
        List<Fault> ofReplicas = shuffled(Fault.values());
        for (int i = 0; i < ofNodes.size(); i++) {
            strike(ofNodes.get(i), ofReplicas.get(i));
        }
        assertThat(load.failures())
                .as("-Dbulwark.seed=%d: one node and one replica are not too many", LiveCluster.SEED)
                .isEmpty();
        for (Calamity calamity : shuffled(Calamity.values())) {
            // CORRUPT kills all, too, and starting them takes longer than all else.
            if (calamity != Calamity.KILL) {
                strikeAll(calamity);
            }
        }
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
        lastAWhile();
        end(ofNode, first);
        end(ofReplica, second);
        if (ofNode == Fault.CORRUPT) {
            bringRegistersUpToDate();
        }
        cluster.awaitCounts(replica);
        cluster.awaitFullFaults();
        load.awaitOperations(operations);
    }

    /** All members at once, until all are whole again. */
    void strikeAll(Calamity calamity) throws Exception {
        tell(calamity + " all");
        switch (calamity) {
            case KILL -> {
                cluster.killAll();
                cluster.startAll();
            }
            case PAUSE -> {
                signalAll("STOP");
                lastAWhile();
                signalAll("CONT");
            }
            case SPLIT -> {
                Set<String> side = cluster.members().stream()
                        .map(Member::name)
                        .sorted()
                        .filter(_ -> random.nextBoolean())
                        .collect(Collectors.toSet());
                System.out.println("  one side: " + new TreeSet<>(side));
                separate((member, peer) -> peer.kind() != PrincipalKind.CLIENT
                        && side.contains(member.name()) != side.contains(peer.toString()));
            }
            case SCATTER -> separate((_, _) -> true);
            case CORRUPT -> {
                cluster.killAll();
                damageNode(random.nextInt(cluster.nodes()));
                for (int replica = 0; replica < cluster.replicas(); replica++) {
                    damageState(replica);
                }
                cluster.startAll();
                bringRegistersUpToDate();
            }
        }
        for (int replica = 0; replica < cluster.replicas(); replica++) {
            cluster.awaitCounts(replica);
        }
        cluster.awaitFullFaults();
        load.awaitOperations(operations);
    }

    private void lastAWhile() throws InterruptedException {
        Thread.sleep(FAULT_MILLIS_MIN + random.nextInt(FAULT_MILLIS_MAX - FAULT_MILLIS_MIN));
    }

    /**
     * Writes all blocks again. A node learns that it lacks a register block only when the scrub reaches the block, or
     * at a write.
     */
    private void bringRegistersUpToDate() {
        load.writeAllBlocks(client, "nemesis");
        load.writeAllBlocks(client, "nemesis");
    }

    private void signalAll(String signal) throws IOException, InterruptedException {
        for (Member member : cluster.members()) {
            signal(member, signal);
        }
    }

    /** For a while. */
    private void separate(BiPredicate<Member, PrincipalId> apart) throws IOException, InterruptedException {
        for (Member member : cluster.members()) {
            cluster.links().silence(member.name(), peer -> apart.test(member, peer));
        }
        lastAWhile();
        for (Member member : cluster.members()) {
            cluster.links().heal(member.name());
        }
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
            try (WriteAheadLog log = WriteAheadLog.open(copy, false, _ -> {}, _ -> {})) {
                return log.found();
            }
        } finally {
            LiveCluster.deleteTree(copy);
        }
    }

    private <T> List<T> shuffled(T[] all) {
        List<T> one = new ArrayList<>(List.of(all));
        Collections.shuffle(one, random);
        return one;
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
                } catch (IOException | ConfigException e) {
                    // A replica that cannot read who it is or whom it trusts says so, and an operator sets it up again
                    // with an empty directory. It mends damage to its state and its promises by itself.
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

    static void signal(Member member, String signal) throws IOException, InterruptedException {
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
            } else {
                flip(open);
            }
        }
        System.out.println("  " + file.getFileName() + " of " + length + " bytes " + (how == 1 ? "cut" : "flipped"));
    }

    /** Flips a bit in one of the files that hold its state: each page is right at some replica still. */
    private void damageState(int replica) throws IOException {
        List<Path> files = files(cluster.plan().data().replica(replica).resolve("pages"));
        Path file = files.get(random.nextInt(files.size()));
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            flip(open);
        }
        System.out.println("  " + file.getFileName() + " of replica-" + replica + " flipped");
    }

    private void flip(RandomAccessFile file) throws IOException {
        long length = file.length();
        if (length > 0) {
            long at = Math.floorMod(random.nextLong(), length);
            file.seek(at);
            int old = file.read();
            file.seek(at);
            file.write(old ^ (1 << random.nextInt(8)));
        }
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
