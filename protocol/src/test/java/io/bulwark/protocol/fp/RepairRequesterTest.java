package io.bulwark.protocol.fp;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.kernel.Timeouts;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests which version a slot is asked to repair, and when. */
@NullMarked
class RepairRequesterTest {
    private final FpGroup group = new LocalNodes(1, 2).group;
    private final LatestReports reports = new LatestReports(group);
    private final RepairRequester asking = new RepairRequester(group, new Timeouts(100, 400, 0, 30_000));
    private final TreeSet<Timestamp> versions = new TreeSet<>(List.of(version(5), version(6), version(7)));

    private Timestamp version(long ts) {
        return new Timestamp(ts, new LocalNodes(1, 2).encode(1).fpcc());
    }

    /** Returns the versions that slot 1 is asked for at that time. */
    private List<Long> askedAt(long nowMillis) {
        List<Effect> effects = new ArrayList<>();
        asking.ask(nowMillis, versions, reports, effects);
        return effects.stream()
                .map(effect -> (FpMessage.Repair) ((Effect.Send) effect).message())
                .filter(repair -> repair.target().slot() == 1)
                .map(repair -> repair.wanted().ts())
                .toList();
    }

    @Test
    void whatTakesLongIsFollowedByTheNextAndTheFirstComesAgain() {
        assertThat(askedAt(1_000)).containsExactly(7L);
        assertThat(askedAt(1_399)).isEmpty();
        assertThat(askedAt(1_400)).containsExactly(6L);
        assertThat(askedAt(2_199)).isEmpty();
        assertThat(askedAt(2_200)).containsExactly(5L);
        assertThat(askedAt(3_800)).containsExactly(7L);
    }

    @Test
    void whoHasAnsweredIsAskedForTheNextOneSoon() {
        askedAt(1_000);
        askedAt(1_400);
        asking.answered(1);
        assertThat(askedAt(1_799)).isEmpty();
        assertThat(askedAt(1_800)).containsExactly(5L);
        assertThat(askedAt(3_399)).as("it has two to do").isEmpty();
        asking.answered(1);
        assertThat(askedAt(3_399)).containsExactly(7L);
    }

    /** A node that fails repeatedly is avoided for longer and longer. */
    @Test
    void forTheSameOneItIsAskedLessAndLessOften() {
        versions.retainAll(List.of(version(6)));
        assertThat(askedAt(1_000)).containsExactly(6L);
        asking.answered(1);
        assertThat(askedAt(1_400)).containsExactly(6L);
        asking.answered(1);
        assertThat(askedAt(2_199)).isEmpty();
        assertThat(askedAt(2_200)).containsExactly(6L);
    }

    @Test
    void whoHasItOrSomethingLaterIsNotAsked() {
        reports.add(1, version(6));
        assertThat(askedAt(1_000)).containsExactly(7L);
        assertThat(askedAt(1_400)).containsExactly(7L);
        reports.add(1, version(7));
        assertThat(askedAt(9_000)).isEmpty();
    }

    /** A new version above those already asked for does not postpone the remaining ones forever. */
    @Test
    void whatComesUpAboveIsAskedForWhenTheOthersHaveBeen() {
        askedAt(1_000);
        versions.add(version(8));
        assertThat(askedAt(1_400)).containsExactly(6L);
        versions.add(version(9));
        assertThat(askedAt(2_200)).containsExactly(5L);
        assertThat(askedAt(3_800)).containsExactly(9L);
    }
}
