package io.bulwark.client.config;

import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.FileAccessException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.object.InlineContent;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.transport.file.OutputFile;
import io.bulwark.transport.file.TextFile;
import io.bulwark.transport.identity.Identity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Addresses of a cluster, and the principal as which to connect. The replicas tell the addresses of the nodes. As a
 * file:
 *
 * <pre>
 * principal=client-0
 * key-ring=keys/client-0.keys
 * identity=keys/client-0.pem
 * genesis=genesis.properties
 * faulty-replicas=1
 * replica.0=127.0.0.1:7600
 * replica.1=127.0.0.1:7601
 * replica.2=127.0.0.1:7602
 * replica.3=127.0.0.1:7603
 * bytes-in-flight-max=67108864
 * locking=auto
 * inline=4096
 * encrypt-with=photos.p12
 * </pre>
 *
 * @param keyRing the {@link KeyRing} file of the principal; in a file, relative to that file's directory. With TLS
 *     clients need none
 * @param channels TLS by the files of {@code identity} and {@code genesis}, relative as above; or, with {@code
 *     insecure-loopback=true} and without these, plain text that is refused on all addresses but loopback
 * @param faultyReplicas f of the metadata service
 * @param replicas all 3f+1, by number
 * @param bytesInFlightMax maximum bytes of blocks that all operations together may have in flight; more memory than
 *     this is needed, as every block has fragments. Optional in the file: by default a sixteenth of the heap, at most 64
 *     MiB
 * @param encryption if present, objects are encrypted here before they leave
 * @param habits how the client uses the metadata
 */
