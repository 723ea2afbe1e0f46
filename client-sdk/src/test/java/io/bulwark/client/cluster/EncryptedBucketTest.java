package io.bulwark.client.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.AuditLog;
import io.bulwark.client.Bucket;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.GetOptions;
import io.bulwark.client.ListOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.ObjectOutputStream;
import io.bulwark.client.Precondition;
import io.bulwark.client.PutOptions;
import io.bulwark.client.VolumeSpec;
import io.bulwark.client.config.EncryptionConfig;
import io.bulwark.client.encryption.KeyFiles;
import io.bulwark.client.encryption.KeyProvider;
import io.bulwark.client.encryption.ObjectEncryption;
import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.KeyMissingException;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.file.OutputFile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Tests of client-side encryption and of the audit log, over a cluster in memory. */
@NullMarked
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EncryptedBucketTest {
    private static final int LENGTH = 200_000;

    private final byte[] content = new byte[LENGTH];
    private final Path directory;
    private final Path keyFile;
    private final MemoryCluster cluster;
    private final Bulwark client;
    private final Bucket stored;
    private final Bucket photos;

    EncryptedBucketTest(@TempDir Path directory) throws IOException {
        this.directory = directory;
        keyFile = KeyFiles.create(directory.resolve("keys.p12"), "a");
        cluster = new MemoryCluster(directory);
        client = Bulwark.connect(cluster.config());
        client.createVolume(VolumeSpec.objects("default", ProtectionPolicy.standard()));
        stored = client.createBucket("photos");
        photos = client.bucket("photos", KeyFiles.load(keyFile, "a"));
        new Random(7).nextBytes(content);
    }

    @AfterAll
    void close() {
        client.close();
        cluster.close();
    }

    @Test
    void whatIsPutInAnyWayIsReadInAnyWay() throws IOException {
        Path file = Files.write(directory.resolve("boat.jpg"), content);
        assertThat(photos.put("bytes", content).length()).isEqualTo(LENGTH);
        photos.put("file", file, PutOptions.DEFAULT.withTags(Map.of("mtime", "1")));
        photos.put("stream", new ByteArrayInputStream(content));
        photos.put("channel", Channels.newChannel(new ByteArrayInputStream(content)), PutOptions.DEFAULT);
        try (ObjectOutputStream out = photos.newOutputStream("out")) {
            out.write(content, 0, 70_000);
            out.write(content[70_000]);
            out.write(content, 70_001, LENGTH - 70_001);
        }
        for (String key : List.of("bytes", "file", "stream", "channel", "out")) {
            assertThat(photos.getBytes(key)).isEqualTo(content);
            ByteArrayOutputStream copy = new ByteArrayOutputStream();
            assertThat(photos.readTo(key, copy).length()).isEqualTo(LENGTH);
            assertThat(copy.toByteArray()).isEqualTo(content);
            Path read = directory.resolve("read");
            photos.readTo(key, read);
            assertThat(read).hasBinaryContent(content);
            try (InputStream in = photos.get(key, GetOptions.DEFAULT.withRange(100_000, 10))) {
                assertThat(in.readAllBytes()).isEqualTo(Arrays.copyOfRange(content, 100_000, 100_010));
            }
        }
        photos.put("empty", new byte[0]);
        assertThat(photos.getBytes("empty")).isEmpty();
        assertThat(photos.head("file").tags()).containsEntry("mtime", "1");
    }

    @Test
    void serversSeeNoPlainTextAndWhoHasNoKeyIsToldSo() {
        ObjectInfo put = photos.put("secret", content);
        assertThat(put.encrypted()).isTrue();
        assertThat(stored.head("secret").encrypted()).isTrue();
        assertThat(stored.head("secret").length()).isGreaterThan(LENGTH);
        assertThat(photos.head("secret").length()).isEqualTo(LENGTH);
        assertThat(photos.list(ListOptions.DEFAULT.withPrefix("secret")).objects())
                .extracting(ObjectInfo::length)
                .containsExactly((long) LENGTH);
        assertThatThrownBy(() -> stored.getBytes("secret"))
                .isInstanceOf(KeyMissingException.class)
                .hasMessageContaining("encrypted");
        Bucket other = client.bucket("photos", KeyFiles.load(KeyFiles.create(directory.resolve("b.p12"), "b"), "b"));
        assertThatThrownBy(() -> other.getBytes("secret")).isInstanceOf(KeyMissingException.class);
        byte[] seen = stored.getBytes("secret", GetOptions.DEFAULT.withAsStored(true));
        assertThat(seen.length).isEqualTo((int) stored.head("secret").length());
        assertThat(Arrays.copyOf(seen, 1000)).isNotEqualTo(Arrays.copyOf(content, 1000));
        assertThat(photos.getBytes("secret", GetOptions.DEFAULT.withAsStored(true)))
                .isEqualTo(seen);
        assertThatThrownBy(() -> photos.put(
                        "marked", content, PutOptions.DEFAULT.withProperties(Map.of(ObjectEncryption.PROPERTY, "x"))))
                .isInstanceOf(InvalidRequestException.class);
        stored.put("plain", content);
        assertThat(photos.getBytes("plain")).as("what is not encrypted").isEqualTo(content);
    }

    @Test
    void copiesAndRenamedObjectsAreReadWithTheSameKey() {
        client.createVolume(VolumeSpec.objects("second", ProtectionPolicy.standard()));
        Bucket elsewhere = client.createBucket(BucketSpec.of("elsewhere").inVolume("second"));
        photos.put("first", content);
        photos.copy("first", "copied");
        photos.rename("first", "renamed");
        Bucket target = client.bucket("elsewhere", KeyFiles.load(keyFile, "a"));
        photos.copy("renamed", target, "a", Precondition.NONE);
        stored.copy("renamed", elsewhere, "b", Precondition.NONE);
        assertThat(photos.getBytes("copied")).isEqualTo(content);
        assertThat(photos.getBytes("renamed")).isEqualTo(content);
        assertThat(target.getBytes("a")).isEqualTo(content);
        assertThat(target.getBytes("b")).isEqualTo(content);
        photos.delete("copied");
        assertThatThrownBy(() -> photos.head("copied")).isInstanceOf(NoSuchKeyException.class);
    }

    @Test
    void whatIsGivenUpIsNotThere() {
        try (ObjectOutputStream out = photos.newOutputStream("given-up")) {
            out.write(content, 0, LENGTH);
            out.abort();
        }
        assertThatThrownBy(() -> photos.head("given-up")).isInstanceOf(NoSuchKeyException.class);
    }

    @Test
    void theConfigurationNamesTheKeys() throws IOException {
        Path password = directory.resolve("password");
        OutputFile.create(password, true, (KeyFiles.PASSWORD + "\n").getBytes(StandardCharsets.UTF_8));
        EncryptionConfig keys = new EncryptionConfig(keyFile, null, password);
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        try (MemoryCluster second = new MemoryCluster(elsewhere);
                Bulwark configured = Bulwark.connect(second.config().withEncryption(keys))) {
            configured.createVolume(VolumeSpec.objects("default", ProtectionPolicy.standard()));
            Bucket bucket = configured.createBucket("configured");
            assertThat(bucket.put("a", content).encrypted()).isTrue();
            assertThat(bucket.getBytes("a")).isEqualTo(content);
        }
        KeyProvider none = new EncryptionConfig(directory.resolve("none.p12"), null, password).keys();
        assertThatThrownBy(() -> client.bucket("photos", none).put("b", content))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("none.p12");
    }

    @Test
    void theAuditLogOfAClusterWithoutKeysIsUnsigned() {
        AuditLog.Verification before = client.audit().verify(Optional.empty(), _ -> {});
        client.createVolume(VolumeSpec.registers("audited", ProtectionPolicy.standard(), 16));
        AuditLog.Page page = client.audit().list(before.entries(), 1000);
        assertThat(page.entries().getFirst().command()).isInstanceOf(Command.CreateVolume.class);
        AuditLog.Verification after = client.audit().verify(Optional.of(before.head()), _ -> {});
        assertThat(after.problem()).isEmpty();
        assertThat(after.unsigned()).isEqualTo(after.entries()).isGreaterThan(before.entries());
        assertThat(after.head()).isNotEqualTo(before.head());
        assertThat(client.audit()
                        .verify(Optional.of(Bytes.of(new byte[32])), _ -> {})
                        .problem())
                .hasValueSatisfying(problem -> assertThat(problem).startsWith("the log never had the head 0000"));
    }
}
