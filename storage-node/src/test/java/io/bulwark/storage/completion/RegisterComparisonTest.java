package io.bulwark.storage.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bulwark.client.error.ConfigException;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.completion.CompletionPace;
import io.bulwark.protocol.control.NodeControlCodec;
import io.bulwark.protocol.control.NodeControlMessage.LatestReply;
import io.bulwark.protocol.control.NodeControlMessage.LatestRequest;
import io.bulwark.protocol.control.NodeControlMessage.VolumeWork;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.fp.FpCodec;
import io.bulwark.protocol.fp.FpGroup;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.fp.FpWrite;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.pasis.PasisCodec;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.PasisLimits;
import io.bulwark.protocol.pasis.PasisWrite;
import io.bulwark.protocol.pasis.PasisWriteOutcome;
import io.bulwark.protocol.pasis.VerificationWatch;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.storage.background.Background;
import io.bulwark.storage.background.BackgroundPace;
import io.bulwark.storage.background.VerificationPace;
import io.bulwark.storage.node.HostedProtocol;
import io.bulwark.storage.node.NodeConfig;
import io.bulwark.storage.node.RunningNodes;
import io.bulwark.storage.status.LatestAnswers;
import io.bulwark.storage.status.LatestAnswers.StoreState;
import io.bulwark.storage.store.LatestRecords.Latest;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Five real nodes over loopback that scrub nothing, with a volume under FP at the first four, and one under PASIS. */
@NullMarked
@Execution(ExecutionMode.CONCURRENT)
class RegisterComparisonTest {
    private static final int NODES = 5;
    private static final long BLOCKS = 1L << 40;
    private static final ProtectionPolicy POLICY = new ProtectionPolicy(1, 2, 4, 16_384);
    private static final Volume FP = new Volume(
            1, "fp", VolumeKind.REGISTER, POLICY, BLOCKS, List.of(new PlacementGroup(1, List.of(0, 1, 2, 3))));
    private static final Volume PASIS = new Volume(
            2,
            "pasis",
            VolumeKind.REGISTER,
            ProtectionPolicy.pasis(1, 2, 5, 16_384, Verification.LAZY),
            BLOCKS,
            List.of(new PlacementGroup(1, List.of(0, 1, 2, 3, 4))));
    private static final Volume WIDE = new Volume(
            3,
            "wide",
            VolumeKind.REGISTER,
            new ProtectionPolicy(2, 3, 7, 16_384),
            BLOCKS,
            List.of(new PlacementGroup(1, List.of(0, 1, 2, 3, 4, 5, 6))));
    private static final MessageCodecs CODECS =
            new MessageCodecs(new FpCodec(), new PasisCodec(), new NodeControlCodec());
    private static final Timeouts TIMES = new Timeouts(200, 500, 0, 30_000);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private ScriptedMetadata metadata = new ScriptedMetadata(FP, PASIS);
    private final RunningNodes nodes = new RunningNodes(NODES, CODECS);
    private final Map<Integer, RegisterComparison> comparisons = new HashMap<>();
    private final Map<Integer, LatestAnswers> standings = new HashMap<>();

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
    void aNodeWithAnEmptyDiskIsVerifiedOnceItHasAll() throws Exception {
        for (long block : new long[] {0, 7, BLOCKS - 1}) {
            write(block, 1);
            writeVersion(block, 1);
        }
        awaitVerified(2);
        nodes.node(2).close();
        delete(directory.resolve("node-2"));
        start(2);
        awaitVerified(2);
        for (Volume volume : List.of(FP, PASIS)) {
            assertThat(latest(2, volume)).isEqualTo(latest(0, volume)).hasSize(3);
        }
    }

    @Test
    void aDirectoryThatWasSetBackCatchesUp() throws Exception {
        write(3, 1);
        writeVersion(3, 1);
        nodes.node(2).close();
        copy(directory.resolve("node-2"), directory.resolve("older"));
        start(2);
        for (long block : new long[] {3, 4}) {
            write(block, 2);
            writeVersion(block, 2);
        }
        nodes.node(2).close();
        delete(directory.resolve("node-2"));
        copy(directory.resolve("older"), directory.resolve("node-2"));
        start(2);
        awaitVerified(2);
        for (Volume volume : List.of(FP, PASIS)) {
            assertThat(latest(2, volume)).isEqualTo(latest(0, volume)).hasSize(2);
        }
    }

    /** Fewer than n - f others may all be nodes that never had the complete version. */
    @Test
    void withTooFewPeersANodeStaysUnverified() throws Exception {
        write(3, 1);
        nodes.node(2).close();
        nodes.node(4).close();
        start(2);
        await().until(() -> work(2).stream().anyMatch(work -> work.volume() == FP.id() && work.compared()));
        assertThat(work(2)).anyMatch(work -> work.volume() == PASIS.id() && !work.compared());
        assertThat(comparison(2).compared()).isFalse();
        start(4);
        awaitVerified(2);
        assertThat(comparison(2).compared()).isTrue();
    }

