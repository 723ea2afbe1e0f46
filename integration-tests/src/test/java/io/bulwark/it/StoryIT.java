package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ObjectOutputStream;
import io.bulwark.client.Volume;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.NotBelievedException;
import io.bulwark.protocol.id.PrincipalId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * A cluster started by docker-compose serves files over TLS, grows by a node, loses one and replaces it. It revokes a
 * client in mid-write and rotates all keys under load. Every acknowledged object stays intact and the audit log
 * verifies. Needs what {@link BridgeIT} needs.
 */
@NullMarked
@Tag("containers")
@Tag("nightly")
class StoryIT {
    private static final List<PrincipalId> LOAD = List.of(PrincipalId.client(2), PrincipalId.client(3));
    private static final PrincipalId GUEST = PrincipalId.client(20);
    private static final int BLOCK_BYTES = 4096;
    private static final int GUEST_BLOCKS = 4;
    private static final int GUEST_FIRST = LOAD.size() * FileLoad.BLOCKS_EACH;
    private static final int BLOCKS = GUEST_FIRST + GUEST_BLOCKS;
    private static final int PIECE = 1 << 20;
    private static final int FAILED = 1;
    private static final int REFUSED = 78;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final long began = System.nanoTime();
    private final Path outside;
    private final BridgedCluster cluster;
    private final JoinedNode fifth;
    private final JoinedNode sixth;
    private final FileLoad load;

    StoryIT(@TempDir Path outside) throws Exception {
        this.outside = outside;
        cluster = new BridgedCluster(outside);
        fifth = new JoinedNode(cluster, 5, outside);
        sixth = new JoinedNode(cluster, 6, outside);
        load = new FileLoad("files", "disk", BLOCK_BYTES, Files.createDirectory(outside.resolve("files")));
    }

    @AfterEach
    void removeAll() throws Exception {
        ContainerNames.use(null);
        load.stop();
        // The others are in the network of the first.
        try {
            fifth.removeAll();
        } finally {
            try {
                sixth.removeAll();
            } finally {
                cluster.removeAll();
            }
        }
        tell("all is removed");
    }

    @Test
    void theWholeStory() throws Exception {
        System.out.println("-Dbulwark.seed=" + LiveCluster.SEED);
        cluster.up();
        tell("all are healthy");
        cluster.compose().client("mb", "files");
        List<Bulwark> clients = new ArrayList<>();
        try (OutsideOperator operator =
                OutsideOperator.of(cluster, outside.resolve("operator"), List.of(fifth, sixth), LOAD)) {
            try {
                theLoadBegins(operator, clients);
                itGrowsByANode(operator);
                int lost = itLosesANode(operator);
                theLostNodeIsReplaced(operator, lost);
                aClientIsRevokedInMidWrite(operator);
                List<PrincipalId> rotated = allKeysAreRotated(operator, lost);
                load.awaitOperations("at the end", 20);
                load.stop();
                allIsThere(operator);
                theAuditLogTellsIt(operator, lost, rotated);
            } catch (Exception | AssertionError e) {
                try {
                    showWhatWasSeen(operator);
                } catch (Exception | AssertionError unseen) {
                    e.addSuppressed(unseen);
                }
                throw e;
            } finally {
                load.stop();
                clients.forEach(Bulwark::close);
            }
        }
    }

    private void tell(String what) {
        System.out.printf(
                "story %4d s: %s%n", Duration.ofNanos(System.nanoTime() - began).toSeconds(), what);
    }

    private void showWhatWasSeen(OutsideOperator operator) throws Exception {
        tell("it failed; " + load);
        System.out.println(operator.run("status").goForPeople().out());
        System.out.println(
                operator.run("node", "list", "--groups").goForPeople().out());
        System.out.println(cluster.compose().attempt("ps").out());
        System.out.println(cluster.compose().attempt("logs", "--tail=25").out());
        System.out.println(fifth.compose().attempt("logs", "--tail=25").out());
        System.out.println(sixth.compose().attempt("logs", "--tail=25").out());
    }

    private void theLoadBegins(OutsideOperator operator, List<Bulwark> clients) throws Exception {
        operator.json("volume", "create", "disk", "--blocks", "" + BLOCKS, "--block-size", "" + BLOCK_BYTES);
        for (PrincipalId principal : LOAD) {
            operator.json("grant", principal.toString(), "read", "write");
            Bulwark client = operator.connect(principal);
            clients.add(client);
            load.start(client);
        }
        load.awaitOperations("at the beginning", 15);
        operator.awaitWhole("at the beginning");
        tell("files are served: " + load);
    }

