package io.bulwark.protocol.ordering.message;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;

/**
 * What a client asks to have ordered.
 *
 * @param call the client's number of this request: with the client, what tells two requests apart
 * @param query true if the operation is a query, answered at its place in the order
 */
public record Request(PrincipalId client, long call, boolean query, Bytes operation) {}
