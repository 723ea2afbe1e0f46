package io.bulwark.console;

import io.bulwark.client.BucketInfo;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.Nodes;
import io.bulwark.client.Replicas;
import io.bulwark.client.VolumeInfo;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.BucketSettings;
import io.bulwark.protocol.metadata.DefaultRetention;
import io.bulwark.protocol.metadata.Versioning;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.wire.Bytes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A cluster with one object volume, as large as a test wants it. Group g lies on the nodes g, g+1 and so on. Changes of holders take
 * effect at once. Its state is the test's to change.
 */
public final class LargeCluster implements Nodes, Replicas {
    public static final String VOLUME = "default";
    private static final ProtectionPolicy POLICY = new ProtectionPolicy(1, 2, 4, 1 << 20);
    private static final Instant LATELY = Instant.parse("2026-11-29T12:00:00Z");

    public final Set<Integer> silent = new HashSet<>();
    public final Set<Integer> silentReplicas = new HashSet<>();
    public final List<String> calls = new ArrayList<>();
    public volatile boolean unreachable;
    private final List<NodeAddress> nodes = new ArrayList<>();
    private final List<PlacementGroup> groups = new ArrayList<>();
    private final int holding;
    private final long objects;
    private long version = 1;

    /**
     * Makes a cluster whose members all answer.
     *
     * @param holding nodes that hold slots; one node more holds none
     */
    public LargeCluster(int holding, long objects) {
        this.holding = holding;
        this.objects = objects;
        for (int node = 0; node <= holding; node++) {
            nodes.add(new NodeAddress(node, "10.0.0." + node % 250, 7410));
        }
        for (int first = 0; first < holding; first++) {
            groups.add(new PlacementGroup(
                    1,
                    Stream.iterate(first, each -> (each + 1) % holding)
                            .limit(POLICY.n())
                            .toList()));
        }
    }

    /** Returns a client of this cluster. */
    public FakeCluster client() {
        return new FakeCluster().with(this::status).with((Nodes) this).with((Replicas) this);
    }

    /** Replaces a group, as if the replicas had agreed on it. */
    public void set(int group, PlacementGroup next) {
        groups.set(group, next);
        version++;
    }

    public PlacementGroup group(int index) {
        return groups.get(index);
    }

    public ClusterStatus status() {
        requireReachable();
        List<ClusterStatus.NodeStatus> states = new ArrayList<>();
        for (NodeAddress node : nodes) {
            boolean up = !silent.contains(node.node());
            states.add(new ClusterStatus.NodeStatus(
                    node.node(),
                    node.host() + ":" + node.port(),
                    up,
                    up ? "ok" : "no connection",
                    up && node.node() < holding ? 4L << 30 : 0,
                    up ? 100L << 30 : 0,
                    0,
                    0,
                    new ClusterStatus.Background(10, 0, 0, 5),
                    1 << 28,
                    0,
                    List.of(),
                    Optional.empty(),
                    up ? Map.of() : Map.of(Verdict.SLOW, 3L)));
        }
        int left = groups.stream()
                .mapToInt(group -> POLICY.f()
                        - (int) group.holders().stream()
                                .filter(silent::contains)
                                .count())
                .min()
                .orElse(0);
        VolumeInfo volume = new VolumeInfo(1, VOLUME, VolumeKind.OBJECT, POLICY, 0, groups.size());
        return new ClusterStatus(
                states,
                IntStream.range(0, 4).mapToObj(this::replica).toList(),
                List.of(new ClusterStatus.VolumeStatus(volume, POLICY.f(), left, left, List.of(), new TreeMap<>())),
                List.of(new BucketInfo(
                        "photos",
                        VOLUME,
                        PrincipalId.client(0),
                        new BucketSettings(Versioning.LATEST_ONLY, 0, false, DefaultRetention.NONE),
                        objects,
                        objects << 20,
                        LATELY)),
                List.of(),
                new ClusterStatus.Recoveries(
                        Duration.ofMinutes(10),
                        Duration.ofSeconds(30),
                        Optional.of(Duration.ofMinutes(12)),
                        IntStream.range(0, 4)
                                .mapToObj(number -> new ClusterStatus.Recovery(
                                        number,
                                        "none",
                                        false,
                                        Optional.empty(),
                                        Optional.of(LATELY),
                                        Optional.empty(),
                                        false,
                                        false,
                                        false))
                                .toList()));
    }

    private ClusterStatus.ReplicaStatus replica(int number) {
        boolean up = !silentReplicas.contains(number);
        return new ClusterStatus.ReplicaStatus(
                number,
                "10.0.1." + number + ":7600",
                up,
                up ? 1000 - number : 0,
                up,
                up ? Optional.of(new ClusterStatus.Ordering(1, OptionalLong.of(5))) : Optional.empty());
    }

    @Override
    public ClusterMap map() {
        requireReachable();
        return new ClusterMap(version, nodes, List.of(new Volume(1, VOLUME, VolumeKind.OBJECT, POLICY, 0, groups)));
    }

    @Override
    public void set(NodeAddress address) {
        calls.add("set " + address);
    }

    @Override
    public void remove(int node) {
        calls.add("remove " + node);
    }

    @Override
    public void change(String volume, int group, long epoch, int from, int to) {
        PlacementGroup now = groups.get(group);
        if (now.epoch() != epoch) {
            throw new PreconditionFailedException("another epoch", Subject.volume(volume));
        }
        PlacementGroup opened = now.announced(now.slotOf(from), to).opened();
        for (int slot = 0; slot < opened.holders().size(); slot++) {
            opened = opened.confirmed(slot);
        }
        set(group, opened);
        calls.add("change " + group + " " + from + " " + to);
    }

    @Override
    public void abort(String volume, int group, long epoch) {
        PlacementGroup now = groups.get(group);
        set(group, new PlacementGroup(now.epoch(), now.holders()));
        calls.add("abort " + group);
    }

    private static Configuration configuration() {
        return new Configuration(
                0,
                IntStream.range(0, 4)
                        .mapToObj(number -> new Member(
                                PrincipalId.replica(number), Bytes.of((byte) number), "10.0.1." + number + ":7600"))
                        .toList());
    }

    @Override
    public GroupMembership standing() {
        requireReachable();
        return new GroupMembership(configuration(), Optional.empty());
    }

    @Override
    public Configuration believed() {
        return configuration();
    }

    @Override
    public List<Configuration> history() {
        return List.of(configuration());
    }

    @Override
    public String addressOf(Member replica) {
        return replica.address();
    }

    @Override
    public void change(long number, List<PrincipalId> leaving, List<Member> coming) {
        calls.add("replicas " + number + " " + leaving);
    }

    private void requireReachable() {
        if (unreachable) {
            throw new UnavailableException("only 1 of 4 replicas answers", Subject.NONE);
        }
    }
}
