package io.bulwark.client.membership;

import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.client.replicas.KnownReplicas;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.transport.PresentedIdentity;
import io.bulwark.transport.identity.RefusedCertificateException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Prospective replica, checked from here before the others are told to trust it. */
final class CandidateReplica {
    private static final int PATIENCE_MILLIS = 10_000;

    private CandidateReplica() {}

    /**
     * Fails unless the new replica itself listens at its address. A replica that does not run would be one of the f
     * faulty ones from its beginning; one whose key nobody holds would stay so.
     *
     * @param now the current replicas
     */
    static void require(Member coming, Configuration now) {
        if (now.placeOf(coming.replica()) >= 0) {
            throw refused(coming.replica() + " is a replica already; choose a name that no replica ever had");
        }
        String where = "at " + coming.address();
        try {
            PresentedIdentity shown = PresentedIdentity.at(KnownReplicas.addressOf(coming, List.of()), PATIENCE_MILLIS)
                    .orElseThrow(() -> new UnavailableException(
                            "no answer " + where + ": start " + coming.replica() + " first", Subject.NONE));
            Optional<String> objection = objection(coming, now, shown.key(), shown.named());
            if (objection.isPresent()) {
                throw refused("the process " + where + " " + objection.get() + "; nothing was changed");
            }
            shown.requireOf(coming.replica());
        } catch (RefusedCertificateException e) {
            throw refused("the process " + where + " is not " + coming.replica() + ": " + e.getMessage()
                    + "; nothing was changed");
        } catch (IOException e) {
            throw refused(
                    "the process " + where + " shows no key of a replica: " + e.getMessage() + "; nothing was changed");
        }
    }

    private static PreconditionFailedException refused(String why) {
        return new PreconditionFailedException(why, Subject.NONE);
    }

    /**
     * Returns the objection to the principal that listens there, if any.
     *
     * @param key that it shows
     * @param named the principal that its certificate names
     */
    static Optional<String> objection(Member coming, Configuration now, PrincipalKey key, PrincipalId named) {
        PrincipalKey given = new PrincipalKey(coming.key());
        if (!key.equals(given)) {
            String owner = now.members().stream()
                    .filter(member -> member.key().equals(key.encoded()))
                    .map(member -> ", which belongs to " + member.replica() + ", a replica already")
                    .findFirst()
                    .orElse("");
            return Optional.of("has a different key than the one given for " + coming.replica() + ": given " + given
                    + ", shown " + key + owner);
        }
        if (!named.equals(coming.replica())) {
            return Optional.of("identifies itself as " + named + (now.placeOf(named) >= 0 ? ", a replica already" : "")
                    + ", not " + coming.replica());
        }
        return Optional.empty();
    }
}
