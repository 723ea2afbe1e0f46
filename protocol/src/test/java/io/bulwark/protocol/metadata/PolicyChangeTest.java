package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
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
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A volume under masking quorums comes to tolerate more or fewer faults (docs/epochs.md). */
@NullMarked
class PolicyChangeTest {
    private static final int N = 9;
    private static final int GROUPS = 2;

    private final MetadataFixture rig = nineNodes();
    private final User alice = rig.user(ALICE, 0);

    private static MetadataFixture nineNodes() {
        MetadataFixture rig = new MetadataFixture();
        rig.machine = new MetadataStateMachine(MetadataFixture.genesis(N));
        return rig;
    }

    @BeforeEach
    void makeVolume() {
        alice.run(new Command.CreateVolume(
                "copies", VolumeKind.REGISTER, ProtectionPolicy.masking(1, N, 512), 9, GROUPS, 0));
    }

    private Volume volume() {
        return rig.map().volume("copies").orElseThrow();
    }

    private void seal(int group, int slots) {
        long epoch = volume().groups().get(group).epoch();
        for (int slot = 0; slot < slots; slot++) {
            node(group, slot).done(new SealEpoch(volume().id(), group, epoch));
        }
    }

    private void sealAll() {
        for (int group = 0; group < GROUPS; group++) {
            seal(group, N - volume().policy().f());
        }
    }

    private void confirm(int group, int slots) {
        long epoch = volume().groups().get(group).epoch();
        for (int slot = 0; slot < slots; slot++) {
            node(group, slot).done(new ConfirmEpoch(volume().id(), group, epoch));
        }
    }

    private void raiseToTwo() {
        alice.done(new ChangePolicy("copies", 2));
        sealAll();
        confirm(0, N);
        confirm(1, N);
    }

    private String refused(Command command) {
        alice.refused(MetadataError.BAD_ARGUMENT, command);
        return ((Reply.Failed) alice.run(command)).detail();
    }

    private User node(int group, int slot) {
        return rig.user(PrincipalId.node(volume().groups().get(group).holders().get(slot)), 0);
    }

    @Test
    void allGroupsOpenTogetherOnceEachHasSealedByTheOldQuorum() {
        List<PlacementGroup> before = volume().groups();
        alice.done(new ChangePolicy("copies", 2));
        assertThat(volume().policy().f()).isEqualTo(1);
        seal(0, N - 1);
        assertThat(volume().groups()).extracting(PlacementGroup::epoch).containsExactly(1L, 1L);
        seal(1, N - 2);
        assertThat(volume().policy().f())
                .as("one seal is missing in the second group")
                .isEqualTo(1);
        seal(1, N - 1);
        assertThat(volume().policy()).isEqualTo(ProtectionPolicy.masking(2, N, 512));
        for (int group = 0; group < GROUPS; group++) {
            PlacementGroup now = volume().groups().get(group);
            assertThat(now.epoch()).isEqualTo(2);
            assertThat(now.holders()).isEqualTo(before.get(group).holders());
            assertThat(now.fresh()).isEmpty();
            assertThat(now.unconfirmed()).hasSize(N);
            assertThat(now.change()).isEmpty();
        }
    }

    @Test
    void aVolumeUnderPasisKeepsItsFragments() {
        ProtectionPolicy one = ProtectionPolicy.pasis(1, 3, N, 512, Verification.READ_TIME);
        alice.run(new Command.CreateVolume("pasis", VolumeKind.REGISTER, one, 9, 1, 0));
        Volume before = rig.map().volume("pasis").orElseThrow();
        alice.done(new ChangePolicy("pasis", 2));
        for (int node : before.groups().getFirst().holders()) {
            rig.user(PrincipalId.node(node), 0).run(new SealEpoch(before.id(), 0, 1));
        }
        assertThat(rig.map().volume("pasis").orElseThrow().policy())
                .isEqualTo(ProtectionPolicy.pasis(2, 3, N, 512, Verification.READ_TIME));
    }

