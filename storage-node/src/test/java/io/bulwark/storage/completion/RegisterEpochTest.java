package io.bulwark.storage.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.completion.CompletionPace;
import io.bulwark.protocol.control.NodeControlCodec;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.fp.FpCodec;
import io.bulwark.protocol.fp.FpGroup;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.fp.FpRead;
import io.bulwark.protocol.fp.FpReadOutcome;
import io.bulwark.protocol.fp.FpWrite;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.storage.background.Background;
import io.bulwark.storage.background.BackgroundPace;
import io.bulwark.storage.background.VerificationPace;
import io.bulwark.storage.node.HostedProtocol;
import io.bulwark.storage.node.NodeConfig;
import io.bulwark.storage.node.RunningNodes;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Five real nodes over loopback, four of which hold the slots of a register volume. It is too large to go through all
 * its numbers.
 */
@NullMarked
@Execution(ExecutionMode.CONCURRENT)
class RegisterEpochTest {
    private static final int NODES = 5;
    private static final long BLOCKS = 1L << 40;
    private static final PlacementGroup FIRST = new PlacementGroup(1, List.of(0, 1, 2, 3));
    private static final Volume VOLUME = volume(FIRST);
    private static final MessageCodecs CODECS = new MessageCodecs(new FpCodec(), new NodeControlCodec());
    private static final Timeouts TIMES = new Timeouts(200, 500, 0, 30_000);
    private static final Timeouts QUICK = new Timeouts(200, 500, 0, 1_000);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    /** Separate replicas for each node, so that the test sees the commands of each. */
    private final Map<Integer, ScriptedMetadata> metadata = new HashMap<>();

    private final RunningNodes nodes = new RunningNodes(NODES, CODECS);

    private static Volume volume(PlacementGroup group) {
        ProtectionPolicy policy = new ProtectionPolicy(1, 2, 4, 16_384);
        return new Volume(1, "disk", VolumeKind.REGISTER, policy, BLOCKS, List.of(group));
    }

    @BeforeEach
    void start() throws IOException {
        for (int node = 0; node < NODES; node++) {
            metadata.put(node, new ScriptedMetadata(VOLUME));
            start(node);
        }
    }

    @AfterEach
    void stop() {
        nodes.close();
    }

    /**
     * Slot 3 has missed the writes, and a new holder takes slot 2. One of them must have the blocks before others count
     * on it.
     */
    @Test
    void holdersSeeToTheFewBlocksThatThereAreAndConfirm() throws Exception {
        nodes.node(3).close();
        List<Long> blocks = List.of(7L, BLOCKS / 2, BLOCKS - 1);
        for (long block : blocks) {
            write(block);
        }
        start(3);
        place(FIRST.announced(2, 4));
        for (int holder : FIRST.holders()) {
            await().until(() -> said(holder).contains(new Command.SealEpoch(1, 0, 1)));
        }
        place(FIRST.announced(2, 4).opened());
        for (int holder : List.of(0, 1, 4, 3)) {
            await().until(() -> said(holder).contains(new Command.ConfirmEpoch(1, 0, 2)));
        }
        for (long block : blocks) {
            int holding = 0;
            for (int holder : List.of(0, 1, 4, 3)) {
                holding += holds(holder, block) ? 1 : 0;
            }
            assertThat(holding).as("block %d", block).isGreaterThanOrEqualTo(3);
        }
    }

    /** Another policy, in groups of which the nodes know nothing yet, is used as soon as the old group has sealed. */
    @Test
    void aNewGenerationIsWrittenWhileTheOneBeforeIsRead() throws Exception {
        write(7);
        PlacementGroup sealing = FIRST.announced(0, FIRST.holders().getFirst());
        PlacementGroup added = new PlacementGroup(1, List.of(4, 3, 2, 1, 0));
        place(generations(true, sealing, added));
        for (int holder : FIRST.holders()) {
            await().until(() -> said(holder).contains(new Command.SealEpoch(1, 0, 1)));
        }
        assertThat(submit(new FpWrite(FpGroup.of(VOLUME, BlockId.register(1, 7)), 1, content(8), QUICK)))
                .as("in the epoch that has ended")
                .isInstanceOf(FpWriteOutcome.Failed.class);
        Volume open = generations(false, sealing.opened(), added);
        place(open);
        BlockId newest = BlockId.register(1, 1, 7);
        assertThat(submit(new FpWrite(FpGroup.of(open, newest), 1, content(9), TIMES)))
                .isInstanceOf(FpWriteOutcome.Written.class);
        for (int holder : FIRST.holders()) {
            await().until(() -> said(holder).contains(new Command.ConfirmEpoch(1, 0, 2)));
        }
        assertThat(read(open, newest)).isEqualTo(content(9));
        assertThat(read(open, BlockId.register(1, 7))).isEqualTo(content(7));
    }

    private static Volume generations(boolean opening, PlacementGroup before, PlacementGroup newest) {
        List<Volume.Generation> older = List.of(new Volume.Generation(VOLUME.policy(), 1));
        ProtectionPolicy policy = new ProtectionPolicy(1, 3, 5, 16_384);
        return new Volume(1, "disk", VolumeKind.REGISTER, policy, BLOCKS, List.of(before, newest), older, opening);
    }

    private <R> R submit(ClientOperation<R> operation) throws Exception {
        return nodes.client().submit(operation).get();
    }

    private Bytes read(Volume volume, BlockId register) throws Exception {
        FpReadOutcome outcome = submit(FpRead.withRepairRequests(FpGroup.of(volume, register), TIMES));
        return ((FpReadOutcome.Value) outcome).block();
    }

    private static Bytes content(long first) {
        byte[] content = new byte[VOLUME.policy().blockBytes()];
        content[0] = (byte) first;
        return Bytes.of(content);
    }

    private void place(Volume volume) {
        metadata.values().forEach(each -> each.change(volume));
    }

    private void place(PlacementGroup group) {
        place(volume(group));
    }

    private List<Command> said(int node) {
        return metadataOf(node).commands;
    }

    private void write(long block) throws Exception {
        FpGroup group = FpGroup.of(VOLUME, BlockId.register(1, block));
        assertThat(submit(new FpWrite(group, 1, content(block), TIMES))).isInstanceOf(FpWriteOutcome.Written.class);
    }

    private boolean holds(int node, long block) throws Exception {
        BlockId id = BlockId.register(1, block);
        return !nodes.node(node)
                .store()
                .scan(RecordKind.REGISTER_VERSION, id, id, 1, _ -> true)
                .get()
                .records()
                .isEmpty();
    }

    private void start(int node) throws IOException {
        CompletionConfig quick = new CompletionConfig(new CompletionPace(100, 4, 500, 200), 50, 500);
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Background background = new Background(
                new BackgroundPace(50, 50, 0, 64 << 20, 16 << 20, 4, 64 << 10), VerificationPace.standard(), meters);
        NodeConfig config = RunningNodes.config(node, RunningNodes.store(directory, node));
        nodes.start(
                config,
                List.of(HostedProtocol.registers(
                        config, nodes.keys(node), FpLimits.standard(), () -> RevocationWatch.NONE)),
                metadataOf(node)::volume,
                List.of(background, new Completion(metadataOf(node), quick, background)),
                meters);
    }

    private ScriptedMetadata metadataOf(int node) {
        return Objects.requireNonNull(metadata.get(node));
    }
}
