package io.bulwark.storage.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.completion.CompletionPace;
import io.bulwark.protocol.control.NodeControlCodec;
import io.bulwark.protocol.control.NodeControlMessage.BackgroundReport;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.extent.ExtentCodec;
import io.bulwark.protocol.extent.ExtentLimits;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.extent.ExtentWrite;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.SessionChange;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.protocol.wire.WireWriter;
import io.bulwark.storage.background.Background;
import io.bulwark.storage.background.BackgroundPace;
import io.bulwark.storage.background.VerificationPace;
import io.bulwark.storage.node.HostedProtocol;
import io.bulwark.storage.node.NodeAccess;
import io.bulwark.storage.node.NodeConfig;
import io.bulwark.storage.node.RunningNodes;
import io.bulwark.storage.store.StoreEditor;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Four real nodes over loopback, and a metadata service of the test's making. */
@NullMarked
@Execution(ExecutionMode.CONCURRENT)
class CompletionTest {
    private static final int NODES = 4;
    /** Its fragments are too long for the index. */
    private static final int LENGTH = 8_192;

    private static final ProtectionPolicy POLICY = new ProtectionPolicy(1, 2, 4, 8192);
    private static final Volume VOLUME =
            new Volume(1, "v", VolumeKind.OBJECT, POLICY, 0, List.of(new PlacementGroup(1, List.of(0, 1, 2, 3))));
    private static final MessageCodecs CODECS = new MessageCodecs(new ExtentCodec(), new NodeControlCodec());

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private final ScriptedMetadata metadata = new ScriptedMetadata(VOLUME);
    private final RunningNodes nodes = new RunningNodes(NODES, CODECS);
    private final Map<Integer, Background> backgrounds = new HashMap<>();
    private final Map<Integer, Completion> completions = new HashMap<>();

    @BeforeEach
    void start() throws IOException {
        for (int node = 0; node < NODES; node++) {
            start(node);
        }
    }

    @AfterEach
    void stop() {
        nodes.close();
    }

    @Test
    void whatIsReferencedComesToAllNodesAndWhatIsFreedGoes() throws Exception {
        nodes.node(3).close();
        metadata.references.add(reference(10, 1, write(1)));
        metadata.references.add(reference(11, 2, write(2)));
        start(3);
        await().until(() -> held(3, 1) && held(3, 2));
        await().untilAsserted(() -> assertThat(completion(3).status().volumes()).allSatisfy(work -> {
            assertThat(work.compared()).isTrue();
            assertThat(work.unfinished()).isZero();
        }));
        await().untilAsserted(
                        () -> assertThat(completion(3).status().completed()).isGreaterThanOrEqualTo(2));

        metadata.changes.add(new SessionChange.Freed(1, new BlockRange(1, RunningNodes.WRITER, 1, 1, 1)));
        await().until(() -> !held(0, 1) && !held(1, 1) && !held(2, 1) && !held(3, 1));
        assertThat(held(0, 2)).isTrue();
        metadata.changes.add(new SessionChange.Collapsed(2, RunningNodes.WRITER, 1, 5));
        await().until(() -> !held(0, 2) && !held(3, 2));
    }

    @Test
    void anExtentThatRotsIsFoundByScrubbingAndMadeAgain() throws Exception {
        metadata.references.add(reference(10, 1, write(1)));
        await().until(() -> held(3, 1));
        RecordKey key = RecordKey.of(RecordKind.EXTENT, block(1));
        nodes.node(3).close();
        try (StoreEditor editor = StoreEditor.open(RunningNodes.store(directory, 3))) {
            editor.flip(key, 99);
        }
        start(3);
        await().until(() -> held(3, 1));
        await().untilAsserted(() -> {
            BackgroundReport report = Objects.requireNonNull(backgrounds.get(3)).report();
            assertThat(report.looked()).isPositive();
            assertThat(report.repaired()).isEqualTo(1);
            assertThat(report.foundBad()).isGreaterThanOrEqualTo(1);
        });
    }

