package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;

/**
 * Configuration, and the checkpoint that it begins with: the end of the one before.
 *
 * @param checkpoint number 0 in the genesis's configuration, with the state of a new replica
 */
public record ConfigurationStart(Configuration configuration, Numbered checkpoint) {
    public static ConfigurationStart first(Configuration genesis) {
        return new ConfigurationStart(genesis, new Numbered(0, Batch.NULL_DIGEST));
    }

    public long number() {
        return configuration.number();
    }
}
