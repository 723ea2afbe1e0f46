package io.bulwark.console.accesskey;

import io.bulwark.client.AccessKeySpec;
import io.bulwark.client.AccessKeys;
import io.bulwark.console.access.SignedIn;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.http.EntityTag;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.AccessKey;
import io.bulwark.protocol.metadata.Gateways;
import io.bulwark.protocol.metadata.Rights;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** The access keys of the cluster, and all that the signed-in person may do with them. */
@Component
class AccessKeyDirectory {
    static final int HOURS_MAX = 24 * 3650;
    static final List<String> RIGHTS = List.of("read", "write", "admin");

    private final SignedIn signedIn;

    AccessKeyDirectory(SignedIn signedIn) {
        this.signedIn = signedIn;
    }

    /**
     * A key to make.
     *
     * @param name for people
     * @param person an existing client; a new one without a key if it is missing
     * @param rights of a new person, and ceiling of the gateways' act-for grants: {@code read}, {@code write} or {@code admin}
     * @param limits places that it reaches; everything that the person may reach if it is missing
     * @param hours validity; for ever if it is missing
     */
    record NewAccessKey(
            @Nullable String name,
            @Nullable String person,
            @Nullable String rights,
            @Nullable List<AccessKeyView.@Nullable Place> limits,
            @Nullable Integer hours) {}

    List<AccessKeyView> list() {
        return keys().list().stream().map(AccessKeyView::of).toList();
    }

    /**
     * Finds a key.
     *
     * @throws ApiException if there is none
     */
    AccessKeyView find(String id) {
        return keys().find(checked(id))
                .map(AccessKeyView::of)
                .orElseThrow(() -> ApiException.notFound("there is no access key of this id"));
    }

    AccessKeyView.Issued create(NewAccessKey wanted) {
        String name = wanted.name() == null ? "" : wanted.name().strip();
        if (name.length() > AccessKey.NAME_BYTES_MAX || name.chars().anyMatch(c -> c < ' ' || c > '~')) {
            throw ApiException.badField(
                    "name", "a name has at most " + AccessKey.NAME_BYTES_MAX + " printable characters of ASCII");
        }
        AccessKeySpec spec =
                AccessKeySpec.of(name).withRights(rights(wanted.rights())).withLimits(limits(wanted.limits()));
        String person = wanted.person();
        if (person != null && !person.isBlank()) {
            spec = spec.withPerson(client(person.strip()));
        }
        Integer hours = wanted.hours();
        if (hours != null) {
            if (hours < 1 || hours > HOURS_MAX) {
                throw ApiException.badField("hours", "hours is a number from 1 to " + HOURS_MAX);
            }
            spec = spec.withExpiry(Clock.systemUTC().instant().plus(Duration.ofHours(hours)));
        }
        requireGateway();
        return shown(keys().create(spec));
    }

    /** Makes another key in place of one, which ends some hours later. */
    AccessKeyView.Issued rotate(String id, int overlapHours) {
        if (overlapHours < 0 || overlapHours > HOURS_MAX) {
            throw ApiException.badField("hours", "hours is a number from 0 to " + HOURS_MAX);
        }
        requireGateway();
        return shown(keys().rotate(find(id).id(), Duration.ofHours(overlapHours)));
    }

    private AccessKeyView.Issued shown(AccessKeys.Issued issued) {
        return new AccessKeyView.Issued(find(issued.key().id()), issued.secret());
    }

    AccessKeyView limit(String id, @Nullable List<AccessKeyView.@Nullable Place> limits, @Nullable String ifMatch) {
        List<AccessKey.Limit> checked = limits(limits);
        requireUnchanged(id, ifMatch);
        keys().limit(id, checked);
        return find(id);
    }

    void revoke(String id, @Nullable String ifMatch) {
        requireUnchanged(id, ifMatch);
        keys().revoke(id);
    }

    Gateways gateways() {
        return keys().gateways();
    }

    private void requireGateway() {
        if (gateways().doors().isEmpty()) {
            throw ApiException.conflict("no gateway is named, so nobody could use an access key: `bulwark s3 enable`");
        }
    }

    private void requireUnchanged(String id, @Nullable String ifMatch) {
        EntityTag.of(find(id)).require(ifMatch, "the access key " + id);
    }

    private static String checked(String id) {
        if (id.length() > AccessKey.ID_LENGTH_MAX) {
            throw ApiException.notFound("there is no access key of this id");
        }
        return id;
    }

    private static Rights rights(@Nullable String text) {
        return switch (text == null ? "write" : text) {
            case "read" -> AccessKeySpec.READ;
            case "write" -> AccessKeySpec.WRITE;
            case "admin" -> Rights.ALL;
            default -> throw ApiException.badField("rights", "rights is read, write or admin");
        };
    }

    private static List<AccessKey.Limit> limits(@Nullable List<AccessKeyView.@Nullable Place> places) {
        if (places == null) {
            return List.of();
        }
        if (places.size() > AccessKey.LIMITS_MAX) {
            throw ApiException.badField("limits", "a key has at most " + AccessKey.LIMITS_MAX + " limits");
        }
        return places.stream()
                .map(place -> {
                    if (place == null) {
                        throw ApiException.badField("limits", "a limit has a bucket and perhaps a prefix");
                    }
                    return place.limit();
                })
                .toList();
    }

    private static PrincipalId client(String text) {
        try {
            PrincipalId client = PrincipalId.parse(text);
            if (client.kind() == PrincipalKind.CLIENT) {
                return client;
            }
        } catch (IllegalArgumentException e) {
            // Said below.
        }
        throw ApiException.badField("person", "a person is a client, written such as client-20");
    }

    private AccessKeys keys() {
        return signedIn.client().accessKeys();
    }
}