    private void itGrowsByANode(OutsideOperator operator) throws Exception {
        joinsAsASpare(operator, fifth);
        CommandRun added = operator.run("node", "add", fifth.name()).goForPeople();
        assertThat(added.exitCode()).as("%s%s", added.out(), added.err()).isZero();
        assertThat(holders(operator, "default"))
                .as("node-5 has taken its share")
                .contains(5);
        operator.awaitWhole("grown");
        load.awaitOperations("grown", 10);
        tell("it has grown by a node: " + added.out().strip());
    }

    /** It is healthy once it is in the map; before that it may not even listen. */
    private void joinsAsASpare(OutsideOperator operator, JoinedNode node) throws Exception {
        node.join(operator.json("principal", "invite", node.name()).get("token").asString());
        operator.json("node", "add", node.name(), "--address", node.name(), "--spare");
        node.compose().awaitHealth("node", "healthy");
    }

    private static List<Integer> holders(OutsideOperator operator, String volume) {
        return operator.client().nodes().map().volume(volume).orElseThrow().groups().stream()
                .flatMap(group -> group.holders().stream())
                .distinct()
                .toList();
    }

    /** One that holds files and registers. */
    private int itLosesANode(OutsideOperator operator) throws Exception {
        int lost = holders(operator, "disk").stream()
                .filter(holders(operator, "default")::contains)
                .filter(node -> node < BridgedCluster.NODES)
                .findFirst()
                .orElseThrow();
        cluster.loseNode("node-" + lost);
        long end = System.nanoTime() + PATIENCE.toNanos();
        CommandRun status = operator.run("status").go();
        while (status.exitCode() != FAILED || !unreachable(status.printed()).equals(List.of(lost))) {
            assertThat(System.nanoTime())
                    .as("node-%s is lost: %s", lost, status.out())
                    .isLessThan(end);
            Thread.sleep(500);
            status = operator.run("status").go();
        }
        load.awaitOperations("without a node", 10);
        tell("it has lost node-" + lost);
        return lost;
    }

    private static List<Integer> unreachable(JsonNode status) {
        return status.get("cluster")
                .get("nodes")
                .valueStream()
                .filter(node -> !node.get("reachable").asBoolean())
                .map(node -> node.get("number").asInt())
                .toList();
    }

    private void theLostNodeIsReplaced(OutsideOperator operator, int lost) throws Exception {
        joinsAsASpare(operator, sixth);
        CommandRun replaced =
                operator.run("node", "replace", "node-" + lost, sixth.name()).goForPeople();
        assertThat(replaced.exitCode())
                .as("%s%s", replaced.out(), replaced.err())
                .isZero();
        assertThat(replaced.out()).contains("moved and rebuilt");
        assertThat(replaced.err()).as("how it went").contains(" rebuilt");
        assertThat(holders(operator, "disk")).contains(6).doesNotContain(lost);
        assertThat(holders(operator, "default")).contains(6).doesNotContain(lost);
        operator.json("node", "remove", "node-" + lost);
        operator.awaitWhole("replaced");
        load.awaitOperations("replaced", 10);
        tell("node-" + lost + " is replaced: " + replaced.err().strip().replace('\n', ' ') + " "
                + replaced.out().strip());
    }