    /**
     * More than f nodes were set back. They must not agree on the old state and report it until the forgotten data are
     * restored.
     */
    @Test
    void nodesThatWereSetBackTogetherStaySilent() throws Exception {
        write(3, 1);
        awaitVerified(1);
        awaitVerified(2);
        for (int node = 1; node <= 2; node++) {
            nodes.node(node).close();
            copy(directory.resolve("node-" + node), directory.resolve("older-" + node));
            start(node);
            awaitVerified(node);
        }
        write(3, 2);
        List<Latest> now = latest(0, FP);
        for (int node = 1; node <= 2; node++) {
            nodes.node(node).close();
            Files.move(directory.resolve("node-" + node), directory.resolve("newer-" + node));
            Files.move(directory.resolve("older-" + node), directory.resolve("node-" + node));
        }
        start(1);
        start(2);
        for (int node = 1; node <= 2; node++) {
            int number = node;
            await().until(() -> standing(number) == StoreState.SET_BACK);
            assertThat(comparison(node).serves(FP.id())).isFalse();
            assertThat(work(node)).noneMatch(VolumeWork::compared);
        }
        nodes.node(1).close();
        delete(directory.resolve("node-1"));
        Files.move(directory.resolve("newer-1"), directory.resolve("node-1"));
        start(1);
        awaitVerified(1);
        awaitVerified(2);
        await().until(() -> standing(2) == StoreState.CURRENT);
        assertThat(latest(2, FP)).isEqualTo(now);
        write(3, 3);
        nodes.node(2).close();
        start(2);
        awaitVerified(2);
        assertThat(standing(2))
                .as("its life goes on after those that it had forgotten")
                .isEqualTo(StoreState.CURRENT);
    }

    /** All of 2^40 blocks, one after the other. */
    @Test
    void aPeerThatTellsOfOneBlockAtATimeHoldsUpNobody() throws Exception {
        for (long block : new long[] {0, 7, BLOCKS - 1}) {
            write(block, 1);
        }
        nodes.node(2).close();
        nodes.node(3).close();
        delete(directory.resolve("node-2"));
        start(3, crawlingAnswers());
        start(2);
        await().untilAsserted(
                        () -> assertThat(latest(2, FP)).isEqualTo(latest(0, FP)).hasSize(3));
        assertThat(work(2))
                .as("n - f others have not told all")
                .anyMatch(work -> work.volume() == FP.id() && !work.compared());
    }

    @Test
    void eachVolumeIsServedByWhatItsOwnNodesRemember() throws Exception {
        for (int node = 0; node < NODES; node++) {
            nodes.node(node).close();
        }
        metadata = new ScriptedMetadata(FP, WIDE);
        for (int node = 0; node <= 2; node++) {
            start(node);
        }
        await().until(() -> comparison(2).serves(FP.id()));
        assertThat(comparison(2).serves(WIDE.id())).as("two may both lie").isFalse();
        start(3);
        await().until(() -> comparison(2).serves(WIDE.id()));
    }

    @Test
    void anotherNodesDirectoryIsRefusedThoughItsNameWasChanged() throws Exception {
        write(3, 1);
        nodes.node(1).close();
        nodes.node(2).close();
        Path own = directory.resolve("node-2");
        String identity = Files.readString(own.resolve("identity"));
        delete(own);
        copy(directory.resolve("node-1"), own);
        assertThatThrownBy(() -> start(2))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("belongs to node-1")
                .hasMessageContaining("this is node-2");
        Files.writeString(own.resolve("identity"), identity);
        assertThatThrownBy(() -> start(2))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("belongs to node-1")
                .hasMessageContaining("as its index says");
        delete(own);
        start(1);
        start(2);
        awaitVerified(2);
        assertThat(latest(2, FP)).isEqualTo(latest(0, FP)).hasSize(1);
    }

    @Test
    void aNodeWithAnEmptyDiskGetsTheRegistersOfAllGenerations() throws Exception {
        for (int node = 0; node < NODES; node++) {
            nodes.node(node).close();
        }
        PlacementGroup newest = new PlacementGroup(1, List.of(4, 3, 2, 1, 0));
        Volume changed = new Volume(
                1,
                "fp",
                VolumeKind.REGISTER,
                new ProtectionPolicy(1, 3, 5, 16_384),
                BLOCKS,
                List.of(FP.groups().getFirst(), newest),
                List.of(new Volume.Generation(POLICY, 1)));
        metadata = new ScriptedMetadata(changed, PASIS);
        for (int node = 0; node < NODES; node++) {
            start(node);
        }
        BlockId last = changed.lastRegister(1);
        for (BlockId register : List.of(BlockId.register(1, 0, 7), BlockId.register(1, 1, 7), last)) {
            assertThat(nodes.client()
                            .submit(new FpWrite(FpGroup.of(changed, register), 1, content(7, 1), TIMES))
                            .get())
                    .isInstanceOf(FpWriteOutcome.Written.class);
        }
        nodes.node(2).close();
        delete(directory.resolve("node-2"));
        start(2);
        awaitVerified(2);
        assertThat(latest(2, last)).isEqualTo(latest(1, last)).hasSize(3);
    }

