package io.bulwark.protocol.fingerprint;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.erasure.VectorUnit;
import io.bulwark.protocol.wire.Bytes;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** An application that does not resolve {@code jdk.incubator.vector} gets the same bytes, and no linkage error. */
class WithoutVectorModuleTest {
    /** Runs in a virtual machine of its own: prints whether there are vectors, and the pin of a block. */
    static final class Application {
        private Application() {}

        public static void main(String[] args) {
            System.out.print(VectorUnit.isPresent() + " " + pin().toHex());
        }
    }

    private static Bytes pin() {
        byte[] block = new byte[3 * 50_001];
        new Random(3).nextBytes(block);
        return new BlockCode(3, 2, 7).encode(Bytes.of(block)).fpcc().pin();
    }

    @Test
    void givesTheSameBytes() throws Exception {
        assertThat(VectorUnit.isPresent()).as("the tests' own virtual machine").isTrue();
        assertThat(run()).isEqualTo("false " + pin().toHex());
    }

    @Test
    void givesTheSameBytesWithNarrowVectors() throws Exception {
        assertThat(run("--add-modules=jdk.incubator.vector", "-XX:MaxVectorSize=16"))
                .isEqualTo("true " + pin().toHex());
    }

    @Test
    void givesTheSameBytesWithVectorsTooNarrow() throws Exception {
        assertThat(run("--add-modules=jdk.incubator.vector", "-XX:MaxVectorSize=8"))
                .isEqualTo("true " + pin().toHex());
    }

    private static String run(String... options) throws Exception {
        ProcessBuilder builder = new ProcessBuilder();
        builder.command()
                .add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        builder.command().addAll(List.of(options));
        builder.command().addAll(List.of("-Xshare:auto", "-cp", System.getProperty("java.class.path")));
        builder.command().add(Application.class.getName());
        Process process = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        return output;
    }
}
