package io.bulwark.client.config;

import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.FileAccessException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.transport.file.AtomicFile;
import io.bulwark.transport.file.TextFile;
import io.bulwark.transport.file.UnusableFileException;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.TrustedKeys;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Principals whose keys are trusted: those of the genesis, and later changes that the replicas agreed on. They are
 * stored in a file, so that a restarted process keeps its knowledge:
 *
 * <pre>
 * genesis=the digest of the genesis file, without which this says nothing
 * version=3
 * client-7=the public key in Base64, the one before
 * client-8=revoked
 * </pre>
 *
 * @param version of the registry that this is; -1 if none is known
 * @param changed the keys of principals that the registry has an entry for, the newest first; none if revoked
 */
public record KnownPrincipals(GenesisFile genesis, long version, SortedMap<PrincipalId, List<PrincipalKey>> changed) {
    /** Nothing was heard of the registry yet. */
    public static final long NO_VERSION = -1;

    private static final String GENESIS = "genesis";
    private static final String VERSION = "version";
    private static final String REVOKED = "revoked";
    private static final int FILE_BYTES_MAX = 64 << 20;

    public KnownPrincipals {
        changed = Collections.unmodifiableSortedMap(new TreeMap<>(changed));
    }

    /**
     * Loads the genesis, with the file's content if it exists and is of the same genesis.
     *
     * @throws ConfigException if the file is damaged
     * @throws FileAccessException if the system cannot read it
     */
    public static KnownPrincipals load(GenesisFile genesis, Path file) {
        try {
            Properties properties = TextFile.properties(file, FILE_BYTES_MAX);
            if (!properties.getProperty(GENESIS, "").equals(genesis.digest().toHex())) {
                return new KnownPrincipals(genesis, NO_VERSION, new TreeMap<>());
            }
            SortedMap<PrincipalId, List<PrincipalKey>> changed = new TreeMap<>();
            for (String name : properties.stringPropertyNames()) {
                if (!name.equals(VERSION) && !name.equals(GENESIS)) {
                    changed.put(PrincipalId.parse(name), keys(properties.getProperty(name, "")));
                }
            }
            return new KnownPrincipals(genesis, Long.parseLong(properties.getProperty(VERSION, "")), changed);
        } catch (NoSuchFileException e) {
            return new KnownPrincipals(genesis, NO_VERSION, new TreeMap<>());
        } catch (UnusableFileException | IllegalArgumentException e) {
            throw new ConfigException(
                    "cannot read the saved registry, " + file + ": " + e.getMessage()
                            + "; without this file it is learned again",
                    Subject.NONE,
                    e);
        } catch (IOException e) {
            throw ConfigurationFile.failure(file, "saved registry", e);
        }
    }

    /** Replaces the file; returns once it is durable. */
    public void store(Path file) throws IOException {
        StringBuilder text = new StringBuilder("# Trusted keys beside those of the genesis, agreed by the replicas.\n");
        text.append(GENESIS).append('=').append(genesis.digest().toHex()).append('\n');
        text.append(VERSION).append('=').append(version).append('\n');
        changed.forEach((principal, keys) -> text.append(principal)
                .append('=')
                .append(
                        keys.isEmpty()
                                ? REVOKED
                                : String.join(
                                        ",",
                                        keys.stream().map(PrincipalKey::text).toList()))
                .append('\n'));
        AtomicFile.replace(file, StandardCharsets.US_ASCII.encode(text.toString()));
    }

    /** The keys of a principal, the newest first; none if it is unknown or revoked. */
    public List<PrincipalKey> keysOf(PrincipalId principal) {
        List<PrincipalKey> keys = changed.get(principal);
        if (keys != null) {
            return keys;
        }
        PrincipalKey first = genesis.keys().get(principal);
        return first == null ? List.of() : List.of(first);
    }

    /** A key that two principals have is that of the one who had it in the genesis. */
    public TrustedKeys trustedKeys() {
        Map<PrincipalKey, PrincipalId> owners = new HashMap<>();
        genesis.keys().forEach((principal, key) -> {
            if (!changed.containsKey(principal)) {
                owners.put(key, principal);
            }
        });
        changed.forEach((principal, keys) -> keys.forEach(key -> owners.putIfAbsent(key, principal)));
        return new TrustedKeys(owners, revoked());
    }

    private Set<PrincipalId> revoked() {
        return changed.entrySet().stream()
                .filter(each -> each.getValue().isEmpty())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /**
     * Returns trusted keys that include, of all replicas, only these: with the keys that they have been given since, or
     * those that they began with. A principal that the registry has revoked is not trusted, though the proof of that
     * may have been lost here.
     */
    public TrustedKeys trustedKeys(Configuration replicas) {
        Map<PrincipalKey, PrincipalId> owners = new HashMap<>(trustedKeys().owners());
        owners.values().removeIf(owner -> owner.kind() == PrincipalKind.REPLICA && replicas.placeOf(owner) < 0);
        for (Member member : replicas.members()) {
            if (!changed.containsKey(member.replica()) && !genesis.keys().containsKey(member.replica())) {
                owners.putIfAbsent(new PrincipalKey(member.key()), member.replica());
            }
        }
        return new TrustedKeys(owners, revoked());
    }

    /**
     * Requires that the genesis has the key of this identity. Principals outside the genesis may have been added since,
     * and once a registry version is known, keys may have been exchanged. Then the members decide.
     */
    void requireKeyOf(Identity identity, ChannelConfig.Tls files) {
        PrincipalId principal = identity.principal();
        boolean letIn = !genesis.keys().containsKey(principal);
        List<PrincipalKey> keys = keysOf(principal);
        if (keys.isEmpty() && !letIn) {
            throw new ConfigException(principal + " is revoked", Subject.NONE);
        }
        if (!keys.contains(identity.publicKey()) && !letIn && version == NO_VERSION) {
            throw new ConfigException(
                    "the genesis file " + files.genesis() + " does not match: it has another key for " + principal
                            + " than " + files.identity(),
                    Subject.NONE);
        }
    }

    private static List<PrincipalKey> keys(String text) {
        if (text.trim().equals(REVOKED)) {
            return List.of();
        }
        List<PrincipalKey> keys = new ArrayList<>();
        for (String each : text.trim().split(",", Command.KEYS_MAX + 1)) {
            keys.add(PrincipalKey.parse(each));
        }
        if (keys.size() > Command.KEYS_MAX) {
            throw new IllegalArgumentException(keys.size() + " keys of one principal");
        }
        return List.copyOf(keys);
    }
}
