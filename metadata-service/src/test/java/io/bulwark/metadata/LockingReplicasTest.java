package io.bulwark.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.metadata.bft.ReplicaRestarter;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LockingMessage;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.LogRefusal;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.Genesis;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Versioning;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.wire.Bytes;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Logs of a holder at the log servers of four replicas, over real connections and on disk (docs/protocols/locking.md). */
@NullMarked
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LockingReplicasTest {
    private static final PrincipalId HOLDER = PrincipalId.client(7);
    private static final PrincipalId OTHER = ReplicaGroup.client(0);
    private static final Subtree FILMS = new Subtree("films", "a/");
    private static final int BLOCK_BYTES = 512;
    private static final int FIRST_FRAME = 4_096;
    private static final int FRAME_HEAD_BYTES = 32;
    private static final Genesis GENESIS = new Genesis(
            IntStream.range(0, 5)
                    .mapToObj(node -> new NodeAddress(node, "127.0.0.1", 4_000 + node))
                    .toList(),
            List.of(Genesis.Grant.all(HOLDER), Genesis.Grant.all(OTHER)));

    @TempDir
    private Path directory = Path.of("");

    private final List<MeterRegistry> meters = IntStream.range(0, ReplicaGroup.REPLICAS)
            .<MeterRegistry>mapToObj(_ -> new SimpleMeterRegistry())
            .toList();
    private final List<AutoCloseable> open = new ArrayList<>();
    private Optional<ReplicaGroup> group = Optional.empty();
    private Optional<HoldingClient> holder = Optional.empty();
    private Optional<HoldingClient> other = Optional.empty();
    private int volume;

    @BeforeEach
    void start() {
        ReplicaGroup begun = new ReplicaGroup(
                directory,
                (config, credentials, start) -> new ReplicaGroup.Started(
                        ReplicaRestarter.start(
                                config,
                                credentials,
                                state -> new NamespaceMachine(GENESIS, 1, state),
                                start,
                                Optional.empty(),
                                meters.get(config.replica())),
                        List::of),
                16);
        open.add(begun);
        group = Optional.of(begun);
        begun.startAll();
        holder = Optional.of(client(HOLDER, 0));
        HoldingClient admin = holder();
        Reply created = admin.order(new Command.CreateVolume(
                "main", VolumeKind.OBJECT, new ProtectionPolicy(1, 2, 4, BLOCK_BYTES), 0, 0, 0));
        volume = ((Reply.VolumeCreated) created).volume();
        assertThat(admin.order(new Command.CreateBucket("films", "main", Versioning.LATEST_ONLY, 0)))
                .isEqualTo(new Reply.Done());
        admin.open(volume);
        other = Optional.of(client(OTHER, 0));
        awaitServers(0, 1, 2, 3);
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private HoldingClient client(PrincipalId self, int ofVolume) {
        HoldingClient client = new HoldingClient(group(), self);
        open.add(client);
        client.open(ofVolume);
        return client;
    }

    private ReplicaGroup group() {
        return group.orElseThrow();
    }

    private HoldingClient holder() {
        return holder.orElseThrow();
    }

    private HoldingClient other() {
        return other.orElseThrow();
    }

    /** A new store abstains from logs that are open: so no log begins before all servers have begun. */
    private void awaitServers(int... replicas) {
        LogId none = new LogId(HOLDER, 1, 1);
        for (int replica : replicas) {
            await().ignoreExceptions().until(() -> {
                LockingMessage.ToHolder answer = holder().read(replica, none, 0, find(0));
                return ((LockingMessage.LogRefused) answer).reason() != LogRefusal.BEHIND;
            });
        }
    }

    private Command put(int name) {
        ObjectLayout empty = new ObjectLayout(volume, BLOCK_BYTES, 0, List.of(), Bytes.EMPTY);
        return new Command.PutObject(
                "films", key(name), Condition.NONE, empty, ObjectAttributes.NONE, List.of(), List.of());
    }

    private static String key(int name) {
        return "a/" + name;
    }

    private static Query find(int name) {
        return new Query.FindObject("films", key(name), 0);
    }

    private List<Reply> append(int from, int to) {
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        for (int name = from; name < to; name++) {
            replies.add(holder().append(put(name)));
        }
        List<Reply> all = replies.stream().map(CompletableFuture::join).toList();
        assertThat(all).hasOnlyElementsOfType(Reply.ObjectStored.class);
        return all;
    }

    /** Another client deletes what the holder has locked, which succeeds once the log is closed and executed. */
    private void deleteByOther(int name) {
        Command delete = new Command.DeleteObject("films", key(name), 0);
        await().pollInterval(20, TimeUnit.MILLISECONDS).until(() -> {
            Reply reply = other().order(delete);
            if (reply instanceof Reply.Failed failed) {
                assertThat(failed.error()).isEqualTo(MetadataError.LOCKED);
            }
            return reply instanceof Reply.Deleted;
        });
    }

    private void assertExecuted(List<Reply> replies, int from, int to) {
        for (int name = from; name < to; name++) {
            long inode = ((Reply.ObjectStored) replies.get(name)).inode();
            assertThat(other().ask(find(name)))
                    .as("%d", name)
                    .isInstanceOfSatisfying(
                            Reply.ObjectFound.class,
                            found -> assertThat(found.inode().id()).isEqualTo(inode));
        }
    }

    private double rounds(String reason) {
        return meters.stream()
                .mapToDouble(each -> each.get("bulwark.locking.rounds")
                        .tag("reason", reason)
                        .counter()
                        .count())
                .sum();
    }

    private Reply.LogOutcome awaitOutcome(LogId log) {
        Query query = new Query.LogOutcome(log.session(), log.lock(), 1);
        await().until(() -> holder().ask(query) instanceof Reply.LogOutcome);
        return (Reply.LogOutcome) holder().ask(query);
    }

    @Test
    void entriesAreExecutedWhenAnotherClientNeedsANameOfTheLog() {
        holder().lock(FILMS);
        List<Reply> replies = append(0, 100);
        deleteByOther(0);
        assertExecuted(replies, 1, 100);
        // A replica that fetched the state instead has seen no round.
        await().until(() -> rounds("contended") >= ReplicaGroup.REPLICAS - 1);
        assertThat(meters.stream()
                        .mapToDouble(each ->
                                each.get("bulwark.locking.entries").counter().count())
                        .sum())
                .isBetween(300.0, 400.0);
    }

    /** A replay is longer than one ordered command, and nobody orders another one. */
    @Test
    void anUnlockedLogIsExecutedThoughNobodyOrdersAnything() {
        LogId log = holder().lock(FILMS);
        List<Reply> replies = append(0, 300);
        assertThat(holder().order(new Command.Unlock())).isEqualTo(new Reply.Done());
        assertThat(awaitOutcome(log).length()).isEqualTo(300);
        assertExecuted(replies, 0, 300);
    }

    @Test
    void acknowledgedEntriesSurviveTheRestartOfReplicas() {
        holder().lock(FILMS);
        List<Reply> replies = new ArrayList<>(append(0, 30));
        group().stop(0);
        replies.addAll(append(30, 60));
        group().start(0);
        for (int replica = 0; replica < ReplicaGroup.REPLICAS; replica++) {
            group().stop(replica);
        }
        group().startAll();
        replies.addAll(append(60, 100));
        deleteByOther(0);
        assertExecuted(replies, 1, 100);
    }

    @Test
    void aServerWithATornStoreHasAllThatItAcknowledged() throws Exception {
        holder().lock(FILMS);
        List<Reply> replies = new ArrayList<>(append(0, 25));
        for (int i = 25; i < 50; i++) {
            replies.addAll(append(i, i + 1));
        }
        group().stop(1);
        tear(group().directoryOf(1));
        group().start(1);
        group().stop(2);
        // Now it takes all of the others, this one included.
        replies.addAll(append(50, 100));
        group().start(2);
        deleteByOther(0);
        assertExecuted(replies, 1, 100);
    }

    /** Adds a part of another batch: the replica was killed while it wrote that, and has acknowledged nothing of it. */
    private static void tear(Path replica) throws IOException {
        Path store;
        try (Stream<Path> files = Files.list(new ReplicaDirectory(replica).logs())) {
            store = files.sorted().toList().getLast();
        }
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(store));
        long mark = bytes.getLong(8);
        int end = FIRST_FRAME;
        int last = end;
        while (bytes.getLong(end) == mark) {
            last = bytes.getInt(end + 8) > 0 ? end : last;
            end += FRAME_HEAD_BYTES + bytes.getInt(end + 8);
        }
        System.arraycopy(bytes.array(), last, bytes.array(), end, FRAME_HEAD_BYTES + 10);
        Files.write(store, bytes.array());
    }

    @Test
    void aServerWithANewStoreAbstainsFromTheLogThatIsOpen() throws Exception {
        LogId log = holder().lock(FILMS);
        List<Reply> replies = new ArrayList<>(append(0, 20));
        group().stop(3);
        Path logs = new ReplicaDirectory(group().directoryOf(3)).logs();
        try (Stream<Path> files = Files.list(logs)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        group().start(3);
        await().until(() -> holder().read(3, log, 0, find(0)) instanceof LockingMessage.LogRefused refused
                && refused.reason() == LogRefusal.ABSTAINS);
        replies.addAll(append(20, 40));
        assertThat(holder().order(new Command.Unlock())).isEqualTo(new Reply.Done());
        assertThat(awaitOutcome(log).length()).isEqualTo(40);
        assertExecuted(replies, 0, 40);

        holder().lock(FILMS);
        group().stop(0);
        append(40, 60); // to which it is needed
    }
}
