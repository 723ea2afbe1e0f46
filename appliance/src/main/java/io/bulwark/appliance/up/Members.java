package io.bulwark.appliance.up;

import io.bulwark.appliance.admin.MonitoredMember;
import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.ReplicaMember;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Makes the members of an appliance, inside this process or as processes of their own; none is started yet. */
public interface Members {
    Member node(int number);

    ReplicaMember replica(int number);

    /** Returns the members that run inside this process, by name. Stopped members are included, as not ready. */
    default List<MonitoredMember> watched() {
        return List.of();
    }

    /** Returns the members that run but do not do their work yet, by name, with their own reason. */
    default SortedMap<String, String> problems() {
        return new TreeMap<>();
    }
}
