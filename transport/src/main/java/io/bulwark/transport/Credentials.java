package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;

/** Identity of a transport, and security of its connections. */
public sealed interface Credentials permits TlsCredentials, InsecureLoopback {
    PrincipalId self();
}
