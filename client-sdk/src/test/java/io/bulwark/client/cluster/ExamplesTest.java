package io.bulwark.client.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.Bucket;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.PutOptions;
import io.bulwark.client.Volume;
import io.bulwark.client.VolumeSpec;
import io.bulwark.client.encryption.KeyFiles;
import io.bulwark.client.encryption.KeyProvider;
import io.bulwark.client.encryption.Pkcs12Keys;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.metadata.BucketChange;
import io.bulwark.protocol.metadata.DefaultRetention;
import io.bulwark.protocol.object.Retention;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of docs/sdk.md and of the Javadoc of {@link Bucket} and {@link Volume}, run. */
class ExamplesTest {
    @TempDir
    private Path directory;

    @Test
    void theExamplesDoWhatTheySay() throws IOException {
        try (MemoryCluster cluster = new MemoryCluster(directory)) {
            Path config = directory.resolve("client.properties");
            cluster.config().store(config);
            try (Bulwark client = Bulwark.connect(config)) {
                client.createVolume(VolumeSpec.objects("default", ProtectionPolicy.standard()));
                Path boat = Files.writeString(directory.resolve("boat.jpg"), "a boat");
                Path copy = directory.resolve("copy.jpg");
                assertThat(objects(client, boat, copy)).containsExactly("2026/boat.jpg 6");
                assertThat(copy).hasContent("a boat");
                assertThat(blocks(client)[0]).isOne();
                Path keys = KeyFiles.create(directory.resolve("photos.p12"), "2026");
                byte[] bytes = {1, 2, 3};
                assertThat(encrypted(client, keys, bytes)).isEqualTo(bytes);
                assertThat(client.bucket("photos").head("boat.jpg").encrypted()).isTrue();
                assertThat(locked(client, bytes)).containsExactly("marker", "version");
            }
        }
    }

    private static List<String> objects(Bulwark client, Path boat, Path copy) {
        List<String> printed = new ArrayList<>();
        Bucket photos = client.createBucket("photos");
        photos.put("2026/boat.jpg", boat, PutOptions.DEFAULT.withContentType("image/jpeg"));
        photos.readTo("2026/boat.jpg", copy);
        try (Stream<ObjectInfo> all = photos.stream("2026/")) {
            all.forEach(object -> printed.add(object.key() + " " + object.length()));
        }
        return printed;
    }

    private static byte[] blocks(Bulwark client) {
        client.createVolume(VolumeSpec.registers("disk", ProtectionPolicy.standard(), 1024));
        Volume disk = client.volume("disk");
        byte[] block = disk.readBlock(7);
        block[0] = 1;
        disk.writeBlock(7, block);
        return disk.readBlock(7);
    }

    private static byte[] encrypted(Bulwark client, Path file, byte[] bytes) throws IOException {
        char[] password = KeyFiles.PASSWORD.toCharArray();
        KeyProvider keys = Pkcs12Keys.load(file, password, "2026");
        Bucket secret = client.bucket("photos", keys);
        secret.put("boat.jpg", bytes);
        return secret.getBytes("boat.jpg");
    }

    private static List<String> locked(Bulwark client, byte[] bytes) {
        Bucket ledger = client.createBucket(BucketSpec.of("ledger").withObjectLock());
        ledger.update(BucketChange.NONE.withRetention(new DefaultRetention(Retention.Mode.GOVERNANCE, 30, false)));
        ObjectInfo entry = ledger.put("2026/1", bytes, PutOptions.DEFAULT.withProperties(Map.of("etag", "a9")));
        ledger.setLegalHold("2026/1", entry.version(), true);
        ledger.delete("2026/1");
        return ledger.versions("")
                .map(version -> version.deleteMarker() ? "marker" : "version")
                .toList();
    }

    /** Registers under PASIS as docs/sdk.md has them; nodes in memory speak FP alone. */
    @Test
    void aPolicyUnderPasisIsMadeAsItSays() {
        ProtectionPolicy policy = ProtectionPolicy.pasis(1, 2, 5, 4096, Verification.LAZY);
        assertThat(VolumeSpec.registers("versions", policy, 1024).policy()).isEqualTo(policy);
    }
}
