package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.Volume.Generation;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.metadata.Tables.GroupsKey;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The volumes, their placement groups over the nodes, and what their inodes take up (docs/protocols, shared rules). */
final class Volumes {
    /** Bounds the map's size. */
    private static final int SLOTS_MAX = 1 << 18;

    /** Number of records for the maximum number of volumes with the maximum number of groups. */
    private static final int GROUP_RECORDS_MAX = 16_384;

    static final long BYTES_MAX = Long.MAX_VALUE / 4;

    /** Number of volumes that are not decoded again. */
    private static final int READ_MAX = 256;

    private final Tables tables;
    /** Placement groups that were read before, by what was read: volumes may have many and hardly ever change. */
    private final Map<Bytes, List<PlacementGroup>> known = new HashMap<>();

    /**
     * A volume without its groups.
     *
     * @param groups of all generations
     * @param nextFaults f from the next epoch on; 0 if no other is announced
     * @param bounds of f, within which it follows the threat level
     * @param older generations before the newest
     * @param opening whether the newest generation is not in use yet
     */
    record Definition(
            int id,
            String name,
            VolumeKind kind,
            ProtectionPolicy policy,
            long blocks,
            int groups,
            long quotaBytes,
            int nextFaults,
            FaultBounds bounds,
            List<Generation> older,
            boolean opening) {
        void write(WireWriter out) {
            out.i32(id).string(name).u8(kind.ordinal());
            policy.write(out);
            bounds.write(out.i64(blocks).u16(groups).i64(quotaBytes).u8(nextFaults));
            Lists.write(older, out, Generation::write);
            out.bool(opening);
        }

        static Definition read(WireReader in) {
            return new Definition(
                    in.i32(0, Integer.MAX_VALUE),
                    in.string(Volume.NAME_BYTES_MAX),
                    in.bool() ? VolumeKind.REGISTER : VolumeKind.OBJECT,
                    ProtectionPolicy.read(in),
                    in.nonNegative64(),
                    in.count16(Volume.ALL_GROUPS_MAX),
                    in.nonNegative64(),
                    in.u8(),
                    FaultBounds.read(in),
                    Lists.read(in, Volume.GENERATIONS_MAX, Generation::read),
                    in.bool());
        }

        int slots() {
            int slots = newestGroups() * policy.n();
            for (Generation each : older) {
                slots += each.groups() * each.policy().n();
            }
            return slots;
        }

        private int newestGroups() {
            return groups - older.stream().mapToInt(Generation::groups).sum();
        }

        Definition withPolicy(ProtectionPolicy now, int next) {
            return new Definition(id, name, kind, now, blocks, groups, quotaBytes, next, bounds, older, opening);
        }

        Definition withBounds(FaultBounds now) {
            return new Definition(id, name, kind, policy, blocks, groups, quotaBytes, nextFaults, now, older, opening);
        }

        Definition withGeneration(ProtectionPolicy now, int added) {
            List<Generation> before = new ArrayList<>(older);
            before.add(new Generation(policy, newestGroups()));
            return new Definition(
                    id,
                    name,
                    kind,
                    now,
                    blocks,
                    groups + added,
                    quotaBytes,
                    nextFaults,
                    bounds,
                    before,
                    kind == VolumeKind.REGISTER);
        }

        Definition opened() {
            return new Definition(id, name, kind, policy, blocks, groups, quotaBytes, nextFaults, bounds, older, false);
        }
    }

    /** Usage of a volume. */
    static final class Usage {
        long bytes;
        /** Part of the quota that logs may draw. */
        long escrow;

        /** Part of the bytes that stands in inodes. */
        long inline;

        int buckets;

        /** Buckets with object lock. */
        int locking;

        /** Number of blocks that inodes and pending uploads name, by the generation of their groups; none is 0. */
        final SortedMap<Integer, Long> extents = new TreeMap<>();

        /** Counts the blocks of ranges that are named from now on, or not any more. */
        void count(List<BlockRange> ranges, int sign) {
            for (BlockRange range : ranges) {
                extents.merge(
                        range.generation(),
                        sign * range.count(),
                        (before, more) -> before + more == 0 ? null : (Long) (before + more));
            }
        }

        void write(WireWriter out) {
            out.i64(bytes).i64(escrow).i64(inline).i32(buckets).i32(locking).u8(extents.size());
            extents.forEach((generation, count) -> out.u8(generation).i64(count));
        }

        static Usage read(WireReader in) {
            Usage usage = new Usage();
            usage.bytes = in.nonNegative64();
            usage.escrow = in.nonNegative64();
            usage.inline = in.nonNegative64();
            usage.buckets = in.i32(0, Integer.MAX_VALUE);
            usage.locking = in.i32(0, usage.buckets);
            for (int left = in.u8(); left > 0; left--) {
                usage.extents.put(in.u8(), in.nonNegative64());
            }
            return usage;
        }
    }

