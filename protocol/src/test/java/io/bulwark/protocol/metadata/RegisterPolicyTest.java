package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command.ChangePolicy;
import io.bulwark.protocol.metadata.Command.ConfirmEpoch;
import io.bulwark.protocol.metadata.Command.SealEpoch;
import io.bulwark.protocol.metadata.Command.SetVolumePolicy;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A register volume gets another policy in a new generation of groups (docs/epochs.md). */
@NullMarked
class RegisterPolicyTest {
    private static final int NODES = 9;
    private static final int GROUPS = 2;
    private static final ProtectionPolicy FIRST = new ProtectionPolicy(1, 2, 4, 512);
    private static final ProtectionPolicy SECOND = new ProtectionPolicy(2, 3, 7, 512);

    private final MetadataFixture rig = nineNodes();
    private final User alice = rig.user(ALICE, 0);

    private static MetadataFixture nineNodes() {
        MetadataFixture rig = new MetadataFixture();
        rig.machine = new MetadataStateMachine(MetadataFixture.genesis(NODES));
        return rig;
    }

    @BeforeEach
    void makeVolume() {
        alice.run(new Command.CreateVolume("disk", VolumeKind.REGISTER, FIRST, 9, GROUPS, 0));
    }

    private Volume volume() {
        return rig.map().volume("disk").orElseThrow();
    }

    private User node(int group, int slot) {
        return rig.user(PrincipalId.node(volume().groups().get(group).holders().get(slot)), 0);
    }

    private void seal(int group, int slots) {
        long epoch = volume().groups().get(group).epoch();
        for (int slot = 0; slot < slots; slot++) {
            node(group, slot).done(new SealEpoch(volume().id(), group, epoch));
        }
    }

    private void confirmAll(int group) {
        long epoch = volume().groups().get(group).epoch();
        for (int slot = 0; slot < volume().policyOf(group).n(); slot++) {
            node(group, slot).done(new ConfirmEpoch(volume().id(), group, epoch));
        }
    }

    private void change() {
        alice.done(new SetVolumePolicy("disk", SECOND));
        seal(0, 3);
        seal(1, 3);
    }

    private String refused(MetadataError error, Command command) {
        alice.refused(error, command);
        return ((Reply.Failed) alice.run(command)).detail();
    }

    @PlantedBug(
            in = PlacementChanges.class,
            rule = "a generation of registers opens in one map with the next epoch of all groups before",
            replace = ".allMatch(index -> isSealed(",
            with = ".anyMatch(index -> isSealed(")
    @Test
    void theNewGroupsAreWrittenOnceAllGroupsBeforeHaveSealed() {
        List<PlacementGroup> before = volume().groups();
        alice.done(new SetVolumePolicy("disk", SECOND));
        assertThat(volume().generation()).isEqualTo(1);
        assertThat(volume().written()).isZero();
        assertThat(volume().newestGroups())
                .hasSize(NODES)
                .allMatch(group ->
                        group.holders().size() == SECOND.n() && group.change().isEmpty());
        seal(0, 4);
        seal(1, 2);
        assertThat(volume().written())
                .as("a seal of the second group is missing")
                .isZero();
        assertThat(volume().groups().subList(0, GROUPS)).allMatch(group -> group.epoch() == 1);
        node(1, 2).done(new SealEpoch(volume().id(), 1, 1));
        assertThat(volume().written()).isEqualTo(1);
        for (int group = 0; group < GROUPS; group++) {
            PlacementGroup now = volume().groups().get(group);
            assertThat(now.epoch()).isEqualTo(2);
            assertThat(now.holders()).isEqualTo(before.get(group).holders());
            assertThat(now.change()).isEmpty();
            assertThat(volume().policyOf(group)).isEqualTo(FIRST);
        }
        assertThat(MetadataStateMachine.restore(rig.machine.snapshot()).snapshot())
                .isEqualTo(rig.machine.snapshot());
    }

    @Test
    void oneChangeComesAfterTheOther() {
        alice.done(new SetVolumePolicy("disk", SECOND));
        int holder = volume().groups().getFirst().holders().getFirst();
        alice.refused(MetadataError.CHANGE_PENDING, new SetVolumePolicy("disk", FIRST));
        alice.refused(MetadataError.CHANGE_PENDING, new Command.ChangeHolder("disk", 0, 1, holder, holder));
        seal(0, 3);
        seal(1, 3);
        alice.done(new SetVolumePolicy("disk", FIRST));
        assertThat(volume().written()).isEqualTo(1);
        for (int group = GROUPS; group < GROUPS + NODES; group++) {
            seal(group, 5);
        }
        assertThat(volume().written()).isEqualTo(2);
    }

