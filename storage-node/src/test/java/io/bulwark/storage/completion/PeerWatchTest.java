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
import io.bulwark.protocol.control.NodeControlMessage.PoolReport;
import io.bulwark.protocol.control.NodeControlMessage.RebuildReport;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.extent.ExtentCodec;
import io.bulwark.protocol.extent.ExtentLimits;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.extent.ExtentWrite;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.FaultKind;
import io.bulwark.protocol.metadata.FaultPolicy;
import io.bulwark.protocol.metadata.PeerObservation;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.protocol.wire.WireWriter;
import io.bulwark.storage.background.Background;
import io.bulwark.storage.background.BackgroundPace;
import io.bulwark.storage.background.VerificationPace;
import io.bulwark.storage.node.HostedProtocol;
import io.bulwark.storage.node.NodeConfig;
import io.bulwark.storage.node.RunningNodes;
import io.bulwark.storage.status.NodeStatusAnswers;
import io.bulwark.storage.store.StoreEditor;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Four nodes over loopback watch each other in windows of a second. */
@NullMarked
@Execution(ExecutionMode.CONCURRENT)
class PeerWatchTest {
    private static final int NODES = 4;
    private static final int LENGTH = 8_192;
    private static final long SCRUB_RATE = 4 << 20;
    private static final Duration LONG = Duration.ofSeconds(40);
    private static final ProtectionPolicy POLICY = new ProtectionPolicy(1, 2, 4, 8192);
    private static final Volume VOLUME =
            new Volume(1, "v", VolumeKind.OBJECT, POLICY, 0, List.of(new PlacementGroup(1, List.of(0, 1, 2, 3))));

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private final ScriptedMetadata metadata = new ScriptedMetadata(VOLUME);
    private final RunningNodes nodes =
            new RunningNodes(NODES, new MessageCodecs(new ExtentCodec(), new NodeControlCodec()));

    @BeforeEach
    void start() throws IOException {
        metadata.faultPolicy = new FaultPolicy(false, 1, 1);
        for (int node = 0; node < NODES; node++) {
            start(node, SCRUB_RATE);
        }
    }

    @AfterEach
    void stop() {
        nodes.close();
    }

    private void start(int node, long scrubBytesPerSecond) throws IOException {
        CompletionConfig quick = new CompletionConfig(new CompletionPace(50, 4, 500, 500), 50, 500);
        Background background = new Background(
                new BackgroundPace(1, 50, scrubBytesPerSecond, 64 << 20, 16 << 20, 4, 64 << 10),
                VerificationPace.standard(),
                new SimpleMeterRegistry());
        NodeStatusAnswers answers = new NodeStatusAnswers(
                List::of,
                () -> new BackgroundReport(0, 0, 0, 0),
                () -> new RebuildReport(0, 0, 0),
                () -> new PoolReport(0, 0),
                List::of,
                () -> false);
        NodeConfig config = RunningNodes.config(node, RunningNodes.store(directory, node));
        nodes.start(
                config,
                List.of(HostedProtocol.extents(config, ExtentLimits.standard()), answers.protocol()),
                _ -> Optional.of(VOLUME),
                List.of(background, answers, new Completion(metadata, quick, background)),
                new SimpleMeterRegistry());
    }

    private Stream<PeerObservation> seen(FaultKind kind) {
        return metadata.commands.stream()
                .filter(Command.ReportPeers.class::isInstance)
                .flatMap(each -> ((Command.ReportPeers) each).observations().stream())
                .filter(each -> each.kind() == kind && each.bad() > 0);
    }

    private void write(long counter) throws Exception {
        WriteOutcome outcome = nodes.client()
                .submit(new ExtentWrite(
                        VOLUME, block(counter), Bytes.of(new byte[LENGTH]), new ExtentTiming(500, 1_000, 30_000, 0)))
                .get();
        Bytes pin = ((WriteOutcome.Complete) outcome).pin();
        metadata.references.add(new Reply.Reference(
                counter,
                counter,
                Optional.of(new ObjectLayout(
                        1,
                        POLICY.blockBytes(),
                        LENGTH,
                        List.of(new BlockRange(1, RunningNodes.WRITER, 1, counter, 1)),
                        new WireWriter().raw(pin).toBytes())),
                List.of()));
        for (int node = 0; node < NODES; node++) {
            int holder = node;
            await().until(() -> nodes.node(holder)
                            .store()
                            .load(RecordKey.of(RecordKind.EXTENT, block(counter)))
                            .get()
                    instanceof Loaded.Found);
        }
    }

    private static BlockId block(long counter) {
        return new BlockId(1, RunningNodes.WRITER, 1, counter);
    }

    @Test
    void aNodeThatIsGoneIsReportedAsSilentAndNobodyElseIs() throws Exception {
        write(1);
        nodes.node(3).close();
        await().atMost(LONG)
                .until(() ->
                        seen(FaultKind.SILENT).filter(each -> each.node() == 3).count() >= 6);
        assertThat(seen(FaultKind.WRONG)).isEmpty();
        assertThat(seen(FaultKind.STALE)).isEmpty();
        assertThat(seen(FaultKind.SILENT).filter(each -> each.node() == 3 && each.bad() == each.asked()))
                .isNotEmpty();
    }

    /** The damage is in the record's content, with a checksum of the store that fits: only others can find it. */
    @Test
    void aNodeThatSendsWrongFragmentsIsReportedAsWrong() throws Exception {
        write(1);
        nodes.node(3).close();
        try (StoreEditor editor = StoreEditor.open(RunningNodes.store(directory, 3))) {
            RecordKey key = RecordKey.of(RecordKind.EXTENT, block(1));
            Loaded.Found found = (Loaded.Found) editor.read(key);
            byte[] wrong = found.fragment().toByteArray();
            wrong[0] ^= 1;
            editor.replace(key, found.meta(), Bytes.of(wrong));
        }
        // Its own scrub would repair the fragment, maybe before others read it.
        start(3, 0);
        await().atMost(LONG).until(() -> seen(FaultKind.WRONG).anyMatch(each -> each.node() == 3));
        assertThat(seen(FaultKind.WRONG)).allMatch(each -> each.node() == 3);
    }
}
