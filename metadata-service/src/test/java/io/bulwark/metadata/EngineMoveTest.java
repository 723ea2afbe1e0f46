package io.bulwark.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.metadata.bft.ReplicaRestarter;
import io.bulwark.metadata.log.DamageMark;
import io.bulwark.metadata.ordering.MemorySequencer;
import io.bulwark.metadata.ordering.OrderedBatch;
import io.bulwark.metadata.ordering.Submission;
import io.bulwark.metadata.pages.RocksPageStore;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Genesis;
import io.bulwark.protocol.metadata.MetadataStateMachine;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Submission.InSession;
import io.bulwark.protocol.metadata.Submission.OpenSession;
import io.bulwark.protocol.metadata.Versioning;
import io.bulwark.protocol.ordering.Position;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.state.StateTree;
import io.bulwark.protocol.state.TreeMapState;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Migration from an engine with incarnations: the engine after the proactive recovery paper starts from its files, or
 * nothing changes.
 */
@NullMarked
class EngineMoveTest {
    private static final int SNAPSHOT_BATCHES = 8;
    private static final PrincipalId CLIENT = PrincipalId.client(7);
    private static final Genesis GENESIS = new Genesis(
            IntStream.range(0, 5)
                    .mapToObj(node -> new NodeAddress(node, "127.0.0.1", 4000 + node))
                    .toList(),
            List.of(Genesis.Grant.all(CLIENT)));

    @TempDir
    private Path temporary = Path.of("");

    @Test
    void aRunningGroupGoesOnWhereItStoppedUnderTheOtherEngine() throws IOException {
        Bytes last = command(12);
        Bytes answer;
        Bytes before;
        MemorySequencer sequencer = new MemorySequencer();
        ReplicaGroup.Starter old = (config, credentials, _) -> new ReplicaGroup.Started(
                MetadataReplica.start(config, credentials, new NamespaceApplication(GENESIS), sequencer), List::of);
        try (ReplicaGroup group = new ReplicaGroup(temporary, old, SNAPSHOT_BATCHES)) {
            group.startAll();
            for (int number = 0; number < 12; number++) {
                group.client().submit(command(number)).join();
            }
            answer = group.client().submit(last).join();
            before = group.client().query(new Query.GetStatus().encoded()).join();
        }
        EngineMove.Moved moved = EngineMove.move(directories(), GENESIS, temporary.resolve("scratch"));
        assertThat(moved.equal()).hasSizeGreaterThanOrEqualTo(3);
        assertThat(temporary.resolve("scratch")).doesNotExist();
        ReplicaGroup.Starter bft = (config, credentials, _) -> new ReplicaGroup.Started(
                ReplicaRestarter.start(
                        config, credentials, state -> new NamespaceMachine(GENESIS, state), StartReason.NORMAL),
                List::of);
        try (ReplicaGroup group = new ReplicaGroup(temporary, bft, SNAPSHOT_BATCHES)) {
            group.startAll();
            assertThat(group.client().query(new Query.GetStatus().encoded()).join())
                    .isEqualTo(before);
            assertThat(group.client().submit(last).join())
                    .as("the same command again, in the session of before")
                    .isEqualTo(answer);
            assertThat(Reply.decode(group.client().submit(command(13)).join())).isEqualTo(new Reply.Done());
            for (int number = 14; number < 14 + 2 * SNAPSHOT_BATCHES; number++) {
                group.client().submit(command(number)).join();
            }
            assertThatThrownBy(() -> EngineMove.undo(directories())).hasMessageContaining("would be lost");
        }
        assertThatThrownBy(() -> EngineMove.undo(directories())).hasMessageContaining("would be lost");
        assertThatThrownBy(() -> move()).hasMessageContaining("has run on the engine bft already");
    }

    @Test
    void aReplicaThatIsSetUpAnewAfterTheMoveFetchesTheState() throws IOException {
        fill(20, 20, 20, 20);
        move();
        delete(directories().get(3));
        ReplicaGroup.Starter bft = (config, credentials, _) -> new ReplicaGroup.Started(
                ReplicaRestarter.start(
                        config, credentials, state -> new NamespaceMachine(GENESIS, state), StartReason.NORMAL),
                List::of);
        try (ReplicaGroup group = new ReplicaGroup(temporary, bft, SNAPSHOT_BATCHES)) {
            group.startAll();
            group.stop(0);
            // 2f+1 equal answers need the one that began with nothing.
            assertThat(Reply.decode(group.client().submit(command(20)).join())).isEqualTo(new Reply.Done());
            assertThat(group.client().query(new Query.GetStatus().encoded()).join())
                    .isNotEqualTo(new MetadataStateMachine(GENESIS).query(CLIENT, new Query.GetStatus().encoded()));
        }
    }

