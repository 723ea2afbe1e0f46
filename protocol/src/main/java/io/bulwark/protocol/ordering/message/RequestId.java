package io.bulwark.protocol.ordering.message;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;

/**
 * Names one request in batches and vouches.
 *
 * @param client who made it
 * @param call the client's number of it
 * @param digest SHA-256 of the request's canonical encoding (client, call, kind, operation), 32 bytes
 */
public record RequestId(PrincipalId client, long call, Bytes digest) {}
