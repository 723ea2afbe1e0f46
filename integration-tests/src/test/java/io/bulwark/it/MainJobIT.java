package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.appliance.transfer.Transfer;
import io.bulwark.appliance.transfer.TransferListener;
import io.bulwark.appliance.transfer.TransferPlan;
import io.bulwark.appliance.transfer.TransferSettings;
import io.bulwark.appliance.transfer.TreeUpload;
import io.bulwark.client.Bucket;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.GetOptions;
import io.bulwark.client.ListOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.ObjectPage;
import io.bulwark.client.Precondition;
import io.bulwark.client.PutOptions;
import io.bulwark.client.VersionInfo;
import io.bulwark.client.Volume;
import io.bulwark.client.VolumeSpec;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.InvalidNameException;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.NoSuchBucketException;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.NoSuchVolumeException;
import io.bulwark.client.error.NotEmptyException;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Files and objects go in, are named, and come back identical, through the SDK and over real TCP. */
@NullMarked
class MainJobIT {
    private static final int BLOCK = 1 << 20;

    /** Empty, one byte, around the sizes of fragments and blocks, primes, several blocks. */
    private static final int[] SIZES = {
        0,
        1,
        2,
        3,
        511,
        512,
        513,
        4096,
        65_537,
        BLOCK / 2,
        BLOCK - 1,
        BLOCK,
        BLOCK + 1,
        1_299_709,
        3 * BLOCK,
        3 * BLOCK + 7,
        5_000_011
    };

    private static final int SMALL_FILES = 200;

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.shared();

    private final Random random = new Random(LiveCluster.SEED);

    @Test
    void aTreeComesBackTheSameAlsoAfterDownAndUp(@TempDir Path tree) throws Exception {
        makeTree(tree);
        Bucket bucket = CLUSTER.client().createBucket("tree");
        Transfer upload = new TreeUpload(tree, bucket, "copy", TransferSettings.ofParallel(8));
        TransferPlan plan = upload.plan();
        assertThat(plan.changed()).hasSize(SMALL_FILES + SIZES.length);
        assertThat(upload.run(plan, false, TransferListener.NONE).failures()).isEmpty();
        compare(bucket, tree);

        TransferPlan again = upload.plan();
        assertThat(again.changed()).isEmpty();
        assertThat(again.unchanged()).isEqualTo(plan.changed().size());

        CLUSTER.down();
        CLUSTER.up();
        Bucket after = CLUSTER.client().bucket("tree");
        compare(after, tree);
        Files.delete(tree.resolve("odd/size-1"));
        Files.writeString(tree.resolve("small/0"), "changed after the restart");
        Transfer later = new TreeUpload(tree, after, "copy", TransferSettings.ofParallel(8));
        TransferPlan change = later.plan();
        assertThat(change.changed()).extracting(TransferPlan.Change::path).containsExactly("small/0");
        assertThat(later.run(change, true, TransferListener.NONE).deleted()).isEqualTo(1);
        compare(after, tree);
    }

    @Test
    void rangesOfEverySizeAreTheirBytes() {
        Bucket bucket = CLUSTER.client().createBucket("ranges");
        for (int size : SIZES) {
            byte[] content = bytes(size);
            String key = "size-" + size;
            ObjectInfo put = bucket.put(key, content);
            assertThat(put.length()).isEqualTo(size);
            assertThat(bucket.getBytes(key)).as(key).isEqualTo(content);
            for (int i = 0; i < 3; i++) {
                int first = random.nextInt(size + 2);
                int length = random.nextInt(size + 2);
                byte[] wanted = Arrays.copyOfRange(content, Math.min(size, first), Math.min(size, first + length));
                byte[] got = bucket.getBytes(key, GetOptions.DEFAULT.withRange(first, length));
                assertThat(got).as("%s from %d, %d bytes", key, first, length).isEqualTo(wanted);
            }
        }
    }

