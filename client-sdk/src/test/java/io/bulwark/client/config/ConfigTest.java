package io.bulwark.client.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.FileAccessException;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.identity.Identity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class ConfigTest {
    private static final PrincipalId NODE = PrincipalId.node(0);
    private static final PrincipalId REPLICA = PrincipalId.replica(0);
    private static final PrincipalId ALICE = PrincipalId.client(0);
    private static final PrincipalId BOB = PrincipalId.client(1);

    @TempDir
    private Path directory;

    @Test
    void everyTwoShareAKeyExceptClients() throws IOException {
        KeyRing.generate(directory, List.of(NODE, REPLICA, ALICE, BOB), new SecureRandom());
        KeyRing node = KeyRing.load(KeyRing.file(directory, NODE));
        KeyRing alice = KeyRing.load(directory.resolve("client-0.keys"));

        assertThat(node.principal()).isEqualTo(NODE);
        assertThat(node.shared()).containsOnlyKeys(REPLICA, ALICE, BOB);
        assertThat(alice.shared()).containsOnlyKeys(NODE, REPLICA);
        assertThat(alice.shared().get(NODE)).isEqualTo(node.shared().get(ALICE));
        assertThat(alice.own()).isNotEqualTo(node.own());
        Bytes input = Bytes.of((byte) 1);
        assertThat(node.pairwiseKeys().verify(ALICE, input, alice.pairwiseKeys().mac(NODE, input)))
                .isTrue();
    }

    @Test
    void keysAreForTheOwnerOnly() throws IOException {
        KeyRing.generate(directory, List.of(NODE, ALICE), new SecureRandom());
        Path file = KeyRing.file(directory, ALICE);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");

        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> KeyRing.load(file))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("chmod 600 " + file);
    }

    @Test
    void keysAreNeverOverwrittenNorPrinted() throws IOException {
        Map<PrincipalId, KeyRing> rings = KeyRing.generate(List.of(NODE, ALICE), new SecureRandom());
        KeyRing ring = rings.values().iterator().next();
        Path file = directory.resolve("ring");
        ring.store(file);
        assertThatThrownBy(() -> ring.store(file)).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(ring.toString()).doesNotContain(ring.own().toHex());
    }

    @Test
    void aDamagedKeyRingIsRefused() throws IOException {
        Path file = directory.resolve("ring");
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, "principal=client-0\nown=00\n");
        assertThatThrownBy(() -> KeyRing.load(file))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("1 bytes instead of 32");
        assertThatThrownBy(() -> KeyRing.load(directory.resolve("none")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("there is no key ring");
    }

    @Test
    void aConfigurationSurvivesItsFile() throws IOException {
        ClientConfig config = new ClientConfig(
                ALICE,
                directory.resolve("client-0.keys"),
                new ChannelConfig.Tls(directory.resolve("client-0.pem"), directory.resolve("genesis")),
                1,
                List.of(endpoint(1), endpoint(2), endpoint(3), endpoint(4)),
                2 << 20);
        Path file = directory.resolve("client.properties");
        config.store(file);
        assertThat(ClientConfig.load(file)).isEqualTo(config);

        ClientConfig plain =
                new ClientConfig(ALICE, config.keyRing(), new ChannelConfig.InsecureLoopback(), 1, config.replicas());
        plain.store(file);
        assertThat(ClientConfig.load(file)).isEqualTo(plain);
        assertThat(file)
                .as("the reader's heap decides how much is in flight, not the writer's")
                .content()
                .doesNotContain("bytes-in-flight-max");

        for (EncryptionConfig keys : List.of(
                new EncryptionConfig(directory.resolve("a.p12"), null, null),
                new EncryptionConfig(directory.resolve("a.p12"), "2026", directory.resolve("password")))) {
            plain.withEncryption(keys).store(file);
            assertThat(ClientConfig.load(file)).isEqualTo(plain.withEncryption(keys));
        }
    }

    @Test
    void aDirectoryThatIsMovedOrCopiedNamesItsOwnFiles() throws IOException {
        for (String name : List.of("first", "d\u00e4ten \u65e5\u672c", "with \\ and = : #")) {
            Path own = Files.createDirectories(directory.resolve(name));
            Path elsewhere = directory.resolve("elsewhere/photos.p12");
            ClientConfig config = new ClientConfig(
                            ALICE,
                            own.resolve("keys/client-0.keys"),
                            new ChannelConfig.Tls(own.resolve("keys/\u00fc.pem"), own.resolve("genesis")),
                            1,
                            List.of(endpoint(1), endpoint(2), endpoint(3), endpoint(4)),
                            2 << 20)
                    .withEncryption(new EncryptionConfig(elsewhere, null, own.resolve("password")));
            config.store(own.resolve("client.properties"));
            assertThat(ClientConfig.load(own.resolve("client.properties"))).isEqualTo(config);

            Path moved = directory.resolve("moved from " + name);
            Files.move(own, moved);
            ClientConfig found = ClientConfig.load(moved.resolve("client.properties"));
            assertThat(found.keyRing()).isEqualTo(moved.resolve("keys/client-0.keys"));
            assertThat(found.channels())
                    .isEqualTo(new ChannelConfig.Tls(moved.resolve("keys/\u00fc.pem"), moved.resolve("genesis")));
            assertThat(found.encryption())
                    .as("a file outside stays where it is")
                    .contains(new EncryptionConfig(elsewhere, null, moved.resolve("password")));
        }
    }

    @Test
    void filesAreUtf8() throws IOException {
        String text = """
            principal=client-0
            identity=keys/d\u00e4ten.pem
            genesis=g\u65e5
            faulty-replicas=1
            replica.0=h:1
            replica.1=h:2
            replica.2=h:3
            replica.3=h:4
            """;
        assertThat(load(text).channels())
                .isEqualTo(
                        new ChannelConfig.Tls(directory.resolve("keys/d\u00e4ten.pem"), directory.resolve("g\u65e5")));
        Path latin = Files.write(
                directory.resolve("latin.properties"),
                text.replace("\u65e5", "").getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> ClientConfig.load(latin))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(latin + " is not UTF-8 at byte 34");
    }

    /** Memory of a process cannot be read where nothing is mapped: an error of the system in any file. */
    @Test
    void whatTheSystemCannotReadIsNoWrongConfiguration() {
        Path broken = Path.of("/proc/self/mem");
        Assumptions.assumeTrue(Files.isReadable(broken), "no /proc");
        List<Executable> readers = List.of(
                () -> ClientConfig.load(broken),
                () -> GenesisFile.load(broken),
                () -> KeyRing.load(broken),
                () -> KnownPrincipals.load(genesis(), broken),
                () -> new ChannelConfig.Tls(broken, broken).genesisKeys());
        for (Executable reader : readers) {
            assertThatThrownBy(reader::execute)
                    .isInstanceOf(FileAccessException.class)
                    .hasMessageContaining("/proc/self/mem: Input/output error");
        }
        assertThatThrownBy(() -> ClientConfig.load(directory)).isInstanceOf(ConfigException.class);
        assertThatThrownBy(() -> ClientConfig.load(directory.resolve("none")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("there is no client configuration at");
    }

    private static GenesisFile genesis() {
        SortedMap<PrincipalId, PrincipalKey> keys = new TreeMap<>();
        for (PrincipalId each :
                List.of(ALICE, REPLICA, PrincipalId.replica(1), PrincipalId.replica(2), PrincipalId.replica(3))) {
            keys.put(each, Identity.generate(each, new SecureRandom()).publicKey());
        }
        return new GenesisFile("00".repeat(16), ALICE, keys);
    }

    @Test
    void aRelativeKeyRingIsBesideTheFile() throws IOException {
        String good = """
            principal=client-0
            key-ring=keys/client-0.keys
            identity=keys/client-0.pem
            genesis=genesis.properties
            faulty-replicas=1
            replica.0=127.0.0.1:1
            replica.1=127.0.0.1:2
            replica.2=127.0.0.1:3
            replica.3=[::1]:4
            """;
        ClientConfig config = load(good);
        assertThat(config.keyRing()).isEqualTo(directory.resolve("keys/client-0.keys"));
        assertThat(config.channels())
                .isEqualTo(new ChannelConfig.Tls(
                        directory.resolve("keys/client-0.pem"), directory.resolve("genesis.properties")));
        assertThat(config.replicas().get(3)).isEqualTo(new ClientConfig.Endpoint("[::1]", 4));

        assertThat(config.encryption()).isEmpty();
        assertThat(load(good + "encrypt-with=keys/a.p12\nencrypt-key=a\n").encryption())
                .contains(new EncryptionConfig(directory.resolve("keys/a.p12"), "a", null));
        assertRefused(good + "encrypt-key=a\n", "without encrypt-with");
        assertRefused(good.replace("replica.3=[::1]:4\n", ""), "3 replicas");
        assertRefused(good.replace("[::1]:4", "[::1]"), "is not HOST:PORT");
        assertRefused(good.replace("client-0\n", "somebody\n"), "\"somebody\" is not a principal");
        assertRefused(good.replace("key-ring", "keyring"), "unknown settings [keyring]");
        String plain = good.replaceAll("(identity|genesis)=.*\n", "") + "insecure-loopback=true\n";
        assertThat(load(plain).channels()).isEqualTo(new ChannelConfig.InsecureLoopback());
        assertRefused(plain.replace("key-ring=keys/client-0.keys\n", ""), "key-ring is missing");
        assertThat(load(good.replace("key-ring=keys/client-0.keys\n", "")).keyRing())
                .as("TLS needs none")
                .isNull();
        assertRefused(good.replace("faulty-replicas=1", "faulty-replicas=one"), "not a number: one");
        assertRefused(good.replace("identity=keys/client-0.pem\n", ""), "identity is missing");
        assertRefused(good.replace("genesis=genesis.properties\n", ""), "genesis is missing");
        assertRefused(good + "insecure-loopback=true\n", "either TLS or plain text");
        assertRefused(good + "insecure-loopback=perhaps\n", "true or false, not perhaps");
    }

    private void assertRefused(String text, String problem) {
        assertThatThrownBy(() -> load(text))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("client.properties")
                .hasMessageContaining(problem);
    }

    private ClientConfig load(String text) throws IOException {
        Path file = directory.resolve("client.properties");
        Files.writeString(file, text);
        return ClientConfig.load(file);
    }

    private static ClientConfig.Endpoint endpoint(int port) {
        return new ClientConfig.Endpoint("localhost", port);
    }
}
