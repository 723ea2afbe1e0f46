package io.bulwark.it;

import io.bulwark.appliance.admin.MonitoredMember;
import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.ReplicaMember;
import io.bulwark.appliance.up.EmbeddedMembers;
import io.bulwark.appliance.up.Members;
import io.bulwark.appliance.up.ProcessMembers;
import java.util.List;
import org.jspecify.annotations.NullMarked;

/**
 * Members of a cluster of which some are processes, to be killed. Members that suffer no such faults are in this
 * process, which saves processors.
 *
 * @param replicasAlone all replicas are processes
 * @param nodesAlone the first nodes up to this number are processes
 */
@NullMarked
record MixedMembers(EmbeddedMembers here, ProcessMembers processes, boolean replicasAlone, int nodesAlone)
        implements Members {
    @Override
    public Member node(int number) {
        return number < nodesAlone ? processes.node(number) : here.node(number);
    }

    @Override
    public ReplicaMember replica(int number) {
        return replicasAlone ? processes.replica(number) : here.replica(number);
    }

    @Override
    public List<MonitoredMember> watched() {
        return here.watched();
    }
}