    @Test
    void theLongestHistoryThatFPlusOneHoldIsTakenByAll() throws IOException {
        fill(19, 22, 25, 22);
        EngineMove.Moved moved = move();
        assertThat(moved.batches()).isEqualTo(22);
        assertThat(moved.equal()).containsExactly(0, 1, 2, 3);
        assertThat(moved.unfit()).isEmpty();
        assertMoved(state(22));
        SortedMap<String, Bytes> kept = files();
        EngineMove.undo(directories());
        assertThat(files()).isEqualTo(withoutMark(kept));
    }

    @Test
    void whatIsOnlyInTheLogIsMovedToo() throws IOException {
        fill(5, 5, 4, 5);
        assertThat(move().equal()).containsExactly(0, 1, 2, 3);
        assertMoved(state(5));
    }

    @Test
    void snapshotsOfTheVersionBeforeAreRead() throws IOException {
        Bytes version2 = version2();
        TreeMapState expected = new TreeMapState();
        MetadataStateMachine.restore(version2, expected, GENESIS.keys());
        Position position = Position.GENESIS.after(Bytes.of((byte) 1));
        for (Path directory : directories()) {
            try (ReplicatedState state = open(directory)) {
                state.install(
                        position,
                        new WireWriter().i64(1_700_000_000_000L).raw(version2).toBytes());
            }
        }
        assertThat(move().batches()).isEqualTo(1);
        assertMoved(EngineMove.digest(expected));
    }

    @Test
    void oneDamagedReplicaIsLeftOutAndGivenTheState() throws IOException {
        fill(20, 20, 20, 20);
        flip(last(directories().get(1), "log-"));
        EngineMove.Moved moved = move();
        assertThat(moved.equal()).containsExactly(0, 2, 3);
        assertThat(moved.unfit()).containsOnlyKeys(1);
        assertMoved(state(20));
    }

    @Test
    void withTooFewWholeHistoriesNothingIsTouched() throws IOException {
        fill(20, 20, 20, 20);
        flip(last(directories().get(1), "snapshot-"));
        new DamageMark(directories().get(2)).set();
        SortedMap<String, Bytes> before = files();
        assertThatThrownBy(this::move)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("only 2 of 4 replicas have a whole history, 3 must")
                .hasMessageContaining("replica-1: its history is damaged")
                .hasMessageContaining("replica-2: its history is damaged");
        assertThat(files()).isEqualTo(before);
    }

    @Test
    void withTooFewEqualStatesNothingIsTouched() throws IOException {
        fill(20, 20, 20, 20);
        for (int replica : List.of(1, 3)) {
            // The right place in the history with another state, as a disk or a bug might leave it.
            try (ReplicatedState state = open(directories().get(replica))) {
                Position end = state.position();
                NamespaceApplication other = new NamespaceApplication(GENESIS);
                other.execute(CLIENT, command(0), replica);
                state.install(end, new WireWriter().i64(0).raw(other.snapshot()).toBytes());
            }
        }
        SortedMap<String, Bytes> before = files();
        assertThatThrownBy(this::move)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("only 2 of 4 replicas have the same state after batch 20, 3 must");
        assertThat(files()).isEqualTo(before);
    }

    @Test
    void anInterruptedMoveIsDoneAgainOrTakenBack() throws IOException {
        fill(20, 20, 20, 20);
        move();
        new ReplicaDirectory(directories().get(0)).setMoved(false);
        fillFurther(0, 23);
        fillFurther(1, 23);
        EngineMove.Moved again = move();
        assertThat(again.batches()).isEqualTo(23);
        assertMoved(state(23));
        EngineMove.undo(directories());
        assertThat(directories().get(0).resolve("pages")).doesNotExist();
        try (ReplicatedState state = open(directories().get(1))) {
            assertThat(state.position().sequence()).isEqualTo(23);
        }
    }

    @Test
    void anEngineDoesNotStartInTheDirectoryOfTheOther() throws IOException {
        fill(3, 3, 3, 3);
        ReplicaDirectory directory = new ReplicaDirectory(directories().get(0));
        directory.requireForIncarnations();
        assertThatThrownBy(directory::requireForPromises)
                .hasMessageContaining("bulwark replica move --to bft")
                .hasMessageContaining("if only this new replica")
                .hasMessageContaining("empty that directory");
        move();
        directory.requireForPromises();
        assertThatThrownBy(directory::requireForIncarnations).hasMessageContaining("--to bft-smart");
        Files.createDirectories(directory.promises());
        assertThatThrownBy(directory::requireForIncarnations).hasMessageContaining("belongs to the engine bft");
    }