    @Test
    void namesAreListedCopiedRenamedAndDeleted() {
        Bucket bucket = CLUSTER.client().createBucket("names");
        byte[] content = bytes(3000);
        for (String key : List.of("a/1", "a/2", "a/b/3", "c", "ünïcode/\u00e9", "z z")) {
            bucket.put(key, content);
        }
        ObjectPage top = bucket.list(ListOptions.DEFAULT.withDelimiter("/"));
        assertThat(top.commonPrefixes()).containsExactly("a/", "ünïcode/");
        assertThat(top.objects()).extracting(ObjectInfo::key).containsExactly("c", "z z");
        ObjectPage below = bucket.list(ListOptions.DEFAULT.withPrefix("a/").withDelimiter("/"));
        assertThat(below.commonPrefixes()).containsExactly("a/b/");
        assertThat(below.objects()).extracting(ObjectInfo::key).containsExactly("a/1", "a/2");
        List<String> paged = new ArrayList<>();
        ListOptions options = ListOptions.DEFAULT.withLimit(2);
        while (true) {
            ObjectPage page = bucket.list(options);
            page.objects().forEach(object -> paged.add(object.key()));
            if (page.last()) {
                break;
            }
            options = options.withContinuation(page.continuation());
        }
        assertThat(paged).containsExactly("a/1", "a/2", "a/b/3", "c", "z z", "ünïcode/\u00e9");

        bucket.copy("a/1", "copy");
        bucket.rename("a/2", "moved");
        bucket.delete("a/1");
        assertThat(bucket.getBytes("copy")).isEqualTo(content);
        assertThat(bucket.getBytes("moved")).isEqualTo(content);
        assertThatThrownBy(() -> bucket.getBytes("a/1")).isInstanceOf(NoSuchKeyException.class);
        assertThatThrownBy(() -> bucket.head("a/2")).isInstanceOf(NoSuchKeyException.class);
        assertThatThrownBy(() -> CLUSTER.client().deleteBucket("names")).isInstanceOf(NotEmptyException.class);
    }

    @Test
    void versionsAreKeptAndConditionsHold() {
        Bucket bucket = CLUSTER.client().createBucket(BucketSpec.of("versions").keepingVersions());
        byte[] first = bytes(10);
        byte[] second = bytes(BLOCK + 1);
        ObjectInfo one = bucket.put("key", first, PutOptions.DEFAULT.withPrecondition(Precondition.IF_ABSENT));
        assertThatThrownBy(() -> bucket.put("key", second, PutOptions.DEFAULT.withPrecondition(Precondition.IF_ABSENT)))
                .isInstanceOf(PreconditionFailedException.class);
        Precondition unchanged = Precondition.ifVersion(one.version());
        ObjectInfo two = bucket.put("key", second, PutOptions.DEFAULT.withPrecondition(unchanged));
        assertThatThrownBy(() -> bucket.put("key", first, PutOptions.DEFAULT.withPrecondition(unchanged)))
                .isInstanceOf(PreconditionFailedException.class);
        bucket.delete("key");
        assertThatThrownBy(() -> bucket.getBytes("key")).isInstanceOf(NoSuchKeyException.class);
        assertThat(bucket.getBytes("key", GetOptions.DEFAULT.withVersion(one.version())))
                .isEqualTo(first);
        assertThat(bucket.getBytes("key", GetOptions.DEFAULT.withVersion(two.version())))
                .isEqualTo(second);
        try (Stream<VersionInfo> versions = bucket.versions("")) {
            List<VersionInfo> all = versions.toList();
            assertThat(all).hasSize(3);
            assertThat(all.getFirst().deleteMarker()).isTrue();
            bucket.delete("key", all.getFirst().version());
        }
        assertThat(bucket.getBytes("key")).isEqualTo(second);
    }

