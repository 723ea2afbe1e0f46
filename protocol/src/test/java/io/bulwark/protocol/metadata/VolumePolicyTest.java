package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.BLOCK;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command.RefillInode;
import io.bulwark.protocol.metadata.Command.SetVolumePolicy;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.ObjectLock;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The policy of an object volume changes, and what was put before is refilled (docs/decisions/0040). */
@NullMarked
class VolumePolicyTest {
    private static final ProtectionPolicy NEXT = new ProtectionPolicy(1, 3, 5, BLOCK);

    private final MetadataFixture rig = MetadataFixture.ready();
    private final User alice = rig.user(ALICE, rig.volume);
    private long used;

    private void change() {
        alice.done(new SetVolumePolicy("main", NEXT));
    }

    private BlockRange blocks(int generation, long count) {
        used += count;
        return alice.range(BlockId.firstOf(generation) + 10_000 + used, count);
    }

    private ObjectLayout layout(int generation, long length) {
        return alice.layout(length, List.of(blocks(generation, ObjectLayout.extents(BLOCK, length))));
    }

    private Reply.ObjectStored put(String key, int generation, long length) {
        return (Reply.ObjectStored) alice.run(alice.putOf("films", key, Condition.NONE, layout(generation, length)));
    }

    private RefillInode refill(long inode, ObjectLayout layout) {
        return new RefillInode(inode, layout, EpochClaim.of(rig.mainVolume()), List.of());
    }

    private Reply.ObjectFound find(String key) {
        return (Reply.ObjectFound) rig.ask(ALICE, new Query.FindObject("films", key, 0));
    }

    private List<Reply.OlderExtents> older() {
        return ((Reply.Status) rig.ask(ALICE, new Query.GetStatus())).older();
    }

    @Test
    void newGroupsHaveTheNewPolicyAndOldOnesKeepTheirs() {
        Volume before = rig.mainVolume();
        put("a", 0, 3 * BLOCK);
        change();
        Volume now = rig.mainVolume();
        assertThat(now.policy()).isEqualTo(NEXT);
        assertThat(now.groups().subList(0, before.groups().size())).isEqualTo(before.groups());
        assertThat(now.newestGroups())
                .hasSize(5)
                .allMatch(group -> group.holders().size() == 5);
        assertThat(now.policyOf(0)).isEqualTo(MetadataFixture.POLICY);
        assertThat(older()).containsExactly(new Reply.OlderExtents(rig.volume, 0, 3));
        put("b", 1, 2 * BLOCK);
        assertThat(older()).containsExactly(new Reply.OlderExtents(rig.volume, 0, 3));
        assertThat(MetadataStateMachine.restore(rig.machine.snapshot()).snapshot())
                .isEqualTo(rig.machine.snapshot());
    }

    @PlantedBug(
            in = Namespace.class,
            rule = "new extents are put in the newest generation only",
            replace = "range -> range.isOf(volume.generation())",
            with = "range -> range.generation() <= volume.generation()")
    @Test
    void nothingNewIsPutUnderTheOldPolicy() {
        change();
        ObjectLayout old = layout(0, BLOCK);
        alice.refused(MetadataError.STALE_EPOCH, alice.putOf("films", "a", Condition.NONE, old));
        alice.refused(MetadataError.STALE_EPOCH, new Command.RegisterPending(old.ranges()));
        alice.refused(MetadataError.STALE_EPOCH, alice.putOf("films", "a", Condition.NONE, layout(2, BLOCK)));
        BlockRange astride = alice.range(BlockId.firstOf(2) - 1, 2);
        alice.refused(
                MetadataError.STALE_EPOCH,
                alice.putOf("films", "a", Condition.NONE, alice.layout(2 * BLOCK, List.of(astride))));
        put("a", 1, BLOCK);
    }

