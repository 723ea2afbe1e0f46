package io.bulwark.protocol.kernel;

import io.bulwark.protocol.id.PrincipalId;

/** Request that a server keeps until it can serve it. */
public interface PendingRequest {
    PrincipalId from();

    /** Returns the memory that it takes, at least a thousand bytes. */
    long bytes();
}