    /** By a token, with a right to write; it streams objects and writes registers when it is put out. */
    private void aClientIsRevokedInMidWrite(OutsideOperator operator) throws Exception {
        Path theirs = outside.resolve("guest");
        String token = operator.json("principal", "invite", GUEST.toString())
                .get("token")
                .asString();
        operator.json("grant", GUEST.toString(), "read", "write");
        operator.run("join", token, "--out", theirs.toString()).json();
        Path configuration = theirs.resolve("client.properties");
        byte[] kept = new byte[PIECE + 1];
        new Random(LiveCluster.SEED).nextBytes(kept);
        AtomicBoolean ended = new AtomicBoolean();
        AtomicLong written = new AtomicLong();
        try (Bulwark guest = Bulwark.connect(configuration)) {
            Bucket bucket = guest.bucket("files");
            bucket.put("guest/kept", kept);
            ObjectOutputStream anew = bucket.newOutputStream("guest/new");
            ObjectOutputStream over = bucket.newOutputStream("guest/kept");
            for (int i = 0; i < 3; i++) {
                anew.write(new byte[PIECE], 0, PIECE);
                over.write(new byte[PIECE], 0, PIECE);
            }
            Thread registers = Thread.ofVirtual().start(() -> writeRegisters(guest.volume("disk"), written, ended));
            await("its registers to be written", () -> written.get() > 2 * GUEST_BLOCKS);
            operator.json("principal", "revoke", GUEST.toString(), "--wait", "5m");
            List<byte[]> blocks = guestBlocks(operator);
            List<String> names = guestNames(operator);
            tell("a client is revoked after " + written + " blocks written");

            // Nobody answers it any more.
            List<CompletableFuture<Void>> attempts = List.of(
                    attempt(() -> end(anew)),
                    attempt(() -> end(over)),
                    attempt(() -> bucket.put("guest/later", new byte[10])));
            isRefused(operator, configuration);
            for (CompletableFuture<Void> attempt : attempts) {
                assertThatThrownBy(attempt::join).hasCauseInstanceOf(BulwarkException.class);
            }
            await("its writes to end", ended::get);
            registers.join();
            assertThat(guestBlocks(operator)).as("its registers").containsExactlyElementsOf(blocks);
            assertThat(guestNames(operator)).isEqualTo(names).containsExactly("guest/kept");
            assertThat(operator.client().bucket("files").getBytes("guest/kept")).isEqualTo(kept);
            assertThatThrownBy(() -> operator.client().bucket("files").head("guest/new"))
                    .isInstanceOf(NoSuchKeyException.class);
        }
        operator.awaitWhole("a client is revoked");
        load.awaitOperations("a client is revoked", 10);
    }

    private static CompletableFuture<Void> attempt(Runnable what) {
        return CompletableFuture.runAsync(what, Thread::startVirtualThread);
    }

    private static void end(ObjectOutputStream stream) {
        stream.write(new byte[PIECE], 0, PIECE);
        stream.close();
    }

    private static void writeRegisters(Volume volume, AtomicLong written, AtomicBoolean ended) {
        try {
            for (long i = 1; ; i++) {
                byte[] block = new byte[BLOCK_BYTES];
                Arrays.fill(block, (byte) i);
                volume.writeBlock(GUEST_FIRST + i % GUEST_BLOCKS, block);
                written.set(i);
            }
        } catch (BulwarkException e) {
            ended.set(true);
        }
    }

    private static List<byte[]> guestBlocks(OutsideOperator operator) {
        Volume volume = operator.client().volume("disk");
        return LongStream.range(GUEST_FIRST, BLOCKS).mapToObj(volume::readBlock).toList();
    }

    private static List<String> guestNames(OutsideOperator operator) {
        try (Stream<String> names =
                operator.client().bucket("files").stream("guest/").map(object -> object.key())) {
            return names.toList();
        }
    }

    /**
     * Waits until the servers refuse the client with exit code 78, as its key is not trusted. Until its connections are
     * closed, the state machine refuses it: 1.
     */
    private void isRefused(OutsideOperator operator, Path configuration) throws Exception {
        Path file = Files.writeString(outside.resolve("late"), "late");
        await("the servers to refuse it", () -> {
            CommandRun late = operator.run(
                            "put", file.toString(), "files/guest/late", "--client", configuration.toString())
                    .go();
            assertThat(late.exitCode()).as("%s%s", late.out(), late.err()).isIn(FAILED, REFUSED);
            return late.exitCode() == REFUSED;
        });
        assertThat(guestNames(operator)).containsExactly("guest/kept");
    }

