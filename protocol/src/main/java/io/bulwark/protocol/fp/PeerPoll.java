package io.bulwark.protocol.fp;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A holder asks all others of a block, again and again, until it knows enough or has waited for long enough. */
abstract class PeerPoll<R> implements ClientOperation<R> {
    final FpGroup group;
    final Timeouts times;
    private final int ownSlot;
    private long startedMillis;
    private long sentMillis;
    private @Nullable R outcome;

    PeerPoll(FpGroup group, int ownSlot, Timeouts times) {
        this.group = group;
        this.ownSlot = ownSlot;
        this.times = times;
    }

    /** Returns the next question to a peer. */
    abstract Optional<FpMessage> question(int slot);

    /**
     * Handles an answer of a peer.
     *
     * @return the message to send to it at once
     */
    abstract Optional<FpMessage> take(int slot, FpMessage.Answer answer);

    /** There is no outcome after this long. */
    abstract void onTimeout(long millis);

    final void end(R with) {
        if (outcome == null) {
            outcome = with;
        }
    }

    @Override
    public final List<Effect> start(long nowMillis) {
        startedMillis = nowMillis;
        return ask(nowMillis);
    }

    private List<Effect> ask(long nowMillis) {
        sentMillis = nowMillis;
        List<Effect> effects = new ArrayList<>();
        for (int slot = 0; slot < group.n(); slot++) {
            if (slot != ownSlot) {
                effects.addAll(send(slot, question(slot)));
            }
        }
        return effects;
    }

    private List<Effect> send(int slot, Optional<FpMessage> question) {
        return question.<Effect>map(asked -> new Effect.Send(group.node(slot), 0, asked)).stream()
                .toList();
    }

    @Override
    public final List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        if (outcome == null && message instanceof FpMessage.Answer answer) {
            int slot = group.slotOf(from, answer.target());
            if (slot >= 0 && slot != ownSlot) {
                return send(slot, take(slot, answer));
            }
        }
        return List.of();
    }

    @Override
    public final List<Effect> onTick(long nowMillis) {
        if (outcome == null) {
            onTimeout(nowMillis - startedMillis);
        }
        return outcome == null && nowMillis - sentMillis >= times.retryMillis() ? ask(nowMillis) : List.of();
    }

    @Override
    public final boolean isResendOptional() {
        return true;
    }

    @Override
    public final Optional<R> outcome() {
        return Optional.ofNullable(outcome);
    }
}
