package io.bulwark.transport.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.identity.RefusedCertificateException.Reason;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullMarked
class IdentityTest {
    private static final PrincipalId NODE = PrincipalId.node(3);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Identity identity = Identity.generate(NODE, RANDOM);
    private final TrustedKeys trusted = new TrustedKeys(Map.of(identity.publicKey(), NODE));

    @TempDir
    Path directory = Path.of("");

    @Test
    void itIsItsOwnSelfSignedCertificate() throws GeneralSecurityException {
        identity.certificate().verify(identity.certificate().getPublicKey());
        assertThat(identity.certificate().getSubjectX500Principal().getName()).isEqualTo("CN=node-3");
        assertThat(identity.certificate().getIssuerX500Principal())
                .isEqualTo(identity.certificate().getSubjectX500Principal());
        assertThat(identity.certificate().getVersion()).isEqualTo(3);
        assertThat(identity.principal()).isEqualTo(NODE);
        assertThat(Identity.generate(NODE, RANDOM).publicKey()).isNotEqualTo(identity.publicKey());
    }

    /** As `openssl pkcs12 -export` makes a container of the file. */
    @Test
    void itIsReadFromAContainerOrFromWhatItsFileHas() throws IOException, GeneralSecurityException {
        char[] password = "a river".toCharArray();
        KeyStore container = KeyStore.getInstance("PKCS12");
        container.load(null, null);
        container.setKeyEntry("1", identity.privateKey(), password, new Certificate[] {identity.certificate()});
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        container.store(out, password);
        Identity opened = Identity.read(out.toByteArray(), password);
        assertThat(opened.principal()).isEqualTo(NODE);
        assertThat(opened.privateKey()).isEqualTo(identity.privateKey());
        Path file = Identity.file(directory, NODE);
        identity.store(file);
        assertThat(Identity.read(Files.readAllBytes(file), new char[0]).publicKey())
                .isEqualTo(identity.publicKey());

        for (byte[] bad : List.of(
                new byte[0],
                "-----BEGIN PRIVATE KEY-----".getBytes(StandardCharsets.US_ASCII),
                Arrays.copyOf(out.toByteArray(), 100),
                new byte[20_000])) {
            assertThatThrownBy(() -> Identity.read(bad, password)).isInstanceOf(IOException.class);
        }
        assertThatThrownBy(() -> Identity.read(out.toByteArray(), "wrong".toCharArray()))
                .isInstanceOf(IOException.class);
        container.deleteEntry("1");
        ByteArrayOutputStream none = new ByteArrayOutputStream();
        container.store(none, password);
        assertThatThrownBy(() -> Identity.read(none.toByteArray(), password)).hasMessageContaining("0 keys");
    }

    @Test
    void itSurvivesItsFile() throws IOException {
        Path file = Identity.file(directory, NODE);
        identity.store(file);
        assertThat(file).hasFileName("node-3.pem");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        Identity read = Identity.load(file);
        assertThat(read.principal()).isEqualTo(NODE);
        assertThat(read.publicKey()).isEqualTo(identity.publicKey());
        assertThat(read.certificate()).isEqualTo(identity.certificate());
        assertThat(read.privateKey()).isEqualTo(identity.privateKey());
        assertThatThrownBy(() -> identity.store(file)).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(identity.toString()).doesNotContain("PrivateKey");
    }

    @Test
    void aSeedGivesOneKeyAndItSigns() {
        Bytes seed = Bytes.of(new byte[32]);
        Identity one = Identity.ofSeed(NODE, seed, RANDOM);
        assertThat(one.publicKey())
                .isEqualTo(Identity.ofSeed(NODE, seed, RANDOM).publicKey());
        assertThat(one.publicKey())
                .isNotEqualTo(
                        Identity.ofSeed(NODE, Bytes.of(new byte[33]), RANDOM).publicKey());
        for (Identity each : List.of(one, identity)) {
            Bytes signature = each.sign(seed);
            assertThat(each.publicKey().verifies(seed, signature)).isTrue();
            assertThat(each.publicKey().verifies(Bytes.of(new byte[31]), signature))
                    .isFalse();
        }
        assertThat(identity.publicKey().verifies(seed, one.sign(seed))).isFalse();
        assertThat(identity.publicKey().verifies(seed, Bytes.EMPTY)).isFalse();
    }

