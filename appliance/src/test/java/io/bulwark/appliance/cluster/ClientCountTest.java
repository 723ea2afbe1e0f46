package io.bulwark.appliance.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.InsecureLoopback;
import io.bulwark.transport.TlsCredentials;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.TrustedKeys;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class ClientCountTest {
    private static final Identity NODE = Identity.generate(PrincipalId.node(0), new SecureRandom());

    @Test
    void withoutTlsThoseOfTheKeyRingCount() {
        Bytes key = Bytes.of(new byte[PairwiseKeys.KEY_BYTES]);
        PrincipalId own = PrincipalId.node(0);
        Map<PrincipalId, Bytes> keys =
                Map.of(own, key, PrincipalId.client(0), key, PrincipalId.client(3), key, PrincipalId.node(1), key);
        assertThat(new ClientCount(new InsecureLoopback(new PairwiseKeys(own, keys))).getAsInt())
                .isEqualTo(2);
    }

    @Test
    void underTlsThoseOfTheRegistryCountAsItIsNowEachOnce() {
        Map<PrincipalKey, PrincipalId> owners = new HashMap<>();
        owners.put(NODE.publicKey(), NODE.principal());
        TlsCredentials credentials = new TlsCredentials(NODE, new TrustedKeys(owners));
        ClientCount count = new ClientCount(credentials);
        assertThat(count.getAsInt()).isZero();
        // A principal that changes its key has two for a while.
        for (int key = 0; key < 3; key++) {
            Identity client = Identity.generate(PrincipalId.client(key / 2), new SecureRandom());
            owners.put(client.publicKey(), client.principal());
        }
        assertThat(count.getAsInt()).isZero();
        credentials.trust(new TrustedKeys(owners));
        assertThat(count.getAsInt()).isEqualTo(2);
    }
}
