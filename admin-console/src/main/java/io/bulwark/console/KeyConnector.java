package io.bulwark.console;

import io.bulwark.client.Bulwark;
import io.bulwark.transport.identity.Identity;

/** Connects to the console's cluster as another principal. */
@FunctionalInterface
public interface KeyConnector {
    /**
     * Connects with an identity that stays in the memory of this process.
     *
     * @throws io.bulwark.client.error.BulwarkException if the cluster does not believe it, or does not answer
     */
    Bulwark connect(Identity identity);
}
