package io.bulwark.metadata.bft;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.ordering.key.KeyCipher;
import io.bulwark.protocol.ordering.key.SessionKeys;
import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.ordering.replica.ReplicaConfig.Recoveries;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.Credentials;
import io.bulwark.transport.TlsCredentials;
import io.bulwark.transport.identity.PublicKeys;
import io.bulwark.transport.identity.SealedBox;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;

/**
 * What a replica signs with, and whom it believes: the key of its own identity or of a device, and the public keys that genesis and
 * registry give to the others (4.1).
 */
record ReplicaKeys(TlsCredentials credentials, SecureRandom random) implements Signing, KeyCipher {
    /** What is said of session keys is repeated after so long, or a sixteenth of the life of a key. */
    private static final long RETRY_MILLIS_MAX = 100;

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
                new SessionKeys.Settings(keyMillis, retryMillis, recoveries.watchdogMillis()),
                this,
                this,
                random);
    }

    @Override
    public Bytes sign(Bytes content) {
        return credentials.ownKey().sign(content);
    }

    @Override
    public boolean verify(int replica, Bytes content, Bytes signature) {
        return keysOf(replica).stream().anyMatch(key -> PublicKeys.verifies(key, content, signature));
    }

    @Override
    public Bytes seal(int replica, Bytes key) {
        return SealedBox.seal(key, keysOf(replica), random);
    }

    @Override
    public Optional<Bytes> open(Bytes sealed) {
        return SealedBox.open(sealed, credentials.ownKey());
    }

    private List<PrincipalKey> keysOf(int replica) {
        return credentials.trusted().keysOf(PrincipalId.replica(replica));
    }
}
