package io.bulwark.metadata.bft;

import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.ordering.key.SessionKeys;
import io.bulwark.protocol.ordering.replica.ReplicaConfig.Recoveries;
import io.bulwark.transport.Credentials;
import io.bulwark.transport.MemberSigning;
import io.bulwark.transport.TlsCredentials;
import java.security.SecureRandom;
import java.util.Optional;

/** What a replica signs with, and whom it believes (4.1), and the session keys of its lives. */
record ReplicaKeys(MemberSigning signing) {
    /** What is said of session keys is repeated after so long, or a sixteenth of the life of a key. */
    private static final long RETRY_MILLIS_MAX = 100;

    ReplicaKeys(TlsCredentials credentials, SecureRandom random) {
        this(new MemberSigning(credentials, PrincipalKind.REPLICA, random));
    }

    /** None without TLS: there are no identities then. */
    static Optional<ReplicaKeys> of(Credentials credentials, SecureRandom random) {
        return credentials instanceof TlsCredentials tls ? Optional.of(new ReplicaKeys(tls, random)) : Optional.empty();
    }

    /** The session keys of a life of this replica begin. */
    SessionKeys sessionKeys(int self, int replicas, Recoveries recoveries) {
        long keyMillis = recoveries.keyMillis();
        long retryMillis = Math.clamp(keyMillis / 16, 1, RETRY_MILLIS_MAX);
        return new SessionKeys(
                self,
                replicas,
                new SessionKeys.Settings(keyMillis, retryMillis, recoveries.watchdogMillis(), 0),
                signing,
                signing,
                signing.random());
    }
}
