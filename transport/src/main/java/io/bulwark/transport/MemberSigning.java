package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.ordering.key.KeyCipher;
import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.identity.SealedBox;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;

/**
 * Keys for signing and key agreement of a member, and the trusted keys of others of its kind. The own key is that of
 * its identity or of a device; the public keys of the others come from genesis and registry (4.1). Safe for use by
 * several threads.
 *
 * @param kind of those that are named by number
 */
public record MemberSigning(TlsCredentials credentials, PrincipalKind kind, SecureRandom random)
        implements Signing, KeyCipher {
    @Override
    public Bytes sign(Bytes content) {
        return credentials.ownKey().sign(content);
    }

    @Override
    public boolean verify(int member, Bytes content, Bytes signature) {
        return keysOf(member).stream().anyMatch(key -> key.verifies(content, signature));
    }

    @Override
    public Bytes seal(int member, Bytes key) {
        return SealedBox.seal(key, keysOf(member), random);
    }

    @Override
    public Optional<Bytes> open(Bytes sealed) {
        return SealedBox.open(sealed, credentials.ownKey());
    }

    private List<PrincipalKey> keysOf(int member) {
        return credentials.trusted().keysOf(new PrincipalId(kind, member));
    }
}
