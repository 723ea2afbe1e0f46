package io.bulwark.appliance.up;

import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.NodeSetup;
import io.bulwark.appliance.cluster.ReplicaSetup;
import io.bulwark.appliance.cluster.RunningNode;
import io.bulwark.appliance.cluster.RunningReplica;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** All members inside this process. */
public final class EmbeddedMembers implements Members {
    private final ClusterPlan plan;

    public EmbeddedMembers(ClusterPlan plan) {
        this.plan = plan;
    }

    @Override
    public Member node(int number) {
        NodeSetup setup = plan.node(number, plan.data().node(number));
        return new EmbeddedMember("node-" + number, setup.listen(), () -> RunningNode.start(setup));
    }

    @Override
    public Member replica(int number) {
        ReplicaSetup setup = plan.replica(number, plan.data().replica(number));
        return new EmbeddedMember("replica-" + number, setup.replicas().get(number), () -> RunningReplica.start(setup));
    }

    private interface Starting {
        AutoCloseable start() throws IOException;
    }

    private static final class EmbeddedMember implements Member {
        private final String name;
        private final InetSocketAddress address;
        private final Starting starting;
        private @Nullable AutoCloseable running;

        private EmbeddedMember(String name, InetSocketAddress address, Starting starting) {
            this.name = name;
            this.address = address;
            this.starting = starting;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public String address() {
            return address.getHostString() + ":" + address.getPort();
        }

        @Override
        public synchronized void start() throws IOException {
            if (running == null) {
                running = starting.start();
            }
        }

        @Override
        public void awaitListening() {
            // start() returns when it listens.
        }

        @Override
        public synchronized void stop() throws Exception {
            AutoCloseable current = running;
            running = null;
            if (current != null) {
                current.close();
            }
        }

        @Override
        public synchronized boolean running() {
            return running != null;
        }

        @Override
        public OptionalLong pid() {
            return OptionalLong.empty();
        }
    }
}
