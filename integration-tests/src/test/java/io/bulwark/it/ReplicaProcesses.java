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
 * Members of a cluster whose replicas are processes; nodes that suffer no faults are in this process, which halves the
 * number of processes.
 *
 * @param alone the first nodes up to this number are processes, too
 */
@NullMarked
record ReplicaProcesses(EmbeddedMembers here, ProcessMembers processes, int alone) implements Members {
    @Override
    public Member node(int number) {
        return number < alone ? processes.node(number) : here.node(number);
    }

    @Override
    public ReplicaMember replica(int number) {
        return processes.replica(number);
    }

    @Override
    public List<MonitoredMember> watched() {
        return here.watched();
    }
}
