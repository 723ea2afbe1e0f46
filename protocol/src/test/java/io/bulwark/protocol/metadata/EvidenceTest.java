package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class EvidenceTest {
    private final MetadataFixture rig = MetadataFixture.ready();
    private final Volume volume = rig.mainVolume();
    private final User node0 = rig.user(PrincipalId.node(0), 0);
    private final User node1 = rig.user(PrincipalId.node(1), 0);

    private Command report(int node, long counter, Verdict verdict) {
        return new Command.ReportEvidence(node, block(counter), verdict, "slot 2");
    }

    /** A block of the group of nodes 0 to 3; another for each number. */
    private BlockId block(long number) {
        long counter = 8 * number;
        while (volume.groupIndex(new BlockId(rig.volume, ALICE, number, counter)) != 0) {
            counter++;
        }
        return new BlockId(rig.volume, ALICE, number, counter);
    }

    private List<Reply.EvidenceEntry> record() {
        return ((Reply.EvidenceList) rig.ask(ALICE, new Query.ListEvidence(0, 1000))).entries();
    }

    @PlantedBug(
            in = MetadataStateMachine.class,
            rule = "f + 1 nodes must name a node",
            replace = "evidence.report(filed, volume.policyOf(report.block()).f() + 1);",
            with = "evidence.report(filed, volume.policyOf(report.block()).f());")
    @Test
    void aNodeIsNamedAfterFPlusOneOthersSaidTheSame() {
        node0.done(report(3, 7, Verdict.CORRUPT));
        node0.done(report(3, 7, Verdict.CORRUPT));
        node1.done(report(3, 8, Verdict.CORRUPT));
        node1.done(report(3, 7, Verdict.DAMAGED));
        node1.done(report(2, 7, Verdict.CORRUPT));
        assertThat(record()).isEmpty();
        node1.done(report(3, 7, Verdict.CORRUPT));
        assertThat(record()).singleElement().satisfies(entry -> {
            assertThat(entry.about()).isEqualTo(PrincipalId.node(3));
            assertThat(entry.block()).isEqualTo(block(7));
            assertThat(entry.verdict()).isEqualTo(Verdict.CORRUPT);
            assertThat(entry.reporters()).containsExactly(PrincipalId.node(0), PrincipalId.node(1));
        });
        rig.user(PrincipalId.node(2), 0).done(report(3, 7, Verdict.CORRUPT));
        assertThat(record()).hasSize(1);
    }

    @PlantedBug(
            in = Permissions.class,
            rule = "only nodes report evidence",
            replace = "Grants.require(isNode(by), by, \"report evidence\");",
            with = "Grants.require(grants.known(by.sender()), by, \"report evidence\");")
    @Test
    void onlyNodesReportAndNotAboutThemselves() {
        rig.user(ALICE, 0).refused(MetadataError.NOT_AUTHORISED, report(3, 7, Verdict.CORRUPT));
        node0.refused(MetadataError.BAD_ARGUMENT, report(0, 7, Verdict.CORRUPT));
        node0.refused(MetadataError.BAD_ARGUMENT, report(17, 7, Verdict.CORRUPT));
    }

    /** f bounds the faulty nodes of each group, so f+1 liars may sit in groups that share no node. */
    @PlantedBug(
            in = MetadataStateMachine.class,
            rule = "evidence about a node comes from its own groups",
            replace = "&& group.slotOf(submitter.number()) >= 0",
            with = "")
    @Test
    void onlyNodesOfTheBlocksGroupReportAndAreReported() {
        assertThat(volume.groups().getFirst().holders()).containsExactly(0, 1, 2, 3);
        rig.user(PrincipalId.node(4), 0).refused(MetadataError.BAD_ARGUMENT, report(3, 7, Verdict.CORRUPT));
        node0.refused(MetadataError.BAD_ARGUMENT, report(4, 7, Verdict.CORRUPT));
    }

    @Test
    void aReportEndsWithTheSlotOfItsReporter() {
        node0.done(report(3, 7, Verdict.CORRUPT));
        move(0, 4);
        node1.done(report(3, 7, Verdict.CORRUPT));
        assertThat(record()).isEmpty();
        rig.user(PrincipalId.node(4), 0).done(report(3, 7, Verdict.CORRUPT));
        assertThat(record()).hasSize(1);
    }

    @Test
    void whatARevokedNodeReportedDoesNotCount() {
        node0.done(report(3, 7, Verdict.CORRUPT));
        rig.user(ALICE, 0).done(new Command.RevokePrincipal(PrincipalId.node(0)));
        node1.done(report(3, 7, Verdict.CORRUPT));
        assertThat(record()).isEmpty();
    }

    @Test
    void aReportExpires() {
        node0.done(report(3, 7, Verdict.CORRUPT));
        rig.pass(rig.user(ALICE, 0), Command.REPORT_TTL_MILLIS);
        rig.user(PrincipalId.node(1), 0).done(report(3, 7, Verdict.CORRUPT));
        assertThat(record()).isEmpty();
        rig.user(PrincipalId.node(2), 0).done(report(3, 7, Verdict.CORRUPT));
        assertThat(record()).hasSize(1);
    }

    /** Another node takes a slot of the first group. */
    private void move(int from, int to) {
        rig.user(ALICE, 0).done(new Command.ChangeHolder("main", 0, 1, from, to));
        for (int holder = 0; holder < 3; holder++) {
            rig.user(PrincipalId.node(holder), 0).done(new Command.SealEpoch(rig.volume, 0, 1));
        }
    }

    @PlantedBug(
            in = NodeReports.class,
            rule = "the reports of one node are limited",
            replace = "own.size() > REPORTS_MAX",
            with = "false")
    @Test
    void aLiarDisplacesOnlyItsOwnReports() {
        node1.done(report(3, 0, Verdict.CORRUPT));
        for (int i = 0; i <= NodeReports.REPORTS_MAX; i++) {
            node0.done(report(3, i, Verdict.CORRUPT));
        }
        assertThat(record()).hasSize(1);
        node1.done(report(3, 1, Verdict.CORRUPT));
        assertThat(record()).hasSize(2);
        for (int i = 1000; i < 1001 + NodeReports.REPORTS_MAX; i++) {
            node0.done(report(3, i, Verdict.CORRUPT));
        }
        node1.done(report(3, 2, Verdict.CORRUPT));
        node1.done(report(3, 1000, Verdict.CORRUPT));
        assertThat(record()).hasSize(2);
        rig.machine = MetadataStateMachine.restore(rig.machine.snapshot());
        node1.done(report(3, 1001, Verdict.CORRUPT));
        assertThat(record()).hasSize(3);
    }

    @Test
    void theRecordOfANodeIsBounded() {
        for (int i = 0; i < EvidenceRecord.ENTRIES_MAX + 5; i++) {
            node0.done(report(3, i, Verdict.CORRUPT));
            node1.done(report(3, i, Verdict.CORRUPT));
        }
        node0.done(report(2, 1, Verdict.CORRUPT));
        node1.done(report(2, 1, Verdict.CORRUPT));
        assertThat(record()).hasSize(EvidenceRecord.ENTRIES_MAX + 1);
        assertThat(record().getFirst().number()).isEqualTo(6);
        Reply.EvidenceList page = (Reply.EvidenceList) rig.ask(ALICE, new Query.ListEvidence(6, 3));
        assertThat(page.more()).isTrue();
        assertThat(page.entries()).extracting(Reply.EvidenceEntry::number).containsExactly(7L, 8L, 9L);
    }
}