    @Test
    void registersReadWhatWasWritten() {
        ProtectionPolicy policy = new ProtectionPolicy(1, 2, 4, 8192);
        CLUSTER.client().createVolume(VolumeSpec.registers("disk", policy, 8));
        Volume disk = CLUSTER.client().volume("disk");
        assertThat(disk.readBlock(3)).isEqualTo(new byte[8192]);
        Map<Long, byte[]> written = new TreeMap<>();
        for (int i = 0; i < 24; i++) {
            long block = random.nextInt(8);
            byte[] content = bytes(8192);
            disk.writeBlock(block, content);
            written.put(block, content);
            assertThat(disk.readBlock(block)).isEqualTo(content);
        }
        try (Bulwark other = CLUSTER.freshClient()) {
            written.forEach((block, content) ->
                    assertThat(other.volume("disk").readBlock(block)).isEqualTo(content));
        }
        assertThatThrownBy(() -> disk.readBlock(8)).isInstanceOf(InvalidRequestException.class);
        assertThatThrownBy(() -> disk.writeBlock(0, new byte[1])).isInstanceOf(InvalidRequestException.class);
    }

    @Test
    void badInputGetsAClearErrorAndLosesNothing() {
        Bulwark client = CLUSTER.client();
        Bucket bucket = client.createBucket("bad-input");
        byte[] kept = bytes(2 * BLOCK);
        bucket.put("kept", kept);

        assertThatThrownBy(() -> client.bucket("nowhere"))
                .isInstanceOf(NoSuchBucketException.class)
                .hasMessageContaining("nowhere");
        for (String name : List.of("", "ab", "Upper", "under_score", "-dash", "dot..dot", "a".repeat(10_000), "a\nb")) {
            assertThatThrownBy(() -> client.createBucket(name))
                    .as("bucket name of %d characters", name.length())
                    .isInstanceOf(InvalidNameException.class);
        }
        for (String key :
                List.of("", "line\nfeed", "bell\u0007", "nul\u0000", "\u0085", "k".repeat(10_000), "\ud800")) {
            assertThatThrownBy(() -> bucket.put(key, kept))
                    .as("key of %d characters", key.length())
                    .isInstanceOf(InvalidNameException.class);
        }
        assertThatThrownBy(() -> bucket.getBytes("absent"))
                .isInstanceOf(NoSuchKeyException.class)
                .hasMessageContaining("absent");
        assertThatThrownBy(() -> client.volume("default")).isInstanceOf(NoSuchVolumeException.class);
        assertThatThrownBy(
                        () -> client.createVolume(VolumeSpec.objects("too-wide", new ProtectionPolicy(2, 3, 7, 4096))))
                .as("7 fragments on 5 nodes")
                .isInstanceOf(BulwarkException.class)
                .hasMessageContaining("7");
        assertThat(bucket.getBytes("kept")).isEqualTo(kept);
    }

    private void makeTree(Path tree) throws IOException {
        Files.createDirectories(tree.resolve("small"));
        Files.createDirectories(tree.resolve("odd"));
        for (int i = 0; i < SMALL_FILES; i++) {
            Files.write(tree.resolve("small/" + i), bytes(random.nextInt(3000)));
        }
        for (int size : SIZES) {
            Files.write(tree.resolve("odd/size-" + size), bytes(size));
        }
    }

    private static void compare(Bucket bucket, Path tree) throws IOException {
        Map<String, Path> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(tree)) {
            all.filter(Files::isRegularFile).forEach(file -> files.put("copy/" + tree.relativize(file), file));
        }
        try (Stream<ObjectInfo> objects = bucket.stream("copy/")) {
            assertThat(objects.map(ObjectInfo::key)).containsExactlyInAnyOrderElementsOf(files.keySet());
        }
        for (Map.Entry<String, Path> file : files.entrySet()) {
            assertThat(bucket.getBytes(file.getKey())).as(file.getKey()).isEqualTo(Files.readAllBytes(file.getValue()));
        }
    }

    private byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return bytes;
    }
}
