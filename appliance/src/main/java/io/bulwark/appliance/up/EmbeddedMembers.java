package io.bulwark.appliance.up;

import io.bulwark.appliance.admin.Watched;
import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.NodeSetup;
import io.bulwark.appliance.cluster.ReplicaSetup;
import io.bulwark.appliance.cluster.RunningNode;
import io.bulwark.appliance.cluster.RunningReplica;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** All members inside this process. */
public final class EmbeddedMembers implements Members {
    private final ClusterPlan plan;
    private final List<EmbeddedMember> made = new CopyOnWriteArrayList<>();

    public EmbeddedMembers(ClusterPlan plan) {
        this.plan = plan;
    }

    @Override
    public Member node(int number) {
        NodeSetup setup = plan.node(number, plan.data().node(number));
        return made("node-" + number, setup.listen(), () -> RunningNode.start(setup));
    }

    @Override
    public Member replica(int number) {
        ReplicaSetup setup = plan.replica(number, plan.data().replica(number));
        return made("replica-" + number, setup.listen(), () -> RunningReplica.start(setup));
    }

    @Override
    public List<Watched> watched() {
        return List.copyOf(made.stream().map(EmbeddedMember::watched).toList());
    }

    private Member made(String name, InetSocketAddress address, Starting starting) {
        EmbeddedMember member = new EmbeddedMember(name, address, starting);
        made.add(member);
        return member;
    }

    private interface Starting {
        Watched start() throws IOException;
    }

    private static final class EmbeddedMember implements Member {
        private final String name;
        private final InetSocketAddress address;
        private final Starting starting;
        private @Nullable Watched running;

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
        public synchronized void stop() {
            Watched current = running;
            running = null;
            if (current != null) {
                current.close();
            }
        }

        @Override
        public synchronized void recover() throws IOException {
            switch (running) {
                case RunningReplica replica -> replica.recover();
                case null -> throw new IOException(name + " is stopped");
                default -> throw new UnsupportedOperationException(name + " is no replica");
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

        private synchronized Watched watched() {
            return running == null ? new Stopped(name, new SimpleMeterRegistry()) : running;
        }
    }

    private record Stopped(String name, MeterRegistry meters) implements Watched {
        @Override
        public String problem() {
            return "it is stopped";
        }

        @Override
        public String broken() {
            return "";
        }

        @Override
        public void close() {
            // It does not run.
        }
    }
}
