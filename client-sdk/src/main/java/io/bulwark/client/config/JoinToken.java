package io.bulwark.client.config;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * An invitation as a line of text, with which a new machine reaches the replicas, authenticates them, and gives itself
 * a key. The first to use it becomes the principal that it names; after use it is worthless.
 *
 * @param genesis the digest of the genesis file, which the replicas then send
 * @param principal the invited principal
 * @param expiresMillis in agreed time
 * @param seed of the key that the invitation was made for; secret
 * @param replicas all 3f+1 of the genesis, by number
 * @param later the replicas that have followed them
 */
public record JoinToken(
        Bytes genesis,
        PrincipalId principal,
        long expiresMillis,
        Bytes seed,
        List<Replica> replicas,
        Optional<Later> later) {
    public static final int SEED_BYTES = 32;

    private static final String PREFIX = "bulwark-join-1.";
    /** Prefix of a token that names successors of the genesis's replicas. */
    private static final String LATER_PREFIX = "bulwark-join-2.";

    private static final int CHECKSUM_BYTES = 4;
    private static final int TEXT_LENGTH_MAX = 1 << 20;
    private static final int REPLICAS_MAX = 1024;
    private static final int HOST_BYTES_MAX = 255;

    /** Address on which a replica listens, and the key that it shows there. */
    public record Replica(ClientConfig.Endpoint endpoint, PrincipalKey key) {}

    /**
     * Replicas to ask, where others have succeeded those of the genesis.
     *
     * @param configuration as it began
     * @param keys that its members show now, by place
     */
    public record Later(Configuration configuration, List<PrincipalKey> keys) {
        public Later {
            keys = List.copyOf(keys);
            if (configuration.number() == 0
                    || keys.size() != configuration.members().size()) {
                throw new IllegalArgumentException(keys.size() + " keys for " + configuration);
            }
        }

        private void write(WireWriter out) {
            configuration.write(out);
            for (int place = 0; place < keys.size(); place++) {
                boolean isOther = !keys.get(place)
                        .encoded()
                        .equals(configuration.members().get(place).key());
                out.bool(isOther);
                if (isOther) {
                    keys.get(place).write(out);
                }
            }
        }

        private static Later read(WireReader in) {
            Configuration configuration = Configuration.read(in);
            List<PrincipalKey> keys = new ArrayList<>();
            for (Member member : configuration.members()) {
                keys.add(in.bool() ? PrincipalKey.read(in) : new PrincipalKey(member.key()));
            }
            return new Later(configuration, keys);
        }
    }

    public JoinToken {
        replicas = List.copyOf(replicas);
        if (genesis.length() != Hashes.LENGTH || seed.length() != SEED_BYTES || expiresMillis < 0) {
            throw new IllegalArgumentException("its content is not an invitation");
        }
        if (replicas.size() < 4 || replicas.size() % 3 != 1 || replicas.size() > REPLICAS_MAX) {
            throw new IllegalArgumentException(replicas.size() + " replicas, not 3f + 1");
        }
        for (Member member : later.map(each -> each.configuration.members()).orElse(List.of())) {
            if (!member.address().isEmpty()) {
                var unused = ClientConfig.Endpoint.parse(member.address());
            } else if (member.replica().number() >= replicas.size()) {
                throw new IllegalArgumentException("nobody finds " + member.replica());
            }
        }
    }

    /** The keys that those who are asked show, in the order of {@link #configuration}. */
    public List<PrincipalKey> keys() {
        return later.map(Later::keys)
                .orElseGet(() -> replicas.stream().map(Replica::key).toList());
    }

    /** Returns the configuration of the replicas to ask. It has no addresses of the genesis's replicas. */
    public Configuration configuration() {
        return later.map(Later::configuration)
                .orElseGet(() -> new Configuration(
                        0,
                        IntStream.range(0, replicas.size())
                                .mapToObj(i -> new Member(
                                        PrincipalId.replica(i),
                                        replicas.get(i).key().encoded(),
                                        ""))
                                .toList()));
    }

    /** Returns the addresses on which the replicas to ask listen. */
    public List<ClientConfig.Endpoint> endpoints() {
        return configuration().members().stream()
                .map(member -> member.address().isEmpty()
                        ? replicas.get(member.replica().number()).endpoint()
                        : ClientConfig.Endpoint.parse(member.address()))
                .toList();
    }

    /** One line; ends with a checksum. */
    public String text() {
        WireWriter out = new WireWriter().raw(genesis);
        principal.write(out);
        out.i64(expiresMillis).raw(seed).u16(replicas.size());
        for (Replica replica : replicas) {
            out.string(replica.endpoint.host()).u16(replica.endpoint.port());
            replica.key.write(out);
        }
        later.ifPresent(now -> now.write(out));
        Bytes content = out.toBytes();
        Bytes all = new WireWriter().raw(content).raw(checksum(content)).toBytes();
        return (later.isPresent() ? LATER_PREFIX : PREFIX)
                + Base64.getUrlEncoder().withoutPadding().encodeToString(all.toByteArray());
    }

    /**
     * Reads what {@link #text} gives.
     *
     * @throws IllegalArgumentException if it is something else, or not the whole of it; says what
     */
    public static JoinToken parse(String text) {
        boolean isLater = text.startsWith(LATER_PREFIX);
        if ((!isLater && !text.startsWith(PREFIX)) || text.length() > TEXT_LENGTH_MAX) {
            throw new IllegalArgumentException("not a token: it does not begin with " + PREFIX);
        }
        try {
            Bytes all = Bytes.of(Base64.getUrlDecoder().decode(text.substring(PREFIX.length())));
            int length = all.length() - CHECKSUM_BYTES;
            if (length < 0 || !checksum(all.slice(0, length)).equals(all.slice(length, CHECKSUM_BYTES))) {
                throw new IllegalArgumentException("its checksum is wrong");
            }
            WireReader in = new WireReader(all.slice(0, length));
            Bytes genesis = in.raw(Hashes.LENGTH);
            PrincipalId principal = PrincipalId.read(in);
            long expiresMillis = in.nonNegative64();
            Bytes seed = in.raw(SEED_BYTES);
            int count = in.count16(REPLICAS_MAX);
            List<Replica> replicas = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                replicas.add(new Replica(
                        new ClientConfig.Endpoint(in.string(HOST_BYTES_MAX), in.u16()), PrincipalKey.read(in)));
            }
            Optional<Later> later = isLater ? Optional.of(Later.read(in)) : Optional.empty();
            in.end();
            JoinToken token = new JoinToken(genesis, principal, expiresMillis, seed, replicas, later);
            if (!token.text().equals(text)) {
                throw new IllegalArgumentException("it is not in canonical form");
            }
            return token;
        } catch (MalformedException | IllegalArgumentException e) {
            throw new IllegalArgumentException("the token is damaged; copy the whole line: " + e.getMessage(), e);
        }
    }

    /** Names the principal, not the secret. */
    @Override
    public String toString() {
        return "an invitation of " + principal;
    }

    private static Bytes checksum(Bytes content) {
        return Hashes.sha256(content).slice(0, CHECKSUM_BYTES);
    }
}
