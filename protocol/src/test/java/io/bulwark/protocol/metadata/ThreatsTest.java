package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command.ChangePolicy;
import io.bulwark.protocol.metadata.Command.ChangeThreat;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Alarms move the faults that volumes tolerate, within their bounds (Agile Store, 3.3.1; docs/epochs.md). */
@NullMarked
class ThreatsTest {
    private static final int N = 13;

    private final MetadataFixture rig = thirteenNodes();
    private final User alice = rig.user(ALICE, 0);
    private final Map<Integer, User> nodes = new TreeMap<>();

    private static MetadataFixture thirteenNodes() {
        MetadataFixture rig = new MetadataFixture();
        rig.machine = new MetadataStateMachine(MetadataFixture.genesis(N));
        return rig;
    }

    @BeforeEach
    void makeVolume() {
        alice.run(
                new Command.CreateVolume("copies", VolumeKind.REGISTER, ProtectionPolicy.masking(1, N, 512), 9, 1, 0));
        for (int node = 0; node < N; node++) {
            node(node);
        }
    }

    private User node(int node) {
        return nodes.computeIfAbsent(node, number -> rig.user(PrincipalId.node(number), 0));
    }

    private Volume volume() {
        return rig.map().volume("copies").orElseThrow();
    }

    private PlacementGroup group() {
        return volume().groups().getFirst();
    }

    private Reply.ThreatState threat() {
        return (Reply.ThreatState) rig.ask(READER, new Query.GetThreat());
    }

    private List<AuditEntry> own() {
        Reply.AuditList log = (Reply.AuditList) rig.ask(ALICE, new Query.ListAudit(0, 100));
        AuditVerification verification = new AuditVerification(GenesisKeys.NONE);
        log.entries().forEach(entry -> assertThat(verification.add(entry)).isEmpty());
        List<AuditEntry> own = log.entries().stream().filter(AuditEntry::isOwn).toList();
        assertThat(verification.own()).isEqualTo(own.size());
        return own;
    }

    private void pass(int seconds) {
        for (int second = 0; second < seconds; second++) {
            alice.done(new Command.RenewSession());
        }
    }

    /** Holders seal what is announced and confirm what has opened, until nothing is left to do. */
    private void settle() {
        for (int round = 0; round < 6; round++) {
            pass(1);
            for (int slot = 0; slot < N; slot++) {
                PlacementGroup now = group();
                User holder = node(now.holders().get(slot));
                if (now.change().isPresent()) {
                    holder.run(new Command.SealEpoch(volume().id(), 0, now.epoch()));
                } else if (now.unconfirmed().contains(slot)) {
                    holder.run(new Command.ConfirmEpoch(volume().id(), 0, now.epoch()));
                }
            }
        }
    }

    private int faults() {
        settle();
        assertThat(threat().volumes()).allMatch(volume -> volume.waitsFor().isEmpty());
        return volume().policy().f();
    }

    private static ChangeThreat raise(int levels) {
        return new ChangeThreat(true, levels, "many refused commands");
    }

    private static ChangeThreat lower(int levels) {
        return new ChangeThreat(false, levels, "over");
    }

    @PlantedBug(
            in = FaultBounds.class,
            rule = "alarms move the faults of a volume within its bounds",
            replace = "Math.min(least + level, most)",
            with = "least + level")
    @Test
    void theFaultsOfAVolumeRiseAndFallWithTheLevel() {
        alice.done(new ChangePolicy("copies", 1, 3));
        assertThat(faults()).isEqualTo(1);
        alice.done(raise(1));
        assertThat(faults()).isEqualTo(2);
        alice.done(raise(4));
        assertThat(faults()).as("the bound of the volume").isEqualTo(3);
        alice.done(lower(4));
        assertThat(faults()).isEqualTo(2);
        alice.done(lower(9));
        assertThat(faults()).isEqualTo(1);
        assertThat(threat().level().level()).isZero();
        assertThat(own())
                .extracting(entry -> ((ChangePolicy) entry.command()).faults())
                .containsExactly(2, 3, 2, 1);
    }

    @Test
    void aVolumeWithoutBoundsStaysAsItIs() {
        alice.done(raise(2));
        settle();
        assertThat(group().epoch()).isEqualTo(1);
        assertThat(threat().volumes()).isEmpty();
        alice.done(new ChangePolicy("copies", 1, 2));
        assertThat(faults()).as("the level counts that is there").isEqualTo(2);
        alice.done(new ChangePolicy("copies", 2));
        alice.done(lower(2));
        settle();
        assertThat(volume().policy().f()).as("bounds have ended").isEqualTo(2);
        assertThat(threat().volumes()).isEmpty();
    }

    @PlantedBug(
            in = Permissions.class,
            rule = "feeds raise the level, operators lower it",
            replace = "(change.raises() && isFeed(by))",
            with = "isFeed(by)")
    @Test
    void feedsRaiseAndOperatorsLower() {
        User feed = rig.user(READER, 0);
        feed.refused(MetadataError.NOT_AUTHORISED, raise(1));
        alice.done(new Command.SetThreatPolicy(new ThreatPolicy(List.of(READER), 0)));
        feed.done(raise(1));
        feed.refused(MetadataError.NOT_AUTHORISED, lower(1));
        feed.refused(MetadataError.NOT_AUTHORISED, new Command.SetThreatPolicy(ThreatPolicy.DEFAULT));
        assertThat(threat().level().by()).isEqualTo(READER);
        assertThat(threat().level().reason()).isEqualTo("many refused commands");
    }

