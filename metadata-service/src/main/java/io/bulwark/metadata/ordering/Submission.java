package io.bulwark.metadata.ordering;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;

/**
 * One request of a client, as it goes through the order.
 *
 * @param call the client's number of this call: with the client, what tells two submissions apart
 * @param query true if {@code command} is a query to be answered at its place in the order
 */
public record Submission(PrincipalId client, long call, boolean query, Bytes command) {}
