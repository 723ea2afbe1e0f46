package io.bulwark.protocol.fp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests reports of six slots (f = 1, m = 4): the first four count, and three of them decide. */
@NullMarked
class LatestReportsTest {
    private final LocalNodes nodes = new LocalNodes(1, 4);
    private final LatestReports reports = new LatestReports(nodes.group);
    private final Timestamp low = new Timestamp(5, nodes.encode(1).fpcc());
    private final Timestamp high = new Timestamp(6, nodes.encode(2).fpcc());

    @Test
    void whatIsBelowWhatThreeReportMayBeOverwritten() {
        reports.add(0, high);
        reports.add(1, high);
        reports.add(2, low);
        reports.add(4, low);
        reports.add(5, low);
        assertThat(reports.qualifies(high)).isTrue();
        assertThat(reports.qualifies(low)).isFalse();
        reports.add(3, Timestamp.NONE);
        assertThat(reports.qualifies(low)).as("two of four are above").isFalse();
    }

    /** The first report of a slot counts for qualification, its last report for settling. */
    @Test
    void aLaterReportSettlesButQualifiesNothing() {
        for (int slot = 0; slot < 3; slot++) {
            reports.add(slot, low);
            assertThat(reports.settled(low)).isEqualTo(slot == 2);
        }
        assertThat(reports.settled(high)).isFalse();
        for (int slot = 0; slot < 3; slot++) {
            reports.add(slot, high);
            reports.add(slot, low);
        }
        assertThat(reports.settled(high)).isTrue();
        assertThat(reports.qualifies(low)).isTrue();
        assertThat(reports.hasClaimed(0, high)).isTrue();
        assertThat(reports.hasClaimed(0, low)).isFalse();
        assertThat(reports.behind(0, high)).isFalse();
        assertThat(reports.behind(3, low)).as("not heard").isTrue();
    }

    @Test
    void threeThatAnsweredDifferentlyDisagree() {
        reports.add(0, low);
        reports.add(1, high);
        assertThat(reports.hasDisagreement()).as("two have answered").isFalse();
        reports.add(2, low);
        assertThat(reports.hasDisagreement()).isTrue();
        LatestReports same = new LatestReports(nodes.group);
        for (int slot = 0; slot < 4; slot++) {
            same.add(slot, low);
        }
        same.add(5, high);
        assertThat(same.hasDisagreement()).isFalse();
    }
}
