package io.bulwark.storage.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.completion.CompletionPace;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Verdict;
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
import io.bulwark.storage.store.StoreEditor;
import io.micrometer.core.instrument.MeterRegistry;
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

/** Five real nodes over loopback with two register volumes that nobody reads: under FP at the first four, and under PASIS. */
@NullMarked
@Execution(ExecutionMode.CONCURRENT)
class RegisterScrubTest {
    private static final int NODES = 5;
    private static final ProtectionPolicy POLICY = new ProtectionPolicy(1, 2, 4, 16_384);
    private static final Volume VOLUME =
            new Volume(1, "disk", VolumeKind.REGISTER, POLICY, 20, List.of(new PlacementGroup(1, List.of(0, 1, 2, 3))));
    private static final Volume VERSIONS = new Volume(
            2,
            "versions",
            VolumeKind.REGISTER,
            ProtectionPolicy.pasis(1, 2, 5, 16_384, Verification.LAZY),
            20,
            List.of(new PlacementGroup(1, List.of(0, 1, 2, 3, 4))));
    private static final MessageCodecs CODECS = new MessageCodecs(new FpCodec(), new PasisCodec());
    private static final Timeouts TIMES = new Timeouts(200, 500, 0, 30_000);
    private static final BlockId FIRST = BlockId.register(0, 0);
    private static final BlockId LAST = BlockId.register(9, 0);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private final ScriptedMetadata metadata = new ScriptedMetadata(VOLUME, VERSIONS);
    private final RunningNodes nodes = new RunningNodes(NODES, CODECS);
    private final Map<Integer, MeterRegistry> registries = new HashMap<>();
    private final Map<Integer, RegisterScrub> scrubs = new HashMap<>();

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
    void aDamagedFragmentThatNobodyReadsIsFoundReportedAndMadeAgain() throws Exception {
        write(3);
        await().until(() -> held(1).size() == 1);
        awaitRounds();
        RecordKey key = held(1).getFirst();
        Bytes right = fragment(1, key).orElseThrow();
        nodes.node(1).close();
        try (StoreEditor editor = StoreEditor.open(RunningNodes.store(directory, 1))) {
            editor.flip(key, 77);
        }
        start(1);
        await().untilAsserted(() -> assertThat(scrub(1).status().repaired()).isPositive());
        assertThat(fragment(1, key)).contains(right);
        for (String meter : List.of("found.bad", "repaired", "rebuilt.bytes", "idle.millis")) {
            await().untilAsserted(() -> assertThat(Objects.requireNonNull(registries.get(1))
                            .get("bulwark.background." + meter)
                            .functionCounter()
                            .count())
                    .as(meter)
                    .isPositive());
        }
        assertThat(nodes.node(1).evidence().counts().get(PrincipalId.node(1))).containsKey(Verdict.DAMAGED);
        await().untilAsserted(() -> assertThat(scrub(1).status().volumes())
                .allSatisfy(work -> assertThat(work.unfinished()).isZero()));
    }

    @Test
    void aNodeThatWasDownGetsWhatItMissed() throws Exception {
        nodes.node(2).close();
        write(3);
        write(4);
        start(2);
        await().until(() -> held(2).size() == 2);
        await().untilAsserted(() -> assertThat(scrub(2).status().completed()).isEqualTo(2));
    }

    @Test
    void aDamagedVersionThatNobodyReadsIsFoundReportedAndMadeAgain() throws Exception {
        writeVersion(3);
        await().until(() -> versions(1).size() == 1);
        RecordKey key = versions(1).getFirst();
        Bytes right = fragment(1, key).orElseThrow();
        nodes.node(1).close();
        try (StoreEditor editor = StoreEditor.open(RunningNodes.store(directory, 1))) {
            editor.flip(key, 77);
        }
        start(1);
        await().untilAsserted(() -> assertThat(scrub(1).status().repaired()).isPositive());
        assertThat(fragment(1, key)).contains(right);
        assertThat(nodes.node(1).evidence().counts().get(PrincipalId.node(1))).containsKey(Verdict.DAMAGED);
    }

    @Test
    void aNodeThatLostItsDiskGetsItsVersionsBack() throws Exception {
        writeVersion(3);
        writeVersion(7);
        await().until(() -> versions(2).size() == 2);
        Bytes right = fragment(2, versions(2).getFirst()).orElseThrow();
        nodes.node(2).close();
        delete(directory.resolve("node-2"));
        start(2);
        await().until(() -> versions(2).size() == 2);
        assertThat(fragment(2, versions(2).getFirst())).contains(right);
        await().untilAsserted(() -> assertThat(scrub(2).status().completed()).isEqualTo(2));
    }

