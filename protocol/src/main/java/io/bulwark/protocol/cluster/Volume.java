package io.bulwark.protocol.cluster;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Blocks with one protection policy, spread over a number of placement groups that is fixed for good.
 *
 * @param id never reused
 * @param blocks the number of blocks of a register volume; 0 for an object volume
 */
public record Volume(
        int id, String name, VolumeKind kind, ProtectionPolicy policy, long blocks, List<PlacementGroup> groups) {
    public static final int NAME_BYTES_MAX = 255;
    public static final int GROUPS_MAX = 1024;

    public Volume {
        groups = List.copyOf(groups);
        if (groups.isEmpty() || groups.size() > GROUPS_MAX) {
            throw new IllegalArgumentException(groups.size() + " placement groups");
        }
        for (PlacementGroup group : groups) {
            if (group.holders().size() != policy.n()) {
                throw new IllegalArgumentException(
                        "a group has " + group.holders().size() + " holders, the policy " + policy.n() + " slots");
            }
            if (group.lowersTo() != 0 && group.lowersTo() >= policy.f()) {
                throw new IllegalArgumentException(policy.f() + " faults are lowered to " + group.lowersTo());
            }
        }
        if (kind == VolumeKind.REGISTER && policy.protocol() == Protocol.ARCHIVE) {
            throw new IllegalArgumentException("the archive class is for objects; registers have fp and pasis");
        }
        if (id < 0 || blocks < 0 || (kind == VolumeKind.OBJECT) != (blocks == 0)) {
            throw new IllegalArgumentException("volume " + id + " " + kind + " with " + blocks + " blocks");
        }
    }

    /**
     * Returns whether the slots must keep their holders. For registers that nobody verifies, nothing shows which
     * version is complete.
     */
    public boolean hasFixedHolders() {
        return kind == VolumeKind.REGISTER && policy.verification() == Verification.NONE;
    }

    /** The index of the group that a block belongs to: a fixed mixing of the whole id (Stafford's variant 13). */
    public int groupIndex(BlockId block) {
        long h = mix(block.counter() + 0x9E3779B97F4A7C15L);
        h = mix(h ^ block.session() + 0x9E3779B97F4A7C15L);
        h = mix(h ^ ((long) block.owner().kind().ordinal() << 32 | block.owner().number()));
        return (int) Long.remainderUnsigned(h, groups.size());
    }

    public PlacementGroup group(BlockId block) {
        return groups.get(groupIndex(block));
    }

    public void write(WireWriter out) {
        out.i32(id).string(name).u8(kind.ordinal());
        policy.write(out);
        out.i64(blocks).u16(groups.size());
        groups.forEach(group -> group.write(out));
    }

    public static Volume read(WireReader in) {
        int id = in.i32(0, Integer.MAX_VALUE);
        String name = in.string(NAME_BYTES_MAX);
        VolumeKind kind = in.bool() ? VolumeKind.REGISTER : VolumeKind.OBJECT;
        ProtectionPolicy policy = ProtectionPolicy.read(in);
        long blocks = in.nonNegative64();
        int count = in.count16(GROUPS_MAX);
        List<PlacementGroup> groups = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            groups.add(PlacementGroup.read(in));
        }
        try {
            return new Volume(id, name, kind, policy, blocks, groups);
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