    private List<PrincipalId> allKeysAreRotated(OutsideOperator operator, int lost) throws Exception {
        Path old = Files.createDirectories(outside.resolve("old"));
        for (String file : List.of("genesis.properties", "client.properties", "keys/client-0.pem")) {
            Files.createDirectories(old.resolve(file).getParent());
            Files.copy(operator.root().resolve(file), old.resolve(file), StandardCopyOption.COPY_ATTRIBUTES);
        }
        List<PrincipalId> nodes = IntStream.range(0, BridgedCluster.NODES)
                .filter(node -> node != lost)
                .mapToObj(PrincipalId::node)
                .toList();
        List<PrincipalId> replicas = IntStream.range(0, BridgedCluster.REPLICAS)
                .mapToObj(PrincipalId::replica)
                .toList();
        List<PrincipalId> members = new ArrayList<>(nodes);
        members.addAll(replicas);
        KeyRotation rotation = new KeyRotation(cluster, operator, members, List.of(fifth, sixth), LOAD);
        rotation.announce();
        tell("all know the new keys");
        for (int i = 0; i < BridgedCluster.REPLICAS; i++) {
            rotation.restart(List.of(nodes.get(i), replicas.get(i)));
            load.awaitOperations("while keys are rotated", 5);
            tell(nodes.get(i) + " and " + replicas.get(i) + " were started anew under new keys");
        }
        rotation.useWithoutRestart();
        load.awaitOperations("after keys were rotated", 10);
        tell("all others have new keys");
        rotation.tellWhoStartsAnew();
        rotation.check();
        // It knows the new keys of the replicas.
        Files.copy(operator.root().resolve("keys/client-0.pem.registry"), old.resolve("keys/client-0.pem.registry"));
        CompletableFuture<Void> withTheOldKey =
                attempt(() -> Bulwark.connect(old.resolve("client.properties")).close());
        operator.awaitWhole("all have new keys");
        assertThatThrownBy(withTheOldKey::join).hasCauseInstanceOf(NotBelievedException.class);
        tell("all keys are rotated: " + load);
        return rotation.principals();
    }

    private void allIsThere(OutsideOperator operator) throws Exception {
        tell("the load has ended: " + load);
        operator.awaitWhole("at the end");
        JsonNode status = operator.json("status").get("cluster");
        status.get("volumes")
                .forEach(volume -> assertThat(volume.get("faultsLeft").asInt())
                        .as("%s", volume)
                        .isEqualTo(volume.get("f").asInt()));
        assertThat(status.get("faults").isEmpty())
                .as("nobody is accused: %s", status.get("faults"))
                .isTrue();
        for (JsonNode bucket : status.get("buckets")) {
            JsonNode verified = operator.json("verify", bucket.get("name").asString());
            assertThat(verified.get("objects").asLong()).isGreaterThan(load.objects());
            assertThat(verified.get("unreadable").isEmpty()).as("%s", verified).isTrue();
        }
        try (Bulwark reader = operator.connect(LOAD.getFirst())) {
            assertThat(load.readAll(reader)).isEmpty();
        }
        assertThat(load.objects()).isGreaterThan(50);
        tell("all is there");
    }

    private void theAuditLogTellsIt(OutsideOperator operator, int lost, List<PrincipalId> rotated) throws Exception {
        // By who knows the genesis and the registry that it was given.
        assertThat(cluster.compose().client("audit", "verify")).contains("in order, all signed");
        JsonNode verified = operator.json("audit", "verify");
        assertThat(verified.get("problem").asString()).isEmpty();
        assertThat(verified.get("unsigned").asLong()).isZero();
        List<String> commands = new ArrayList<>();
        for (JsonNode entry : operator.json("audit", "list")) {
            assertThat(entry.get("signature").asString()).as("%s", entry).isNotEmpty();
            if (entry.get("by").asString().equals("client-0")) {
                commands.add(entry.get("command").asString());
            }
        }
        assertThat(verified.get("entries").asLong()).isGreaterThan(commands.size());
        for (String each : List.of(
                "volume create default: .*",
                "volume create disk: .*",
                "grant client-2 on .*",
                "principal invite node-5 .*",
                "node add node-5 .*",
                "move the slot of .* to node-5: .*",
                "principal invite node-6 .*",
                "node add node-6 .*",
                "move the slot of node-" + lost + " to node-6: volume default,.*",
                "move the slot of node-" + lost + " to node-6: volume disk,.*",
                "node remove node-" + lost,
                "principal invite client-20 .*",
                "grant client-20 on .*",
                "principal revoke client-20")) {
            assertThat(commands).as("the audit log").anyMatch(command -> command.matches(each));
        }
        for (PrincipalId principal : rotated) {
            assertThat(commands)
                    .as("keys of %s", principal)
                    .filteredOn(command -> command.startsWith("principal rotate " + principal + ","))
                    .hasSize(2);
        }
        tell("the audit log is verified: " + verified);
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void await(String what, Condition condition) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as("waiting for %s", what).isLessThan(end);
            Thread.sleep(100);
        }
    }
}
