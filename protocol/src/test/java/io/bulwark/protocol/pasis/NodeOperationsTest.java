package io.bulwark.protocol.pasis;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests a node's requests to its peers. The node is at slot 0; b = 1, m = 1, N = 5, so that N - 3b is not m. */
@NullMarked
class NodeOperationsTest {
    private final GroupFixture group = GroupFixture.of(1, 1, 5);
    private final GroupFixture.Version version = group.version(3, 1);
    private final ValidatingTimestamp later = group.version(9, 2).timestamp();
    private final FragmentFetch fetch = new FragmentFetch(group.pasis(), 0, version.timestamp(), GroupFixture.TIMES);

    private void tell(int slot, PasisMessage answer) {
        fetch.onMessage(1, GroupFixture.node(slot), answer);
    }

    private void denies(int slot) {
        tell(slot, group.collected(slot, version, ValidatingTimestamp.NONE));
    }

    @Test
    void aFragmentIsMadeOfNMinus3bValidOnes() {
        fetch.start(0);
        tell(1, group.fragment(1, version));
        assertThat(fetch.outcome()).isEmpty();
        Bytes wrong = Bytes.of(new byte[group.pasis().fragmentBytes()]);
        tell(
                2,
                new PasisMessage.Fragment(
                        group.pasis().target(2),
                        version.timestamp().name(),
                        PasisMessage.Held.HELD,
                        wrong,
                        ValidatingTimestamp.NONE));
        assertThat(fetch.outcome()).isEmpty();
        tell(3, group.fragment(3, version));
        assertThat(fetch.outcome())
                .contains(new FragmentFetch.Outcome.Made(version.fragments().getFirst()));
    }

    @PlantedBug(
            in = FragmentFetch.class,
            rule = "b + 1 nodes make a version obsolete",
            replace = "} else if (collected.size() >= group.weakQuorum()) {",
            with = "} else if (collected.size() >= group.b()) {")
    @Test
    void bPlusOneThatHaveCollectedALaterVersionMakeItObsolete() {
        fetch.start(0);
        tell(1, group.collected(1, version, later));
        assertThat(fetch.outcome()).isEmpty();
        tell(2, group.collected(2, version, version.timestamp()));
        assertThat(fetch.outcome()).as("no later one").isEmpty();
        tell(3, group.collected(3, version, later));
        assertThat(fetch.outcome()).contains(new FragmentFetch.Outcome.Obsolete());
    }

    @Test
    void itIsNotFoundIfFewerThanRMinus2bOfRHaveOrHide() {
        fetch.start(0);
        denies(1);
        denies(2);
        assertThat(fetch.outcome()).as("only N - b answers tell").isEmpty();
        denies(3);
        assertThat(fetch.outcome()).contains(new FragmentFetch.Outcome.NotFound());
    }

    @Test
    void whoHasCollectedALaterVersionMayHideIt() {
        fetch.start(0);
        denies(1);
        tell(2, group.collected(2, version, later));
        tell(3, group.fragment(3, version));
        assertThat(fetch.outcome()).isEmpty();
        denies(4);
        assertThat(fetch.outcome()).contains(new FragmentFetch.Outcome.NotFound());
    }

    @Test
    void theTimeOfOthersIsTheBPlusFirstGreatestWhateverALiarSays() {
        TimePoll poll = new TimePoll(group.pasis(), 0, 5, GroupFixture.TIMES);
        poll.start(0);
        long[] times = {5, -1, 7, 6};
        for (int slot = 1; slot < times.length; slot++) {
            assertThat(poll.outcome()).isEmpty();
            poll.onMessage(
                    1,
                    GroupFixture.node(slot),
                    new PasisMessage.FoundTime(group.pasis().target(slot), times[slot]));
        }
        assertThat(poll.outcome()).contains(7L);
    }

    @Test
    void oneNodeThatFindsTooFewRefutesNothing() {
        RepairRequests repairs = new RepairRequests(group.pasis(), version.timestamp(), Set.of(0, 1));
        repairs.start(0, GroupFixture.TIMES);
        repairs.take(2, group.refused(2, RequestKind.REPAIR, version.timestamp(), PasisRefusal.NOT_FOUND));
        repairs.take(2, group.refused(2, RequestKind.REPAIR, version.timestamp(), PasisRefusal.NOT_FOUND));
        repairs.take(3, group.refused(3, RequestKind.REPAIR, version.timestamp(), PasisRefusal.BUSY));
        repairs.take(4, group.refused(4, RequestKind.REPAIR, later, PasisRefusal.NOT_FOUND));
        assertThat(repairs.isRefuted()).isFalse();
        repairs.take(3, group.refused(3, RequestKind.REPAIR, version.timestamp(), PasisRefusal.NOT_FOUND));
        assertThat(repairs.isRefuted()).isTrue();
    }

    @PlantedBug(
            in = PasisGroup.class,
            rule = "answers of an earlier epoch do not make a version complete in a later one",
            replace = "&& target.epoch() == placement.epoch() && target.slot() == slot",
            with = "&& target.slot() == slot")
    @Test
    void aVersionIsCompleteInAnEpochOnceNMinusBSaySoInIt() {
        CompletionPoll poll = new CompletionPoll(group.pasis(), 0, version.timestamp(), GroupFixture.TIMES);
        assertThat(GroupFixture.sent(poll.start(0), PasisMessage.Repair.class))
                .extracting(ask -> ask.target().slot())
                .containsExactly(1, 2, 3, 4);
        poll.onMessage(1, GroupFixture.node(1), repaired(group.pasis().target(1), version.timestamp()));
        poll.onMessage(1, GroupFixture.node(1), repaired(group.pasis().target(1), version.timestamp()));
        poll.onMessage(1, GroupFixture.node(2), repaired(group.pasis().target(2), version.timestamp()));
        Target before = new Target(group.pasis().block(), 7, 3);
        poll.onMessage(1, GroupFixture.node(3), repaired(before, version.timestamp()));
        poll.onMessage(1, GroupFixture.node(3), repaired(group.pasis().target(3), later));
        poll.onMessage(1, GroupFixture.node(0), repaired(group.pasis().target(0), version.timestamp()));
        assertThat(poll.outcome()).as("two others, and this node").isEmpty();
        assertThat(GroupFixture.sent(poll.onTick(500), PasisMessage.Repair.class))
                .extracting(ask -> ask.target().slot())
                .containsExactly(3, 4);
        poll.onMessage(501, GroupFixture.node(4), repaired(group.pasis().target(4), version.timestamp()));
        assertThat(poll.outcome()).contains(true);
    }

    @Test
    void whereTooFewSayThatTheyHoldAVersionThePollEnds() {
        CompletionPoll poll = new CompletionPoll(group.pasis(), 0, version.timestamp(), GroupFixture.TIMES);
        poll.start(0);
        poll.onTick(GroupFixture.TIMES.timeoutMillis());
        assertThat(poll.outcome()).contains(false);
    }

    private static PasisMessage.Repaired repaired(Target target, ValidatingTimestamp which) {
        return new PasisMessage.Repaired(target, which.name());
    }
}