    @Test
    void theNextChangeWaitsUntilAllHoldersHaveConfirmed() {
        alice.done(new ChangePolicy("copies", 2));
        alice.refused(MetadataError.CHANGE_PENDING, new ChangePolicy("copies", 2));
        seal(0, N - 1);
        seal(1, N - 1);
        int spare = volume().groups().getFirst().holders().getFirst();
        alice.refused(MetadataError.BAD_ARGUMENT, new Command.ChangeHolder("copies", 0, 2, spare, spare));
        for (int group = 0; group < GROUPS; group++) {
            for (int slot = 0; slot < N; slot++) {
                node(group, slot).done(new ConfirmEpoch(volume().id(), group, 2));
            }
        }
        assertThat(volume().groups()).allMatch(group -> group.unconfirmed().isEmpty());
    }

    @PlantedBug(
            in = PlacementChanges.class,
            rule = "versions become complete for fewer faults before readers count by these",
            replace = "boolean prepares = faults < volume.policy().f()",
            with = "boolean prepares = faults < 0")
    @Test
    void fewerFaultsAreToleratedOnceAllVersionsAreCompleteForThem() {
        raiseToTwo();
        alice.done(new ChangePolicy("copies", 1));
        sealAll();
        assertThat(volume().policy().f()).isEqualTo(2);
        assertThat(volume().groups()).extracting(PlacementGroup::lowersTo).containsExactly(1, 1);
        assertThat(volume().groups()).extracting(PlacementGroup::epoch).containsExactly(3L, 3L);
        confirm(0, N);
        confirm(1, N - 2);
        assertThat(volume().groups())
                .as("two of the second group have not confirmed")
                .allMatch(group -> group.change().isEmpty());
        confirm(1, N - 1);
        assertThat(volume().groups()).allMatch(group -> group.change().isPresent() && group.lowersTo() == 1);
        seal(0, N - 2);
        assertThat(volume().policy().f()).isEqualTo(2);
        seal(1, N - 2);
        assertThat(volume().policy()).isEqualTo(ProtectionPolicy.masking(1, N, 512));
        assertThat(volume().groups()).extracting(PlacementGroup::lowersTo).containsExactly(0, 0);
        assertThat(volume().groups()).extracting(PlacementGroup::epoch).containsExactly(4L, 4L);
    }

    @Test
    void aLoweringThatIsGivenUpLeavesItsFirstEpoch() {
        raiseToTwo();
        alice.done(new ChangePolicy("copies", 1));
        sealAll();
        alice.done(new ChangePolicy("copies", 2));
        assertThat(volume().groups()).allMatch(group -> group.change().isPresent());
        seal(0, N - 2);
        assertThat(volume().groups()).extracting(PlacementGroup::epoch).containsExactly(4L, 3L);
        assertThat(volume().groups()).extracting(PlacementGroup::lowersTo).containsExactly(0, 1);
        seal(1, N - 2);
        confirm(0, N);
        confirm(1, N);
        assertThat(volume().policy().f()).isEqualTo(2);
        assertThat(volume().groups()).allMatch(group -> group.lowersTo() == 0);
        alice.done(new ChangePolicy("copies", 1));
    }

    @Test
    void noHolderChangesWhileTheNumberIsBeingLowered() {
        raiseToTwo();
        alice.done(new ChangePolicy("copies", 1));
        sealAll();
        int holder = volume().groups().getFirst().holders().getFirst();
        alice.refused(MetadataError.CHANGE_PENDING, new Command.ChangeHolder("copies", 0, 3, holder, holder));
        alice.refused(MetadataError.CHANGE_PENDING, new ChangePolicy("copies", 1));
    }

    @Test
    void asManyAsTheLesserNumberMayBeUnconfirmed() {
        alice.done(new ChangePolicy("copies", 2));
        sealAll();
        confirm(0, N);
        confirm(1, N - 2);
        alice.refused(MetadataError.TOO_MANY_UNCONFIRMED, new ChangePolicy("copies", 1));
        confirm(1, N - 1);
        alice.done(new ChangePolicy("copies", 1));
    }

    @Test
    void aChangeThatIsGivenUpOpensTheNextEpochWithTheOldNumber() {
        alice.done(new ChangePolicy("copies", 2));
        seal(0, N - 1);
        alice.done(new ChangePolicy("copies", 1));
        assertThat(volume().groups()).extracting(PlacementGroup::epoch).containsExactly(2L, 1L);
        seal(1, N - 1);
        assertThat(volume().groups()).extracting(PlacementGroup::epoch).containsExactly(2L, 2L);
        assertThat(volume().policy().f()).isEqualTo(1);
        alice.refused(MetadataError.BAD_ARGUMENT, new ChangePolicy("copies", 1));
    }

