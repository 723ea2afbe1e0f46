package io.bulwark.client.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.bulwark.client.Bucket;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.GetOptions;
import io.bulwark.client.ListOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.ObjectOutputStream;
import io.bulwark.client.ObjectPage;
import io.bulwark.client.Precondition;
import io.bulwark.client.PutOptions;
import io.bulwark.client.VersionInfo;
import io.bulwark.client.Volume;
import io.bulwark.client.VolumeSpec;
import io.bulwark.client.error.AlreadyExistsException;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.DeadlineExceededException;
import io.bulwark.client.error.InvalidNameException;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.NoSuchBucketException;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.NoSuchVolumeException;
import io.bulwark.client.error.NotEmptyException;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.control.NodeControlMessage.RebuildReport;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole SDK against nodes and replicas that run the real protocols over the real transport. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClientTest {
    private static final int BLOCK = 4096;

    private final long seed = Long.getLong("bulwark.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private MemoryCluster cluster;
    private Bulwark client;

    @TempDir
    private Path directory;

    @BeforeAll
    void connect(@TempDir Path keys) throws IOException {
        cluster = new MemoryCluster(keys);
        client = Bulwark.connect(cluster.config());
        client.createVolume(VolumeSpec.objects("default", new ProtectionPolicy(1, 2, 4, BLOCK)));
    }

    @AfterAll
    void close() {
        client.close();
        cluster.close();
    }

    private byte[] content(int length) {
        byte[] content = new byte[length];
        random.nextBytes(content);
        return content;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, BLOCK, BLOCK + 1, 300 * BLOCK + 5})
    void whatIsPutComesBack(int length) throws IOException {
        Bucket bucket = client.createBucket("sizes-" + length);
        byte[] content = content(length);
        Path file = Files.write(directory.resolve("in"), content);
        ObjectInfo put = bucket.put("array", content);
        assertThat(put.length()).isEqualTo(length);
        bucket.put("stream", new ByteArrayInputStream(content));
        bucket.put("file", file);
        try (var channel = Files.newByteChannel(file)) {
            bucket.put("channel", channel, PutOptions.DEFAULT);
        }
        for (String key : List.of("array", "stream", "file", "channel")) {
            assertThat(bucket.getBytes(key)).as(key).isEqualTo(content);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            assertThat(bucket.readTo(key, out).length()).isEqualTo(length);
            assertThat(out.toByteArray()).isEqualTo(content);
            Path copy = directory.resolve("copy");
            bucket.readTo(key, copy);
            assertThat(copy).hasBinaryContent(content);
            try (InputStream in = bucket.get(key)) {
                assertThat(in.readAllBytes()).isEqualTo(content);
            }
        }
        assertThat(bucket.info().objects()).isEqualTo(4);
        assertThat(bucket.info().bytes()).isEqualTo(4L * length);
    }

    @Test
    void aStreamBecomesAnObjectWhenItIsClosed() {
        Bucket bucket = client.createBucket("streams");
        byte[] content = content(3 * BLOCK + 17);
        ObjectOutputStream stream = bucket.newOutputStream("key");
        try (stream) {
            stream.write(content[0]);
            stream.write(content, 1, content.length - 1);
            assertThatThrownBy(() -> bucket.head("key")).isInstanceOf(NoSuchKeyException.class);
        }
        assertThat(stream.result().length()).isEqualTo(content.length);
        assertThat(bucket.getBytes("key")).isEqualTo(content);
        try (ObjectOutputStream out = bucket.newOutputStream("aborted")) {
            out.write(content, 0, content.length);
            out.abort();
        }
        assertThatThrownBy(() -> bucket.head("aborted")).isInstanceOf(NoSuchKeyException.class);
    }

    @Test
    void rangesAndVersions() {
        Bucket bucket = client.createBucket(BucketSpec.of("versions").keepingVersions());
        byte[] old = content(10 * BLOCK);
        ObjectInfo first = bucket.put("key", old);
        bucket.put("key", content(5));
        GetOptions options = GetOptions.DEFAULT.withVersion(first.version());
        assertThat(bucket.getBytes("key", options)).isEqualTo(old);
        assertThat(bucket.getBytes("key", options.withRange(BLOCK - 3, BLOCK + 6)))
                .isEqualTo(Arrays.copyOfRange(old, BLOCK - 3, 2 * BLOCK + 3));
        assertThat(bucket.getBytes("key", options.withRange(old.length, 10))).isEmpty();
        bucket.delete("key");
        assertThatThrownBy(() -> bucket.getBytes("key")).isInstanceOf(NoSuchKeyException.class);
        try (Stream<VersionInfo> versions = bucket.versions("")) {
            assertThat(versions.map(VersionInfo::deleteMarker)).containsExactly(true, false, false);
        }
        assertThat(bucket.head("key", first.version()).length()).isEqualTo(old.length);
        bucket.delete("key", first.version());
        assertThatThrownBy(() -> bucket.head("key", first.version())).isInstanceOf(NoSuchKeyException.class);
    }

    @Test
    void listsByPrefixAndDelimiterPageByPage() {
        Bucket bucket = client.createBucket("lists");
        for (int i = 0; i < 7; i++) {
            bucket.put("a/" + i, new byte[0]);
            bucket.put("b" + i, new byte[i]);
        }
        ListOptions options = ListOptions.DEFAULT.withDelimiter("/").withLimit(3);
        List<String> names = new ArrayList<>();
        ObjectPage page;
        do {
            page = bucket.list(options);
            names.addAll(page.commonPrefixes());
            page.objects().forEach(object -> names.add(object.key()));
            options = options.withContinuation(page.continuation());
        } while (!page.last());
        assertThat(names).containsExactly("a/", "b0", "b1", "b2", "b3", "b4", "b5", "b6");
        try (Stream<ObjectInfo> all = bucket.stream("b")) {
            assertThat(all.map(ObjectInfo::length)).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L);
        }
        assertThat(bucket.all("a/")).hasSize(7);
    }

    @Test
    void attributesPreconditionsCopiesAndRenames() {
        Bucket bucket = client.createBucket("names");
        PutOptions options = PutOptions.DEFAULT
                .withContentType("text/plain")
                .withTags(Map.of("colour", "red"))
                .withPrecondition(Precondition.IF_ABSENT);
        ObjectInfo put = bucket.put("key", "one".getBytes(StandardCharsets.UTF_8), options);
        assertThatThrownBy(() -> bucket.put("key", new byte[1], options))
                .isInstanceOf(PreconditionFailedException.class)
                .hasMessageContaining("[bucket names, key key]");
        bucket.put("key", new byte[2], PutOptions.DEFAULT.withPrecondition(Precondition.ifVersion(put.version())));
        ObjectInfo copy = bucket.copy("key", "copy");
        assertThat(copy.length()).isEqualTo(2);
        bucket.rename("copy", "moved");
        assertThatThrownBy(() -> bucket.head("copy")).isInstanceOf(NoSuchKeyException.class);
        assertThat(bucket.getBytes("moved")).hasSize(2);

        client.createVolume(VolumeSpec.objects("other-volume", new ProtectionPolicy(1, 3, 5, BLOCK)));
        Bucket other = client.createBucket(BucketSpec.of("other-names").inVolume("other-volume"));
        bucket.rename("moved", other, "key", Precondition.NONE);
        assertThat(other.getBytes("key")).hasSize(2);
        assertThatThrownBy(() -> bucket.head("moved")).isInstanceOf(NoSuchKeyException.class);
    }

    @Test
    void refusalsSayWhatIsWrong() {
        assertThatThrownBy(() -> client.bucket("no-such-bucket"))
                .isInstanceOf(NoSuchBucketException.class)
                .hasMessageContaining("bucket no-such-bucket");
        assertThatThrownBy(() -> client.createBucket("Bad_Name")).isInstanceOf(InvalidNameException.class);
        Bucket bucket = client.createBucket("refusals");
        assertThatThrownBy(() -> client.createBucket("refusals")).isInstanceOf(AlreadyExistsException.class);
        assertThatThrownBy(() -> bucket.put("a\nb", new byte[0]))
                .isInstanceOf(InvalidNameException.class)
                .hasMessageContaining("a\\u000ab")
                .hasMessageNotContaining("\n");
        assertThatThrownBy(() -> bucket.put("k".repeat(10_000), new byte[0]))
                .isInstanceOf(InvalidNameException.class)
                .hasMessageContaining("(10000 characters)");
        assertThatThrownBy(() -> bucket.getBytes("absent"))
                .isInstanceOf(NoSuchKeyException.class)
                .hasMessageContaining("key absent");
        bucket.put("key", new byte[0]);
        assertThatThrownBy(() -> client.deleteBucket("refusals")).isInstanceOf(NotEmptyException.class);
        bucket.delete("key");
        client.deleteBucket("refusals");
        assertThatThrownBy(() -> client.bucket("refusals")).isInstanceOf(NoSuchBucketException.class);
    }

    @Test
    void manyAtOnce() {
        Bucket bucket = client.createBucket("many");
        List<CompletableFuture<ObjectInfo>> puts = new ArrayList<>();
        List<byte[]> contents = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            contents.add(content(random.nextInt(4 * BLOCK)));
            puts.add(bucket.putAsync("key" + i, contents.get(i), PutOptions.DEFAULT));
        }
        CompletableFuture.allOf(puts.toArray(CompletableFuture<?>[]::new)).join();
        for (int i = 0; i < contents.size(); i++) {
            assertThat(bucket.getBytesAsync("key" + i, GetOptions.DEFAULT).join())
                    .as("seed %d key %d", seed, i)
                    .isEqualTo(contents.get(i));
        }
    }

    @Test
    void cancellingInterruptsAPut() throws IOException {
        Bucket bucket = client.createBucket("cancelled");
        try (var never = new java.io.PipedInputStream();
                var writing = new java.io.PipedOutputStream(never)) {
            writing.write(1);
            CompletableFuture<ObjectInfo> put = bucket.putAsync("key", never, PutOptions.DEFAULT);
            put.cancel(true);
            assertThatThrownBy(put::join).isInstanceOf(CancellationException.class);
        }
        assertThatThrownBy(() -> bucket.head("key")).isInstanceOf(NoSuchKeyException.class);
    }

    @Test
    void manyWritesToOneBlockAtOnceTakeEffectInTheOrderOfTheCalls() {
        client.createVolume(VolumeSpec.registers("turns", new ProtectionPolicy(1, 2, 4, BLOCK), 100));
        Volume disk = client.volume("turns");
        byte[] content = content(BLOCK);
        List<CompletableFuture<Void>> writes = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            content[0] = (byte) i;
            writes.add(disk.writeBlockAsync(7, content));
        }
        writes.forEach(CompletableFuture::join);
        assertThat(disk.readBlock(7)).isEqualTo(content);
    }

    @Test
    void blocksAreRegisters() {
        client.createVolume(VolumeSpec.registers("disk", new ProtectionPolicy(1, 2, 4, BLOCK), 100));
        Volume disk = client.volume("disk");
        assertThat(disk.readBlock(7)).isEqualTo(new byte[BLOCK]);
        byte[] one = content(BLOCK);
        disk.writeBlock(7, one);
        assertThat(disk.readBlock(7)).isEqualTo(one);
        byte[] two = content(BLOCK);
        disk.writeBlockAsync(7, two).join();
        assertThat(client.volume("disk").readBlockAsync(7).join()).isEqualTo(two);
        assertThat(disk.readBlock(8)).isEqualTo(new byte[BLOCK]);
        assertThatThrownBy(() -> disk.readBlock(100))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("[volume disk]");
        assertThatThrownBy(() -> disk.writeBlock(0, new byte[1])).isInstanceOf(InvalidRequestException.class);
        assertThatThrownBy(() -> client.volume("default")).isInstanceOf(NoSuchVolumeException.class);
    }

    @Test
    void statusTellsOfEveryMember() {
        ClusterStatus status = client.status();
        assertThat(status.nodes()).hasSize(MemoryCluster.NODES).allMatch(ClusterStatus.NodeStatus::reachable);
        assertThat(status.replicas()).hasSize(4).allMatch(replica -> replica.reachable() && replica.agrees());
        assertThat(status.volumes())
                .anyMatch(volume -> volume.volume().name().equals("default") && volume.moreFaults() == 1);
    }

    @Test
    void aNodeThatHasNotHeardOfAVolumeHoldsNothingOfItForCertain(@TempDir Path keys) throws IOException {
        try (MemoryCluster young = new MemoryCluster(keys);
                Bulwark other = Bulwark.connect(young.config())) {
            other.createVolume(VolumeSpec.objects("default", new ProtectionPolicy(1, 2, 4, BLOCK)));
            assertThat(other.status().volumes().getFirst().moreFaults()).isEqualTo(1);
            young.forgetVolumes(1);
            young.forgetVolumes(2);
            ClusterStatus.VolumeStatus volume = other.status().volumes().getFirst();
            assertThat(volume.moreFaults()).isEqualTo(-1);
            assertThat(volume.moreFaultsAtMost())
                    .as("it may be that they have all")
                    .isEqualTo(1);
        }
    }

    @Test
    void aNodeThatWasSetBackCountsAsAFaultOfRegistersForCertain(@TempDir Path keys) throws IOException {
        try (MemoryCluster young = new MemoryCluster(keys);
                Bulwark other = Bulwark.connect(young.config())) {
            other.createVolume(VolumeSpec.objects("objects", new ProtectionPolicy(1, 2, 4, BLOCK)));
            other.createVolume(VolumeSpec.registers("registers", new ProtectionPolicy(1, 2, 4, BLOCK), 100));
            young.setBack(1);
            young.setBack(2);
            ClusterStatus status = other.status();
            assertThat(status.nodes().get(1).state())
                    .startsWith("set back in time: serves no registers until")
                    .endsWith("; unverified: compares its data with its peers, volumes objects, registers");
            assertThat(status.volumes())
                    .extracting(volume -> volume.volume().name(), ClusterStatus.VolumeStatus::moreFaultsAtMost)
                    .containsExactlyInAnyOrder(tuple("objects", 1), tuple("registers", -1));
        }
    }

    /** Or `status` would call an appliance good that refuses every put. */
    @Test
    void aNodeThatTakesNoWritesSaysWhyAndCountsAsAFault(@TempDir Path keys) throws IOException {
        try (MemoryCluster full = new MemoryCluster(keys);
                Bulwark other = Bulwark.connect(full.config())) {
            other.createVolume(VolumeSpec.objects("default", new ProtectionPolicy(1, 2, 4, BLOCK)));
            full.refuseWrites(1, 0);
            full.refuseWrites(2, 1 << 20);
            ClusterStatus status = other.status();
            assertThat(status.nodes().get(1).state())
                    .isEqualTo("read-only: no space, delete objects or give it a larger disk");
            assertThat(status.nodes().get(2).state())
                    .isEqualTo("read-only: its store has failed; see its log, then restart the node");
            assertThat(status.nodes().get(2).freeBytes()).isZero();
            assertThat(status.volumes().getFirst().moreFaults()).isEqualTo(-1);
            assertThat(status.volumes().getFirst().moreFaultsAtMost())
                    .as("for certain")
                    .isEqualTo(-1);
        }
    }

    @Test
    void aNodeTellsWhatItsHistoryPoolShouldBeUnlessItsBuildIsOlder(@TempDir Path keys) throws IOException {
        try (MemoryCluster small = new MemoryCluster(keys);
                Bulwark other = Bulwark.connect(small.config())) {
            small.poolNeeded(1, 96 << 20);
            List<ClusterStatus.NodeStatus> nodes = other.status().nodes();
            assertThat(nodes.get(1).state()).isEqualTo("history pool too small: set history-pool to 96MB or more");
            assertThat(nodes)
                    .extracting(ClusterStatus.NodeStatus::historyPoolNeededBytes)
                    .startsWith(0L, 96L << 20, 0L);
            nodes.stream()
                    .filter(node -> node.node() != 1)
                    .forEach(node -> assertThat(node.state()).isEqualTo("ok"));
        }
    }

    @Test
    void aNodeThatRebuildsReportsItsRate(@TempDir Path keys) throws IOException {
        try (MemoryCluster small = new MemoryCluster(keys);
                Bulwark other = Bulwark.connect(small.config())) {
            for (int node = 1; node < MemoryCluster.NODES; node++) {
                small.rebuilds(node, 1_000, new RebuildReport(7, 0, 50));
            }
            small.rebuilds(0, 100, new RebuildReport(100, 30, 50));
            List<ClusterStatus.NodeStatus> nodes = other.status().nodes();
            assertThat(nodes.get(0).rebuild()).hasValue(new ClusterStatus.Rebuild(100, 30, 50, 900));
            assertThat(nodes.get(0).rebuild().orElseThrow().remaining()).hasValue(Duration.ofSeconds(30));
            assertThat(nodes.stream().skip(1)).allMatch(node -> node.rebuild().isEmpty());
        }
    }

    @Test
    void whatIsReadTellsItsBlocks() {
        Bucket bucket = client.createBucket("blocks");
        bucket.put("key", content(3 * BLOCK + 1));
        ObjectInfo read = bucket.readTo("key", OutputStream.nullOutputStream());
        assertThat(read.blocks().stream().mapToLong(BlockRange::count).sum()).isEqualTo(4);
        assertThat(bucket.head("key").blocks()).isEqualTo(read.blocks());
    }

    @Test
    void aLiarIsMaskedAndNamedAndADeadNodeMissedByNobody(@TempDir Path keys) throws IOException {
        try (MemoryCluster faulty = new MemoryCluster(keys);
                Bulwark other = Bulwark.connect(faulty.config())) {
            other.createVolume(VolumeSpec.objects("default", new ProtectionPolicy(1, 2, 4, BLOCK)));
            Bucket bucket = other.createBucket("faulty");
            byte[] content = content(50 * BLOCK);
            bucket.put("key", content);
            int changed = faulty.corruptNode(2, fragment -> Bytes.of(new byte[fragment.length()]));
            assertThat(changed).isPositive();
            assertThat(bucket.getBytes("key")).isEqualTo(content);
            assertThat(other.evidence().counts().getOrDefault(PrincipalId.node(2), Map.of()))
                    .containsKey(Verdict.CORRUPT);
        }
    }

    /** f = 1, and two of the four nodes of most groups are gone. */
    @Test
    void aSalvageReadReturnsWhatTooFewNodesHold(@TempDir Path keys) throws IOException {
        try (MemoryCluster faulty = new MemoryCluster(keys);
                Bulwark other = Bulwark.connect(faulty.config())) {
            other.createVolume(VolumeSpec.objects("default", new ProtectionPolicy(1, 2, 4, BLOCK)));
            Bucket bucket = other.createBucket("faulty");
            byte[] content = content(300 * BLOCK + 7);
            bucket.put("key", content);
            faulty.stopNode(1);
            faulty.stopNode(2);
            GetOptions salvage = GetOptions.DEFAULT.withSalvage(true).withDeadline(Duration.ofMinutes(1));
            assertThat(bucket.getBytes("key", salvage)).isEqualTo(content);
            assertThatThrownBy(() -> bucket.getBytes("key", GetOptions.DEFAULT.withDeadline(Duration.ofMillis(100))))
                    .as("the same read without it still waits for more nodes")
                    .isInstanceOf(DeadlineExceededException.class);
            faulty.corruptNode(3, fragment -> Bytes.of(new byte[fragment.length()]));
            assertThatThrownBy(() -> bucket.getBytes("key", salvage.withDeadline(Duration.ofMillis(500))))
                    .as("one good fragment is too few")
                    .isInstanceOf(BulwarkException.class);
        }
    }

    @Test
    void oneNodeAndOneReplicaMayDie(@TempDir Path keys) throws IOException {
        try (MemoryCluster faulty = new MemoryCluster(keys);
                Bulwark other = Bulwark.connect(faulty.config())) {
            other.createVolume(VolumeSpec.objects("default", new ProtectionPolicy(1, 2, 4, BLOCK)));
            Bucket bucket = other.createBucket("faulty");
            byte[] content = content(20 * BLOCK);
            bucket.put("before", content);
            faulty.stopNode(1);
            faulty.stopReplica(0);
            assertThat(bucket.getBytes("before")).isEqualTo(content);
            bucket.put("after", content);
            assertThat(bucket.getBytes("after")).isEqualTo(content);
            ClusterStatus status = other.status();
            assertThat(status.nodes().get(1).reachable()).isFalse();
            assertThat(status.replicas().get(0).reachable()).isFalse();
            assertThat(status.volumes().getFirst().moreFaults()).isZero();
        }
    }
}