    /** A volume and what it holds. */
    record Entry(Volume volume, long quotaBytes, Usage usage) {
        /** Without a quota a bound keeps the sum in its range. */
        long limit() {
            return quotaBytes == 0 ? BYTES_MAX : quotaBytes;
        }

        void charge(long addedBytes) {
            usage.bytes += addedBytes;
        }
    }

    /** Volumes that were read before, by their ids. */
    private final Map<Integer, ReadVolume> readBefore = new HashMap<>();

    /** A volume, and the records that it was read from. */
    private record ReadVolume(Bytes record, List<Bytes> groups, Definition definition, Volume volume) {}

    Volumes(Tables tables) {
        this.tables = tables;
    }

    Entry byId(int id) {
        Bytes record = tables.volumes
                .encoded(id)
                .orElseThrow(() -> new CommandRefusal(MetadataError.NO_SUCH_VOLUME, "volume " + id));
        ReadVolume before = readBefore.get(id);
        if (before == null || !isAsRead(id, before, record)) {
            Definition definition = tables.volumes.decode(record);
            before = new ReadVolume(record, groupRecords(definition), definition, volume(definition));
            if (readBefore.size() >= READ_MAX) {
                readBefore.clear();
            }
            readBefore.put(id, before);
        }
        return new Entry(
                before.volume,
                before.definition.quotaBytes,
                tables.usages.find(id).orElseThrow());
    }

    private boolean isAsRead(int id, ReadVolume before, Bytes record) {
        if (!before.record.equals(record)) {
            return false;
        }
        for (int i = 0; i < before.groups.size(); i++) {
            Bytes found = groupRecord(id, i * Tables.GROUPS_PER_RECORD);
            if (!found.equals(before.groups.get(i))) {
                return false;
            }
        }
        return true;
    }

    private List<Bytes> groupRecords(Definition definition) {
        List<Bytes> records = new ArrayList<>();
        for (int first = 0; first < definition.groups; first += Tables.GROUPS_PER_RECORD) {
            records.add(groupRecord(definition.id, first));
        }
        return records;
    }

    private Bytes groupRecord(int volume, int first) {
        return tables.groups.encoded(new GroupsKey(volume, first)).orElseThrow();
    }

    Optional<Volume> find(int id) {
        return tables.volumes.get(id).map(this::volume);
    }

    Entry byName(String name) {
        checkName(name);
        return named(name).map(this::entry).orElseThrow(() -> new CommandRefusal(MetadataError.NO_SUCH_VOLUME, name));
    }

    Optional<Integer> idOf(String name) {
        return named(name).map(volume -> volume.id);
    }

    private Optional<Definition> named(String name) {
        return definitions().filter(volume -> volume.name.equals(name)).findFirst();
    }

    private Stream<Definition> definitions() {
        return StreamSupport.stream(tables.volumes.all().spliterator(), false).map(Table.Entry::value);
    }

    private Entry entry(Definition definition) {
        return new Entry(
                volume(definition),
                definition.quotaBytes,
                tables.usages.find(definition.id).orElseThrow());
    }

    private Volume volume(Definition definition) {
        List<PlacementGroup> groups = new ArrayList<>(definition.groups);
        while (groups.size() < definition.groups) {
            groups.addAll(groups(groupRecord(definition.id, groups.size())));
        }
        return new Volume(
                definition.id,
                definition.name,
                definition.kind,
                definition.policy,
                definition.blocks,
                groups,
                definition.older,
                definition.opening);
    }

    private List<PlacementGroup> groups(Bytes encoded) {
        if (known.size() > GROUP_RECORDS_MAX) {
            known.clear();
        }
        return known.computeIfAbsent(encoded, tables.groups::decode);
    }

    List<NodeAddress> nodes() {
        List<NodeAddress> nodes = new ArrayList<>();
        tables.nodes.all().forEach(node -> nodes.add(node.value()));
        return nodes;
    }