    @Test
    void aRefilledInodeKeepsAllThatLinksToIt() {
        Reply.ObjectStored a = put("a", 0, 3 * BLOCK);
        alice.run(new Command.CopyObject("films", "a", 0, "diary", "copy", Condition.NONE));
        alice.run(new Command.ComposeObject(
                "films",
                "slices",
                Condition.NONE,
                List.of(new ObjectRange("films", "a", 0, 10, 600)),
                ObjectAttributes.NONE,
                ObjectLock.NONE));
        Reply.ObjectFound before = find("a");
        change();
        ObjectLayout after = layout(1, 3 * BLOCK);
        assertThat(alice.run(refill(a.inode(), after))).isEqualTo(new Reply.Refilled(a.inode()));
        Reply.ObjectFound found = find("a");
        assertThat(found.inode().content()).isEqualTo(after);
        assertThat(found.version()).isEqualTo(before.version());
        assertThat(found.inode().modifiedMillis()).isEqualTo(before.inode().modifiedMillis());
        Reply.ObjectFound slices = find("slices");
        Reply.SliceList sliced = (Reply.SliceList)
                rig.ask(ALICE, new Query.FindSlices("films", "slices", slices.version(), 0, Query.PAGE_MAX));
        assertThat(sliced.slices().getFirst().content().ranges()).isEqualTo(after.ranges());
        BlockId old = before.inode().content() instanceof ObjectLayout layout
                ? layout.ranges().getFirst().at(0)
                : BlockId.register(0, 0);
        assertThat(rig.ask(ALICE, new Query.FindInode(a.inode(), old)))
                .isEqualTo(new Reply.InodeFound(true, true, false));
        assertThat(rig.references()).as("within the grace").hasSize(2);
        rig.pass(alice, Inodes.GRACE_MILLIS + 10_000);
        assertThat(rig.references()).hasSize(1);
        assertThat(older()).isEmpty();
        assertThat(rig.changesAfter(0)).contains(freed(old));
        alice.run(new Command.DeleteObject("films", "a", 0));
        assertThat(MetadataStateMachine.restore(rig.machine.snapshot()).snapshot())
                .isEqualTo(rig.machine.snapshot());
    }

