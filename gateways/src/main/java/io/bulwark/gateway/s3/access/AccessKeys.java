package io.bulwark.gateway.s3.access;

import io.bulwark.protocol.id.PrincipalId;
import java.util.Optional;

/** The access keys that this gateway can use. Implementations may remember answers for a few seconds. */
public interface AccessKeys {
    /** Returns the key with this id, with its secret; empty if there is none or it was revoked. */
    Optional<AccessKey> find(String id);

    /** Returns the person as whom requests without a signature are made; empty if none may be. */
    Optional<PrincipalId> anonymous();
}
