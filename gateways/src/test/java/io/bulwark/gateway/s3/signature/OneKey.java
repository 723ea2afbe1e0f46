package io.bulwark.gateway.s3.signature;

import io.bulwark.gateway.s3.access.AccessKey;
import io.bulwark.gateway.s3.access.AccessKeys;
import io.bulwark.protocol.id.PrincipalId;
import java.util.List;
import java.util.Optional;

/** One access key, and perhaps a person for requests without a signature. */
public record OneKey(AccessKey key, Optional<PrincipalId> anonymous) implements AccessKeys {
    /** The key of the examples that AWS publishes. */
    public static final AccessKey EXAMPLE = new AccessKey(
            "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", PrincipalId.client(7), List.of());

    public static OneKey signedOnly() {
        return new OneKey(EXAMPLE, Optional.empty());
    }

    public static OneKey withAnonymous() {
        return new OneKey(EXAMPLE, Optional.of(PrincipalId.client(1)));
    }

    @Override
    public Optional<AccessKey> find(String id) {
        return id.equals(key.id()) ? Optional.of(key) : Optional.empty();
    }
}