    /**
     * @param belongs whether a node of the map is not revoked
     */
    int create(Command.CreateVolume create, IntPredicate belongs) {
        checkName(create.name());
        CommandRefusal.refuseUnless(named(create.name()).isEmpty(), MetadataError.VOLUME_EXISTS, create.name());
        ProtectionPolicy policy = create.policy();
        List<NodeAddress> nodes = nodesFor(policy, belongs);
        CommandRefusal.refuseUnless(
                create.kind() == VolumeKind.REGISTER || policy.verification() != Verification.NONE,
                MetadataError.BAD_ARGUMENT,
                "a volume without verification keeps no objects");
        CommandRefusal.refuseUnless(
                create.kind() == VolumeKind.OBJECT || policy.protocol() != Protocol.ARCHIVE,
                MetadataError.BAD_ARGUMENT,
                "the archive class is for objects; registers have fp and pasis");
        CommandRefusal.refuseUnless(
                (create.kind() == VolumeKind.OBJECT) == (create.blocks() == 0)
                        && create.blocks() <= BlockId.REGISTERS_MAX,
                MetadataError.BAD_ARGUMENT,
                create.kind() + " volume with " + create.blocks() + " blocks");
        int groups = create.groups() == 0 ? Math.min(nodes.size(), Volume.GROUPS_MAX) : create.groups();
        CommandRefusal.refuseUnless(
                groups > 0 && groups <= Volume.GROUPS_MAX, MetadataError.BAD_ARGUMENT, groups + " placement groups");
        CommandRefusal.refuseUnless(
                count() < ClusterMap.VOLUMES_MAX && slots() + groups * policy.n() <= SLOTS_MAX,
                MetadataError.LIMIT_REACHED,
                count() + " volumes, " + slots() + " slots");
        int id = ++tables.totals().lastVolume;
        tables.totals().mapVersion++;
        add(
                new Volume(id, create.name(), create.kind(), policy, create.blocks(), place(nodes, groups, policy)),
                create.quotaBytes());
        return id;
    }

    /** Returns the nodes over which groups with a policy are placed. */
    private List<NodeAddress> nodesFor(ProtectionPolicy policy, IntPredicate belongs) {
        List<NodeAddress> nodes = nodesInService(belongs, policy.n());
        CommandRefusal.refuseUnless(
                nodes.size() >= policy.n(),
                MetadataError.TOO_FEW_NODES,
                policy.text() + " needs " + policy.n() + " nodes, there are " + nodes.size());
        return nodes;
    }

    /**
     * Gives a volume another policy, for what is put from now on, or written once the generation opens.
     *
     * @param belongs whether a node of the map is not revoked
     */
    void changePolicy(Command.SetVolumePolicy set, Replicas replicas, IntPredicate belongs) {
        Entry entry = byName(set.volume());
        ProtectionPolicy policy = entry.volume.policy();
        CommandRefusal.refuseUnless(
                set.policy().differsInNumbers(policy),
                MetadataError.BAD_ARGUMENT,
                set.volume() + " is under " + policy.text() + " with blocks of " + policy.blockBytes()
                        + " bytes; a volume gets another f, m or n, and keeps the rest");
        if (entry.usage.inline > 0) {
            replicas.requireInline(set.policy());
        }
        addGeneration(entry.volume, set.policy(), belongs);
    }

    /** Adds a generation of groups with a policy, one group for each node. */
    private void addGeneration(Volume volume, ProtectionPolicy policy, IntPredicate belongs) {
        List<NodeAddress> nodes = nodesFor(policy, belongs);
        int added = Math.min(nodes.size(), Volume.GROUPS_MAX);
        CommandRefusal.refuseUnless(
                volume.generation() + 1 < Volume.GENERATIONS_MAX && slots() + added * policy.n() <= SLOTS_MAX,
                MetadataError.LIMIT_REACHED,
                volume.name() + " has had " + (volume.generation() + 1) + " policies, of " + Volume.GENERATIONS_MAX
                        + ", and all volumes have " + slots() + " slots, of " + SLOTS_MAX
                        + ": make another volume, and copy");
        Definition old = tables.volumes.get(volume.id()).orElseThrow();
        List<PlacementGroup> groups = new ArrayList<>(volume.groups());
        groups.addAll(place(nodes, added, policy));
        tables.volumes.put(old.id, old.withGeneration(policy, added));
        putGroups(old.id, groups, volume.groups().size());
        tables.totals().mapVersion++;
    }

    /** @param from index of the first group that is not there yet */
    private void putGroups(int id, List<PlacementGroup> groups, int from) {
        int first = from - from % Tables.GROUPS_PER_RECORD;
        for (; first < groups.size(); first += Tables.GROUPS_PER_RECORD) {
            int end = Math.min(first + Tables.GROUPS_PER_RECORD, groups.size());
            tables.groups.put(new GroupsKey(id, first), groups.subList(first, end));
        }
    }

    /** Returns the extents that are left in older generations, by volume and generation. */
    List<Reply.OlderExtents> olderExtents() {
        List<Reply.OlderExtents> all = new ArrayList<>();
        definitions()
                .filter(volume -> !volume.older.isEmpty())
                .forEach(volume -> tables.usages
                        .find(volume.id)
                        .orElseThrow()
                        .extents
                        .headMap(volume.older.size())
                        .forEach((generation, count) -> all.add(new Reply.OlderExtents(volume.id, generation, count))));
        return all;
    }

