package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@NullMarked
class VolumeTest {
    private static final ProtectionPolicy LAZY = ProtectionPolicy.pasis(1, 2, 5, 512, Verification.LAZY);

    private final MetadataFixture rig = MetadataFixture.ready();
    private final User alice = rig.user(ALICE, 0);

    @ParameterizedTest
    @ValueSource(ints = {5, 10, 20})
    void everyNodeStandsAtEverySlotEquallyOften(int groups) {
        alice.run(new Command.CreateVolume("wide", VolumeKind.OBJECT, MetadataFixture.POLICY, 0, groups, 0));
        Volume wide = rig.map().volume("wide").orElseThrow();
        assertThat(wide.groups()).hasSize(groups);
        for (int slot = 0; slot < 4; slot++) {
            int at = slot;
            for (int node = 0; node < 5; node++) {
                int wanted = node;
                assertThat(wide.groups())
                        .filteredOn(group -> group.holders().get(at) == wanted)
                        .hasSize(groups / 5);
            }
        }
        if (groups == 10) {
            assertThat(wide.groups()).doesNotHaveDuplicates();
        }
    }

    @Test
    void anyNumberOfNodesGivesGroupsOfDistinctNodes() {
        for (int nodes = 4; nodes <= 12; nodes++) {
            MetadataFixture other = new MetadataFixture();
            other.machine = new MetadataStateMachine(MetadataFixture.genesis(nodes));
            other.user(ALICE, 0)
                    .run(new Command.CreateVolume("main", VolumeKind.REGISTER, MetadataFixture.POLICY, 9, 50, 0));
            assertThat(other.map().volumes().getFirst().groups())
                    .hasSize(50)
                    .allMatch(group -> group.holders().size() == 4)
                    .extracting(PlacementGroup::epoch)
                    .containsOnly(1L);
        }
    }

    @Test
    void volumesAreRefusedWithReasons() {
        alice.refused(MetadataError.VOLUME_EXISTS, MetadataFixture.objectVolume("main"));
        alice.refused(MetadataError.BAD_NAME, MetadataFixture.objectVolume("No"));
        alice.refused(
                MetadataError.TOO_FEW_NODES,
                new Command.CreateVolume("big", VolumeKind.OBJECT, new ProtectionPolicy(2, 3, 7, 512), 0, 0, 0));
        alice.refused(
                MetadataError.BAD_ARGUMENT,
                new Command.CreateVolume("odd", VolumeKind.OBJECT, MetadataFixture.POLICY, 7, 0, 0));
        alice.refused(
                MetadataError.BAD_ARGUMENT,
                new Command.CreateVolume("odd", VolumeKind.REGISTER, MetadataFixture.POLICY, 0, 0, 0));
        alice.refused(
                MetadataError.BAD_ARGUMENT,
                new Command.CreateVolume("odd", VolumeKind.OBJECT, MetadataFixture.POLICY, 0, -1, 0));
        alice.refused(
                MetadataError.BAD_ARGUMENT,
                new Command.CreateVolume("odd", VolumeKind.OBJECT, MetadataFixture.POLICY, 0, 1025, 0));
        alice.refused(MetadataError.BAD_ARGUMENT, new Command.CreateVolume("odd", VolumeKind.OBJECT, LAZY, 9, 0, 0));
        rig.user(READER, 0).refused(MetadataError.NOT_AUTHORISED, MetadataFixture.objectVolume("mine"));
    }

    @Test
    void aRegisterVolumeOfPasisKeepsItsPolicyOverASnapshot() {
        alice.run(new Command.CreateVolume("fresh", VolumeKind.REGISTER, LAZY, 9, 0, 0));
        assertThat(rig.map().volume("fresh").orElseThrow().policy()).isEqualTo(LAZY);
        MetadataStateMachine restored = MetadataStateMachine.restore(rig.machine.snapshot());
        assertThat(restored.digest()).isEqualTo(rig.machine.digest());
        rig.machine = restored;
        assertThat(rig.map().volume("fresh").orElseThrow().policy()).isEqualTo(LAZY);
    }

    @Test
    void whatIsNeverVerifiedKeepsNoObjects() {
        assertThat(alice.run(new Command.CreateVolume("fresh", VolumeKind.OBJECT, LAZY, 0, 0, 0)))
                .isInstanceOf(Reply.VolumeCreated.class);
        ProtectionPolicy never = ProtectionPolicy.pasis(1, 2, 5, 512, Verification.NONE);
        assertThat(alice.run(new Command.CreateVolume("careless", VolumeKind.OBJECT, never, 0, 0, 0)))
                .isInstanceOfSatisfying(
                        Reply.Failed.class,
                        failed -> assertThat(failed.message()).contains("keeps no objects"));
        assertThat(alice.run(new Command.CreateVolume("careless", VolumeKind.REGISTER, never, 9, 0, 0)))
                .isInstanceOf(Reply.VolumeCreated.class);
    }

