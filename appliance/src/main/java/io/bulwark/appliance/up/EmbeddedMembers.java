package io.bulwark.appliance.up;

import io.bulwark.appliance.admin.MonitoredMember;
import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.cluster.NodeSetup;
import io.bulwark.appliance.cluster.ReplicaMember;
import io.bulwark.appliance.cluster.ReplicaSetup;
import io.bulwark.appliance.cluster.RunningNode;
import io.bulwark.appliance.cluster.RunningReplica;
import io.bulwark.appliance.drill.DelayedPort;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** All members inside this process. */
public final class EmbeddedMembers implements Members {
    private static final long DELAY_MILLIS = 400;

    private final ClusterPlan plan;
    private final long delayMillis;
    private final List<EmbeddedMember<?>> made = new CopyOnWriteArrayList<>();

    public EmbeddedMembers(ClusterPlan plan) {
        this(plan, DELAY_MILLIS);
    }

    private EmbeddedMembers(ClusterPlan plan, long delayMillis) {
        this.plan = plan;
        this.delayMillis = delayMillis;
    }

    /** Returns members of which a slow one takes so long for each message. To be called before any is made. */
    public EmbeddedMembers withDelay(long millis) {
        return new EmbeddedMembers(plan, millis);
    }

    @Override
    public Member node(int number) {
        NodeSetup setup = plan.node(number, plan.data().node(number));
        EmbeddedNode member = new EmbeddedNode("node-" + number, new NodeStart(setup, delayMillis));
        made.add(member);
        return member;
    }

    @Override
    public ReplicaMember replica(int number) {
        ReplicaSetup setup = plan.replica(number, plan.data().replica(number));
        EmbeddedReplica member =
                new EmbeddedReplica("replica-" + number, setup.listen(), () -> RunningReplica.start(setup));
        made.add(member);
        return member;
    }

    @Override
    public List<MonitoredMember> watched() {
        return List.copyOf(made.stream().map(EmbeddedMember::watched).toList());
    }

    @Override
    public SortedMap<String, String> problems() {
        SortedMap<String, String> problems = new TreeMap<>();
        for (MonitoredMember member : watched()) {
            String problem;
            try {
                problem = member.problem();
            } catch (Exception e) {
                problem = String.valueOf(e.getMessage());
            }
            if (!problem.isEmpty()) {
                problems.put(member.name(), problem);
            }
        }
        return problems;
    }

    private interface MemberStart<W extends MonitoredMember> {
        W start() throws IOException;
    }

    private static class EmbeddedMember<W extends MonitoredMember> implements Member {
        private final String name;
        private final InetSocketAddress address;
        private final MemberStart<W> starting;
        private @Nullable W running;

        private EmbeddedMember(String name, InetSocketAddress address, MemberStart<W> starting) {
            this.name = name;
            this.address = address;
            this.starting = starting;
        }

        @Override
        public final String name() {
            return name;
        }

        @Override
        public final String address() {
            return address.getHostString() + ":" + address.getPort();
        }

        @Override
        public final synchronized void start() throws IOException {
            if (running == null) {
                running = starting.start();
            }
        }

        @Override
        public final void awaitListening() {
            // start() returns when it listens.
        }

        @Override
        public synchronized void stop() {
            MonitoredMember current = running;
            running = null;
            if (current != null) {
                current.close();
            }
        }

        /** Null while it is stopped. */
        final synchronized @Nullable W current() {
            return running;
        }

        @Override
        public final synchronized boolean isRunning() {
            return running != null;
        }

        @Override
        public final OptionalLong pid() {
            return OptionalLong.empty();
        }

        final synchronized MonitoredMember watched() {
            return running == null ? new Stopped(name, new SimpleMeterRegistry()) : running;
        }
    }

    /** Starts a node, behind a port that delays if it is to be slow. */
    private static final class NodeStart implements MemberStart<RunningNode> {
        private final NodeSetup setup;
        private final long delayMillis;
        private boolean slow;
        private boolean scrubs = true;
        private @Nullable DelayedPort delay;

        private NodeStart(NodeSetup setup, long delayMillis) {
            this.setup = setup;
            this.delayMillis = delayMillis;
        }

        @Override
        public synchronized RunningNode start() throws IOException {
            NodeSetup now = scrubs ? setup : setup.withoutScrubbing();
            scrubs = true;
            if (!slow) {
                return RunningNode.start(now);
            }
            InetSocketAddress behind = free();
            RunningNode node = RunningNode.start(now.withListen(behind));
            try {
                delay = DelayedPort.open(setup.listen(), behind, delayMillis);
            } catch (IOException e) {
                node.close();
                throw e;
            }
            return node;
        }

        private static InetSocketAddress free() throws IOException {
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                return new InetSocketAddress(InetAddress.getLoopbackAddress(), socket.getLocalPort());
            }
        }

        private synchronized void release() {
            DelayedPort open = delay;
            delay = null;
            if (open != null) {
                try {
                    open.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private static final class EmbeddedNode extends EmbeddedMember<RunningNode> implements HinderedMember {
        private final NodeStart start;

        private EmbeddedNode(String name, NodeStart start) {
            super(name, start.setup.listen(), start);
            this.start = start;
        }

        @Override
        public synchronized void stop() {
            super.stop();
            start.release();
        }

        @Override
        public synchronized void setSlow(boolean slow) throws IOException {
            boolean ran = isRunning();
            stop();
            synchronized (start) {
                start.slow = slow;
            }
            if (ran) {
                start();
            }
        }

        @Override
        public void skipScrubbing() {
            synchronized (start) {
                start.scrubs = false;
            }
        }

        @Override
        public boolean isSlow() {
            synchronized (start) {
                return start.slow;
            }
        }
    }

    private static final class EmbeddedReplica extends EmbeddedMember<RunningReplica> implements ReplicaMember {
        private EmbeddedReplica(String name, InetSocketAddress address, MemberStart<RunningReplica> starting) {
            super(name, address, starting);
        }

        @Override
        public synchronized void recover() throws IOException {
            RunningReplica running = current();
            if (running == null) {
                throw new IOException(name() + " is stopped");
            }
            running.recover();
        }
    }

    private record Stopped(String name, MeterRegistry meters) implements MonitoredMember {
        @Override
        public String problem() {
            return "it does not run";
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