    /**
     * Returns the nodes that hold a slot, or will. Others are spares or drained, and are used only if there are too few
     * without them, as at first. The same holds for nodes that will lose a slot, as a drained node loses all.
     */
    private List<NodeAddress> nodesInService(IntPredicate belongs, int needed) {
        Set<Integer> holders = new HashSet<>();
        Set<Integer> leaving = new HashSet<>();
        for (Volume volume : map().volumes()) {
            for (PlacementGroup group : volume.groups()) {
                holders.addAll(group.change().isPresent() ? group.opened().holders() : group.holders());
                group.change()
                        .filter(change -> group.slotOf(change.node()) != change.slot())
                        .ifPresent(change -> leaving.add(group.holders().get(change.slot())));
            }
        }
        List<NodeAddress> all =
                nodes().stream().filter(node -> belongs.test(node.node())).toList();
        List<NodeAddress> serving =
                all.stream().filter(node -> holders.contains(node.node())).toList();
        List<NodeAddress> staying =
                serving.stream().filter(node -> !leaving.contains(node.node())).toList();
        if (staying.size() >= needed) {
            return staying;
        }
        return serving.size() >= needed ? serving : all;
    }

    Usage add(Volume volume, long quotaBytes) {
        int id = volume.id();
        List<PlacementGroup> groups = volume.groups();
        tables.volumes.put(
                id,
                new Definition(
                        id,
                        volume.name(),
                        volume.kind(),
                        volume.policy(),
                        volume.blocks(),
                        groups.size(),
                        quotaBytes,
                        0,
                        FaultBounds.NONE,
                        List.of(),
                        false));
        putGroups(id, groups, 0);
        return tables.usages.add(id, new Usage());
    }

    /** The newest generation of a register volume is in use from now on. */
    void open(Volume volume) {
        Definition old = tables.volumes.get(volume.id()).orElseThrow();
        tables.volumes.put(old.id, old.opened());
        tables.totals().mapVersion++;
    }

    /** Returns f of a volume from the next epoch on; 0 if no other is announced. */
    int nextFaults(Volume volume) {
        return tables.volumes.get(volume.id()).orElseThrow().nextFaults;
    }

    /** Sets the policy of now, and f from the next epoch on, or 0. */
    void setPolicy(Volume volume, ProtectionPolicy policy, int nextFaults) {
        Definition old = tables.volumes.get(volume.id()).orElseThrow();
        tables.volumes.put(old.id, old.withPolicy(policy, nextFaults));
        tables.totals().mapVersion++;
    }

    /** Returns the numbers of faults between which the threat level moves a volume. */
    FaultBounds bounds(Volume volume) {
        return tables.volumes.get(volume.id()).orElseThrow().bounds;
    }

    void setBounds(Volume volume, FaultBounds bounds) {
        Definition old = tables.volumes.get(volume.id()).orElseThrow();
        if (!old.bounds.equals(bounds)) {
            tables.volumes.put(old.id, old.withBounds(bounds));
        }
    }

    /** Returns the volumes that follow the threat level, by rising id. */
    List<Volume> following() {
        return definitions()
                .filter(volume -> volume.bounds.follow())
                .map(this::volume)
                .toList();
    }

    /** Puts another state in the place of a placement group's. */
    void set(Volume volume, int index, PlacementGroup group) {
        int first = index - index % Tables.GROUPS_PER_RECORD;
        int end = Math.min(first + Tables.GROUPS_PER_RECORD, volume.groups().size());
        List<PlacementGroup> groups = new ArrayList<>(volume.groups().subList(first, end));
        groups.set(index - first, group);
        tables.groups.put(new GroupsKey(volume.id(), first), groups);
        tables.totals().mapVersion++;
    }

    void delete(Entry entry) {
        int id = entry.volume.id();
        tables.volumes.remove(id);
        tables.usages.remove(id);
        tables.groups
                .range(new GroupsKey(id, 0), new GroupsKey(id, Volume.ALL_GROUPS_MAX))
                .forEach(groups -> tables.groups.remove(groups.key()));
        tables.totals().mapVersion++;
    }

    ClusterMap map() {
        return new ClusterMap(
                tables.totals().mapVersion,
                nodes(),
                definitions().map(this::volume).toList());
    }

    int count() {
        return (int) definitions().count();
    }

    long bytes() {
        return definitions()
                .mapToLong(volume -> tables.usages.find(volume.id).orElseThrow().bytes)
                .sum();
    }

    /**
     * Group g begins at node g and takes every step-th node from there. All groups with one step have each node once at
     * each slot; the step changes after as many groups as there are nodes, over the numbers without a common divisor.
     */
    private static List<PlacementGroup> place(List<NodeAddress> nodes, int groups, ProtectionPolicy policy) {
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
        return definitions().mapToInt(Definition::slots).sum();
    }

    private static void checkName(String name) {
        Names.problemOfName(name).ifPresent(problem -> {
            throw new CommandRefusal(MetadataError.BAD_NAME, problem);
        });
    }
}
