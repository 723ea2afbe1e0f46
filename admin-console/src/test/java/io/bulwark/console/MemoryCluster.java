package io.bulwark.console;

import io.bulwark.client.Bucket;
import io.bulwark.client.BucketInfo;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.Nodes;
import io.bulwark.client.PolicyChange;
import io.bulwark.client.VolumeInfo;
import io.bulwark.client.VolumeSpec;
import io.bulwark.client.driver.EvidenceLog;
import io.bulwark.client.error.AlreadyExistsException;
import io.bulwark.client.error.NoSuchBucketException;
import io.bulwark.client.error.NoSuchVolumeException;
import io.bulwark.client.error.NotEmptyException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** A client of a cluster whose volumes and buckets are in memory. Other parts of the client fail. */
public final class MemoryCluster {
    static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    private final SortedMap<String, MemoryBucket> buckets = new TreeMap<>();
    private final SortedMap<String, VolumeInfo> volumes = new TreeMap<>();
    private Optional<ClusterStatus> status = Optional.empty();
    private final EvidenceLog evidence = new EvidenceLog();
    private int lastVolume;
    private long lastVersion;
    private boolean unreachable;

    /** Makes a cluster with the volume {@code default}. */
    public MemoryCluster() {
        clear();
    }

    /** Forgets everything but the volume {@code default}. */
    public void clear() {
        buckets.clear();
        volumes.clear();
        lastVolume = 0;
        lastVersion = 0;
        unreachable = false;
        createVolume(VolumeSpec.objects(BucketSpec.DEFAULT_VOLUME, ProtectionPolicy.standard()));
    }

    /** Makes every call fail, as when too few replicas answer. */
    public void disconnect() {
        unreachable = true;
    }

    public MemoryBucket bucket(String name) {
        MemoryBucket found = buckets.get(name);
        if (found == null) {
            throw new NoSuchBucketException("no bucket has this name", Subject.bucket(name));
        }
        return found;
    }

    public MemoryBucket createBucket(BucketSpec spec) {
        if (!volumes.containsKey(spec.volume())) {
            throw new NoSuchVolumeException("no volume has this name", Subject.volume(spec.volume()));
        }
        if (buckets.containsKey(spec.name())) {
            throw new AlreadyExistsException("a bucket of this name exists", Subject.bucket(spec.name()));
        }
        MemoryBucket made = new MemoryBucket(spec, () -> ++lastVersion);
        buckets.put(spec.name(), made);
        return made;
    }

    public Bulwark client() {
        return (Bulwark) Proxy.newProxyInstance(
                Bulwark.class.getClassLoader(), new Class<?>[] {Bulwark.class}, (proxy, method, given) -> {
                    if (unreachable) {
                        throw new UnavailableException("only 1 of 4 replicas answers", Subject.NONE);
                    }
                    Object first = given == null ? "" : given[0];
                    return switch (method.getName()) {
                        case "onBehalfOf" -> proxy;
                        case "bucket" -> bucket((String) first);
                        case "createBucket" -> createBucket((BucketSpec) first);
                        case "deleteBucket" -> {
                            deleteBucket((String) first);
                            yield null;
                        }
                        case "buckets" ->
                            buckets.values().stream().map(Bucket::info).toList();
                        case "createVolume" -> createVolume((VolumeSpec) first);
                        case "changeFaults" -> {
                            changeFaults((String) first, (Integer) given[1]);
                            yield null;
                        }
                        case "changePolicy" -> changePolicy((String) first, (PolicyChange) given[1]);
                        case "deleteVolume" -> {
                            deleteVolume((String) first);
                            yield null;
                        }
                        case "volumes" -> List.copyOf(volumes.values());
                        case "nodes" -> nodes();
                        case "status" -> status();
                        case "evidence" -> evidence;
                        default -> throw new UnsupportedOperationException("the test gives no " + method.getName());
                    };
                });
    }

    private VolumeInfo createVolume(VolumeSpec spec) {
        if (volumes.containsKey(spec.name())) {
            throw new AlreadyExistsException("a volume of this name exists", Subject.volume(spec.name()));
        }
        VolumeInfo made = new VolumeInfo(
                ++lastVolume,
                spec.name(),
                spec.kind(),
                spec.policy(),
                spec.blocks(),
                spec.groups() == 0 ? spec.policy().n() + 1 : spec.groups());
        volumes.put(spec.name(), made);
        return made;
    }

    private void changeFaults(String name, int faults) {
        volumes.computeIfPresent(
                name,
                (_, old) -> new VolumeInfo(
                        old.id(), name, old.kind(), old.policy().withFaults(faults), old.blocks(), old.groups()));
    }

    private VolumeInfo changePolicy(String name, PolicyChange change) {
        VolumeInfo old = Objects.requireNonNull(volumes.get(name));
        VolumeInfo made =
                new VolumeInfo(old.id(), name, old.kind(), change.of(old.policy()), old.blocks(), old.groups());
        volumes.put(name, made);
        return made;
    }

    private void deleteBucket(String name) {
        if (bucket(name).info().objects() > 0) {
            throw new NotEmptyException("the bucket is not empty", Subject.bucket(name));
        }
        buckets.remove(name);
    }

    private void deleteVolume(String name) {
        if (buckets.values().stream().map(Bucket::info).map(BucketInfo::volume).anyMatch(name::equals)) {
            throw new NotEmptyException("the volume has buckets", Subject.volume(name));
        }
        if (volumes.remove(name) == null) {
            throw new NoSuchVolumeException("no volume has this name", Subject.volume(name));
        }
    }

    private Nodes nodes() {
        List<Volume> all = new ArrayList<>();
        volumes.values().forEach(volume -> all.add(volume(volume)));
        ClusterMap map = new ClusterMap(1, List.of(), all);
        return (Nodes)
                Proxy.newProxyInstance(Nodes.class.getClassLoader(), new Class<?>[] {Nodes.class}, (_, method, _) -> {
                    if (method.getName().equals("map")) {
                        return map;
                    }
                    throw new UnsupportedOperationException("the test gives no " + method.getName());
                });
    }

    private static Volume volume(VolumeInfo info) {
        List<PlacementGroup> groups = new ArrayList<>();
        for (int group = 0; group < info.groups(); group++) {
            int first = group;
            groups.add(new PlacementGroup(
                    1,
                    IntStream.range(0, info.policy().n())
                            .map(slot -> (first + slot) % (info.policy().n() + 1))
                            .boxed()
                            .toList()));
        }
        return new Volume(info.id(), info.name(), info.kind(), info.policy(), info.blocks(), groups);
    }

    private ClusterStatus status() {
        return status.orElseThrow(() -> new UnavailableException("only 1 of 4 replicas answers", Subject.NONE));
    }

    /** From now on the members report this; before, nobody answers. */
    public void report(ClusterStatus reported) {
        status = Optional.of(reported);
    }

    /** Returns whether there is a volume of this name and kind. */
    public boolean hasVolume(String name, VolumeKind kind) {
        VolumeInfo volume = volumes.get(name);
        return volume != null && volume.kind() == kind;
    }

    public boolean hasBucket(String name) {
        return buckets.containsKey(name);
    }
}
