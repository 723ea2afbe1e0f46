package io.bulwark.metadata.bft;

import io.bulwark.metadata.ReplicaServer;
import io.bulwark.protocol.ordering.replica.Start;
import java.util.Optional;

/** Life of a replica, from one start, recovery or change of its configuration to the next. */
interface Life extends ReplicaServer {
    /** Returns the start of the next life, once this one is over because another configuration follows. */
    Optional<Start> next();
}
