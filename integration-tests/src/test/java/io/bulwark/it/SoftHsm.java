package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** SoftHSM, Debian's package softhsm2: a PKCS#11 device in software. A process reads its configuration once. */
final class SoftHsm {
    static final Path MODULE = Path.of("/usr/lib/softhsm/libsofthsm2.so");
    private static final Path TOOL = Path.of("/usr/bin/softhsm2-util");
    private static boolean configured;

    private SoftHsm() {}

    /** Makes a token, or leaves the test out where SoftHSM is not installed. */
    static synchronized void makeToken(String label, String pin) throws IOException, InterruptedException {
        boolean installed = Files.exists(MODULE) && Files.exists(TOOL);
        if (!installed) {
            System.out.println("LEFT OUT: " + label + ", since SoftHSM (softhsm2) is not installed here");
        }
        assumeTrue(installed, "SoftHSM (softhsm2) is not installed here");
        Path config = Path.of(System.getenv("SOFTHSM2_CONF"));
        Path tokens = config.resolveSibling("softhsm2-tokens");
        if (!configured) {
            if (Files.exists(tokens)) {
                LiveCluster.deleteTree(tokens);
            }
            Files.createDirectory(tokens);
            Files.writeString(
                    config, "directories.tokendir = " + tokens + "\nobjectstore.backend = file\nlog.level = ERROR\n");
            configured = true;
        }
        List<String> command = List.of(
                TOOL.toString(), "--init-token", "--free", "--label", label, "--pin", pin, "--so-pin", "567890");
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }
}
