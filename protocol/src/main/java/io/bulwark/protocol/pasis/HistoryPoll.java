package io.bulwark.protocol.pasis;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Poll of N - b - 1 others, without fragments, for a version that this node has missed and that may be complete. As
 * many of them claim or may hide such a version as any R answers must show of one that was complete at the beginning.
 * Liars alone are too few for that.
 */
final class HistoryPoll implements ClientOperation<HistoryPoll.Outcome> {
    /** Result of the poll. */
    sealed interface Outcome {
        /** Nothing that can be complete is missing. */
        record Agreed() implements Outcome {}

        /** This may be complete, and is not held. */
        record Missed(ValidatingTimestamp version) implements Outcome {}

        /** Too few answer. */
        record Unknown() implements Outcome {}
    }

    private final PasisGroup group;
    private final Timeouts times;
    private final ValidatingTimestamp collected;
    private final HistoryGatherer gathering;
    private final Set<ValidatingTimestamp> passedOver = new HashSet<>();
    private long startedMillis;
    private @Nullable Outcome outcome;

    HistoryPoll(PasisGroup group, OwnHistory own, Timeouts times) {
        this.group = group;
        this.times = times;
        this.collected = own.collected();
        this.gathering = new HistoryGatherer(
                group, times, own, null, ReadPlan.full(group).order());
        own.versions().forEach(entry -> passedOver.add(entry.timestamp()));
    }

    @Override
    public List<Effect> start(long nowMillis) {
        startedMillis = nowMillis;
        List<Effect> effects = new ArrayList<>();
        gathering.begin(nowMillis, group.quorum(), 0, effects);
        decide(nowMillis, effects);
        return effects;
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        List<Effect> effects = new ArrayList<>();
        if (outcome == null
                && message instanceof PasisMessage.Answer answer
                && gathering.take(from, answer, effects) >= 0) {
            decide(nowMillis, effects);
        }
        return effects;
    }

    private void decide(long nowMillis, List<Effect> effects) {
        gathering.engageMore(nowMillis, effects);
        while (outcome == null && gathering.answered() >= group.quorum()) {
            ValidatingTimestamp version = gathering.candidate(passedOver, Set.of());
            if (version.isNone() || collected.isAfter(version)) {
                outcome = new Outcome.Agreed();
                return;
            }
            int answered = gathering.answered();
            long shown = gathering.standing(version, SlotView.VersionStatus.CLAIMS)
                    + gathering.standing(version, SlotView.VersionStatus.COLLECTED);
            long unread = gathering.standing(version, SlotView.VersionStatus.UNKNOWN);
            if (shown + unread < group.minShown(answered)) {
                passedOver.add(version);
            } else if (shown >= group.minShown(answered) || !gathering.askMore(nowMillis, version, effects)) {
                outcome = new Outcome.Missed(version);
            } else {
                return;
            }
        }
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>();
        if (outcome == null && nowMillis - startedMillis >= times.timeoutMillis()) {
            outcome = new Outcome.Unknown();
        }
        if (outcome == null) {
            gathering.sendAgain(nowMillis, effects);
            decide(nowMillis, effects);
        }
        return effects;
    }

    @Override
    public Optional<Outcome> outcome() {
        return Optional.ofNullable(outcome);
    }
}
