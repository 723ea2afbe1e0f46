package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** The volumes, their placement groups over the nodes, and what their inodes take up (PROTOCOLS section 4, placement). */
final class Volumes {
    /** Bounds the map's size. */
    private static final int SLOTS_MAX = 1 << 18;

    private static final long BYTES_MAX = Long.MAX_VALUE / 4;

    private final List<NodeAddress> nodes;
    private final TreeMap<Integer, Entry> entries = new TreeMap<>();
    private int last;
    private long version = 1;

    /** A volume and what it holds. */
    static final class Entry {
        final Volume volume;
        private final long quotaBytes;
        private long bytes;
        int buckets;

        private Entry(Volume volume, long quotaBytes) {
            this.volume = volume;
            this.quotaBytes = quotaBytes;
        }

        /** What a command would add must fit into the quota. */
        void checkQuota(long addedBytes) {
            long limit = quotaBytes == 0 ? BYTES_MAX : quotaBytes;
            Refusal.unless(
                    addedBytes <= 0 || addedBytes <= limit - bytes,
                    MetadataError.QUOTA_EXCEEDED,
                    "volume " + volume.name() + " holds " + bytes + " of " + limit + " bytes");
        }

        void charge(long addedBytes) {
            bytes += addedBytes;
        }
    }

    Volumes(List<NodeAddress> nodes) {
        this.nodes = nodes;
    }

    Entry byId(int id) {
        Entry entry = entries.get(id);
        if (entry == null) {
            throw new Refusal(MetadataError.NO_SUCH_VOLUME, "volume " + id);
        }
        return entry;
    }

    Entry byName(String name) {
        checkName(name);
        for (Entry entry : entries.values()) {
            if (entry.volume.name().equals(name)) {
                return entry;
            }
        }
        throw new Refusal(MetadataError.NO_SUCH_VOLUME, name);
    }

    int create(Command.CreateVolume create) {
        checkName(create.name());
        for (Entry entry : entries.values()) {
            Refusal.unless(!entry.volume.name().equals(create.name()), MetadataError.VOLUME_EXISTS, create.name());
        }
        ProtectionPolicy policy = create.policy();
        Refusal.unless(
                nodes.size() >= policy.n(),
                MetadataError.TOO_FEW_NODES,
                "fp with f=" + policy.f() + ", m=" + policy.m() + " needs " + policy.n() + " nodes, there are "
                        + nodes.size());
        Refusal.unless(
                (create.kind() == VolumeKind.OBJECT) == (create.blocks() == 0),
                MetadataError.BAD_ARGUMENT,
                create.kind() + " volume with " + create.blocks() + " blocks");
        int groups = create.groups() == 0 ? Math.min(nodes.size(), Volume.GROUPS_MAX) : create.groups();
        Refusal.unless(
                groups > 0 && groups <= Volume.GROUPS_MAX, MetadataError.BAD_ARGUMENT, groups + " placement groups");
        Refusal.unless(
                entries.size() < ClusterMap.VOLUMES_MAX && slots() + groups * policy.n() <= SLOTS_MAX,
                MetadataError.LIMIT_REACHED,
                entries.size() + " volumes, " + slots() + " slots");
        int id = ++last;
        Volume volume = new Volume(id, create.name(), create.kind(), policy, create.blocks(), place(groups, policy));
        entries.put(id, new Entry(volume, create.quotaBytes()));
        version++;
        return id;
    }

    void delete(Entry entry) {
        entries.remove(entry.volume.id());
        version++;
    }

    ClusterMap map() {
        return new ClusterMap(
                version,
                nodes,
                entries.values().stream().map(entry -> entry.volume).toList());
    }

    int count() {
        return entries.size();
    }

    long bytes() {
        return entries.values().stream().mapToLong(entry -> entry.bytes).sum();
    }

    /**
     * Group g begins at node g and takes every step-th node from there. All groups with one step have each node once at
     * each slot; the step changes after as many groups as there are nodes, over the numbers without a common divisor.
     */
    private List<PlacementGroup> place(int groups, ProtectionPolicy policy) {
        int count = nodes.size();
        List<Integer> steps = new ArrayList<>();
        for (int step = 1; step <= count; step++) {
            if (BigInteger.valueOf(step).gcd(BigInteger.valueOf(count)).equals(BigInteger.ONE)) {
                steps.add(step);
            }
        }
        List<PlacementGroup> placed = new ArrayList<>(groups);
        for (int group = 0; group < groups; group++) {
            int step = steps.get(group / count % steps.size());
            List<Integer> holders = new ArrayList<>(policy.n());
            for (int slot = 0; slot < policy.n(); slot++) {
                holders.add(nodes.get((group + slot * step) % count).node());
            }
            placed.add(new PlacementGroup(1, holders));
        }
        return placed;
    }

    private int slots() {
        return entries.values().stream()
                .mapToInt(entry ->
                        entry.volume.groups().size() * entry.volume.policy().n())
                .sum();
    }

    private static void checkName(String name) {
        Names.problemOfName(name).ifPresent(problem -> {
            throw new Refusal(MetadataError.BAD_NAME, problem);
        });
    }

    void write(WireWriter out) {
        out.i32(last).i64(version).i32(entries.size());
        entries.values().forEach(entry -> {
            entry.volume.write(out);
            out.i64(entry.quotaBytes).i64(entry.bytes).i32(entry.buckets);
        });
    }

    static Volumes read(List<NodeAddress> nodes, WireReader in) {
        Volumes volumes = new Volumes(nodes);
        volumes.last = in.i32(0, Integer.MAX_VALUE);
        volumes.version = in.nonNegative64();
        Snapshots.times(in, () -> {
            Entry entry = new Entry(Volume.read(in), in.nonNegative64());
            entry.bytes = in.nonNegative64();
            entry.buckets = in.i32(0, Integer.MAX_VALUE);
            volumes.entries.put(entry.volume.id(), entry);
        });
        return volumes;
    }
}
