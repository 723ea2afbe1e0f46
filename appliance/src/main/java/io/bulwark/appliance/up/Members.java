package io.bulwark.appliance.up;

import io.bulwark.appliance.cluster.Member;

/** Makes the members of an appliance, inside this process or as processes of their own; none is started yet. */
public interface Members {
    Member node(int number);

    Member replica(int number);
}
