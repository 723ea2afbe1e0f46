package io.bulwark.client;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.AccessKey;
import io.bulwark.protocol.metadata.Rights;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * An access key to be made.
 *
 * @param name for people, may be empty
 * @param person the client for whom gateways act; empty for a new one without a key, who gets the rights
 * @param rights of a new person: on the buckets of the limits, or on everything without limits. Gateways get act-for
 *     grants with this ceiling where they have none over the person
 * @param limits empty for all that the person may reach
 * @param expires empty for never
 */
public record AccessKeySpec(
        String name,
        Optional<PrincipalId> person,
        Rights rights,
        List<AccessKey.Limit> limits,
        Optional<Instant> expires) {
    public static final Rights READ = new Rights(true, false, false);
    public static final Rights WRITE = new Rights(true, true, false);

    public AccessKeySpec {
        limits = List.copyOf(limits);
    }

    /** Returns a key of a new person who reads and writes everything. */
    public static AccessKeySpec of(String name) {
        return new AccessKeySpec(name, Optional.empty(), WRITE, List.of(), Optional.empty());
    }

    public AccessKeySpec withPerson(PrincipalId existing) {
        return new AccessKeySpec(name, Optional.of(existing), rights, limits, expires);
    }

    public AccessKeySpec withRights(Rights given) {
        return new AccessKeySpec(name, person, given, limits, expires);
    }

    public AccessKeySpec withLimits(List<AccessKey.Limit> given) {
        return new AccessKeySpec(name, person, rights, given, expires);
    }

    public AccessKeySpec withExpiry(Instant end) {
        return new AccessKeySpec(name, person, rights, limits, Optional.of(end));
    }
}
