package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;

/** Who a transport is, and how its connections are secured. */
public sealed interface Credentials permits TlsCredentials, InsecureLoopback {
    PrincipalId self();
}
