package io.bulwark.protocol.cluster;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Blocks with one protection policy, spread over placement groups. A change of the policy adds a <em>generation</em> of
 * groups with the new policy, in which all extents and registers are written from then on. Older ones keep their policy
 * and their number of groups for good (docs/decisions/0040).
 *
 * @param id never reused
 * @param policy that of the newest generation
 * @param blocks the number of blocks of a register volume; 0 for an object volume
 * @param groups of all generations, those of the oldest first
 * @param older generations before the newest, the oldest first
 * @param opening whether the newest generation of a register volume is not in use yet: the groups of the one before end
 *     their epoch first
 */
public record Volume(
        int id,
        String name,
        VolumeKind kind,
        ProtectionPolicy policy,
        long blocks,
        List<PlacementGroup> groups,
        List<Generation> older,
        boolean opening) {
    public static final int NAME_BYTES_MAX = 255;
    /** Maximum number of placement groups of one generation. */
    public static final int GROUPS_MAX = 1024;

    public static final int GENERATIONS_MAX = 32;
    /** Maximum number of placement groups of all generations. */
    public static final int ALL_GROUPS_MAX = GENERATIONS_MAX * GROUPS_MAX;

    /** Placement groups that were made together, and the policy of what is stored in them. */
    public record Generation(ProtectionPolicy policy, int groups) {
        public Generation {
            if (groups < 1 || groups > GROUPS_MAX) {
                throw new IllegalArgumentException(groups + " placement groups");
            }
        }

        public void write(WireWriter out) {
            policy.write(out);
            out.u16(groups);
        }

        public static Generation read(WireReader in) {
            try {
                return new Generation(ProtectionPolicy.read(in), in.u16());
            } catch (IllegalArgumentException e) {
                throw new MalformedException(e);
            }
        }
    }

    public Volume {
        groups = List.copyOf(groups);
        older = List.copyOf(older);
        int newest = groups.size() - firstOfNewest(older);
        if (newest < 1 || newest > GROUPS_MAX || older.size() >= GENERATIONS_MAX) {
            throw new IllegalArgumentException(
                    groups.size() + " placement groups, " + older.size() + " older generations");
        }
        if (opening && (kind != VolumeKind.REGISTER || older.isEmpty())) {
            throw new IllegalArgumentException("volume " + name + " has no generation of registers to open");
        }
        for (int index = 0; index < groups.size(); index++) {
            int generation = generationOf(index, older);
            checkGroup(
                    groups.get(index),
                    generation < older.size() ? older.get(generation).policy() : policy);
        }
        if (kind == VolumeKind.REGISTER && policy.protocol() == Protocol.ARCHIVE) {
            throw new IllegalArgumentException("the archive class is for objects; registers have fp and pasis");
        }
        if (id < 0 || blocks < 0 || blocks > BlockId.REGISTERS_MAX || (kind == VolumeKind.OBJECT) != (blocks == 0)) {
            throw new IllegalArgumentException("volume " + id + " " + kind + " with " + blocks + " blocks");
        }
    }

    /** One whose newest generation is in use. */
    public Volume(
            int id,
            String name,
            VolumeKind kind,
            ProtectionPolicy policy,
            long blocks,
            List<PlacementGroup> groups,
            List<Generation> older) {
        this(id, name, kind, policy, blocks, groups, older, false);
    }

    /** One whose policy was never changed by new groups. */
    public Volume(
            int id, String name, VolumeKind kind, ProtectionPolicy policy, long blocks, List<PlacementGroup> groups) {
        this(id, name, kind, policy, blocks, groups, List.of());
    }

    private static void checkGroup(PlacementGroup group, ProtectionPolicy policy) {
        if (group.holders().size() != policy.n()) {
            throw new IllegalArgumentException(
                    "a group has " + group.holders().size() + " holders, the policy " + policy.n() + " slots");
        }
        if (group.lowersTo() != 0 && group.lowersTo() >= policy.f()) {
            throw new IllegalArgumentException(policy.f() + " faults are lowered to " + group.lowersTo());
        }
    }

    /** Returns the same with other groups, as many as there are. */
    public Volume with(List<PlacementGroup> others) {
        return new Volume(id, name, kind, policy, blocks, others, older, opening);
    }

    /** Returns the number of the newest generation, counted from 0. */
    public int generation() {
        return older.size();
    }

    /** Returns the newest generation that is written: the one before the newest while that one opens. */
    public int written() {
        return opening ? older.size() - 1 : older.size();
    }

    /** Returns whether this map is new enough to say where a block belongs. */
    public boolean knows(BlockId block) {
        return block.generation() <= older.size();
    }

    /** Returns whether a block is a register of this volume, as far as its generation is known. */
    public boolean hasRegister(BlockId block) {
        return kind == VolumeKind.REGISTER
                && block.volume() == id
                && block.owner().equals(PrincipalId.NOBODY)
                && block.session() == 0
                && block.number() < blocks
                && knows(block);
    }

    /** Returns the first register that a group may have. */
    public BlockId firstRegister(int group) {
        return BlockId.register(id, generationOf(group), 0);
    }

    /** Returns the last register that a group may have. */
    public BlockId lastRegister(int group) {
        return BlockId.register(id, generationOf(group), blocks - 1);
    }

    /** Returns the index of the first group of a generation. */
    public int firstGroup(int generation) {
        return firstOfNewest(older.subList(0, generation));
    }

    /** Returns the number of groups of a generation. */
    public int groupsOf(int generation) {
        return generation < older.size() ? older.get(generation).groups() : groups.size() - firstOfNewest(older);
    }

    /** Returns the groups that new extents are put in. */
    public List<PlacementGroup> newestGroups() {
        return groups.subList(firstOfNewest(older), groups.size());
    }

    /** Returns the policy of a generation. */
    public ProtectionPolicy policyOfGeneration(int generation) {
        return generation < older.size() ? older.get(generation).policy() : policy;
    }

    /** Returns the policy of the group with this index. */
    public ProtectionPolicy policyOf(int group) {
        return policyOfGeneration(generationOf(group));
    }

    /** Returns the generation of the group with this index. */
    public int generationOf(int group) {
        return generationOf(group, older);
    }

    /** Returns the policy of the group that a block belongs to. */
    public ProtectionPolicy policyOf(BlockId block) {
        requireKnown(block);
        return policyOfGeneration(block.generation());
    }

    private static int firstOfNewest(List<Generation> before) {
        int first = 0;
        for (Generation each : before) {
            first += each.groups();
        }
        return first;
    }

    private static int generationOf(int group, List<Generation> older) {
        int end = 0;
        for (int generation = 0; generation < older.size(); generation++) {
            end += older.get(generation).groups();
            if (group < end) {
                return generation;
            }
        }
        return older.size();
    }

    private void requireKnown(BlockId block) {
        if (!knows(block)) {
            throw new IllegalArgumentException("block " + block + " is of generation " + block.generation()
                    + ", volume " + name + " has " + (older.size() + 1));
        }
    }

    /**
     * Returns whether the slots must keep their holders. For registers that nobody verifies, nothing shows which
     * version is complete.
     */
    public boolean hasFixedHolders() {
        return kind == VolumeKind.REGISTER && policy.verification() == Verification.NONE;
    }

    /**
     * The index of the group that a block belongs to: a fixed mixing of the whole id (Stafford's variant 13) chooses among
     * the groups of its generation.
     */
    public int groupIndex(BlockId block) {
        requireKnown(block);
        long h = mix(block.counter() + 0x9E3779B97F4A7C15L);
        h = mix(h ^ block.session() + 0x9E3779B97F4A7C15L);
        h = mix(h ^ ((long) block.owner().kind().ordinal() << 32 | block.owner().number()));
        int generation = block.generation();
        return firstGroup(generation) + (int) Long.remainderUnsigned(h, groupsOf(generation));
    }

    public PlacementGroup group(BlockId block) {
        return groups.get(groupIndex(block));
    }

    public void write(WireWriter out) {
        out.i32(id).string(name).u8(kind.ordinal());
        policy.write(out);
        out.i64(blocks).u16(groups.size());
        groups.forEach(group -> group.write(out));
        out.u8(older.size());
        older.forEach(generation -> generation.write(out));
        out.bool(opening);
    }

    public static Volume read(WireReader in) {
        int id = in.i32(0, Integer.MAX_VALUE);
        String name = in.string(NAME_BYTES_MAX);
        VolumeKind kind = in.bool() ? VolumeKind.REGISTER : VolumeKind.OBJECT;
        ProtectionPolicy policy = ProtectionPolicy.read(in);
        long blocks = in.nonNegative64();
        int count = in.count16(ALL_GROUPS_MAX);
        List<PlacementGroup> groups = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            groups.add(PlacementGroup.read(in));
        }
        List<Generation> older = new ArrayList<>();
        for (int left = in.u8(); left > 0; left--) {
            older.add(Generation.read(in));
        }
        try {
            return new Volume(id, name, kind, policy, blocks, groups, older, in.bool());
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }

    private static long mix(long z) {
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
