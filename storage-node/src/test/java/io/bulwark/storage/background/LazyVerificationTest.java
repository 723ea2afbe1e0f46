package io.bulwark.storage.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.control.NodeControlMessage.NodeStatusReply;
import io.bulwark.protocol.control.NodeControlMessage.NodeStatusRequest;
import io.bulwark.protocol.control.NodeControlMessage.PoolReport;
import io.bulwark.protocol.control.NodeControlMessage.VersionsReport;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.pasis.PasisCodec;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.PasisLimits;
import io.bulwark.protocol.pasis.PasisRead;
import io.bulwark.protocol.pasis.PasisReadOutcome;
import io.bulwark.protocol.pasis.PasisWrite;
import io.bulwark.protocol.pasis.PasisWriteOutcome;
import io.bulwark.protocol.pasis.ReadPlan;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.storage.node.HostedProtocol;
import io.bulwark.storage.node.RunningNodes;
import io.bulwark.storage.status.NodeStatusAnswers;
import io.bulwark.storage.store.Durability;
import io.bulwark.storage.store.StoreConfig;
import io.bulwark.storage.store.WriteBack;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Five real nodes over loopback with a volume under PASIS with lazy verification. */
@NullMarked
@Execution(ExecutionMode.CONCURRENT)
class LazyVerificationTest {
    /** Few versions, so that a wait does not reach the bounds of a block. */
    private static final Duration BETWEEN_WRITES = Duration.ofMillis(100);

    private static final int NODES = 5;
    private static final ProtectionPolicy POLICY = ProtectionPolicy.pasis(1, 2, 5, 16_384, Verification.LAZY);
    private static final Volume VOLUME = new Volume(
            1, "disk", VolumeKind.REGISTER, POLICY, 20, List.of(new PlacementGroup(1, List.of(0, 1, 2, 3, 4))));
    private static final Volume DOOMED = new Volume(2, "doomed", VOLUME.kind(), POLICY, 20, VOLUME.groups());
    private static final MessageCodecs CODECS = new MessageCodecs(new PasisCodec());
    private static final Timeouts TIMES = new Timeouts(200, 500, 0, 30_000);
    private static final long POOL_BYTES = 8 << 20;
    /** Longer than any test takes: a node that does not lead a block waits for others' word. */
    private static final long PATIENCE_MILLIS = 120_000;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private Durability durability = Durability.NONE;
    private long youngMillis = 400;
    private long heldMillis = 2_000;
    /** True while the volume to be deleted exists. */
    private volatile boolean doomed = true;

    private volatile int writers = 2;

    private final RunningNodes nodes = new RunningNodes(NODES, CODECS);
    private final Map<Integer, LazyVerification> verifications = new HashMap<>();
    private final Map<Integer, MeterRegistry> registries = new HashMap<>();

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
    void whatIsWrittenIsVerifiedWhileNobodyWantsAnything() throws Exception {
        for (long block = 0; block < 6; block++) {
            write(block, 1);
        }
        await().untilAsserted(() -> assertThat(sum(VersionsReport::cooperative))
                .as("all but the b + 1 that lead a block take their word for it")
                .isEqualTo(6 * (NODES - 2)));
        awaitAllVerified();
        assertThat(sum(VersionsReport::verifications))
                .as("b + 1 nodes read each block; once more where the first came too early")
                .isBetween(6 * 2L, 6 * 2L + 2);
        assertThat(read(3)).isEqualTo(content(3, 1));
        assertThat(meter(0, "bulwark.background.idle.millis")).isPositive();
        assertThat(meter(0, "bulwark.pasis.pool.bytes")).isZero();
    }

    @Test
    void versionsThatAreOverwrittenAreNeverVerifiedAndDieInTheCache() throws Exception {
        for (int version = 1; version <= 6; version++) {
            write(7, version);
        }
        awaitAllVerified();
        assertThat(sum(VersionsReport::avoided)).isPositive();
        assertThat(nodes.all().stream()
                        .mapToLong(node -> node.store().usage().diedHeld())
                        .sum())
                .isPositive();
        assertThat(read(7)).isEqualTo(content(7, 6));
    }

    @Test
    void aRestartedNodeVerifiesWhatItFindsUnverified() throws Exception {
        nodes.node(4).close();
        durability = Durability.SYNC;
        youngMillis = 120_000;
        start(4);
        // Nodes 4 and 0 lead block 4, so that no other node can verify it for node 4.
        await().pollInterval(BETWEEN_WRITES).until(() -> {
            write(4, 1);
            return Objects.requireNonNull(verifications.get(4)).report().stream()
                    .anyMatch(report -> report.unverified() > 0);
        });
        nodes.node(4).close();
        youngMillis = 400;
        start(4);
        awaitAllVerified();
        nodes.node(2).close();
        assertThat(read(4))
                .as("node 2 is down, node 4 has what it acknowledged")
                .isEqualTo(content(4, 1));
    }