    private SessionChange freed(BlockId first) {
        return rig.changesAfter(0).stream()
                .filter(change -> change instanceof SessionChange.Freed freed
                        && freed.range().contains(first))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aRefillIsRefusedForOtherBytesAndForWhatIsNotThere() {
        Reply.ObjectStored a = put("a", 0, 3 * BLOCK);
        alice.refused(MetadataError.NO_SUCH_OBJECT, refill(a.inode(), layout(0, 3 * BLOCK)));
        change();
        alice.refused(MetadataError.NO_SUCH_OBJECT, refill(a.inode(), layout(1, 2 * BLOCK)));
        alice.refused(MetadataError.NO_SUCH_OBJECT, refill(77, layout(1, 3 * BLOCK)));
        ObjectLayout after = layout(1, 3 * BLOCK);
        alice.run(refill(a.inode(), after));
        alice.refused(MetadataError.NO_SUCH_OBJECT, refill(a.inode(), layout(1, 3 * BLOCK)));
        Reply.ObjectStored b = put("b", 1, BLOCK);
        alice.refused(MetadataError.NO_SUCH_OBJECT, refill(b.inode(), layout(1, BLOCK)));
        alice.run(new Command.DeleteObject("films", "b", 0));
        rig.user(MetadataFixture.READER, 0).refused(MetadataError.NOT_AUTHORISED, refill(a.inode(), after));
    }

    /** Nobody can check that the bytes are the same. */
    @Test
    void nothingIsRefilledInAVolumeWithObjectLock() {
        Reply.ObjectStored a = put("a", 0, BLOCK);
        change();
        alice.done(new Command.UpdateBucket("diary", BucketChange.NONE.withVersioning(Versioning.KEEP_ALL)));
        alice.done(new Command.UpdateBucket("diary", BucketChange.NONE.withObjectLock()));
        alice.refused(MetadataError.OBJECT_LOCKED, refill(a.inode(), layout(1, BLOCK)));
        assertThat(MetadataStateMachine.restore(rig.machine.snapshot()).snapshot())
                .isEqualTo(rig.machine.snapshot());
        alice.done(new Command.DeleteBucket("diary"));
        alice.run(refill(a.inode(), layout(1, BLOCK)));
    }

    @Test
    void aDeletedObjectIsNotRefilled() {
        Reply.ObjectStored a = put("a", 0, BLOCK);
        change();
        alice.run(new Command.DeleteObject("films", "a", 0));
        alice.refused(MetadataError.NO_SUCH_OBJECT, refill(a.inode(), layout(1, BLOCK)));
    }

    @Test
    void policiesThatCannotBeAreRefused() {
        alice.refused(MetadataError.BAD_ARGUMENT, new SetVolumePolicy("main", MetadataFixture.POLICY));
        alice.refused(
                MetadataError.BAD_ARGUMENT, new SetVolumePolicy("main", new ProtectionPolicy(1, 3, 5, 2 * BLOCK)));
        alice.refused(
                MetadataError.BAD_ARGUMENT, new SetVolumePolicy("main", ProtectionPolicy.archive(1, 2, 5, BLOCK)));
        alice.refused(MetadataError.TOO_FEW_NODES, new SetVolumePolicy("main", new ProtectionPolicy(2, 3, 7, BLOCK)));
        alice.refused(MetadataError.BAD_ARGUMENT, new Command.ChangePolicy("main", 1, 2));
        alice.refused(MetadataError.NO_SUCH_VOLUME, new SetVolumePolicy("none", NEXT));
        rig.user(READER, 0).refused(MetadataError.NOT_AUTHORISED, new SetVolumePolicy("main", NEXT));
    }

    @Test
    void smallObjectsInTheMetadataNeedReplicasThatTolerateAsMany() {
        MetadataFixture wide = new MetadataFixture();
        wide.machine = new MetadataStateMachine(MetadataFixture.genesis(7));
        User user = wide.user(ALICE, 0);
        wide.volume = ((Reply.VolumeCreated) user.run(MetadataFixture.objectVolume("main"))).volume();
        user.done(new Command.CreateBucket("films", "main", Versioning.LATEST_ONLY, 0));
        User writer = wide.user(ALICE, wide.volume);
        SetVolumePolicy two = new SetVolumePolicy("main", new ProtectionPolicy(2, 3, 7, BLOCK));
        writer.run(writer.putOf("films", "small", Condition.NONE, writer.inline(9)));
        writer.refused(MetadataError.NOT_INLINE, two);
        writer.run(new Command.DeleteObject("films", "small", 0));
        wide.pass(writer, Inodes.GRACE_MILLIS + 10_000);
        writer.done(two);
    }

    @Test
    void holdersOfOldGroupsChangeByTheirOwnPolicy() {
        change();
        PlacementGroup group = rig.mainVolume().groups().getFirst();
        int spare = 10 - group.holders().stream().mapToInt(Integer::intValue).sum();
        alice.done(new Command.ChangeHolder("main", 0, 1, group.holders().getFirst(), spare));
        for (int slot = 0; slot < 3; slot++) {
            rig.user(PrincipalId.node(group.holders().get(slot)), 0).done(new Command.SealEpoch(rig.volume, 0, 1));
        }
        assertThat(rig.mainVolume().groups().getFirst().epoch()).isEqualTo(2);
        put("a", 1, BLOCK);
    }

    @Test
    void aPolicyChangesAgainAndAgainUpToABound() {
        ProtectionPolicy[] both = {NEXT, MetadataFixture.POLICY};
        for (int count = 1; count < Volume.GENERATIONS_MAX; count++) {
            alice.done(new SetVolumePolicy("main", both[(count + 1) % 2]));
        }
        put("a", Volume.GENERATIONS_MAX - 1, BLOCK);
        alice.refused(MetadataError.LIMIT_REACHED, new SetVolumePolicy("main", both[1]));
        assertThat(older()).isEmpty();
        alice.run(new Command.DeleteObject("films", "a", 0));
        assertThat(MetadataStateMachine.restore(rig.machine.snapshot()).snapshot())
                .isEqualTo(rig.machine.snapshot());
    }
}
