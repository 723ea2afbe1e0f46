package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.BOB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.state.TreeMapState;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests data from before the state was kept as keys and values: {@code version-2.snapshot} is the result of {@link
 * #history} at that time.
 */
@NullMarked
class Version2Test {
    static final String SNAPSHOT = "version-2.snapshot";

    @Test
    void whatVersion2KeptIsTheStateThatTheSameCommandsGiveNow() {
        MetadataStateMachine now = history().machine;
        MetadataStateMachine restored = MetadataStateMachine.restore(snapshot());
        assertThat(restored.snapshot()).isEqualTo(asVersion2Kept(now));
    }

    /** Version 2 had no audit log, and no times of reports, so that it leaves reports that wait out. */
    private static Bytes asVersion2Kept(MetadataStateMachine machine) {
        TreeMapState state = new TreeMapState();
        MetadataStateMachine copy = MetadataStateMachine.restore(machine.snapshot(), state, GenesisKeys.NONE);
        Tables tables = new Tables(state, Weight.BYTES_MAX);
        tables.begin();
        for (Table.Entry<Long, AuditEntry> entry : tables.audit.list(0L, Long.MAX_VALUE)) {
            tables.audit.remove(entry.key());
            tables.weight.add(entry.value().by(), -AuditLog.weightOf(entry.value()));
        }
        tables.auditHead.remove(0);
        for (int node = 0; node < 3; node++) {
            new EvidenceRecord(tables).reports().withdrawOf(PrincipalId.node(node));
        }
        tables.end();
        return copy.snapshot();
    }

    @Test
    void whatIsCutOffOrChangedIsRefused() {
        Bytes snapshot = snapshot();
        for (int length = 0; length < snapshot.length(); length += 1 + length / 40) {
            Bytes cut = snapshot.slice(0, length);
            assertThatThrownBy(() -> MetadataStateMachine.restore(cut)).isInstanceOf(MalformedException.class);
        }
        Bytes longer = Bytes.of(java.util.Arrays.copyOf(snapshot.toByteArray(), snapshot.length() + 1));
        assertThatThrownBy(() -> MetadataStateMachine.restore(longer)).isInstanceOf(MalformedException.class);
    }

    static Bytes snapshot() {
        try (InputStream in = Objects.requireNonNull(Version2Test.class.getResourceAsStream(SNAPSHOT))) {
            return Bytes.of(in.readAllBytes());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Some of everything that a state can have. */
    static MetadataFixture history() {
        MetadataFixture rig = MetadataFixture.ready();
        User alice = rig.user(ALICE, rig.volume);
        User bob = rig.user(BOB, rig.volume);
        for (int i = 0; i < 5; i++) {
            alice.put("diary", "a/" + i % 3, 700 + i);
            bob.put("films", "b/" + i % 3, i);
        }
        alice.run(new Command.CopyObject("diary", "a/1", 0, "films", "copy", Condition.NONE));
        alice.run(new Command.RenameObject("diary", "a/2", "diary", "renamed", Condition.IF_ABSENT));
        alice.run(new Command.DeleteObject("diary", "a/0", 0));
        bob.run(new Command.DeleteObject("films", "b/1", 0));
        bob.run(new Command.AbandonRanges(List.of(bob.range(90, 3), bob.range(95, 1)), List.of()));
        rig.pass(alice, Inodes.GRACE_MILLIS + 10_000);
        bob.done(new Command.CloseSession());
        for (int i = 0; i < 3; i++) {
            rig.user(BOB, 0).done(new Command.CloseSession());
        }
        User again = rig.user(BOB, rig.volume);
        again.run(new Command.RegisterPending(List.of(again.range(3, 4), again.range(10, 1))));
        again.run(new Command.RegisterPending(List.of(again.range(20, 2))));
        again.put("films", "b/2", 3 * MetadataFixture.BLOCK);
        alice.run(new Command.CreateVolume("blocks", VolumeKind.REGISTER, MetadataFixture.POLICY, 100, 2, 0));
        alice.run(new Command.CreateVolume("gone", VolumeKind.OBJECT, MetadataFixture.POLICY, 0, 0, 5_000));
        rig.user(ALICE, 3);
        alice.done(new Command.DeleteVolume("gone"));
        alice.run(new Command.CreateBucket("empty", "main", Versioning.KEEP_ALL, 99));
        for (int node = 0; node < 3; node++) {
            User reporter = rig.user(PrincipalId.node(node), 0);
            reporter.run(
                    new Command.ReportEvidence(3, BlockId.register(2, node / 2), Verdict.CORRUPT, "by node " + node));
        }
        alice.run(new Command.DeleteObject("films", "copy", 0));
        alice.put("films", "b/0", 20);
        return rig;
    }
}
