package io.bulwark.simulation;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.extent.CompletionResult;
import io.bulwark.protocol.extent.ExtentMessage.Complete;
import io.bulwark.protocol.extent.ExtentMessage.Completed;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;

/** Asks a node, as itself, to complete an extent; again each second until it answers. */
@NullMarked
final class CompletionProbe implements ClientOperation<CompletionResult> {
    private final PrincipalId node;
    private final Complete request;
    private final List<CompletionResult> results = new ArrayList<>();
    private long sentMillis;

    CompletionProbe(PrincipalId node, Complete request) {
        this.node = node;
        this.request = request;
    }

    @Override
    public List<Effect> start(long nowMillis) {
        sentMillis = nowMillis;
        return List.of(new Effect.Send(node, 0, request));
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        if (message instanceof Completed completed) {
            results.add(completed.result());
        }
        return List.of();
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        return nowMillis - sentMillis < 1_000 ? List.of() : start(nowMillis);
    }

    @Override
    public Optional<CompletionResult> outcome() {
        return results.stream().findFirst();
    }

    @Override
    public boolean isFinished() {
        return !results.isEmpty();
    }
}
