package io.bulwark.client.config;

import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.FileAccessException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.file.OutputFile;
import io.bulwark.transport.file.TextFile;
import io.bulwark.transport.identity.SecretFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The keys that one principal shares with the others, in a properties file that only its owner may read:
 *
 * <pre>
 * principal=node-3
 * own=64 hexadecimal digits, shared with nobody
 * key.node-0=64 hexadecimal digits
 * key.client-0=...
 * </pre>
 */
public record KeyRing(PrincipalId principal, Bytes own, Map<PrincipalId, Bytes> shared) {
    private static final String KEY_PREFIX = "key.";
    private static final int FILE_BYTES_MAX = 64 << 20;

    public KeyRing {
        shared = Map.copyOf(shared);
        requireLength(own);
        shared.values().forEach(KeyRing::requireLength);
    }

    /** The file of a principal in a directory of key rings: {@code node-3.keys}. */
    public static Path file(Path directory, PrincipalId principal) {
        return directory.resolve(principal + ".keys");
    }

    /**
     * Makes one key ring per principal: every two share a key, each has one of its own. Two clients share none.
     *
     * @return by principal
     */
    public static Map<PrincipalId, KeyRing> generate(Collection<PrincipalId> principals, SecureRandom random) {
        Map<PrincipalId, Map<PrincipalId, Bytes>> keys = new TreeMap<>();
        Set<PrincipalId> all = new TreeSet<>(principals);
        for (PrincipalId one : all) {
            for (PrincipalId other : all) {
                boolean clients = one.kind() == PrincipalKind.CLIENT && other.kind() == PrincipalKind.CLIENT;
                if (one.compareTo(other) < 0 && !clients) {
                    Bytes key = random(random);
                    keys.computeIfAbsent(one, ignored -> new TreeMap<>()).put(other, key);
                    keys.computeIfAbsent(other, ignored -> new TreeMap<>()).put(one, key);
                }
            }
        }
        Map<PrincipalId, KeyRing> rings = new TreeMap<>();
        for (PrincipalId principal : all) {
            rings.put(principal, new KeyRing(principal, random(random), keys.getOrDefault(principal, Map.of())));
        }
        return rings;
    }

    /** Makes key rings as above and stores each as {@link #file}. The directory must exist. */
    public static void generate(Path directory, Collection<PrincipalId> principals, SecureRandom random)
            throws IOException {
        for (KeyRing ring : generate(principals, random).values()) {
            ring.store(file(directory, ring.principal));
        }
    }

    /**
     * Writes the file with mode 0600.
     *
     * @throws FileAlreadyExistsException rather than overwriting keys
     */
    public void store(Path file) throws IOException {
        Properties properties = new Properties();
        properties.setProperty("principal", principal.toString());
        properties.setProperty("own", own.toHex());
        shared.forEach((peer, key) -> properties.setProperty(KEY_PREFIX + peer, key.toHex()));
        String content = TextFile.text(properties, "Secret: any reader of this file can act as " + principal);
        OutputFile.create(file, true, content.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Reads a key ring.
     *
     * @throws ConfigException if others may read or write the file, or it is not a key ring; says what to do
     * @throws FileAccessException if the system cannot read it
     */
    public static KeyRing load(Path file) {
        Properties properties;
        try {
            SecretFile.check(file);
            properties = TextFile.properties(file, FILE_BYTES_MAX);
        } catch (IOException e) {
            throw ConfigurationFile.failure(file, "key ring", e);
        }
        try {
            Map<PrincipalId, Bytes> shared = new TreeMap<>();
            for (String name : properties.stringPropertyNames()) {
                if (name.startsWith(KEY_PREFIX)) {
                    PrincipalId peer = PrincipalId.parse(name.substring(KEY_PREFIX.length()));
                    shared.put(peer, key(properties, name));
                }
            }
            PrincipalId principal = PrincipalId.parse(properties.getProperty("principal", ""));
            return new KeyRing(principal, key(properties, "own"), shared);
        } catch (IllegalArgumentException e) {
            throw new ConfigException(file + " is not a key ring: " + e.getMessage(), Subject.NONE, e);
        }
    }

    public PairwiseKeys pairwiseKeys() {
        Map<PrincipalId, Bytes> all = new TreeMap<>(shared);
        all.put(principal, own);
        return new PairwiseKeys(principal, all);
    }

    /** Names the principals, never the keys. */
    @Override
    public String toString() {
        return "key ring of " + principal + " with " + shared.size() + " peers";
    }

    private static Bytes key(Properties properties, String name) {
        return Bytes.of(HexFormat.of().parseHex(properties.getProperty(name, "")));
    }

    private static Bytes random(SecureRandom random) {
        byte[] key = new byte[PairwiseKeys.KEY_BYTES];
        random.nextBytes(key);
        return Bytes.of(key);
    }

    private static void requireLength(Bytes key) {
        if (key.length() != PairwiseKeys.KEY_BYTES) {
            throw new IllegalArgumentException(
                    "a key has " + key.length() + " bytes instead of " + PairwiseKeys.KEY_BYTES);
        }
    }
}
