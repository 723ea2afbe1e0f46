package io.bulwark.client.config;

import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.FileAccessException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.GenesisKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.file.OutputFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Root of trust of a cluster: its initial principals and their public keys. The file is the same at every member and
 * client. Nothing in it is secret, but anyone who can change it at a member decides which principals that member
 * trusts.
 *
 * <pre>
 * cluster=32 hexadecimal digits
 * operator=client-0
 * key.client-0=the public key in Base64
 * key.node-0=...
 * key.replica-0=...
 * </pre>
 *
 * @param cluster identifies the cluster
 * @param operator the client that may administer from the first
 * @param keys one for each principal, 3f+1 replicas and the operator among them
 */
public record GenesisFile(String cluster, PrincipalId operator, SortedMap<PrincipalId, PrincipalKey> keys) {
    /** No cluster begins with more. */
    public static final int PRINCIPALS_MAX = GenesisKeys.PRINCIPALS_MAX;

    private static final String CLUSTER = "cluster";
    private static final String OPERATOR = "operator";
    private static final String KEY_PREFIX = "key.";
    private static final Pattern CLUSTER_FORM = Pattern.compile("[0-9a-f]{32}");
    private static final String MARK = "genesis.sha256";
    private static final int FILE_BYTES_MAX = 1 << 20;

    public GenesisFile {
        keys = Collections.unmodifiableSortedMap(new TreeMap<>(keys));
        if (!CLUSTER_FORM.matcher(cluster).matches()) {
            throw new IllegalArgumentException("the cluster's id must be 32 hexadecimal digits");
        }
        if (keys.size() > PRINCIPALS_MAX) {
            throw new IllegalArgumentException(keys.size() + " principals, at most " + PRINCIPALS_MAX);
        }
        if (operator.kind() != PrincipalKind.CLIENT || !keys.containsKey(operator)) {
            throw new IllegalArgumentException("the operator must be a client with a key; " + operator + " is not");
        }
        int replicas = countOfReplicas(keys);
        if (replicas < 4 || replicas % 3 != 1) {
            throw new IllegalArgumentException(
                    "the file must have the keys of 3f + 1 replicas, numbered from 0, not of " + replicas);
        }
        Set<PrincipalKey> different = new HashSet<>();
        keys.forEach((principal, key) -> {
            if (!different.add(key)) {
                throw new IllegalArgumentException("the key of " + principal + " belongs to another principal, too");
            }
        });
    }

    /**
     * Reads the file.
     *
     * @throws ConfigException if it is missing, or is no genesis
     * @throws FileAccessException if the system cannot read it
     */
    public static GenesisFile load(Path file) {
        Properties properties = ConfigurationFile.properties(file, "genesis file", FILE_BYTES_MAX);
        try {
            return of(properties);
        } catch (IllegalArgumentException e) {
            throw new ConfigException(file + " is no genesis file: " + e.getMessage(), Subject.NONE, e);
        }
    }

    /**
     * Writes the file.
     *
     * @throws FileAlreadyExistsException rather than replacing what others trust already
     */
    public void store(Path file) throws IOException {
        String text = "# The trust anchor of this cluster: the same file at every member and client.\n" + text();
        OutputFile.create(file, false, text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns the SHA-256 of the content, independent of the file's layout. */
    public Bytes digest() {
        return Hashes.sha256(Bytes.of(text().getBytes(StandardCharsets.US_ASCII)));
    }

    /** The file that says this. */
    public static GenesisFile of(GenesisKeys keys) {
        return new GenesisFile(keys.cluster().toHex(), keys.operator(), keys.keys());
    }

    /** Returns the file's content, for the state machine of the metadata. */
    public GenesisKeys genesisKeys() {
        return new GenesisKeys(Bytes.of(HexFormat.of().parseHex(cluster)), operator, keys);
    }

    /**
     * Makes sure that a data directory is this cluster's: marks one that was not used yet.
     *
     * @throws ConfigException if it is another's
     */
    public void claim(Path directory) throws IOException {
        Path mark = directory.resolve(MARK);
        String own = digest().toHex() + " of cluster " + cluster + "\n";
        if (!Files.exists(mark)) {
            Files.createDirectories(directory);
            Path part = directory.resolve(MARK + ".part");
            Files.writeString(part, own);
            Files.move(part, mark);
        } else if (!Files.readString(mark).equals(own)) {
            throw new ConfigException(
                    "the genesis file does not match: the data in " + directory + " began with another, "
                            + Files.readString(mark).strip() + ", this one is " + own.strip(),
                    Subject.NONE);
        }
    }

    void requireReplicas(int replicas, Path file) {
        int known = countOfReplicas(keys);
        if (known != replicas) {
            throw new ConfigException(
                    "the genesis file " + file + " does not match: it has keys for " + known
                            + " replicas, the configuration has " + replicas,
                    Subject.NONE);
        }
    }

    private static int countOfReplicas(Map<PrincipalId, PrincipalKey> keys) {
        int count = 0;
        while (keys.containsKey(PrincipalId.replica(count))) {
            count++;
        }
        return count;
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        text.append(CLUSTER).append('=').append(cluster).append('\n');
        text.append(OPERATOR).append('=').append(operator).append('\n');
        keys.forEach((principal, key) -> text.append(KEY_PREFIX)
                .append(principal)
                .append('=')
                .append(key.text())
                .append('\n'));
        return text.toString();
    }

    private static GenesisFile of(Properties properties) {
        SortedMap<PrincipalId, PrincipalKey> keys = new TreeMap<>();
        for (String name : properties.stringPropertyNames()) {
            if (name.startsWith(KEY_PREFIX)) {
                keys.put(
                        PrincipalId.parse(name.substring(KEY_PREFIX.length())),
                        PrincipalKey.parse(properties.getProperty(name, "").trim()));
            } else if (!name.equals(CLUSTER) && !name.equals(OPERATOR)) {
                throw new IllegalArgumentException("unknown setting " + name);
            }
        }
        return new GenesisFile(
                properties.getProperty(CLUSTER, "").trim(),
                PrincipalId.parse(properties.getProperty(OPERATOR, "").trim()),
                keys);
    }
}