    private void awaitVerified(int node) {
        await().untilAsserted(() -> assertThat(work(node))
                .hasSize(2)
                .allMatch(VolumeWork::compared)
                .allMatch(work -> work.unfinished() == 0));
    }

    private List<VolumeWork> work(int node) {
        return comparison(node).status();
    }

    private StoreState standing(int node) {
        return Objects.requireNonNull(standings.get(node)).standing(FP.id());
    }

    private RegisterComparison comparison(int node) {
        return Objects.requireNonNull(comparisons.get(node));
    }

    private List<Latest> latest(int node, BlockId last) throws Exception {
        return nodes.node(node)
                .store()
                .latest(RecordKind.REGISTER_VERSION, BlockId.register(last.volume(), 0), last, 100)
                .get()
                .blocks();
    }

    private List<Latest> latest(int node, Volume volume) throws Exception {
        RecordKind kind = RecordKind.ofVersions(volume.policy().protocol().isVersioned());
        return nodes.node(node)
                .store()
                .latest(kind, BlockId.register(volume.id(), 0), BlockId.register(volume.id(), BLOCKS - 1), 100)
                .get()
                .blocks();
    }

    private void write(long block, int content) throws Exception {
        FpGroup group = FpGroup.of(FP, BlockId.register(FP.id(), block));
        assertThat(nodes.client()
                        .submit(new FpWrite(group, 1, content(block, content), TIMES))
                        .get())
                .isInstanceOf(FpWriteOutcome.Written.class);
    }

    private void writeVersion(long block, int content) throws Exception {
        PasisGroup group = PasisGroup.of(PASIS, BlockId.register(PASIS.id(), block));
        assertThat(nodes.client()
                        .submit(new PasisWrite(group, RunningNodes.WRITER, 1, content(block, content), TIMES))
                        .get())
                .isInstanceOf(PasisWriteOutcome.Written.class);
    }

    private static Bytes content(long block, int content) {
        byte[] bytes = new byte[POLICY.blockBytes()];
        bytes[0] = (byte) block;
        bytes[1] = (byte) content;
        return Bytes.of(bytes);
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
                Files.copy(path, to.resolve(from.relativize(path).toString()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /** Tells of one block at a time. */
    private static HostedProtocol crawlingAnswers() {
        return new HostedProtocol(
                LatestRequest.class::isInstance,
                _ -> BlockId.register(0, 0),
                false,
                _ -> 0,
                _ -> (_, from, id, message) -> {
                    LatestRequest asked = (LatestRequest) message;
                    return List.of(new Effect.Send(from, id, next(asked)));
                });
    }

    private static LatestReply next(LatestRequest asked) {
        return new LatestReply(asked.volume(), asked.from(), List.of(), asked.from() + 1, 0, true);
    }

    private void start(int node) throws IOException {
        start(node, null);
    }

    /** @param liar answers others who compare, in the place of what a node answers */
    private void start(int node, @Nullable HostedProtocol liar) throws IOException {
        CompletionConfig quick = new CompletionConfig(new CompletionPace(50, 4, 500, 200), 50, 500);
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Background background = new Background(
                BackgroundPace.of(0, BackgroundPace.REBUILD_BYTES_PER_SECOND), VerificationPace.standard(), meters);
        LatestAnswers answers = new LatestAnswers();
        RegisterComparison comparison = new RegisterComparison(metadata, quick, background, answers);
        NodeConfig config = RunningNodes.config(node, RunningNodes.store(directory, node));
        nodes.start(
                config,
                List.of(
                        liar == null ? answers.protocol() : liar,
                        HostedProtocol.registers(
                                        config, nodes.keys(node), FpLimits.standard(), () -> RevocationWatch.NONE)
                                .openFor(comparison::serves),
                        HostedProtocol.versioned(
                                        PrincipalId.node(node),
                                        PasisLimits.standard(8 << 20, 8 << 20),
                                        () -> 1,
                                        _ -> VerificationWatch.NONE,
                                        () -> RevocationWatch.NONE)
                                .openFor(comparison::serves)),
                metadata::volume,
                List.of(background, answers, comparison),
                meters);
        comparisons.put(node, comparison);
        standings.put(node, answers);
    }
}