public record ClientConfig(
        PrincipalId principal,
        @Nullable Path keyRing,
        ChannelConfig channels,
        int faultyReplicas,
        List<Endpoint> replicas,
        long bytesInFlightMax,
        Optional<EncryptionConfig> encryption,
        Habits habits) {
    private static final String PRINCIPAL = ClientSetting.PRINCIPAL.key();
    private static final String KEY_RING = ClientSetting.KEY_RING.key();
    private static final String IDENTITY = ClientSetting.IDENTITY.key();
    private static final String GENESIS = ClientSetting.GENESIS.key();
    private static final String INSECURE_LOOPBACK = ClientSetting.INSECURE_LOOPBACK.key();
    private static final String FAULTY = ClientSetting.FAULTY_REPLICAS.key();
    private static final String REPLICA_PREFIX = "replica.";
    private static final String BYTES_IN_FLIGHT = ClientSetting.BYTES_IN_FLIGHT_MAX.key();

    /** All that a file may have besides the replicas' addresses. */
    private static final Set<String> KNOWN = EnumSet.complementOf(EnumSet.of(ClientSetting.REPLICA)).stream()
            .map(ClientSetting::key)
            .collect(Collectors.toUnmodifiableSet());

    private static final int FILE_BYTES_MAX = 1 << 20;

    private static final long BYTES_IN_FLIGHT_MIN = 1 << 20;

    public ClientConfig {
        replicas = List.copyOf(replicas);
        if (faultyReplicas < 1 || replicas.size() != 3 * faultyReplicas + 1) {
            throw new IllegalArgumentException(replicas.size() + " replicas with " + FAULTY + " = " + faultyReplicas
                    + "; there must be 3 * " + FAULTY + " + 1 of them");
        }
        if (keyRing == null && channels instanceof ChannelConfig.InsecureLoopback) {
            throw new IllegalArgumentException("the setting " + KEY_RING + " is missing");
        }
        if (bytesInFlightMax < BYTES_IN_FLIGHT_MIN) {
            throw new IllegalArgumentException(BYTES_IN_FLIGHT + " must be at least " + BYTES_IN_FLIGHT_MIN);
        }
    }

    /** Choice of the operations that go to logs (docs/protocols/locking.md). */
    public enum Locking {
        /** The client locks what it has used alone for a while. */
        AUTO,
        /** Everything is ordered. */
        OFF;

        static final Locking STANDARD = AUTO;

        static Locking parse(String text) {
            return switch (text) {
                case "auto" -> AUTO;
                case "off" -> OFF;
                default ->
                    throw new IllegalArgumentException(ClientSetting.LOCKING.key() + " is auto or off, not " + text);
            };
        }

        private String text() {
            return this == AUTO ? "auto" : "off";
        }
    }

    /**
     * Choices that the client has.
     *
     * @param locking whether it locks parts of the namespace that it uses alone
     * @param inlineMax length up to which an object stands in the metadata; 0 for none
     */
    public record Habits(Locking locking, int inlineMax) {
        /** Default that bounds the weight of the metadata: docs/decisions/0036. */
        static final Habits STANDARD = new Habits(Locking.STANDARD, 4 << 10);

        public Habits {
            if (inlineMax < 0 || inlineMax > InlineContent.BYTES_MAX) {
                throw new IllegalArgumentException(
                        ClientSetting.INLINE.key() + " is 0 to " + InlineContent.BYTES_MAX + ", not " + inlineMax);
            }
        }
    }

    public Locking locking() {
        return habits.locking();
    }

    public int inlineMax() {
        return habits.inlineMax();
    }

    /** Makes a configuration with the standard habits. */
    public ClientConfig(
            PrincipalId principal,
            @Nullable Path keyRing,
            ChannelConfig channels,
            int faultyReplicas,
            List<Endpoint> replicas,
            long bytesInFlightMax,
            Optional<EncryptionConfig> encryption) {
        this(principal, keyRing, channels, faultyReplicas, replicas, bytesInFlightMax, encryption, Habits.STANDARD);
    }

    /** Makes a configuration with the standard bound on bytes in flight. */
    public ClientConfig(
            PrincipalId principal,
            @Nullable Path keyRing,
            ChannelConfig channels,
            int faultyReplicas,
            List<Endpoint> replicas) {
        this(principal, keyRing, channels, faultyReplicas, replicas, bytesInFlightStandard());
    }

    /** Makes a configuration without encryption. */
    public ClientConfig(
            PrincipalId principal,
            @Nullable Path keyRing,
            ChannelConfig channels,
            int faultyReplicas,
            List<Endpoint> replicas,
            long bytesInFlightMax) {
        this(principal, keyRing, channels, faultyReplicas, replicas, bytesInFlightMax, Optional.empty());
    }

    /**
     * Returns the configuration of another principal of this cluster, whose identity no file here has.
     *
     * @param directory of the knowledge of the registry, which is kept for the principal
     * @throws ConfigException if the cluster has no keys
     */
    public ClientConfig withOpened(Identity identity, Path directory) {
        if (!(channels instanceof ChannelConfig.Tls files)) {
            throw new ConfigException("an insecure-loopback cluster has no keys", Subject.NONE);
        }
        ChannelConfig opened = new ChannelConfig.Tls(
                Identity.file(directory, identity.principal()), files.genesis(), Optional.of(identity));
        return new ClientConfig(
                identity.principal(),
                null,
                opened,
                faultyReplicas,
                replicas,
                bytesInFlightMax,
                Optional.empty(),
                habits);
    }

    /** The same with keys for the objects. */
    public ClientConfig withEncryption(EncryptionConfig keys) {
        return new ClientConfig(
                principal, keyRing, channels, faultyReplicas, replicas, bytesInFlightMax, Optional.of(keys), habits);
    }

    /** The same with another choice of locking. */
    public ClientConfig withLocking(Locking choice) {
        return with(new Habits(choice, inlineMax()));
    }

    /** The same with another limit of objects in the metadata; 0 for none. */
    public ClientConfig withInlineMax(int bytes) {
        return with(new Habits(locking(), bytes));
    }

    private ClientConfig with(Habits others) {
        return new ClientConfig(
                principal, keyRing, channels, faultyReplicas, replicas, bytesInFlightMax, encryption, others);
    }

    /**
     * The principal's keys.
     *
     * @throws ConfigException if there are none, or they are another's
     */
    public KeyRing keys() {
        if (keyRing == null) {
            throw new ConfigException("the setting " + KEY_RING + " is missing", Subject.NONE);
        }
        KeyRing keys = KeyRing.load(keyRing);
        if (!keys.principal().equals(principal)) {
            throw new ConfigException(
                    "the key ring " + keyRing + " is that of " + keys.principal() + ", not of " + principal,
                    Subject.NONE);
        }
        return keys;
    }

    /**
     * Returns the addresses of the replicas by name. It includes the successors of the configured replicas that this
     * principal knows.
     */
    public SortedMap<PrincipalId, Endpoint> lastKnown() {
        SortedMap<PrincipalId, Endpoint> known = new TreeMap<>();
        Configuration now = channels instanceof ChannelConfig.Tls files
                ? ConfigurationChainFile.beside(channels.keptBeside())
                        .last(GenesisFile.load(files.genesis()).genesisKeys().configuration())
                : Configuration.fixed(faultyReplicas);
        for (Member member : now.members()) {
            PrincipalId replica = member.replica();
            known.put(
                    replica,
                    member.address().isEmpty() ? replicas.get(replica.number()) : Endpoint.parse(member.address()));
        }
        return known;
    }

    /** A host, by name or address, and a port. */
    public record Endpoint(String host, int port) {
        public Endpoint {
            if (host.isEmpty() || port < 1 || port > 65_535) {
                throw new IllegalArgumentException("\"" + host + ":" + port + "\" is not HOST:PORT");
            }
        }

        static Endpoint parse(String text) {
            int colon = text.lastIndexOf(':');
            try {
                return new Endpoint(
                        text.substring(0, Math.max(0, colon)).trim(),
                        Integer.parseInt(text.substring(colon + 1).trim()));
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("\"" + text + "\" is not HOST:PORT", e);
            }
        }

        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    /**
     * Reads a configuration.
     *
     * @throws ConfigException if the file is missing, or a setting is missing, unknown or out of bounds
     * @throws FileAccessException if the system cannot read it
     */
    public static ClientConfig load(Path file) {
        Properties properties = ConfigurationFile.properties(file, "client configuration", FILE_BYTES_MAX);
        try {
            return of(properties, file);
        } catch (IllegalArgumentException e) {
            throw new ConfigException(file + ": " + e.getMessage(), Subject.NONE, e);
        }
    }

    /**
     * Writes the file, replacing one that is there. Paths below its directory are relative, so that the directory can
     * be moved or copied as a whole.
     */
    public void store(Path file) throws IOException {
        Path root = file.toAbsolutePath().normalize().resolveSibling("");
        Function<Path, String> text = path -> TextFile.pathText(path, file, root);
        Properties properties = new Properties();
        properties.setProperty(PRINCIPAL, principal.toString());
        if (keyRing != null) {
            properties.setProperty(KEY_RING, text.apply(keyRing));
        }
        switch (channels) {
            case ChannelConfig.Tls tls -> {
                properties.setProperty(IDENTITY, text.apply(tls.identity()));
                properties.setProperty(GENESIS, text.apply(tls.genesis()));
            }
            case ChannelConfig.InsecureLoopback ignored -> properties.setProperty(INSECURE_LOOPBACK, "true");
        }
        encryption.ifPresent(keys -> keys.store(properties, text));
        properties.setProperty(FAULTY, Integer.toString(faultyReplicas));
        properties.setProperty(ClientSetting.LOCKING.key(), locking().text());
        if (inlineMax() != Habits.STANDARD.inlineMax()) {
            properties.setProperty(ClientSetting.INLINE.key(), Integer.toString(inlineMax()));
        }
        if (bytesInFlightMax != bytesInFlightStandard()) {
            properties.setProperty(BYTES_IN_FLIGHT, Long.toString(bytesInFlightMax));
        }
        for (int i = 0; i < replicas.size(); i++) {
            properties.setProperty(REPLICA_PREFIX + i, replicas.get(i).toString());
        }
        OutputFile.write(file, TextFile.text(properties, "Access of a client to the cluster"));
    }

    private static ClientConfig of(Properties properties, Path file) {
        Set<String> names = new TreeSet<>(properties.stringPropertyNames());
        List<Endpoint> replicas = new ArrayList<>();
        for (int i = 0; names.remove(REPLICA_PREFIX + i); i++) {
            replicas.add(Endpoint.parse(properties.getProperty(REPLICA_PREFIX + i, "")));
        }
        names.removeAll(KNOWN);
        if (!names.isEmpty()) {
            throw new IllegalArgumentException("unknown settings " + names);
        }
        return new ClientConfig(
                PrincipalId.parse(required(properties, PRINCIPAL)),
                properties.containsKey(KEY_RING) ? path(properties, KEY_RING, file) : null,
                channels(properties, file),
                (int) number(FAULTY, required(properties, FAULTY)),
                replicas,
                number(
                        BYTES_IN_FLIGHT,
                        properties.getProperty(BYTES_IN_FLIGHT, Long.toString(bytesInFlightStandard()))),
                EncryptionConfig.read(properties, file.toAbsolutePath()),
                habits(properties));
    }

    private static Habits habits(Properties properties) {
        Locking locking = Locking.parse(properties
                .getProperty(ClientSetting.LOCKING.key(), Locking.STANDARD.text())
                .trim());
        String inline = properties.getProperty(ClientSetting.INLINE.key());
        return new Habits(
                locking,
                inline == null
                        ? Habits.STANDARD.inlineMax()
                        : Math.toIntExact(number(ClientSetting.INLINE.key(), inline)));
    }

    private static ChannelConfig channels(Properties properties, Path file) {
        String insecure = properties.getProperty(INSECURE_LOOPBACK, "false").trim();
        return switch (insecure) {
            case "false" -> new ChannelConfig.Tls(path(properties, IDENTITY, file), path(properties, GENESIS, file));
            case "true" -> {
                if (properties.containsKey(IDENTITY) || properties.containsKey(GENESIS)) {
                    throw new IllegalArgumentException(INSECURE_LOOPBACK + "=true with " + IDENTITY + " or " + GENESIS
                            + ": choose either TLS or plain text");
                }
                yield new ChannelConfig.InsecureLoopback();
            }
            default -> throw new IllegalArgumentException(INSECURE_LOOPBACK + " is true or false, not " + insecure);
        };
    }

    private static Path path(Properties properties, String name, Path file) {
        return file.toAbsolutePath().resolveSibling(required(properties, name)).normalize();
    }

    private static long bytesInFlightStandard() {
        return Math.clamp(Runtime.getRuntime().maxMemory() / 16, 4L << 20, 64L << 20);
    }

    private static String required(Properties properties, String name) {
        String value = properties.getProperty(name, "").trim();
        if (value.isEmpty()) {
            throw new IllegalArgumentException("the setting " + name + " is missing");
        }
        return value;
    }

    private static long number(String name, String value) {
        try {
            return Long.parseLong(value.trim());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " is not a number: " + value, e);
        }
    }
}
