package io.bulwark.metadata.bft;

import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Recoveries;
import io.bulwark.protocol.ordering.key.KeyCipher;
import io.bulwark.protocol.ordering.key.SessionKeys;
import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.Credentials;
import io.bulwark.transport.MemberSigning;
import io.bulwark.transport.TlsCredentials;
import java.security.SecureRandom;
import java.util.Optional;

/**
 * Keys of a replica: its signing keys, the keys of the replicas that it trusts (4.1), and the session keys of its
 * lives. The protocol identifies replicas by their places in the configuration; their keys are those of their names.
 */
record ReplicaKeys(MemberSigning signing, Configuration configuration) implements Signing, KeyCipher {
    /** Maximum interval for repeating messages about session keys; otherwise a sixteenth of the life of a key. */
    private static final long RETRY_MILLIS_MAX = 100;

    /** None without TLS: there are no identities then. */
    static Optional<ReplicaKeys> of(Credentials credentials, Configuration configuration, SecureRandom random) {
        return credentials instanceof TlsCredentials tls
                ? Optional.of(new ReplicaKeys(new MemberSigning(tls, PrincipalKind.REPLICA, random), configuration))
                : Optional.empty();
    }

    /** The session keys of a life of this replica begin. */
    SessionKeys sessionKeys(int place, Recoveries recoveries) {
        long keyMillis = recoveries.keyMillis();
        long retryMillis = Math.clamp(keyMillis / 16, 1, RETRY_MILLIS_MAX);
        return new SessionKeys(
                place,
                configuration.members().size(),
                new SessionKeys.Settings(keyMillis, retryMillis, recoveries.watchdogMillis(), configuration.number()),
                this,
                this,
                signing.random());
    }

    @Override
    public Bytes sign(Bytes content) {
        return signing.sign(content);
    }

    @Override
    public boolean verify(int place, Bytes content, Bytes signature) {
        return place >= 0
                && place < configuration.members().size()
                && signing.verify(nameOf(place), content, signature);
    }

    @Override
    public Bytes seal(int place, Bytes key) {
        return signing.seal(nameOf(place), key);
    }

    @Override
    public Optional<Bytes> open(Bytes sealed) {
        return signing.open(sealed);
    }

    private int nameOf(int place) {
        return configuration.members().get(place).replica().number();
    }
}
