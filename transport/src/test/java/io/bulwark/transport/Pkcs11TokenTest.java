package io.bulwark.transport;

import static io.bulwark.transport.TestPrincipals.CLIENT;
import static io.bulwark.transport.TestPrincipals.NODE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.OpenedDevice;
import io.bulwark.transport.identity.Pkcs11Token;
import io.bulwark.transport.identity.SealedBox;
import io.bulwark.transport.identity.TrustedKeys;
import io.bulwark.transport.identity.WrongPinException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With SoftHSM, Debian's package softhsm2, where that is installed; {@code -Dbulwark.softhsm=DIR} if it is below another root. */
@NullMarked
class Pkcs11TokenTest {
    private static final Path ROOT = Path.of(System.getProperty("bulwark.softhsm", "/"));
    private static final Path MODULE = ROOT.resolve("usr/lib/softhsm/libsofthsm2.so");
    private static final Path TOOL = ROOT.resolve("usr/bin/softhsm2-util");
    private static final String LABEL = "bulwark test";
    private static final String TYPED = "bulwark typed";
    private static final String PIN = "1234";
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Bytes CONTENT = Bytes.of((byte) 1, (byte) 2);

    @TempDir
    static Path directory = Path.of("");

    @BeforeAll
    static void makeToken() throws IOException, InterruptedException {
        boolean installed = Files.exists(MODULE) && Files.exists(TOOL);
        String missing = "SoftHSM (softhsm2) is not installed here";
        if (!installed) {
            System.out.println("LEFT OUT: keys in a device, since " + missing);
        }
        assumeTrue(installed, missing);
        Path tokens = Files.createDirectory(directory.resolve("tokens"));
        Path config = Path.of(System.getenv("SOFTHSM2_CONF"));
        Files.writeString(
                config, "directories.tokendir = " + tokens + "\nobjectstore.backend = file\nlog.level = ERROR\n");
        makeToken(LABEL);
        makeToken(TYPED);
        Path pin = directory.resolve("pin");
        Files.createFile(pin, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(pin, PIN + "\n");
    }

    private static void makeToken(String label) throws IOException, InterruptedException {
        Process made = new ProcessBuilder(
                        TOOL.toString(),
                        "--module",
                        MODULE.toString(),
                        "--init-token",
                        "--free",
                        "--label",
                        label,
                        "--pin",
                        PIN,
                        "--so-pin",
                        "5678")
                .inheritIO()
                .start();
        assertThat(made.waitFor()).isZero();
    }

    @Test
    void aKeyThatADeviceMadeSignsAndAgreesThereAndIsFoundAgain() throws IOException {
        Identity made = token("signing").generate(NODE, Duration.ofDays(1));
        assertThat(made.isOnDevice()).isTrue();
        assertThat(made.privateKey().getEncoded()).as("it does not leave").isNull();
        Identity found = Identity.load(file("signing"));
        assertThat(found.publicKey()).isEqualTo(made.publicKey());
        assertThat(found.principal()).isEqualTo(NODE);
        Bytes signature = found.ownKey().sign(CONTENT);
        assertThat(found.publicKey().verifies(CONTENT, signature)).isTrue();
        assertThat(found.publicKey().verifies(Bytes.EMPTY, signature)).isFalse();
        Bytes secret = Bytes.of(new byte[SealedBox.SECRET_BYTES]);
        Bytes sealed = SealedBox.seal(secret, List.of(found.publicKey()), RANDOM);
        assertThat(SealedBox.open(sealed, found.ownKey())).contains(secret);
        assertThatThrownBy(() -> token("signing").generate(NODE, Duration.ofDays(1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("never replaced");
        assertThatThrownBy(() -> found.store(directory.resolve("stolen.pem")))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void connectionsAreSecuredByItToo() throws IOException {
        Identity node = token("connecting").generate(NODE, Duration.ofDays(1));
        Identity client = Identity.generate(CLIENT, RANDOM);
        TrustedKeys trusted = new TrustedKeys(Map.of(node.publicKey(), NODE, client.publicKey(), CLIENT));
        TlsCredentials credentials = new TlsCredentials(node, trusted);
        assertThat(credentials.engine()).isEqualTo("JDK");
        try (Transport serving = open(credentials);
                Transport asking = open(new TlsCredentials(client, trusted))) {
            Recorder recorder = new Recorder();
            PeerLink link = asking.link(
                    NODE, serving.listen(TestPrincipals.anyPort(), recorder).boundAddress(), new Recorder());
            await().until(() -> link.state() == LinkState.UP);
            assertThat(Recorder.next(recorder.connected).principal()).isEqualTo(CLIENT);
            PeerLink back = serving.link(
                    CLIENT,
                    asking.listen(TestPrincipals.anyPort(), new Recorder()).boundAddress(),
                    new Recorder());
            await().until(() -> back.state() == LinkState.UP);
        }
    }

    /** At a token of its own: this process stays logged in where it has a PIN file. */
    @Test
    void aTypedPinOpensADeviceOnceAtATime() throws IOException {
        Pkcs11Token token = new Pkcs11Token(MODULE, TYPED, "operator", Optional.empty());
        assertThatThrownBy(token::identity).hasMessageContaining("pin-file");
        assertThatThrownBy(() -> token.open("4321".toCharArray())).isInstanceOf(WrongPinException.class);
        assertThatThrownBy(() -> token.open(PIN.toCharArray())).hasMessageContaining("has no key");
        try (OpenedDevice device = token.generate(CLIENT, Duration.ofDays(1), PIN.toCharArray())) {
            assertThat(device.identity().principal()).isEqualTo(CLIENT);
        }
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> token.open("4321".toCharArray())).isInstanceOf(WrongPinException.class);
            try (OpenedDevice device = token.open(PIN.toCharArray())) {
                Bytes signature = device.identity().ownKey().sign(CONTENT);
                assertThat(device.identity().publicKey().verifies(CONTENT, signature))
                        .isTrue();
                assertThatThrownBy(() -> token.open(PIN.toCharArray())).hasMessageContaining("in use");
            }
        }
    }

    @Test
    void whatIsMissingIsSaid() throws IOException {
        assertThatThrownBy(() -> Identity.load(file("none"))).hasMessageContaining("has no key");
        Pkcs11Token elsewhere = new Pkcs11Token(MODULE, "elsewhere", "none", Optional.of(directory.resolve("pin")));
        assertThatThrownBy(elsewhere::identity).hasMessageContaining(LABEL);
        Path open = Files.writeString(directory.resolve("open"), "1234");
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(new Pkcs11Token(MODULE, LABEL, "none", Optional.of(open))::identity)
                .hasMessageContaining("chmod");
        assertThatThrownBy(new Pkcs11Token(Path.of("/nowhere.so"), LABEL, "none", Optional.of(open))::identity)
                .isInstanceOf(IOException.class);
    }

    private static Transport open(TlsCredentials credentials) {
        return Transport.open(TestPrincipals.settings(), credentials, TestMessage.CODECS, new SimpleMeterRegistry());
    }

    private static Pkcs11Token token(String alias) {
        return new Pkcs11Token(MODULE, LABEL, alias, Optional.of(directory.resolve("pin")));
    }

    private static Path file(String alias) throws IOException {
        Path file = directory.resolve(alias + ".pkcs11");
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, token(alias).text());
    }
}
