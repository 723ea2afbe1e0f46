package io.bulwark.appliance.cluster;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A replica in a process of its own. */
public final class ReplicaProcess extends ProcessMember implements ReplicaMember {
    /** The option with which a replica is started so as to recover. */
    public static final String RECOVERING = "--recovering";

    /** One that is not started yet, as {@link ProcessMember} has it. */
    public ReplicaProcess(
            String name, InetSocketAddress address, Optional<Path> log, List<String> java, List<String> arguments) {
        super(name, address, log, java, arguments);
    }

    @Override
    public void recover() throws IOException, InterruptedException {
        restart(List.of(RECOVERING));
    }
}
