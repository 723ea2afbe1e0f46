package io.bulwark.metadata.bft;

import io.bulwark.metadata.ReplicaServer;
import io.bulwark.protocol.ordering.replica.Start;
import java.util.Optional;

/** What a replica does from one start, recovery or change of its configuration to the next. */
interface Life extends ReplicaServer {
    /** How the next one is to begin, once this one is over since another configuration follows. */
    Optional<Start> next();
}
