package io.bulwark.protocol.fp;

import static io.bulwark.protocol.fp.LocalNodes.CLIENT;
import static io.bulwark.protocol.fp.LocalNodes.SESSION;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.SessionState;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** What nodes of the FP register do with what is left of a volume that was deleted. */
@NullMarked
class DeletedVolumesTest {
    private final LocalNodes nodes = new LocalNodes(1, 2);

    private void assertNothingIsLeft(int node) {
        assertThat(nodes.recordsOnDisk(node)).isZero();
    }

    @Test
    void allThatIsLeftIsDeletedAndNothingIsServed() {
        nodes.write(5, 1, 0, 1, 2, 3);
        nodes.prepare(3, 8, 2);
        nodes.session(SESSION + 1, SessionState.CLOSED);
        assertThat(nodes.recordsOnDisk(0))
                .as("committed, staged, charged, a closed session")
                .isEqualTo(4);
        nodes.deleted = true;
        nodes.pass(10_000);
        for (int node = 0; node < 4; node++) {
            assertNothingIsLeft(node);
        }
        FpMessage.Refused refused =
                (FpMessage.Refused) nodes.one(CLIENT, new FpMessage.FindTimestamp(nodes.group.target(0), false));
        assertThat(refused.refusal()).isEqualTo(Refusal.WRONG_SLOT);
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
                .filteredOn(FpMessage.Refused.class::isInstance)
                .singleElement()
                .satisfies(answer ->
                        assertThat(((FpMessage.Refused) answer).refusal()).isEqualTo(Refusal.WRONG_SLOT));
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
    void aRestartFindsWhatIsLeft() {
        nodes.write(5, 1, 0);
        nodes.prepare(1, 8, 2);
        nodes.deleted = true;
        nodes.restart(0);
        nodes.pass(10_000);
        assertNothingIsLeft(0);
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