    @Test
    void aFileThatIsOpenToOthersIsRefused() throws IOException {
        Path file = directory.resolve("open.pem");
        identity.store(file);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(() -> Identity.load(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("chmod 600 " + file);
    }

    @Test
    void whatIsNoIdentityIsRefusedWithTheName() throws IOException {
        Path file = directory.resolve("some.pem");
        identity.store(file);
        String good = Files.readString(file);
        String key = good.substring(0, good.indexOf("-----BEGIN CERTIFICATE"));
        String certificate = good.substring(key.length());
        Path other = directory.resolve("other.pem");
        Identity.generate(NODE, RANDOM).store(other);
        String otherGood = Files.readString(other);
        String otherCertificate = otherGood.substring(otherGood.indexOf("-----BEGIN CERTIFICATE"));

        refused(file, "", "no PRIVATE KEY");
        refused(file, key, "no CERTIFICATE");
        refused(file, certificate, "no PRIVATE KEY");
        refused(file, good + certificate, "unexpected data after");
        refused(file, key + otherCertificate, "does not match the certificate");
        refused(file, good.substring(0, good.length() / 2), "is not the identity");
        refused(file, good.replaceFirst("M", "*"), "is not the identity");
        refused(file, "x".repeat(1 << 16), "is longer than 16384 bytes");
        assertThatThrownBy(() -> Identity.load(directory.resolve("none.pem")))
                .hasMessageContaining("there is no identity at");
    }

    @Test
    void aKnownKeyWithItsNameIsBelieved() throws RefusedCertificateException {
        assertThat(check(identity, Instant.now())).isEqualTo(NODE);
    }

    @Test
    void keysThatAreNotKnownNamesThatAreNotTheirsAndOldCertificatesAreNot() {
        refused(Identity.generate(NODE, RANDOM), Instant.now(), Reason.UNKNOWN_KEY);
        refused(identity, Instant.now().plus(Identity.VALIDITY_STANDARD).plusSeconds(60), Reason.EXPIRED);
        refused(identity, Instant.now().minus(Duration.ofDays(2)), Reason.EXPIRED);

        Identity another = Identity.generate(PrincipalId.node(4), RANDOM);
        TrustedKeys swapped = new TrustedKeys(Map.of(another.publicKey(), NODE));
        assertThatThrownBy(() -> PeerCertificate.check(chain(another), swapped, Instant.now()))
                .isInstanceOfSatisfying(
                        RefusedCertificateException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.WRONG_NAME))
                .hasMessage("node-3 claims to be node-4");
    }

    @Test
    void aChainIsOneCertificate() {
        for (Certificate[] chain : new Certificate[][] {{}, {identity.certificate(), identity.certificate()}}) {
            assertThatThrownBy(() -> PeerCertificate.check(chain, trusted, Instant.now()))
                    .isInstanceOfSatisfying(
                            RefusedCertificateException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.FORM));
        }
    }

    private PrincipalId check(Identity shown, Instant now) throws RefusedCertificateException {
        return PeerCertificate.check(chain(shown), trusted, now);
    }

    private void refused(Identity shown, Instant now, Reason reason) {
        assertThatThrownBy(() -> check(shown, now))
                .isInstanceOfSatisfying(
                        RefusedCertificateException.class,
                        e -> assertThat(e.reason()).isEqualTo(reason));
    }

    private static Certificate[] chain(Identity shown) {
        return new Certificate[] {shown.certificate()};
    }

    private static void refused(Path file, String text, String problem) throws IOException {
        Files.writeString(file, text);
        assertThatThrownBy(() -> Identity.load(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining(problem);
    }
}
