package io.bulwark.it;

import io.bulwark.appliance.admin.Watched;
import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.ReplicaMember;
import io.bulwark.appliance.up.EmbeddedMembers;
import io.bulwark.appliance.up.Members;
import io.bulwark.appliance.up.ProcessMembers;
import java.util.List;
import org.jspecify.annotations.NullMarked;

/** Replicas are processes, and nodes, which nothing is done to, are in this one: that is half of the processes. */
@NullMarked
record ReplicaProcesses(EmbeddedMembers here, ProcessMembers processes) implements Members {
    @Override
    public Member node(int number) {
        return here.node(number);
    }

    @Override
    public ReplicaMember replica(int number) {
        return processes.replica(number);
    }

    @Override
    public List<Watched> watched() {
        return here.watched();
    }
}