    @Test
    void whatANodeHoldsOfVolumesThatWereDeletedGoesAfterARestart() throws Exception {
        write(3);
        writeVersion(3);
        await().until(() -> held(1).size() == 1 && versions(1).size() == 1);
        nodes.node(1).close();
        metadata.delete(VOLUME);
        metadata.delete(VERSIONS);
        start(1);
        await().untilAsserted(() -> {
            for (RecordKind kind : List.of(
                    RecordKind.REGISTER_VERSION,
                    RecordKind.REGISTER,
                    RecordKind.PASIS_VERSION,
                    RecordKind.PASIS_POSSIBLE)) {
                assertThat(nodes.node(1)
                                .store()
                                .scan(kind, FIRST, LAST, 100, _ -> true)
                                .get()
                                .records())
                        .as("%s", kind)
                        .isEmpty();
            }
        });
    }

    /**
     * Waits for two rounds, until no node lacks a fragment. A node with a gap would ask the others, which would find
     * damage that way.
     */
    private void awaitRounds() {
        for (RegisterScrub scrub : scrubs.values()) {
            long looks = scrub.status().scrubbed();
            await().until(() -> scrub.status().scrubbed() > looks + 2 * (VOLUME.blocks() + VERSIONS.blocks()));
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private void writeVersion(long block) throws Exception {
        byte[] content = new byte[VERSIONS.policy().blockBytes()];
        content[0] = (byte) block;
        PasisGroup group = PasisGroup.of(VERSIONS, BlockId.register(VERSIONS.id(), block));
        assertThat(nodes.client()
                        .submit(new PasisWrite(group, RunningNodes.WRITER, 1, Bytes.of(content), TIMES))
                        .get())
                .isInstanceOf(PasisWriteOutcome.Written.class);
    }

    private List<RecordKey> versions(int node) throws Exception {
        return records(node, RecordKind.PASIS_VERSION, VERSIONS).stream()
                .filter(key -> !key.suffix().isEmpty())
                .toList();
    }

    private void write(long block) throws Exception {
        byte[] content = new byte[POLICY.blockBytes()];
        content[0] = (byte) block;
        FpGroup group = FpGroup.of(VOLUME, BlockId.register(1, block));
        assertThat(nodes.client()
                        .submit(new FpWrite(group, 1, Bytes.of(content), TIMES))
                        .get())
                .isInstanceOf(FpWriteOutcome.Written.class);
    }

    private List<RecordKey> held(int node) throws Exception {
        return records(node, RecordKind.REGISTER_VERSION, VOLUME);
    }

    private List<RecordKey> records(int node, RecordKind kind, Volume volume) throws Exception {
        return nodes
                .node(node)
                .store()
                .scan(
                        kind,
                        BlockId.register(volume.id(), 0),
                        BlockId.register(volume.id(), volume.blocks()),
                        100,
                        _ -> true)
                .get()
                .records()
                .stream()
                .map(Loaded.Meta::key)
                .toList();
    }

    private Optional<Bytes> fragment(int node, RecordKey key) throws Exception {
        return nodes.node(node).store().load(key).get() instanceof Loaded.Found found
                ? Optional.of(found.fragment())
                : Optional.empty();
    }

    private void start(int node) throws IOException {
        CompletionConfig quick = new CompletionConfig(new CompletionPace(100, 4, 500, 200), 50, 500);
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Background background = new Background(
                new BackgroundPace(50, 50, 16 << 20, 64 << 20, 16 << 20, 4, 64 << 10),
                VerificationPace.standard(),
                meters);
        RegisterScrub scrub = new RegisterScrub(metadata, quick, background);
        NodeConfig config = RunningNodes.config(node, RunningNodes.store(directory, node));
        nodes.start(
                config,
                List.of(
                        HostedProtocol.registers(
                                config, nodes.keys(node), FpLimits.standard(), () -> RevocationWatch.NONE),
                        HostedProtocol.versioned(
                                PrincipalId.node(node),
                                PasisLimits.standard(8 << 20, 8 << 20),
                                () -> 1,
                                _ -> VerificationWatch.NONE,
                                () -> RevocationWatch.NONE)),
                metadata::volume,
                List.of(background, scrub),
                meters);
        scrubs.put(node, scrub);
        registries.put(node, meters);
    }

    private RegisterScrub scrub(int node) {
        return Objects.requireNonNull(scrubs.get(node));
    }
}
