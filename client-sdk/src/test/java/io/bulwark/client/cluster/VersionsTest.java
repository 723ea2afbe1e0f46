package io.bulwark.client.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.Bucket;
import io.bulwark.client.BucketDocument;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.CopyOptions;
import io.bulwark.client.DeleteOptions;
import io.bulwark.client.DeletedObject;
import io.bulwark.client.ListOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.Precondition;
import io.bulwark.client.PutOptions;
import io.bulwark.client.VersionInfo;
import io.bulwark.client.VersionListOptions;
import io.bulwark.client.VersionPage;
import io.bulwark.client.VolumeSpec;
import io.bulwark.client.encryption.KeyFiles;
import io.bulwark.client.encryption.KeyProvider;
import io.bulwark.client.error.BucketStateException;
import io.bulwark.client.error.DeleteMarkerException;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.ObjectLockedException;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.metadata.BucketChange;
import io.bulwark.protocol.metadata.DefaultRetention;
import io.bulwark.protocol.metadata.Versioning;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.Retention;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Tests versions, conditions, attributes, locks and documents through the SDK, over a cluster in memory. */
@NullMarked
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class VersionsTest {
    private static final byte[] CONTENT = {1, 2, 3};

    private final KeyProvider keys;
    private final MemoryCluster cluster;
    private final Bulwark client;

    VersionsTest(@TempDir Path directory) throws IOException {
        keys = KeyFiles.load(KeyFiles.create(directory.resolve("keys.p12"), "a"), "a");
        cluster = new MemoryCluster(directory);
        client = Bulwark.connect(cluster.config());
        client.createVolume(VolumeSpec.objects("default", ProtectionPolicy.standard()));
    }

    @AfterAll
    void close() {
        client.close();
        cluster.close();
    }

    private static PutOptions etag(String value) {
        return PutOptions.DEFAULT.withProperties(Map.of("etag", value));
    }

    @Test
    void attributesComeBackEverywhere() {
        Bucket bucket = client.createBucket("attributes");
        ObjectInfo put = bucket.put("a", CONTENT, etag("x").withTags(Map.of("colour", "red")));
        assertThat(put.isNull()).isTrue();
        assertThat(bucket.head("a")).satisfies(head -> {
            assertThat(head.properties()).containsOnly(Map.entry("etag", "x"));
            assertThat(head.modified()).isEqualTo(put.modified());
            assertThat(head.state()).isEqualTo(put.state());
        });
        bucket.setTags("a", 0, new TreeMap<>(Map.of("colour", "blue")));
        assertThat(bucket.list(ListOptions.DEFAULT).objects()).singleElement().satisfies(entry -> {
            assertThat(entry.tags()).containsOnly(Map.entry("colour", "blue"));
            assertThat(entry.properties()).containsOnly(Map.entry("etag", "x"));
        });
        assertThat(bucket.versions(""))
                .singleElement()
                .extracting(VersionInfo::properties)
                .isEqualTo(put.properties());
        assertThatThrownBy(() -> bucket.setTags("a", 0, new TreeMap<>(Map.of("", "x"))))
                .isInstanceOf(InvalidRequestException.class);
    }

    @Test
    void aCopyHasOtherAttributesAndStaysReadable() {
        Bucket plain = client.createBucket("copies");
        Bucket secret = client.bucket("copies", keys);
        secret.put("a", CONTENT, etag("x"));
        ObjectAttributes others = ObjectAttributes.ofType("text/plain");
        ObjectInfo copied = plain.copy("a", 0, plain, "b", CopyOptions.DEFAULT.withAttributes(others));
        assertThat(copied.contentType()).isEqualTo("text/plain");
        assertThat(copied.properties()).doesNotContainKey("etag");
        assertThat(secret.getBytes("b")).isEqualTo(CONTENT);
        long first = secret.head("a").version();
        secret.put("a", new byte[0]);
        assertThatThrownBy(() -> secret.copy("a", first, secret, "c", CopyOptions.DEFAULT))
                .isInstanceOf(NoSuchKeyException.class);
    }

    @Test
    void versioningIsSwitchedAsS3Does() {
        Bucket bucket = client.createBucket("switched");
        bucket.put("a", CONTENT);
        bucket.update(BucketChange.NONE.withVersioning(Versioning.KEEP_ALL));
        assertThat(bucket.info().keepsVersions()).isTrue();
        assertThat(bucket.put("a", new byte[2]).isNull()).isFalse();
        assertThat(bucket.head("a", Bucket.NULL_VERSION).length()).isEqualTo(3);
        DeletedObject marker = bucket.delete("a", DeleteOptions.DEFAULT);
        assertThat(marker.marker() && !marker.isNull()).isTrue();
        assertThatThrownBy(() -> bucket.head("a", marker.version())).isInstanceOf(DeleteMarkerException.class);
        bucket.update(BucketChange.NONE.withVersioning(Versioning.SUSPENDED));
        bucket.put("a", new byte[4]);
        assertThat(bucket.versions("").map(version -> version.isNull() + " " + version.length()))
                .containsExactly("true 4", "false 0", "false 2");
        bucket.delete("a", DeleteOptions.DEFAULT.withVersion(Bucket.NULL_VERSION));
        bucket.delete("a", marker.version());
        assertThat(bucket.head("a").length()).isEqualTo(2);
        assertThatThrownBy(() -> bucket.update(BucketChange.NONE.withVersioning(Versioning.LATEST_ONLY)))
                .isInstanceOf(BucketStateException.class);
    }

    @Test
    void conditionsHoldInTheStepOfTheChange() {
        Bucket bucket = client.createBucket("conditions");
        PutOptions present = PutOptions.DEFAULT.withPrecondition(Precondition.IF_PRESENT);
        assertThatThrownBy(() -> bucket.put("a", CONTENT, present)).isInstanceOf(PreconditionFailedException.class);
        bucket.put("a", CONTENT, etag("x"));
        Precondition wrong = Precondition.ifProperty("etag", "y");
        assertThatThrownBy(() -> bucket.put("a", CONTENT, etag("z").withPrecondition(wrong)))
                .isInstanceOf(PreconditionFailedException.class);
        assertThatThrownBy(() -> bucket.delete("a", DeleteOptions.DEFAULT.withPrecondition(wrong)))
                .isInstanceOf(PreconditionFailedException.class);
        bucket.put("a", CONTENT, etag("y").withPrecondition(Precondition.ifProperty("etag", "x")));
        assertThat(bucket.delete("a", DeleteOptions.DEFAULT.withPrecondition(wrong))
                        .marker())
                .isFalse();
        assertThatThrownBy(() -> bucket.delete("a")).isInstanceOf(NoSuchKeyException.class);
        assertThat(bucket.delete("a", DeleteOptions.DEFAULT.evenIfAbsent()).version())
                .isZero();
    }

    @Test
    void versionsAreListedWithDelimiterPageByPage() {
        Bucket bucket = client.createBucket(BucketSpec.of("listed").keepingVersions());
        for (String key : List.of("a", "b/1", "b/2", "c", "c")) {
            bucket.put(key, CONTENT);
        }
        List<String> found = new ArrayList<>();
        VersionListOptions options =
                VersionListOptions.DEFAULT.withDelimiter("/").withLimit(1);
        VersionPage page;
        do {
            page = bucket.listVersions(options);
            page.versions().forEach(version -> found.add(version.key()));
            found.addAll(page.commonPrefixes());
            options = options.withAfter(page.nextKey(), page.nextVersion());
        } while (!page.last());
        assertThat(found).containsExactly("a", "b/", "c", "c");
        assertThat(bucket.list(ListOptions.DEFAULT.withDelimiter("/").withStartAfter("b/"))
                        .objects())
                .extracting(ObjectInfo::key)
                .containsExactly("c");
    }

    @Test
    void lockedVersionsAreNotDeleted() {
        Bucket bucket = client.createBucket(BucketSpec.of("vault").withObjectLock());
        bucket.update(BucketChange.NONE.withRetention(new DefaultRetention(Retention.Mode.GOVERNANCE, 1, false)));
        ObjectInfo governed = bucket.put("a", CONTENT);
        assertThat(governed.lock()).isEqualTo(bucket.head("a").lock());
        assertThat(governed.lock().retention().mode()).isEqualTo(Retention.Mode.GOVERNANCE);
        assertThatThrownBy(() -> bucket.delete("a", governed.version())).isInstanceOf(ObjectLockedException.class);
        bucket.delete("a", DeleteOptions.DEFAULT.withVersion(governed.version()).bypassingGovernance());
        long until = governed.lock().retention().untilMillis();
        ObjectLock lock = new ObjectLock(new Retention(Retention.Mode.COMPLIANCE, until), false);
        ObjectInfo kept = bucket.put("b", CONTENT, PutOptions.DEFAULT.withLock(lock));
        assertThatThrownBy(() -> bucket.setRetention("b", 0, Retention.NONE, true))
                .isInstanceOf(ObjectLockedException.class);
        bucket.setRetention("b", 0, new Retention(Retention.Mode.COMPLIANCE, until + 1), false);
        bucket.setLegalHold("b", kept.version(), true);
        assertThat(bucket.head("b").lock().legalHold()).isTrue();
        assertThatThrownBy(() -> client.createBucket("unlocked").put("a", CONTENT, PutOptions.DEFAULT.withLock(lock)))
                .isInstanceOf(BucketStateException.class);
    }

    @Test
    void reservedTagsStayAndAreNotTheUsers() {
        Bucket bucket = client.createBucket("reserved");
        bucket.put(
                "a", CONTENT, PutOptions.DEFAULT.withAllTags(Map.of("bulwark-s3-acl", "4client-5", "colour", "red")));
        bucket.setTags("a", 0, new TreeMap<>(Map.of("colour", "blue")));
        assertThat(bucket.head("a").tags()).isEqualTo(Map.of("bulwark-s3-acl", "4client-5", "colour", "blue"));
        bucket.overwrite(
                "a",
                0,
                new ByteArrayInputStream(new byte[] {1}),
                PutOptions.DEFAULT.withTags(Map.of("colour", "green")));
        assertThat(bucket.head("a").tags()).isEqualTo(Map.of("bulwark-s3-acl", "4client-5", "colour", "green"));
        assertThatThrownBy(() -> bucket.setTags("a", 0, new TreeMap<>(Map.of("bulwark-s3-acl", "x"))))
                .isInstanceOf(InvalidRequestException.class);
        assertThatThrownBy(() -> PutOptions.DEFAULT.withTags(Map.of("bulwark-x", "y")))
                .isInstanceOf(InvalidRequestException.class);
    }

    @Test
    void aBucketIsMadeWithASetting() {
        Bucket bucket = client.createBucket(BucketSpec.of("private").withSetting("s3-access", CONTENT));
        assertThat(bucket.setting("s3-access").map(BucketDocument::content)).contains(CONTENT);
        BucketSpec tooLong = BucketSpec.of("other").withSetting("s3-access", new byte[BucketDocument.BYTES_MAX + 1]);
        assertThatThrownBy(() -> client.createBucket(tooLong)).isInstanceOf(InvalidRequestException.class);
    }

    @Test
    void documentsOfABucketAreKept() {
        Bucket bucket = client.createBucket("documents");
        assertThat(bucket.setting("cors")).isEmpty();
        long first = bucket.putSetting("cors", CONTENT, Precondition.IF_ABSENT);
        assertThat(bucket.setting("cors")).contains(new BucketDocument("cors", first, CONTENT));
        assertThatThrownBy(() -> bucket.putSetting("cors", CONTENT, Precondition.IF_ABSENT))
                .isInstanceOf(PreconditionFailedException.class);
        bucket.putSetting("cors", new byte[BucketDocument.BYTES_MAX], Precondition.ifVersion(first));
        assertThat(bucket.settings()).containsExactly("cors");
        bucket.removeSetting("cors", Precondition.NONE);
        assertThat(bucket.settings()).isEmpty();
        assertThatThrownBy(() -> bucket.putSetting("cors", new byte[BucketDocument.BYTES_MAX + 1], Precondition.NONE))
                .isInstanceOf(InvalidRequestException.class);
    }
}
