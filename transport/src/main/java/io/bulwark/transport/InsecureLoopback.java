package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.PairwiseKeys;

/**
 * Plain text: each connection begins with a mutual challenge under the pairwise keys, and nothing protects what follows. Every
 * address but loopback is refused.
 *
 * @param keys the own principal, and the keys it shares with those it talks to
 */
public record InsecureLoopback(PairwiseKeys keys) implements Credentials {
    @Override
    public PrincipalId self() {
        return keys.self();
    }
}