    /** 3.4: what dies in the cache never reaches the disk, also while the node looks for volumes that were deleted and cleans one. */
    @Test
    void whatDiesInTheCacheNeverReachesTheDiskWhileADeletedVolumeIsCleaned() throws Exception {
        write(DOOMED, 7, 1);
        awaitAllVerified();
        nodes.node(4).close();
        doomed = false;
        heldMillis = 600_000;
        start(4);
        assertThat(written(DOOMED)).isPositive();
        // Nothing is unverified there, so that it is the round after the start that finds the volume.
        int[] version = {0};
        await().pollInterval(BETWEEN_WRITES).until(() -> {
            write(VOLUME, 7, ++version[0]);
            return written(DOOMED) == 0;
        });
        assertThat(nodes.node(4).store().usage().diedHeld()).isPositive();
        assertThat(nodes.node(4).store().holdsUnwritten(BlockId.register(VOLUME.id(), 7)))
                .isTrue();
        // Where the machine is too slow to verify in time some are written for want of room, but never all.
        assertThat(written(VOLUME)).isLessThan(version[0] / 2);
    }

    /** Returns the number of a volume's versions on the disk of node 4. */
    private int written(Volume volume) throws Exception {
        return nodes.node(4)
                .store()
                .scanWritten(
                        RecordKind.PASIS_VERSION,
                        BlockId.register(volume.id(), 0),
                        BlockId.register(volume.id(), Long.MAX_VALUE),
                        1_000,
                        _ -> true)
                .get()
                .records()
                .size();
    }

    @Test
    void whereThePoolIsTooSmallForAllThatMayWriteANodeTellsWhatItShouldBe() throws Exception {
        write(4, 1);
        assertThat(poolNeededBytes(4)).isZero();
        writers = 10_000;
        write(4, 2);
        int version = POLICY.blockBytes() / POLICY.m() + PasisLimits.VERSION_BYTES;
        long needed = RunningNodes.SHARDS * 4L * writers * version;
        // The write is complete without the slowest node.
        await().untilAsserted(() -> assertThat(poolNeededBytes(4)).isEqualTo(Math.ceilDiv(needed, 1L << 20) << 20));
        assertThat(meter(4, "bulwark.pasis.pool.short")).isOne();
    }

    private long poolNeededBytes(int node) throws Exception {
        NodeStatusReply status = (NodeStatusReply)
                nodes.node(node).ask(new NodeStatusRequest(), 10_000).get();
        return status.pool().neededBytes();
    }

    private void awaitAllVerified() {
        await().untilAsserted(() -> {
            assertThat(verifications.values())
                    .allSatisfy(each -> assertThat(each.report())
                            .isNotEmpty()
                            .allSatisfy(
                                    report -> assertThat(report.unverified()).isZero()));
        });
    }

    private long sum(ToLongFunction<VersionsReport> value) {
        return verifications.values().stream()
                .flatMap(each -> each.report().stream())
                .mapToLong(value)
                .sum();
    }

    private double meter(int node, String name) {
        return Objects.requireNonNull(registries.get(node))
                .get(name)
                .meter()
                .measure()
                .iterator()
                .next()
                .getValue();
    }

    private static byte[] content(long block, int version) {
        byte[] content = new byte[POLICY.blockBytes()];
        content[0] = (byte) block;
        content[content.length - 1] = (byte) version;
        return content;
    }

    private void write(long block, int version) throws Exception {
        write(VOLUME, block, version);
    }

    private void write(Volume volume, long block, int version) throws Exception {
        PasisGroup group = PasisGroup.of(volume, BlockId.register(volume.id(), block));
        assertThat(nodes.client()
                        .submit(new PasisWrite(group, RunningNodes.WRITER, 1, Bytes.of(content(block, version)), TIMES))
                        .get())
                .isInstanceOf(PasisWriteOutcome.Written.class);
    }

    private byte[] read(long block) throws Exception {
        PasisGroup group = PasisGroup.of(VOLUME, BlockId.register(1, block));
        return nodes.client()
                                .submit(PasisRead.withWriteBack(
                                        group, RunningNodes.WRITER, 1, TIMES, ReadPlan.full(group)))
                                .get()
                        instanceof PasisReadOutcome.Value value
                ? value.block().toByteArray()
                : new byte[0];
    }

    private void start(int node) throws IOException {
        MeterRegistry meters = new SimpleMeterRegistry();
        Background background = new Background(
                new BackgroundPace(20, 20, 1 << 20, 64 << 20, 16 << 20, 4, 64 << 10),
                new VerificationPace(youngMillis, PATIENCE_MILLIS, 200, 4),
                meters);
        HistoryPool pool = HistoryPool.fixed(POOL_BYTES, () -> writers);
        LazyVerification verification = new LazyVerification(background, pool, meters);
        StoreConfig store = RunningNodes.store(directory, node)
                .withDurability(durability)
                .withWriteBack(WriteBack.versions(heldMillis));
        NodeStatusAnswers status = new NodeStatusAnswers(
                List::of,
                background::report,
                background::rebuilding,
                () -> new PoolReport(pool.bytes(), verification.neededBytes()),
                verification::report,
                () -> false);
        nodes.start(
                RunningNodes.config(node, store),
                List.of(
                        HostedProtocol.versioned(
                                PrincipalId.node(node),
                                pool.limits(RunningNodes.SHARDS),
                                pool.clients(),
                                verification::watch,
                                () -> RevocationWatch.NONE),
                        status.protocol()),
                volume -> volume == VOLUME.id() ? Optional.of(VOLUME) : doomed ? Optional.of(DOOMED) : Optional.empty(),
                List.of(status, background, verification),
                meters);
        verifications.put(node, verification);
        registries.put(node, meters);
    }
}