    @Test
    void theLevelFallsAfterATimeWithoutAlarmIfThePolicySaysSo() {
        alice.done(new Command.SetThreatPolicy(new ThreatPolicy(List.of(), 30)));
        alice.done(raise(2));
        pass(28);
        assertThat(threat().level().level()).isEqualTo(2);
        alice.done(raise(1));
        alice.done(lower(1));
        pass(29);
        assertThat(threat().level().level()).as("counted from the last alarm").isEqualTo(2);
        pass(2);
        assertThat(threat().level().level()).isEqualTo(1);
        pass(31);
        assertThat(threat().level().level()).isZero();
        assertThat(own()).hasSize(2);
        pass(60);
        assertThat(own()).hasSize(2);
    }

    @PlantedBug(
            in = Threats.class,
            rule = "no change begins that holders which are away would stop",
            replace = "absent.size() <= most",
            with = "true")
    @Test
    void aChangeThatHoldersWhichAreAwayWouldStopWaits() {
        alice.done(new ChangePolicy("copies", 1, 3));
        for (int node = 3; node <= 4; node++) {
            node(node).done(new Command.CloseSession());
            nodes.remove(node);
        }
        alice.done(raise(1));
        pass(3);
        assertThat(group().change()).isEmpty();
        assertThat(threat().volumes())
                .singleElement()
                .satisfies(volume -> assertThat(volume.waitsFor()).contains("[3, 4] of group 0 are away, 1 may"));
        node(4);
        assertThat(faults()).isEqualTo(2);
    }

    @Test
    void anAlarmWhileTheFaultsFallGivesTheLoweringUp() {
        alice.done(new ChangePolicy("copies", 1, 3));
        alice.done(raise(2));
        assertThat(faults()).isEqualTo(3);
        alice.done(lower(2));
        pass(1);
        assertThat(group().change()).isPresent();
        alice.done(raise(2));
        assertThat(faults()).isEqualTo(3);
        assertThat(group().lowersTo()).isZero();
    }

    @Test
    void boundsWithoutASumAreRefusedWithTheSum() {
        assertThat(refused(new ChangePolicy("copies", 1, 4))).contains("4b + 1 is 17");
        assertThat(refused(new ChangePolicy("copies", 2, 1))).contains("the least number comes first");
        assertThat(refused(new ChangePolicy("copies", 0, 2))).isNotEmpty();
        alice.run(new Command.CreateVolume("objects", VolumeKind.OBJECT, MetadataFixture.POLICY, 0, 1, 0));
        assertThat(refused(new ChangePolicy("objects", 1, 2))).contains("follows no threat level");
        assertThat(threat().volumes()).isEmpty();
    }

    private String refused(Command command) {
        alice.refused(MetadataError.BAD_ARGUMENT, command);
        return ((Reply.Failed) alice.run(command)).detail();
    }

    @PlantedBug(
            in = OwnChanges.class,
            rule = "the replicas change by themselves only what a signed entry lets them",
            replace = "return may ? Optional.empty() :",
            with = "return true ? Optional.empty() :")
    @Test
    void theAuditLogRefusesChangesThatNoOperatorLetTheReplicasMake() {
        AuditVerification verification = new AuditVerification(GenesisKeys.NONE);
        assertThat(verification.add(entry(1, new Command.ChangeHolder("copies", 0, 1, 2, 3))))
                .hasValueSatisfying(problem -> assertThat(problem).contains("no signed entry"));
        assertThat(verification.add(entry(1, new ChangePolicy("copies", 2)))).isPresent();
        assertThat(verification.add(entry(1, lower(1)))).isPresent();
        assertThat(verification.add(entry(1, new Command.RemoveNode(3)))).isPresent();
        assertThat(verification.add(given(1, new ChangePolicy("copies", 1, 2)))).isEmpty();
        assertThat(verification.add(entry(2, new ChangePolicy("copies", 2)))).isEmpty();
        assertThat(verification.add(entry(3, new ChangePolicy("copies", 3)))).isPresent();
        assertThat(verification.add(given(3, new Command.SetFaultPolicy(new FaultPolicy(true, 60, 1)))))
                .isEmpty();
        assertThat(verification.add(entry(4, new Command.ChangeHolder("copies", 0, 1, 2, 3))))
                .isEmpty();
        assertThat(verification.own()).isEqualTo(2);
    }

    private static AuditEntry entry(long number, Command.Administrative command) {
        return new AuditEntry(number, number, PrincipalId.NOBODY, 1, number, command, Optional.empty());
    }

    private static AuditEntry given(long number, Command.Administrative command) {
        return new AuditEntry(number, number, ALICE, 1, number, command, Optional.empty());
    }

    @Test
    void theStateSurvivesItsSnapshot() {
        alice.done(new ChangePolicy("copies", 1, 3));
        alice.done(new Command.SetThreatPolicy(new ThreatPolicy(List.of(READER), 3_600)));
        alice.done(raise(2));
        Reply.ThreatState before = threat();
        rig.machine = MetadataStateMachine.restore(rig.machine.snapshot());
        assertThat(threat()).isEqualTo(before);
        assertThat(faults()).isEqualTo(3);
    }
}