    @Test
    void holdersOfOlderGroupsAreReplacedByTheirOwnPolicy() {
        change();
        confirmAll(0);
        PlacementGroup group = volume().groups().getFirst();
        int spare = List.of(0, 1, 2, 3, 4).stream()
                .filter(node -> group.slotOf(node) < 0)
                .findFirst()
                .orElseThrow();
        alice.done(new Command.ChangeHolder("disk", 0, 2, group.holders().getFirst(), spare));
        seal(0, 3);
        assertThat(volume().groups().getFirst().epoch()).isEqualTo(3);
        assertThat(volume().groups().getFirst().slotOf(spare)).isZero();
    }

    @Test
    void theFaultsOfTheNewestGenerationChangeAlone() {
        ProtectionPolicy one = ProtectionPolicy.masking(1, 5, 512);
        alice.run(new Command.CreateVolume("copies", VolumeKind.REGISTER, one, 9, 1, 0));
        alice.done(new SetVolumePolicy("copies", ProtectionPolicy.masking(1, NODES, 512)));
        int id = rig.map().volume("copies").orElseThrow().id();
        for (int node :
                rig.map().volume("copies").orElseThrow().groups().getFirst().holders()) {
            rig.user(PrincipalId.node(node), 0).run(new SealEpoch(id, 0, 1));
        }
        alice.done(new ChangePolicy("copies", 2));
        Volume announced = rig.map().volume("copies").orElseThrow();
        assertThat(announced.groups().getFirst().change()).isEmpty();
        assertThat(announced.newestGroups()).allMatch(group -> group.change().isPresent());
        for (int group = 1; group < announced.groups().size(); group++) {
            for (int node = 0; node < NODES; node++) {
                rig.user(PrincipalId.node(node), 0).run(new SealEpoch(id, group, 1));
            }
        }
        Volume raised = rig.map().volume("copies").orElseThrow();
        assertThat(raised.policy()).isEqualTo(ProtectionPolicy.masking(2, NODES, 512));
        assertThat(raised.policyOf(0)).isEqualTo(one);
        assertThat(raised.groups().getFirst().epoch()).isEqualTo(2);
    }

    @Test
    void theNumberOfABlockLeavesRoomForItsGeneration() {
        long most = 1L << 56;
        alice.run(new Command.CreateVolume("vast", VolumeKind.REGISTER, FIRST, most, 1, 0));
        assertThat(rig.map().volume("vast")).isPresent();
        alice.refused(
                MetadataError.BAD_ARGUMENT,
                new Command.CreateVolume("vaster", VolumeKind.REGISTER, FIRST, most + 1, 1, 0));
    }

    @Test
    void whatCannotBeIsRefused() {
        alice.refused(MetadataError.BAD_ARGUMENT, new SetVolumePolicy("disk", FIRST));
        alice.refused(MetadataError.BAD_ARGUMENT, new SetVolumePolicy("disk", ProtectionPolicy.masking(1, 5, 512)));
        assertThat(refused(
                        MetadataError.TOO_FEW_NODES, new SetVolumePolicy("disk", new ProtectionPolicy(3, 4, 10, 512))))
                .contains("needs 10 nodes, there are 9");
        ProtectionPolicy bare = ProtectionPolicy.pasis(1, 2, 6, 512, Verification.NONE);
        alice.run(new Command.CreateVolume("bare", VolumeKind.REGISTER, bare, 9, 1, 0));
        assertThat(refused(
                        MetadataError.BAD_ARGUMENT,
                        new SetVolumePolicy("bare", ProtectionPolicy.pasis(1, 2, 7, 512, Verification.NONE))))
                .contains("another volume");
        alice.run(new Command.CreateVolume(
                "moving", VolumeKind.REGISTER, ProtectionPolicy.masking(1, NODES, 512), 9, 1, 0));
        alice.done(new ChangePolicy("moving", 1, 2));
        assertThat(refused(
                        MetadataError.BAD_ARGUMENT, new SetVolumePolicy("moving", ProtectionPolicy.masking(1, 7, 512))))
                .contains("threat level");
    }
}
