package io.bulwark.transport.identity;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.Security;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Runs virtual machines of their own, since a process chooses once. */
@NullMarked
class NativeP256Test {
    @Test
    void theNativeProviderIsUsedWhereItLoads() throws IOException, InterruptedException {
        assertThat(run(path -> true))
                .contains("signatures are computed by AmazonCorrettoCryptoProvider 2.5", "true")
                .doesNotContain("installed");
    }

    @Test
    void thePlatformServesWhereTheLibraryDoesNotLoad() throws IOException, InterruptedException {
        assertThat(run(path -> true, "-Dcom.amazon.corretto.crypto.provider.useExternalLib=true"))
                .contains("signatures are computed by the provider of the Java platform, since", "true");
    }

    @Test
    void thePlatformServesWhereTheJarIsMissing() throws IOException, InterruptedException {
        assertThat(run(path -> !path.contains("AmazonCorretto")))
                .contains("signatures are computed by the provider of the Java platform, since", "true");
    }

    private static String run(Predicate<String> library, String... options) throws IOException, InterruptedException {
        String path = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(library)
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", path, Chosen.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    /** Chooses, signs, and says whether the signature verifies. */
    static final class Chosen {
        private Chosen() {}

        public static void main(String[] arguments) throws InterruptedException {
            ((Logger) LoggerFactory.getLogger(NativeP256.class)).setLevel(Level.INFO);
            NativeP256.request();
            NativeP256.request();
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (thread.getName().equals("bulwark-native-p256")) {
                    thread.join();
                }
            }
            Identity identity = Identity.generate(PrincipalId.client(1), new SecureRandom());
            Bytes content = Bytes.of((byte) 1);
            System.out.println(identity.publicKey().verifies(content, identity.sign(content)));
            if (Security.getProvider("AmazonCorrettoCryptoProvider") != null) {
                System.out.println("installed");
            }
        }
    }
}