    @Test
    void whoMayWriteToRegistersUnderPasisIsCountedOnce() {
        assertThat(writers()).as("there are none").isZero();
        alice.run(new Command.CreateVolume("fresh", VolumeKind.REGISTER, LAZY, 9, 0, 0));
        alice.run(new Command.CreateVolume("other", VolumeKind.REGISTER, LAZY, 9, 0, 0));
        alice.run(new Command.CreateVolume("proven", VolumeKind.REGISTER, MetadataFixture.POLICY, 9, 0, 0));
        alice.run(new Command.CreateVolume("things", VolumeKind.OBJECT, LAZY, 0, 0, 0));
        assertThat(writers()).as("alice and bob everywhere; the reader not").isEqualTo(2);
        Rights writes = new Rights(false, true, false);
        for (String volume : List.of("main", "proven", "things")) {
            alice.done(new Command.SetGrant(READER, new Scope.OfVolume(volume), writes));
        }
        assertThat(writers()).isEqualTo(2);
        for (String volume : List.of("fresh", "other")) {
            alice.done(new Command.SetGrant(READER, new Scope.OfVolume(volume), writes));
            alice.done(new Command.SetGrant(ALICE, new Scope.OfVolume(volume), writes));
            assertThat(writers()).isEqualTo(3);
        }
        alice.done(new Command.SetGrant(MetadataFixture.BOB, new Scope.All(), new Rights(true, false, true)));
        assertThat(writers()).as("an operator who may not write").isEqualTo(2);
        alice.done(new Command.RevokePrincipal(READER));
        assertThat(writers()).isEqualTo(1);
        alice.done(new Command.DeleteVolume("fresh"));
        alice.done(new Command.DeleteVolume("other"));
        assertThat(writers()).isZero();
    }

    private int writers() {
        return ((Reply.Writers) rig.ask(PrincipalId.node(0), new Query.CountWriters())).count();
    }

    @Test
    void theMessageOfTooFewNodesSaysHowManyThereAre() {
        Reply.Failed failed = (Reply.Failed) alice.run(
                new Command.CreateVolume("big", VolumeKind.OBJECT, new ProtectionPolicy(2, 3, 7, 512), 0, 0, 0));
        assertThat(failed.message()).contains("needs 7 nodes, there are 5");
    }

    @Test
    void aVolumeWithBucketsStaysAndADeletedOneTakesItsSessionsAlong() {
        alice.refused(MetadataError.VOLUME_IN_USE, new Command.DeleteVolume("main"));
        User writer = rig.user(ALICE, rig.volume);
        writer.put("films", "a", 2000);
        writer.run(new Command.RegisterPending(List.of(writer.range(100, 5))));
        writer.run(new Command.DeleteObject("films", "a", 0));
        alice.done(new Command.DeleteBucket("films"));
        alice.done(new Command.DeleteBucket("diary"));
        alice.done(new Command.DeleteVolume("main"));
        assertThat(rig.map().volumes()).isEmpty();
        assertThat(rig.references()).isEmpty();
        assertThat(rig.ask(PrincipalId.node(0), new Query.SessionOf(rig.volume, ALICE, writer.session)))
                .isEqualTo(new Reply.Session(SessionState.CLOSED));
        Reply.Status status = (Reply.Status) rig.ask(ALICE, new Query.GetStatus());
        assertThat(status.bytes()).isZero();
        assertThat(status.inodes()).isZero();
        alice.run(MetadataFixture.objectVolume("main"));
        assertThat(rig.map().volumes().getFirst().id()).isGreaterThan(rig.volume);
        assertThat(MetadataStateMachine.restore(rig.machine.snapshot()).digest())
                .isEqualTo(rig.machine.digest());
    }

    @Test
    void grantsAreToldToNodes() {
        PrincipalId node = PrincipalId.node(4);
        assertThat(rig.ask(node, new Query.GrantOf(rig.volume, ALICE))).isEqualTo(new Reply.Granted(true, true));
        assertThat(rig.ask(node, new Query.GrantOf(rig.volume, READER))).isEqualTo(new Reply.Granted(true, false));
        assertThat(rig.ask(node, new Query.GrantOf(rig.volume, MetadataFixture.STRANGER)))
                .isEqualTo(new Reply.Granted(false, false));
        assertThat(rig.ask(node, new Query.GrantOf(rig.volume + 1, ALICE))).isEqualTo(new Reply.Granted(false, false));
        assertFailed(rig.ask(READER, new Query.GrantOf(rig.volume, ALICE)), MetadataError.NOT_AUTHORISED);
        assertFailed(rig.ask(PrincipalId.node(5), new Query.GetMap()), MetadataError.NOT_AUTHORISED);
    }
}
