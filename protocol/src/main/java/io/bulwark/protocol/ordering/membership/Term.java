package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;

/**
 * A configuration, and the checkpoint that it begins with: where the one before has ended.
 *
 * @param checkpoint number 0 in the genesis's configuration, with whatever state a new replica has
 */
public record Term(Configuration configuration, Numbered checkpoint) {
    public static Term first(Configuration genesis) {
        return new Term(genesis, new Numbered(0, Batch.NULL_DIGEST));
    }

    public long number() {
        return configuration.number();
    }
}
