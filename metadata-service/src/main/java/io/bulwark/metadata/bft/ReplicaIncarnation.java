package io.bulwark.metadata.bft;

import io.bulwark.metadata.ReplicaServer;
import io.bulwark.protocol.ordering.driver.StartReason;
import java.util.Optional;

/** Incarnation of a replica, from one start, recovery or change of its configuration to the next. */
interface ReplicaIncarnation extends ReplicaServer {
    /** Returns the start of the next life, once this one is over because another configuration follows. */
    Optional<StartReason> next();
}
