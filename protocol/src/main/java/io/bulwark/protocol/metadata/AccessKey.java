package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import java.util.Optional;

/**
 * Name of a secret with which programs sign requests to gateways, on behalf of a person. The secret itself is sealed to
 * each gateway ({@link SealedSecret}); replicas never see it.
 *
 * @param id the public part, see {@link #problem}
 * @param person the client for whom gateways act
 * @param name for people, at most {@link #NAME_BYTES_MAX} bytes
 * @param limits the places that the key reaches, which gateways enforce; empty for all that the person may reach
 * @param expiresMillis agreed time from which on no gateway gets it; 0 for never
 */
public record AccessKey(String id, PrincipalId person, String name, List<Limit> limits, long expiresMillis) {
    public static final int ID_LENGTH_MIN = 16;
    public static final int ID_LENGTH_MAX = 128;
    public static final int NAME_BYTES_MAX = 64;
    public static final int LIMITS_MAX = 16;

    public AccessKey {
        limits = List.copyOf(limits);
        if (limits.size() > LIMITS_MAX) {
            throw new IllegalArgumentException(limits.size() + " limits of an access key");
        }
    }

    /**
     * Part of a bucket.
     *
     * @param prefix of the object keys; empty for the whole bucket
     */
    public record Limit(String bucket, String prefix) {
        void write(WireWriter out) {
            out.string(bucket).string(prefix);
        }

        static Limit read(WireReader in) {
            return new Limit(in.string(Names.NAME_LENGTH_MAX), in.string(Names.KEY_BYTES_MAX));
        }
    }

    /** Returns the error in it: an id has 16 to 128 of A-Z, a-z and 0-9, and no text has a control character. */
    Optional<String> problem() {
        if (id.length() < ID_LENGTH_MIN
                || id.length() > ID_LENGTH_MAX
                || !id.chars().allMatch(AccessKey::isLetterOrDigit)) {
            return Optional.of(
                    "the id of an access key has " + ID_LENGTH_MIN + " to " + ID_LENGTH_MAX + " letters and digits");
        }
        if (name.chars().anyMatch(Character::isISOControl)) {
            return Optional.of("the name of an access key has no control characters");
        }
        return limits.stream().flatMap(limit -> problemOf(limit).stream()).findFirst();
    }

    private static Optional<String> problemOf(Limit limit) {
        return Names.problemOfName(limit.bucket())
                .map(problem -> "bucket " + limit.bucket() + ": " + problem)
                .or(() -> limit.prefix().isEmpty() ? Optional.empty() : Names.problemOfKey(limit.prefix()));
    }

    private static boolean isLetterOrDigit(int c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    }

    void write(WireWriter out) {
        person.write(out.string(id));
        Lists.write(limits, out.string(name), Limit::write);
        out.i64(expiresMillis);
    }

    static AccessKey read(WireReader in) {
        String id = in.string(ID_LENGTH_MAX);
        PrincipalId person = PrincipalId.read(in);
        String name = in.string(NAME_BYTES_MAX);
        return new AccessKey(id, person, name, Lists.read(in, LIMITS_MAX, Limit::read), in.nonNegative64());
    }
}
