package io.bulwark.client.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.Bulwark;
import io.bulwark.client.VolumeSpec;
import io.bulwark.client.encryption.KeyFiles;
import io.bulwark.example.Tutorial;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the code of docs/sdk.md, which lies in integration-tests/sdk-consumer; that the page has just it, a rule checks. */
class ExamplesTest {
    @TempDir
    private Path directory;

    @Test
    void theExamplesDoWhatTheySay() throws IOException, InterruptedException {
        try (MemoryCluster cluster = new MemoryCluster(directory)) {
            Path config = directory.resolve("client.properties");
            cluster.config().store(config);
            try (Bulwark client = Bulwark.connect(config)) {
                client.createVolume(VolumeSpec.objects("default", ProtectionPolicy.standard()));
            }
            KeyFiles.create(directory.resolve("photos.p12"), "2026");
            new Tutorial(directory, KeyFiles.PASSWORD.toCharArray()).run(config);
        }
    }

    /** Registers under PASIS as docs/sdk.md has them; nodes in memory speak FP alone. */
    @Test
    void aPolicyUnderPasisIsMadeAsItSays() {
        ProtectionPolicy policy = ProtectionPolicy.pasis(1, 2, 5, 4096, Verification.LAZY);
        assertThat(VolumeSpec.registers("versions", policy, 1024).policy()).isEqualTo(policy);
    }
}