    @Test
    void whatHasNoSumIsRefusedWithTheSum() {
        assertThat(refused(new ChangePolicy("copies", 3))).contains("4b + 1 is 13");
        alice.refused(MetadataError.BAD_ARGUMENT, new ChangePolicy("copies", 0));
        alice.refused(MetadataError.BAD_ARGUMENT, new ChangePolicy("copies", 1));
        alice.refused(MetadataError.BAD_ARGUMENT, new ChangePolicy("copies", Integer.MAX_VALUE));
        alice.refused(MetadataError.NO_SUCH_VOLUME, new ChangePolicy("other", 2));
        rig.user(READER, 0).refused(MetadataError.NOT_AUTHORISED, new ChangePolicy("copies", 2));
        alice.run(new Command.CreateVolume(
                "pasis", VolumeKind.REGISTER, ProtectionPolicy.pasis(1, 4, N, 512, Verification.LAZY), 9, 1, 0));
        assertThat(refused(new ChangePolicy("pasis", 2))).contains("m <= n - 3b; got b=2 m=4");
        alice.run(new Command.CreateVolume(
                "bare", VolumeKind.REGISTER, ProtectionPolicy.pasis(1, 2, N, 512, Verification.NONE), 9, 1, 0));
        assertThat(refused(new ChangePolicy("bare", 2))).contains("another volume");
        alice.run(new Command.CreateVolume("objects", VolumeKind.OBJECT, ProtectionPolicy.masking(1, N, 512), 0, 1, 0));
        alice.refused(MetadataError.BAD_ARGUMENT, new ChangePolicy("objects", 2));
    }

    /** The sums of docs/epochs.md: what is complete under b is found by reads under b' and can be repaired. */
    @Test
    void whatIsCompleteUnderBIsFoundUnderAGreaterB() {
        for (int n = 5; n <= 64; n++) {
            for (int b = 1; 4 * b + 1 <= n; b++) {
                for (int later = b + 1; 4 * later + 1 <= n; later++) {
                    int good = n - b - later;
                    for (int answers = 2 * later + 1; answers <= n - later; answers++) {
                        int shown = good - (n - answers);
                        assertThat(shown).isGreaterThanOrEqualTo(answers - 2 * later);
                    }
                    assertThat(good - later).as("in n - b' answers").isGreaterThanOrEqualTo(n - 3 * later);
                    assertThat(good - later).as("holders that have confirmed").isGreaterThanOrEqualTo(later + 1);
                    assertThat(b + later)
                            .as("nodes that may go on in the old epoch")
                            .isLessThan(n - b);
                }
            }
        }
    }

    /** The sums of docs/epochs.md for b'' < b: what is complete in the first epoch is found by readers of the second. */
    @Test
    void whatIsCompleteForFewerFaultsIsFoundByThoseWhoCountByThem() {
        for (int n = 5; n <= 64; n++) {
            for (int b = 2; 4 * b + 1 <= n; b++) {
                for (int lower = 1; lower < b; lower++) {
                    assertThat((n - lower - b) + (n - 2 * b) - (n - b))
                            .as("correct holders that had a version of the epoch before and have confirmed")
                            .isPositive();
                    for (int answers = 2 * b + 1; answers <= n - lower; answers++) {
                        assertThat(n - 2 * b - (n - answers))
                                .as("slots that show in the first epoch a version of the epoch before")
                                .isGreaterThanOrEqualTo(answers - 2 * b);
                        assertThat(n - lower - b - (n - answers))
                                .as("slots that show there a version of that epoch")
                                .isGreaterThanOrEqualTo(answers - 2 * b);
                    }
                    for (int answers = 2 * lower + 1; answers <= n - lower; answers++) {
                        assertThat(n - 2 * lower - (n - answers))
                                .as("slots that show it in the second epoch")
                                .isGreaterThanOrEqualTo(answers - 2 * lower);
                    }
                    int naive = n - b - lower - (n - (2 * lower + 1));
                    assertThat(naive)
                            .as("slots that would show a version of the epoch before in the second one, without"
                                    + " the first")
                            .isLessThan(2 * lower + 1 - 2 * lower);
                }
            }
        }
    }
}
