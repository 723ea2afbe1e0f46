package io.bulwark.gateway.s3.request;

import io.bulwark.gateway.s3.access.AccessKey;
import io.bulwark.protocol.id.PrincipalId;
import java.util.Optional;

/**
 * Sender of a request.
 *
 * @param person the principal for whom the gateway acts
 * @param key the key that signed; empty for an anonymous request
 */
public record Caller(PrincipalId person, Optional<AccessKey> key) {}
