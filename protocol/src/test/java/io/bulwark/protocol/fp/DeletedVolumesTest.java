package io.bulwark.protocol.fp;

import static io.bulwark.protocol.fp.LocalNodes.CLIENT;
import static io.bulwark.protocol.fp.LocalNodes.SESSION;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests how nodes of the FP register treat the remains of a deleted volume. */
@NullMarked
class DeletedVolumesTest {
    private static final int FOREIGN = 4;

    private final LocalNodes nodes = new LocalNodes(1, 2);

    private void assertNothingIsLeft(int node) {
        assertThat(nodes.disk(node).size()).isZero();
    }

    @Test
    void allThatIsLeftIsDeletedAndNothingIsServed() {
        nodes.write(5, 1, 0, 1, 2, 3);
        nodes.prepare(3, 8, 2);
        nodes.session(SESSION + 1, SessionState.CLOSED);
        assertThat(nodes.disk(0).size())
                .as("committed, staged, charged, a closed session")
                .isEqualTo(4);
        nodes.deleted = true;
        nodes.pass(10_000);
        for (int node = 0; node < 4; node++) {
            assertNothingIsLeft(node);
        }
        FpMessage.Refused refused =
                (FpMessage.Refused) nodes.one(CLIENT, new FpMessage.FindTimestamp(nodes.group.target(0), false));
        assertThat(refused.refusal()).isEqualTo(FpRefusal.WRONG_SLOT);
    }

    @Test
    void whatWasUnderWayIsRefusedOrGoesInTheNextRound() {
        nodes.prepare(1, 5, 1);
        nodes.holdStores = true;
        nodes.ask(CLIENT, nodes.fragment(0, 8, 2));
        nodes.ask(CLIENT, new FpMessage.FindTimestamp(nodes.group.target(0), false));
        nodes.deleted = true;
        nodes.pass(10_000);
        nodes.answers.clear();
        nodes.releaseStores();
        assertThat(nodes.answers)
                .hasSize(2)
                .allSatisfy(answer ->
                        assertThat(((FpMessage.Refused) answer).refusal()).isEqualTo(FpRefusal.WRONG_SLOT));
        nodes.pass(40_000);
        assertNothingIsLeft(0);
    }

    @Test
    void whatIsThereStaysAndIsServed() {
        Timestamp version = nodes.write(5, 1, 0, 1, 2, 3);
        nodes.pass(70_000);
        assertThat(nodes.latest(0)).isEqualTo(version);
    }

    @Test
    void whoLooksForVolumesLeavesInMemoryWhatIsHeldThere() {
        nodes.write(5, 1, 0, 1, 2, 3);
        nodes.deleted = true;
        nodes.pass(10_000);
        assertNothingIsLeft(0);
        assertThat(nodes.scans)
                .filteredOn(scan -> scan.from().volume() != scan.to().volume())
                .isNotEmpty()
                .allMatch(Effect.Scan::written);
    }

    @Test
    void aRestartFindsWhatIsLeft() {
        nodes.write(5, 1, 0);
        nodes.prepare(1, 8, 2);
        nodes.deleted = true;
        nodes.restart(0);
        nodes.pass(10_000);
        assertNothingIsLeft(0);
    }

    @Test
    void aClosedSessionThatLeftNothingElseIsForgottenWithItsVolume() {
        nodes.session(SESSION + 1, SessionState.CLOSED);
        assertThat(nodes.disk(0).size()).isEqualTo(1);
        nodes.pass(40_000);
        assertThat(nodes.disk(0).size()).as("it stays refused").isEqualTo(1);
        nodes.deleted = true;
        nodes.pass(40_000);
        assertNothingIsLeft(0);
        nodes.session(SESSION + 2, SessionState.CLOSED);
        assertNothingIsLeft(0);
    }

    /** Also one that was remembered by a build that looked for versions only. */
    @Test
    void aRestartFindsAClosedSession() {
        nodes.session(SESSION + 1, SessionState.CLOSED);
        nodes.deleted = true;
        nodes.restart(0);
        nodes.pass(10_000);
        assertNothingIsLeft(0);
    }

    @Test
    void closedSessionsOfVolumesUnderOtherProtocolsAreForgottenAndExtentsKeepTheirs() {
        nodes.foreign = Optional.of(new Volume(
                FOREIGN,
                "objects",
                VolumeKind.OBJECT,
                nodes.group.policy(),
                0,
                List.of(new PlacementGroup(1, List.of(0, 1, 2, 3)))));
        for (int session = 1; session <= 600; session++) {
            // One session of an extent's owner may have more pages than one pass takes.
            BlockId block = new BlockId(FOREIGN, CLIENT, session == 600 ? 599 : session, 0);
            for (int page = 0; page < (session == 599 ? 300 : 1); page++) {
                Bytes suffix = new WireWriter().u8('x').u16(page).toBytes();
                nodes.putOnDisk(0, new RecordKey(RecordKind.SESSION, block, suffix));
            }
        }
        int extents = nodes.disk(0).size();
        nodes.tell(0, new Fact.OfSession(FOREIGN, CLIENT, 1, SessionState.CLOSED));
        nodes.tell(0, new Fact.OfSession(FOREIGN, CLIENT, 700, SessionState.CLOSED));
        assertThat(nodes.disk(0).size()).as("nobody knows the volume yet").isEqualTo(extents + 2);
        nodes.pass(10_000);
        assertThat(nodes.disk(0).size()).isEqualTo(extents);
        nodes.tell(0, new Fact.OfSession(FOREIGN, CLIENT, 701, SessionState.CLOSED));
        nodes.restart(0);
        nodes.tell(0, new Fact.OfVolume(FOREIGN, nodes.foreign));
        nodes.tell(0, new Fact.OfSession(FOREIGN, CLIENT, 702, SessionState.CLOSED));
        assertThat(nodes.disk(0).size()).as("nothing more is remembered").isEqualTo(extents);
    }

    @Test
    void whatADeletedVolumeLeftOnAClientsAccountIsTakenOffIt() {
        nodes.prepare(1, 8, 2);
        nodes.deleted = true;
        nodes.pass(10_000);
        nodes.tell(0, new Fact.Revoked(CLIENT));
        assertThat(nodes.undecided).as("at once").containsEntry(0, 0);
    }

    @Test
    void aRevocationDoesNotWaitForADeletedVolumeAlsoAfterARestart() {
        nodes.prepare(2, 8, 2);
        nodes.deleted = true;
        nodes.restart(1);
        nodes.tell(0, new Fact.Revoked(CLIENT));
        nodes.tell(1, new Fact.Revoked(CLIENT));
        assertThat(nodes.undecided)
                .as("the answer may be older than the volume")
                .containsEntry(0, 1)
                .containsEntry(1, 1);
        nodes.pass(2_500);
        assertThat(nodes.undecided)
                .as("also at the node that still knows the volume")
                .containsEntry(0, 0)
                .containsEntry(1, 0);
    }
}
