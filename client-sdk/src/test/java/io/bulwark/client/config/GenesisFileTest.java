package io.bulwark.client.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.error.ConfigException;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.transport.TlsCredentials;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.TrustedKeys;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullMarked
class GenesisFileTest {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final PrincipalId OPERATOR = PrincipalId.client(0);
    private static final PrincipalId NODE = PrincipalId.node(0);
    private static final String CLUSTER = "0123456789abcdef0123456789abcdef";
    private static final Map<PrincipalId, Identity> IDENTITIES = identities();

    private final GenesisFile genesis = new GenesisFile(CLUSTER, OPERATOR, keys(IDENTITIES));

    @TempDir
    Path directory = Path.of("");

    @Test
    void itSurvivesItsFileAndIsNeverReplaced() throws IOException {
        Path file = directory.resolve("genesis.properties");
        genesis.store(file);
        assertThat(GenesisFile.load(file)).isEqualTo(genesis);
        assertThat(GenesisFile.load(file).digest()).isEqualTo(genesis.digest());
        TrustedKeys trusted = KnownPrincipals.load(genesis, none()).trustedKeys();
        assertThat(trusted.ownerOf(identity(NODE).publicKey())).contains(NODE);
        assertThatThrownBy(() -> genesis.store(file)).isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void whatCannotBeAGenesisIsRefused() throws IOException {
        Path file = directory.resolve("genesis.properties");
        genesis.store(file);
        String good = Files.readString(file);
        String key = identity(NODE).publicKey().text();

        refused(good.replace(CLUSTER, CLUSTER.substring(1)), "32 hexadecimal digits");
        refused(good.replace("operator=client-0", "operator=node-0"), "operator");
        refused(good.replace("operator=client-0", "operator=client-3"), "operator");
        refused(good.replaceFirst("key.replica-3=.*\\n", ""), "3f + 1 replicas, numbered from 0, not of 3");
        refused(good.replaceFirst("key.replica-1=.*\\n", ""), "3f + 1 replicas, numbered from 0, not of 1");
        refused(good + "key.node-1=" + key + "\n", "belongs to another principal, too");
        refused(good.replace(key, key.substring(4)), "not the whole of a public key");
        refused(good.replace("key.node-0", "key.somebody"), "is not a principal");
        refused(good + "clutser=1\n", "unknown setting clutser");
        assertThatThrownBy(() -> GenesisFile.load(directory.resolve("none")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("there is no genesis file");
    }

    @Test
    void aDataDirectoryBelongsToOneGenesis() throws IOException {
        Path data = directory.resolve("data");
        genesis.claim(data);
        assertThatCode(() -> genesis.claim(data)).doesNotThrowAnyException();
        GenesisFile other = new GenesisFile(CLUSTER.replace('0', '1'), OPERATOR, keys(IDENTITIES));
        assertThatThrownBy(() -> other.claim(data))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("does not match")
                .hasMessageContaining(CLUSTER);
    }

    @Test
    void filesThatFitTogetherGiveCredentials() throws IOException {
        ChannelConfig.Tls files = files(identity(NODE));
        assertThat(files.credentials(NODE, () -> ring(NODE), 4, none()))
                .isInstanceOfSatisfying(
                        TlsCredentials.class,
                        credentials -> assertThat(credentials.self()).isEqualTo(NODE));
        PrincipalId later = PrincipalId.replica(9);
        assertThat(files(Identity.generate(later, RANDOM))
                        .credentials(later, () -> ring(later), 4, none())
                        .self())
                .as("the others decide whether it is let in")
                .isEqualTo(later);
        assertThat(new ChannelConfig.InsecureLoopback()
                        .credentials(NODE, () -> ring(NODE), 4, none())
                        .self())
                .isEqualTo(NODE);
    }

    @Test
    void filesThatDoNotFitTogetherAreNamed() throws IOException {
        ChannelConfig.Tls good = files(identity(NODE));
        unfit(good, OPERATOR, 4, "is the identity of node-0, not of client-0");
        unfit(good, NODE, 7, "does not match: it has keys for 4 replicas, the configuration has 7");
        unfit(new ChannelConfig.Tls(directory.resolve("none.pem"), good.genesis()), NODE, 4, "no identity at");
        unfit(new ChannelConfig.Tls(good.identity(), directory.resolve("none")), NODE, 4, "no genesis file at");
        unfit(files(Identity.generate(NODE, RANDOM)), NODE, 4, "does not match: it has another key for node-0");
        Identity expired = Identity.generate(NODE, Instant.EPOCH, Instant.EPOCH.plusSeconds(1), RANDOM);
        unfit(files(expired), NODE, 4, "has expired on 1970-01-01T00:00:01Z");
    }

    private void unfit(ChannelConfig.Tls files, PrincipalId principal, int replicas, String problem) {
        assertThatThrownBy(() -> files.credentials(principal, () -> ring(principal), replicas, none()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(problem);
    }

    private ChannelConfig.Tls files(Identity identity) throws IOException {
        Path own = Files.createTempFile(directory, "own", ".pem");
        Files.delete(own);
        identity.store(own);
        Path trusted = directory.resolve("trusted");
        Files.deleteIfExists(trusted);
        genesis.store(trusted);
        return new ChannelConfig.Tls(own, trusted);
    }

    private Path none() {
        return directory.resolve("nothing-kept");
    }

    private static KeyRing ring(PrincipalId principal) {
        return KeyRing.generate(List.of(principal), RANDOM).values().iterator().next();
    }

    private void refused(String text, String problem) throws IOException {
        Path file = directory.resolve("bad");
        Files.writeString(file, text);
        assertThatThrownBy(() -> GenesisFile.load(file))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(file + " is no genesis file")
                .hasMessageContaining(problem);
    }

    private static Identity identity(PrincipalId principal) {
        Identity found = IDENTITIES.get(principal);
        if (found == null) {
            throw new AssertionError(principal);
        }
        return found;
    }

    private static Map<PrincipalId, Identity> identities() {
        Map<PrincipalId, Identity> all = new TreeMap<>();
        for (PrincipalId principal : List.of(
                OPERATOR,
                NODE,
                PrincipalId.replica(0),
                PrincipalId.replica(1),
                PrincipalId.replica(2),
                PrincipalId.replica(3))) {
            all.put(principal, Identity.generate(principal, RANDOM));
        }
        return all;
    }

    private static SortedMap<PrincipalId, PrincipalKey> keys(Map<PrincipalId, Identity> identities) {
        SortedMap<PrincipalId, PrincipalKey> keys = new TreeMap<>();
        identities.forEach((principal, identity) -> keys.put(principal, identity.publicKey()));
        return keys;
    }
}