    @Test
    void whatNeverRanOnTheOldEngineIsNotTakenBackToIt() {
        assertThatThrownBy(() -> EngineMove.undo(directories())).hasMessageContaining("only 0 of 4");
        assertThatThrownBy(this::move).hasMessageContaining("there is no history of bft-smart");
    }

    private EngineMove.Moved move() throws IOException {
        return EngineMove.move(directories(), GENESIS, temporary.resolve("scratch"));
    }

    private List<Path> directories() {
        return IntStream.range(0, ReplicaGroup.REPLICAS)
                .mapToObj(replica -> temporary.resolve("replica-" + replica))
                .toList();
    }

    /** Gives each replica a history of so many batches. */
    private void fill(int... batches) throws IOException {
        for (int replica = 0; replica < batches.length; replica++) {
            fillFurther(replica, batches[replica]);
        }
    }

    private void fillFurther(int replica, int end) throws IOException {
        while (true) {
            // Closed at each snapshot, so that it is written before the next.
            try (ReplicatedState state = open(directories().get(replica))) {
                do {
                    long at = state.position().sequence();
                    if (at == end) {
                        return;
                    }
                    state.apply(batch((int) at), (_, _) -> {});
                } while (state.position().sequence() % SNAPSHOT_BATCHES != 0);
                state.flush();
            }
        }
    }

    private static ReplicatedState open(Path directory) throws IOException {
        Files.createDirectories(directory);
        return ReplicatedState.open(
                directory, SNAPSHOT_BATCHES, new Execution(new NamespaceApplication(GENESIS)), () -> {});
    }

    private static Bytes batch(int number) {
        return new OrderedBatch(
                        1_700_000_000_000L + number, List.of(new Submission(CLIENT, number, false, command(number))))
                .encoded();
    }

    /** A session, a volume, then buckets in it. */
    private static Bytes command(int number) {
        if (number == 0) {
            return new OpenSession(Bytes.of(new byte[OpenSession.NONCE_BYTES]), 0).encoded();
        }
        Command command = number == 1
                ? new Command.CreateVolume("main", VolumeKind.OBJECT, new ProtectionPolicy(1, 2, 4, 512), 0, 0, 0)
                : new Command.CreateBucket("bucket-" + number, "main", Versioning.KEEP_ALL, 0);
        return new InSession(1, number, number, command).encoded();
    }

    /** The digest of the state after so many batches. */
    private static Bytes state(int batches) {
        NamespaceApplication application = new NamespaceApplication(GENESIS);
        Execution execution = new Execution(application);
        for (int number = 0; number < batches; number++) {
            var _ = execution.apply(OrderedBatch.decode(batch(number)));
        }
        return EngineMove.digest(application.state());
    }

    private void assertMoved(Bytes digest) throws IOException {
        for (Path directory : directories()) {
            try (RocksPageStore store = RocksPageStore.open(directory.resolve("pages"))) {
                StateTree tree = StateTree.open(store, 1 << 20);
                assertThat(tree.checkpoints()).containsOnlyKeys(EngineMove.FIRST_CHECKPOINT);
                assertThat(EngineMove.digest(tree)).isEqualTo(digest);
            }
        }
    }

    private static Bytes version2() throws IOException {
        try (InputStream in = Objects.requireNonNull(
                Genesis.class.getResourceAsStream("/io/bulwark/protocol/metadata/version-2.snapshot"))) {
            return Bytes.of(in.readAllBytes());
        }
    }

    /** All files of the replicas but pages, with what is in them. */
    private SortedMap<String, Bytes> files() throws IOException {
        SortedMap<String, Bytes> found = new TreeMap<>();
        try (Stream<Path> all = Files.walk(temporary)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                if (!file.toString().contains("/pages/")) {
                    found.put(temporary.relativize(file).toString(), Bytes.of(Files.readAllBytes(file)));
                }
            }
        }
        return found;
    }

    private static SortedMap<String, Bytes> withoutMark(SortedMap<String, Bytes> files) {
        SortedMap<String, Bytes> rest = new TreeMap<>(files);
        assertThat(rest.keySet().removeIf(name -> name.endsWith("/moved"))).isTrue();
        return rest;
    }

    private static Path last(Path directory, String prefix) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .sorted()
                    .toList()
                    .getLast();
        }
    }

    private static void flip(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[100] ^= 1;
        Files.write(file, bytes);
    }

    private static void delete(Path directory) throws IOException {
        List<Path> all = new ArrayList<>();
        try (Stream<Path> files = Files.walk(directory)) {
            files.forEach(all::add);
        }
        for (Path file : all.reversed()) {
            Files.delete(file);
        }
    }
}
