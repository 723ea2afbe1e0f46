package io.bulwark.appliance.cli;

import io.bulwark.client.replicas.KnownReplicas;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.transport.ShownIdentity;
import io.bulwark.transport.identity.RefusedCertificateException;
import java.io.IOException;
import java.util.List;

/** Who is to become a replica, looked at from here before the others are told to believe it. */
final class Newcomer {
    private static final int PATIENCE_MILLIS = 10_000;

    private Newcomer() {}

    /**
     * Fails unless it is that one who listens at its address. One that does not run would be one of the f from its beginning, and one
     * under a key that nobody holds stays that.
     */
    static void require(Member coming) {
        String where = "at " + coming.address();
        try {
            ShownIdentity shown = ShownIdentity.at(KnownReplicas.addressOf(coming, List.of()), PATIENCE_MILLIS)
                    .orElseThrow(() -> new CommandFailure(
                            CommandFailure.UNAVAILABLE,
                            "nobody answers " + where + ": start " + coming.replica() + " first"));
            PrincipalKey given = new PrincipalKey(coming.key());
            if (!shown.key().equals(given)) {
                throw new CommandFailure(
                        CommandFailure.FAILED,
                        "who listens " + where + " has another key than was given for " + coming.replica() + ": given "
                                + given + ", shown " + shown.key() + "; nothing has changed");
            }
            shown.requireOf(coming.replica());
        } catch (RefusedCertificateException e) {
            throw new CommandFailure(
                    CommandFailure.FAILED,
                    "who listens " + where + " is not " + coming.replica() + ": " + e.getMessage()
                            + "; nothing has changed");
        } catch (IOException e) {
            throw new CommandFailure(
                    CommandFailure.FAILED,
                    "who listens " + where + " shows no key of a replica: " + e.getMessage() + "; nothing has changed");
        }
    }
}
