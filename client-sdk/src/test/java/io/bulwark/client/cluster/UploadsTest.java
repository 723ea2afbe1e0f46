package io.bulwark.client.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.Bucket;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.FragmentMap;
import io.bulwark.client.GetOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.ObjectOutputStream;
import io.bulwark.client.ObjectSlice;
import io.bulwark.client.PartId;
import io.bulwark.client.PartPage;
import io.bulwark.client.Precondition;
import io.bulwark.client.PutOptions;
import io.bulwark.client.Upload;
import io.bulwark.client.UploadPage;
import io.bulwark.client.UploadedPart;
import io.bulwark.client.VolumeSpec;
import io.bulwark.client.bulk.BucketVerifier;
import io.bulwark.client.encryption.KeyFiles;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.NoSuchPartException;
import io.bulwark.client.error.NoSuchUploadException;
import io.bulwark.client.error.NotEmptyException;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.wire.Bytes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Multipart uploads, compositions and properties of the end, over a cluster in memory. */
@NullMarked
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UploadsTest {
    private static final int BLOCK = 4096;
    private static final ProtectionPolicy POLICY = new ProtectionPolicy(1, 2, 4, BLOCK);

    private final long seed = Long.getLong("bulwark.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final Path directory;
    private final MemoryCluster cluster;
    private final Bulwark client;
    private final Bucket bucket;

    UploadsTest(@TempDir Path directory) throws IOException {
        this.directory = directory;
        cluster = new MemoryCluster(directory);
        client = Bulwark.connect(cluster.config());
        client.createVolume(VolumeSpec.objects("default", POLICY));
        bucket = client.createBucket("films");
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

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private void assertReads(String key, byte[] content) throws IOException {
        assertThat(bucket.getBytes(key)).isEqualTo(content);
        try (InputStream in = bucket.get(key)) {
            assertThat(in.readAllBytes()).isEqualTo(content);
        }
        for (int read = 0; read < 20; read++) {
            int from = random.nextInt(content.length + 2);
            int count = random.nextInt(2 * BLOCK);
            byte[] expected =
                    Arrays.copyOfRange(content, Math.min(from, content.length), Math.min(from + count, content.length));
            assertThat(bucket.getBytes(key, GetOptions.DEFAULT.withRange(from, count)))
                    .as("seed %d, %d bytes from %d on", seed, count, from)
                    .isEqualTo(expected);
        }
    }

    @Test
    void aPartIsCopiedFromAnotherVolume() throws IOException {
        client.createVolume(VolumeSpec.objects("far", POLICY));
        Bucket far = client.createBucket(BucketSpec.of("far-films").inVolume("far"));
        byte[] content = content(5 * BLOCK);
        ObjectInfo source = far.put("source", content, PutOptions.DEFAULT);
        Upload upload = bucket.uploads().begin("from-afar", PutOptions.DEFAULT);
        PutOptions tag = PutOptions.DEFAULT.withProperties(Map.of("etag", "x"));
        UploadedPart part =
                bucket.uploads().copy(upload, 1, ObjectSlice.of(source).withRange(7, 3 * BLOCK), tag);
        assertThat(part.properties()).containsEntry("etag", "x");
        UploadedPart rest =
                bucket.uploads().copy(upload, 2, ObjectSlice.of(source).withRange(BLOCK, ObjectSlice.TO_END), tag);
        assertThatThrownBy(() ->
                        bucket.uploads().copy(upload, 3, ObjectSlice.of(source).withRange(BLOCK, 5 * BLOCK), tag))
                .isInstanceOf(InvalidRequestException.class);
        bucket.uploads().complete(upload, List.of(part.id(), rest.id()), PutOptions.DEFAULT);
        assertReads(
                "from-afar",
                joined(Arrays.copyOfRange(content, 7, 7 + 3 * BLOCK), Arrays.copyOfRange(content, BLOCK, 5 * BLOCK)));
    }

    @Test
    void anObjectComesInPartsAndIsReadAsOne() throws IOException {
        byte[] first = content(3 * BLOCK + 7);
        byte[] second = content(300 * BLOCK);
        byte[] third = content(10);
        Upload upload = bucket.uploads()
                .begin(
                        "parts",
                        PutOptions.DEFAULT
                                .withContentType("video/mp4")
                                .withTags(Map.of("t", "1"))
                                .withProperties(Map.of("cache", "no")));
        UploadedPart last = bucket.uploads().put(upload, 30, new ByteArrayInputStream(third), PutOptions.DEFAULT);
        UploadedPart wrong = bucket.uploads().put(upload, 4, third, PutOptions.DEFAULT);
        UploadedPart middle = bucket.uploads().put(upload, 4, second, PutOptions.DEFAULT);
        UploadedPart head = bucket.uploads()
                .put(upload, 1, first, PutOptions.DEFAULT.withFinalProperties(() -> Map.of("etag", "e1")));
        assertThat(head.properties()).containsEntry("etag", "e1");
        assertThat(head.length()).isEqualTo(first.length);
        assertThatThrownBy(() -> bucket.uploads()
                        .complete(upload, List.of(head.id(), wrong.id(), last.id()), PutOptions.DEFAULT))
                .isInstanceOf(NoSuchPartException.class);

        List<PartId> parts = List.of(head.id(), middle.id(), last.id());
        PutOptions added = PutOptions.DEFAULT.withProperties(Map.of("etag", "e-3"));
        ObjectInfo made = bucket.uploads().complete(upload, parts, added);

        assertThat(made.length()).isEqualTo(first.length + second.length + third.length);
        assertThat(made.contentType()).isEqualTo("video/mp4");
        assertThat(made.tags()).isEqualTo(Map.of("t", "1"));
        assertThat(made.properties()).isEqualTo(Map.of("cache", "no", "etag", "e-3"));
        assertReads("parts", joined(first, second, third));
        assertThat(bucket.uploads().complete(upload, parts, added).version()).isEqualTo(made.version());
        assertThatThrownBy(() -> bucket.uploads().abort(upload)).isInstanceOf(NoSuchUploadException.class);
    }

    @Test
    void uploadsAndPartsAreListed() {
        Bucket own = client.createBucket("listed");
        List<Long> ids = new ArrayList<>();
        for (String key : List.of("a/1", "a/2", "a/2", "b")) {
            ids.add(own.uploads().begin(key, PutOptions.DEFAULT).id());
        }
        UploadPage page = own.uploads().list("a/", "", 0, 2);
        assertThat(page.uploads()).extracting(Upload::id).containsExactly(ids.get(0), ids.get(1));
        assertThat(page.more()).isTrue();
        Upload last = page.uploads().getLast();
        assertThat(own.uploads().list("a/", last.key(), last.id(), 2).uploads())
                .extracting(Upload::id)
                .containsExactly(ids.get(2));
        Upload upload = own.uploads().find("b", ids.get(3));
        UploadedPart one =
                own.uploads().put(upload, 1, content(5), PutOptions.DEFAULT.withProperties(Map.of("k", "v")));
        UploadedPart two = own.uploads().put(upload, 2, content(6), PutOptions.DEFAULT);
        PartPage parts = own.uploads().parts(upload, 0, 1);
        assertThat(parts.parts()).containsExactly(one);
        assertThat(parts.more()).isTrue();
        assertThat(own.uploads().parts(upload, 1, 1).parts()).containsExactly(two);
        assertThatThrownBy(() -> client.deleteBucket("listed")).isInstanceOf(NotEmptyException.class);
        for (Upload each : own.uploads().list("", "", 0, 1000).uploads()) {
            own.uploads().abort(each);
        }
        assertThatThrownBy(() -> own.uploads().find("b", ids.get(3))).isInstanceOf(NoSuchUploadException.class);
        client.deleteBucket("listed");
    }

    @Test
    void anObjectIsComposedOfSlicesOfOthers() throws IOException {
        byte[] one = content(5 * BLOCK + 3);
        byte[] two = content(2 * BLOCK);
        ObjectInfo first = bucket.put("one", one);
        bucket.put("two", two);
        ObjectInfo made = bucket.compose(
                "composed",
                List.of(
                        ObjectSlice.of("films", "two").withRange(100, BLOCK),
                        ObjectSlice.of(first),
                        ObjectSlice.of("films", "two").withRange(0, 1)),
                PutOptions.DEFAULT.withContentType("a/b").withPrecondition(Precondition.IF_ABSENT));
        byte[] expected = joined(Arrays.copyOfRange(two, 100, 100 + BLOCK), one, Arrays.copyOf(two, 1));
        assertThat(made.length()).isEqualTo(expected.length);
        assertThat(made.contentType()).isEqualTo("a/b");
        assertThatThrownBy(() -> bucket.compose(
                        "composed",
                        List.of(ObjectSlice.of(first)),
                        PutOptions.DEFAULT.withPrecondition(Precondition.IF_ABSENT)))
                .isInstanceOf(PreconditionFailedException.class);
        bucket.delete("one");
        bucket.delete("two");
        assertReads("composed", expected);
        bucket.compose("again", List.of(ObjectSlice.of(made).withRange(BLOCK - 1, 3)), PutOptions.DEFAULT);
        assertReads("again", Arrays.copyOfRange(expected, BLOCK - 1, BLOCK + 2));
        Path file = directory.resolve("composed");
        bucket.readTo("composed", file);
        assertThat(Files.readAllBytes(file)).isEqualTo(expected);
        assertThatThrownBy(() -> bucket.compose("none", List.of(), PutOptions.DEFAULT))
                .isInstanceOf(InvalidRequestException.class);
        assertThatThrownBy(() -> bucket.compose("none", List.of(ObjectSlice.of("films", "gone")), PutOptions.DEFAULT))
                .isInstanceOf(NoSuchKeyException.class);
        assertThatThrownBy(() -> bucket.compose(
                        "none", List.of(ObjectSlice.of(made).withRange(0, expected.length + 1L)), PutOptions.DEFAULT))
                .isInstanceOf(InvalidRequestException.class);
    }

    /** One command has no room for these names. */
    @Test
    void moreSlicesThanACommandHoldsAreComposedInParts() throws IOException {
        String long1 = "l".repeat(900) + "/1";
        String long2 = "l".repeat(900) + "/2";
        byte[] one = content(50);
        byte[] two = content(60);
        bucket.put(long1, one);
        bucket.put(long2, two);
        List<ObjectSlice> slices = new ArrayList<>();
        List<byte[]> expected = new ArrayList<>();
        for (int slice = 0; slice < 60; slice++) {
            slices.add(ObjectSlice.of("films", long1).withRange(slice % 40, 7));
            slices.add(ObjectSlice.of("films", long2));
            expected.add(Arrays.copyOfRange(one, slice % 40, slice % 40 + 7));
            expected.add(two);
        }
        bucket.compose("many", slices, PutOptions.DEFAULT.withProperties(Map.of("k", "v")));
        assertReads("many", joined(expected.toArray(byte[][]::new)));
        assertThat(bucket.head("many").properties()).isEqualTo(Map.of("k", "v"));
        assertThat(bucket.uploads().list("many", "", 0, 1).uploads()).isEmpty();
        assertThatThrownBy(() -> bucket.compose(
                        "many", Collections.nCopies(200, ObjectSlice.of("films", "l".repeat(900))), PutOptions.DEFAULT))
                .isInstanceOf(NoSuchKeyException.class);
        assertThat(bucket.uploads().list("many", "", 0, 1).uploads())
                .as("a failed composition leaves no upload")
                .isEmpty();
    }

    @Test
    void aPartIsCopiedFromAnotherObject() throws IOException {
        byte[] source = content(3 * BLOCK);
        bucket.put("source", source);
        Upload upload = bucket.uploads().begin("copied", PutOptions.DEFAULT);
        UploadedPart one = bucket.uploads().copy(upload, 1, ObjectSlice.of("films", "source"), PutOptions.DEFAULT);
        UploadedPart two = bucket.uploads()
                .copy(
                        upload,
                        2,
                        ObjectSlice.of("films", "source").withRange(5, 10),
                        PutOptions.DEFAULT.withProperties(Map.of("etag", "x")));
        assertThat(two.length()).isEqualTo(10);
        assertThat(bucket.uploads().parts(upload, 1, 9).parts()).containsExactly(two);
        bucket.uploads()
                .complete(
                        Upload.named("films", "copied", upload.id()), List.of(one.id(), two.id()), PutOptions.DEFAULT);
        assertReads("copied", joined(source, Arrays.copyOfRange(source, 5, 15)));
    }

    @Test
    void badPartsAreNamedBeforeAnythingIsSent() {
        Upload upload = bucket.uploads().begin("bad", PutOptions.DEFAULT);
        for (int number : new int[] {0, -1, PartId.NUMBER_MAX + 1}) {
            assertThatThrownBy(() -> bucket.uploads().put(upload, number, new byte[1], PutOptions.DEFAULT))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("1 to 10000");
        }
        assertThatThrownBy(() -> bucket.uploads()
                        .complete(upload, List.of(new PartId(2, 5), new PartId(1, 6)), PutOptions.DEFAULT))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("ascending");
        assertThatThrownBy(() -> bucket.uploads().complete(upload, List.of(), PutOptions.DEFAULT))
                .isInstanceOf(InvalidRequestException.class);
        assertThatThrownBy(() -> bucket.uploads()
                        .put(upload, 1, new byte[1], PutOptions.DEFAULT.withPrecondition(Precondition.IF_ABSENT)))
                .isInstanceOf(InvalidRequestException.class);
        assertThatThrownBy(() -> bucket.uploads().abort(Upload.named("other", "bad", upload.id())))
                .isInstanceOf(InvalidRequestException.class);
    }

    @Test
    void propertiesOfTheEndAreAskedForOnceBehindTheLastByte() throws IOException {
        AtomicInteger read = new AtomicInteger();
        AtomicInteger asked = new AtomicInteger();
        byte[] content = content(3 * BLOCK + 1);
        InputStream counting = new ByteArrayInputStream(content) {
            @Override
            public synchronized int read(byte[] target, int offset, int length) {
                int count = super.read(target, offset, length);
                read.addAndGet(Math.max(count, 0));
                return count;
            }
        };
        PutOptions options = PutOptions.DEFAULT
                .withProperties(Map.of("begun", "1"))
                .withFinalProperties(() -> {
                    asked.incrementAndGet();
                    return Map.of("count", read.toString());
                });
        ObjectInfo put = bucket.put("end", counting, options);
        assertThat(put.properties()).isEqualTo(Map.of("begun", "1", "count", "" + content.length));
        assertThat(bucket.head("end").properties()).isEqualTo(put.properties());
        assertThat(asked).hasValue(1);
        bucket.put("end", content, options);
        assertThat(asked).hasValue(2);
        ObjectOutputStream stream = bucket.newOutputStream("end", options);
        stream.write(content);
        assertThat(asked).hasValue(2);
        stream.close();
        assertThat(asked).hasValue(3);
        assertThat(stream.result().properties()).containsKey("count");
    }

    @Test
    void nothingIsPutIfThePropertiesOfTheEndFail() {
        PutOptions failing = PutOptions.DEFAULT.withFinalProperties(() -> {
            throw new IllegalStateException("no digest");
        });
        assertThatThrownBy(() -> bucket.put("failing", content(BLOCK), failing)).hasMessage("no digest");
        PutOptions twice =
                PutOptions.DEFAULT.withProperties(Map.of("etag", "1")).withFinalProperties(() -> Map.of("etag", "2"));
        assertThatThrownBy(() -> bucket.put("failing", content(BLOCK), twice))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("etag");
        assertThatThrownBy(() -> bucket.head("failing")).isInstanceOf(NoSuchKeyException.class);
    }

    @Test
    void aSealedObjectComesInOnePiece() throws IOException {
        Bucket sealed = client.bucket("films", KeyFiles.load(KeyFiles.create(directory.resolve("keys.p12"), "a"), "a"));
        assertThatThrownBy(sealed::uploads)
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("encryption");
        assertThatThrownBy(() -> sealed.compose("c", List.of(ObjectSlice.of("films", "one")), PutOptions.DEFAULT))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("encryption");
        ObjectInfo put = sealed.put(
                "sealed",
                content(10),
                PutOptions.DEFAULT.withFinalProperties(() -> Map.of("etag", "of the plain text")));
        assertThat(put.properties()).containsEntry("etag", "of the plain text");
        assertThat(sealed.getBytes("sealed")).hasSize(10);
        ObjectSlice ofSealed = ObjectSlice.of("films", "sealed").withRange(0, 1);
        bucket.put("plain", content(1));
        assertThatThrownBy(() ->
                        bucket.compose("c", List.of(ObjectSlice.of("films", "plain"), ofSealed), PutOptions.DEFAULT))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("encrypted by a client");
        Upload upload = bucket.uploads().begin("c", PutOptions.DEFAULT);
        assertThatThrownBy(() -> bucket.uploads().copy(upload, 1, ofSealed, PutOptions.DEFAULT))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("encrypted by a client");
        bucket.uploads().abort(upload);
    }

    @Test
    void theFragmentsOfACompositionAreThoseOfItsSlices() {
        bucket.put("f/one", content(2 * BLOCK));
        bucket.put("f/two", content(BLOCK));
        ObjectSlice one = ObjectSlice.of("films", "f/one");
        bucket.compose(
                "f/all",
                List.of(one.withRange(BLOCK, 10), ObjectSlice.of("films", "f/two"), one.withRange(0, 5)),
                PutOptions.DEFAULT);
        FragmentMap map = bucket.fragments("f/all", 0, 0, 64);
        assertThat(map.extentCount()).isEqualTo(3);
        assertThat(map.extents()).extracting(FragmentMap.Extent::index).containsExactly(0L, 1L, 2L);
        assertThat(map.extents()).extracting(FragmentMap.Extent::block).doesNotHaveDuplicates();
        assertThat(map.extents()).allMatch(extent -> extent.good() >= POLICY.writeQuorum());
        FragmentMap part = bucket.fragments("f/all", 0, 2, 1);
        assertThat(part.extentCount()).isEqualTo(3);
        assertThat(part.extents())
                .extracting(FragmentMap.Extent::block)
                .containsExactly(map.extents().getLast().block());
        assertThat(bucket.fragments("f/all", 0, 3, 5).extents()).isEmpty();
    }

    @Test
    void aVerificationNamesTheComposedObjectOfABadBlock(@TempDir Path keys) throws Exception {
        try (MemoryCluster faulty = new MemoryCluster(keys);
                Bulwark other = Bulwark.connect(faulty.config())) {
            other.createVolume(VolumeSpec.objects("default", POLICY));
            Bucket verified = other.createBucket("verified");
            verified.put("source", content(3 * BLOCK));
            verified.compose(
                    "composed",
                    List.of(ObjectSlice.of("verified", "source").withRange(10, 2 * BLOCK)),
                    PutOptions.DEFAULT);
            verified.delete("source");
            ObjectInfo read = verified.readTo("composed", OutputStream.nullOutputStream());
            assertThat(read.blocks()).isNotEmpty();
            assertThat(faulty.corruptNode(2, fragment -> Bytes.of(new byte[fragment.length()])))
                    .isPositive();
            BucketVerifier verifier = new BucketVerifier(other, verified, 2, GetOptions.DEFAULT);
            BucketVerifier.Report report = verifier.run(verifier.objects(""), _ -> {});
            assertThat(report.unreadable()).isEmpty();
            assertThat(report.objects()).isEqualTo(1);
            assertThat(report.bytes()).isEqualTo(2 * BLOCK);
            assertThat(report.examples()).isNotEmpty().allMatch(example -> example.contains("object composed, "));
        }
    }
}
