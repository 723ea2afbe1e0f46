package io.bulwark.metadata.ordering;

import io.bulwark.protocol.wire.Bytes;

/**
 * A place in the order.
 *
 * @param sequence how many batches have been applied
 * @param digest SHA-256 of the chain of these batches: equal digests mean equal histories, hence equal states
 */
public record Position(long sequence, Bytes digest) {}
