package io.bulwark.appliance.protocols;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.TlsCredentials;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.TrustedKeys;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Keys of the nodes and the client, which follow from a secret that both processes of the benchmark have. */
final class ComparisonKeys {
    static final PrincipalId CLIENT = PrincipalId.client(0);

    private final Bytes secret;
    private final List<PrincipalId> principals = new ArrayList<>();
    private final Map<PrincipalId, Identity> identities = new HashMap<>();
    private final TrustedKeys trusted;

    ComparisonKeys(Bytes secret, int nodes) {
        this.secret = secret;
        principals.add(CLIENT);
        for (int node = 0; node < nodes; node++) {
            principals.add(PrincipalId.node(node));
        }
        Map<PrincipalKey, PrincipalId> owners = new HashMap<>();
        for (PrincipalId principal : principals) {
            Identity identity = Identity.ofSeed(principal, derived(principal.toString()), new SecureRandom());
            identities.put(principal, identity);
            owners.put(identity.publicKey(), principal);
        }
        trusted = new TrustedKeys(owners);
    }

    private Bytes derived(String purpose) {
        return Hashes.sha256(secret, Bytes.of(purpose.getBytes(StandardCharsets.UTF_8)));
    }

    /** Returns the credentials of connections: TLS, as in the product. */
    TlsCredentials credentials(PrincipalId self) {
        Identity identity = identities.get(self);
        if (identity == null) {
            throw new IllegalArgumentException(self + " takes no part");
        }
        return new TlsCredentials(identity, trusted);
    }

    PairwiseKeys pairwise(PrincipalId self) {
        Map<PrincipalId, Bytes> keys = new HashMap<>();
        for (PrincipalId other : principals) {
            boolean first = self.compareTo(other) <= 0;
            keys.put(other, derived((first ? self : other) + "/" + (first ? other : self)));
        }
        return new PairwiseKeys(self, keys);
    }
}