    @Test
    void aNodeThatWasDownCatchesUpAndIncompleteExtentsAreCounted() throws Exception {
        Bytes first = write(1);
        nodes.node(2).close();
        Bytes pin = write(2);
        metadata.references.add(reference(10, 1, first));
        metadata.references.add(reference(11, 2, pin));
        metadata.references.add(reference(12, 3, Bytes.of(new byte[32])));
        start(2);
        await().until(() -> held(2, 2) && held(2, 1));
        await().untilAsserted(
                        () -> assertThat(completion(2).status().incomplete()).isPositive());
    }

    /** Checks of its last life do not count. */
    @Test
    void aNodeThatLostItsDiskIsUnverifiedUntilItHasAll() throws Exception {
        metadata.references.add(reference(10, 1, write(1)));
        metadata.references.add(reference(11, 2, write(2)));
        awaitVerified(3);
        nodes.node(3).close();
        delete(directory.resolve("node-3"));
        start(3);
        awaitVerified(3);
        assertThat(held(3, 1) && held(3, 2)).isTrue();
    }

    @Test
    void aDirectoryThatWasSetBackIsUnverifiedUntilItHasAll() throws Exception {
        metadata.references.add(reference(10, 1, write(1)));
        awaitVerified(3);
        nodes.node(3).close();
        Path own = directory.resolve("node-3");
        Path older = directory.resolve("older");
        copy(own, older);
        start(3);
        metadata.references.add(reference(11, 2, write(2)));
        await().until(() -> held(3, 2));
        nodes.node(3).close();
        delete(own);
        copy(older, own);
        start(3);
        awaitVerified(3);
        assertThat(held(3, 1) && held(3, 2)).isTrue();
    }

    @Test
    void fragmentsWhoseSegmentIsGoneAreMadeAgainBeforeANodeIsVerified() throws Exception {
        metadata.references.add(reference(10, 1, write(1)));
        awaitVerified(3);
        nodes.node(3).close();
        delete(directory.resolve("node-3").resolve("segments"));
        start(3);
        awaitVerified(3);
        assertThat(held(3, 1)).isTrue();
    }

    @Test
    void inAnIdleClusterTheGraceOfWhatWasDeletedEnds() throws Exception {
        metadata.references.add(reference(10, 1, write(1)));
        await().until(() -> held(3, 1));
        metadata.references.clear();
        metadata.after(20, new SessionChange.Freed(1, new BlockRange(1, RunningNodes.WRITER, 1, 1, 1)));
        await().until(() -> !held(0, 1) && !held(1, 1) && !held(2, 1) && !held(3, 1));
    }

    @Test
    void whatANodeSawCorruptIsToldOnce() throws Exception {
        NodeAccess node = nodes.node(0);
        BlockId block = block(7);
        for (int i = 0; i < 3; i++) {
            node.evidence().onEvidence(new Effect.Evidence(PrincipalId.node(2), block, Verdict.CORRUPT, "bytes"));
            node.evidence().onEvidence(new Effect.Evidence(PrincipalId.node(1), block, Verdict.BEHIND, "nothing"));
        }
        await().until(() -> !metadata.commands.isEmpty());
        assertThat(metadata.commands).containsExactly(new Command.ReportEvidence(2, block, Verdict.CORRUPT, "bytes"));
    }

    @Test
    void aClientThatBroughtPoisonIsReportedOncePerSessionAndWhatAReaderFoundIsNot() throws Exception {
        NodeAccess node = nodes.node(0);
        PrincipalId client = PrincipalId.client(9);
        for (int i = 0; i < 3; i++) {
            node.evidence().onEvidence(new Effect.Evidence(client, block(7), Verdict.POISONOUS, "found by a reader"));
            node.evidence().onEvidence(new Effect.Evidence(client, block(7), Verdict.POISONOUS, "version 1", 4));
            node.evidence().onEvidence(new Effect.Evidence(client, block(7), Verdict.POISONOUS, "version 2", 5));
        }
        node.evidence().onEvidence(new Effect.Evidence(PrincipalId.node(2), block(8), Verdict.CORRUPT, "bytes"));
        await().until(() ->
                metadata.commands.contains(new Command.ReportEvidence(2, block(8), Verdict.CORRUPT, "bytes")));
        assertThat(metadata.commands)
                .containsExactly(
                        new Command.ReportPoison(client, block(7), 4, "version 1"),
                        new Command.ReportPoison(client, block(7), 5, "version 2"),
                        new Command.ReportEvidence(2, block(8), Verdict.CORRUPT, "bytes"));
    }

