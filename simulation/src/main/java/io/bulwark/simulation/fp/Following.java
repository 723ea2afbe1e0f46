package io.bulwark.simulation.fp;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.fp.Failure;
import io.bulwark.protocol.fp.FpGroup;
import io.bulwark.protocol.fp.FpReadOutcome;
import io.bulwark.protocol.fp.FpWrite;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.fp.Timestamp;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** A read or a write that begins again, or goes on, in the epoch of now when the one is over in which it began; as the client of the SDK does. */
final class Following<R> implements ClientOperation<R> {
    private final Supplier<FpGroup> now;
    private final Function<R, Optional<Function<FpGroup, ClientOperation<R>>>> again;
    private FpGroup group;
    private ClientOperation<R> attempt;

    /**
     * @param now the group of the block as the replicas have it
     * @param first the first attempt
     * @param again how it goes on after this outcome; nothing if that is the end
     */
    private Following(
            Supplier<FpGroup> now,
            Function<FpGroup, ClientOperation<R>> first,
            Function<R, Optional<Function<FpGroup, ClientOperation<R>>>> again) {
        this.now = now;
        this.again = again;
        this.group = now.get();
        this.attempt = first.apply(group);
    }

    static ClientOperation<FpWriteOutcome> write(
            Supplier<FpGroup> now, Function<FpGroup, ClientOperation<FpWriteOutcome>> first, GoingOn goingOn) {
        return new Following<>(now, first, outcome -> switch (outcome) {
            case FpWriteOutcome.EpochOver(Timestamp at) -> Optional.of(group -> goingOn.at(group, at));
            case FpWriteOutcome.Failed(Failure reason, boolean mayBeWritten)
            when reason == Failure.OTHER_EPOCH && !mayBeWritten -> Optional.of(first);
            default -> Optional.empty();
        });
    }

    /** {@link FpWrite#goingOn}. */
    interface GoingOn {
        ClientOperation<FpWriteOutcome> at(FpGroup group, Timestamp sent);
    }

    static ClientOperation<FpReadOutcome> read(
            Supplier<FpGroup> now, Function<FpGroup, ClientOperation<FpReadOutcome>> first) {
        return new Following<>(
                now,
                first,
                outcome -> outcome instanceof FpReadOutcome.Failed(Failure reason) && reason == Failure.OTHER_EPOCH
                        ? Optional.of(first)
                        : Optional.empty());
    }

    @Override
    public List<Effect> start(long nowMillis) {
        return goOn(nowMillis, attempt.start(nowMillis));
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        return goOn(nowMillis, attempt.onMessage(nowMillis, from, message));
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        return goOn(nowMillis, attempt.onTick(nowMillis));
    }

    private List<Effect> goOn(long nowMillis, List<Effect> effects) {
        FpGroup later = now.get();
        Optional<Function<FpGroup, ClientOperation<R>>> next =
                later.placement().epoch() > group.placement().epoch()
                        ? attempt.outcome().flatMap(again)
                        : Optional.empty();
        if (next.isEmpty()) {
            return effects;
        }
        group = later;
        attempt = next.get().apply(later);
        List<Effect> all = new ArrayList<>(effects);
        all.addAll(attempt.start(nowMillis));
        return all;
    }

    @Override
    public Optional<R> outcome() {
        return attempt.outcome();
    }

    @Override
    public boolean finished() {
        return attempt.finished();
    }
}