    @Test
    void poisonIsReportedHoweverMuchThereIsToSayOfNodes() throws Exception {
        NodeAccess node = nodes.node(0);
        PrincipalId client = PrincipalId.client(9);
        int corrupt = 1_000;
        for (int i = 0; i < corrupt; i++) {
            node.evidence().onEvidence(new Effect.Evidence(PrincipalId.node(2), block(i), Verdict.CORRUPT, "bytes"));
        }
        node.evidence().onEvidence(new Effect.Evidence(client, block(7), Verdict.POISONOUS, "version 1", 4));
        Command poison = new Command.ReportPoison(client, block(7), 4, "version 1");
        await().until(() -> metadata.commands.contains(poison));
        assertThat(List.copyOf(metadata.commands).indexOf(poison)).isLessThan(corrupt);
    }

    private void start(int node) throws IOException {
        CompletionConfig quick = new CompletionConfig(new CompletionPace(100, 4, 500, 500), 50, 500);
        Background background = new Background(
                new BackgroundPace(50, 50, 4 << 20, 64 << 20, 16 << 20, 4, 64 << 10),
                VerificationPace.standard(),
                new SimpleMeterRegistry());
        Completion completion = new Completion(metadata, quick, background);
        NodeConfig config = RunningNodes.config(node, RunningNodes.store(directory, node));
        nodes.start(
                config,
                List.of(HostedProtocol.extents(config, ExtentLimits.standard())),
                _ -> Optional.of(VOLUME),
                List.of(background, completion),
                new SimpleMeterRegistry());
        completions.put(node, completion);
        backgrounds.put(node, background);
    }

    private void awaitVerified(int node) {
        await().untilAsserted(() -> assertThat(completion(node).status().volumes())
                .hasSize(1)
                .allMatch(work -> work.compared() && work.unfinished() == 0));
        assertThat(completion(node).compared()).isTrue();
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path path : all.sorted().toList()) {
                Files.copy(path, to.resolve(from.relativize(path).toString()));
            }
        }
    }

    private Completion completion(int node) {
        return Objects.requireNonNull(completions.get(node));
    }

    private Bytes write(long counter) throws Exception {
        byte[] content = new byte[LENGTH];
        content[0] = (byte) counter;
        ExtentTiming timing = new ExtentTiming(500, 1_000, 30_000, 0);
        WriteOutcome outcome = nodes.client()
                .submit(new ExtentWrite(VOLUME, block(counter), Bytes.of(content), timing))
                .get();
        return ((WriteOutcome.Complete) outcome).pin();
    }

    private boolean held(int node, long counter) throws Exception {
        Loaded loaded = nodes.node(node)
                .store()
                .load(RecordKey.of(RecordKind.EXTENT, block(counter)))
                .get();
        return loaded instanceof Loaded.Found;
    }

    private static BlockId block(long counter) {
        return new BlockId(1, RunningNodes.WRITER, 1, counter);
    }

    private static Reply.Reference reference(long inode, long counter, Bytes pin) {
        List<BlockRange> ranges = List.of(new BlockRange(1, RunningNodes.WRITER, 1, counter, 1));
        Bytes pins = new WireWriter().raw(pin).toBytes();
        return new Reply.Reference(
                inode,
                100 - inode,
                Optional.of(new ObjectLayout(1, POLICY.blockBytes(), LENGTH, ranges, pins)),
                List.of());
    }
}
