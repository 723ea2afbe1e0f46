package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.extent.ExtentMessage.Answer;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.Holds;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Poll of the other slots for whether f+1 of them hold a version. One of these is correct, so the extent's owner has
 * stored this version. A fragment of it is then as good from anybody as from its owner. The replicas cannot confirm
 * pins that stand in pin lists.
 */
final class HoldersPoll implements ClientOperation<Boolean> {
    private final PlacementGroup group;
    private final BlockId block;
    private final Bytes pin;
    private final int own;
    private final int f;
    private final ExtentTiming timing;
    private final Set<Integer> holding = new HashSet<>();
    private final Set<Integer> refusing = new HashSet<>();
    private long startedMillis;
    private long askedMillis;
    private boolean over;

    /** @param own the slot of the node that asks */
    HoldersPoll(Volume volume, BlockId block, Bytes pin, int own, ExtentTiming timing) {
        this.group = volume.group(block);
        this.block = block;
        this.pin = pin;
        this.own = own;
        this.f = volume.policyOf(block).f();
        this.timing = timing;
    }

    @Override
    public List<Effect> start(long nowMillis) {
        startedMillis = nowMillis;
        return ask(nowMillis);
    }

    private List<Effect> ask(long nowMillis) {
        askedMillis = nowMillis;
        List<Effect> effects = new ArrayList<>();
        for (int slot = 0; slot < group.holders().size(); slot++) {
            if (slot != own && !holding.contains(slot)) {
                PrincipalId node = PrincipalId.node(group.holders().get(slot));
                effects.add(new Effect.Send(node, 0, new ReadPinned(block, group.epoch(), slot, pin, false)));
            }
        }
        return effects;
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        int slot = group.slotOf(from);
        if (slot < 0
                || slot == own
                || !(message instanceof Answer answer)
                || !answer.block().equals(block)
                || answer.epoch() != group.epoch()) {
            return List.of();
        }
        switch (answer) {
            case Holds ignored -> hold(slot);
            case Found ignored -> hold(slot);
            case NotFound ignored -> refusing.add(slot);
            default -> {
                return List.of();
            }
        }
        int others = group.holders().size() - 1;
        over |= holding.size() > f || others - refusing.size() <= f;
        return List.of();
    }

    private void hold(int slot) {
        holding.add(slot);
        refusing.remove(slot);
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        over |= nowMillis - startedMillis >= 2 * timing.retryMillis();
        return over || nowMillis - askedMillis < timing.retryMillis() ? List.of() : ask(nowMillis);
    }

    @Override
    public boolean isResendOptional() {
        return true;
    }

    @Override
    public Optional<Boolean> outcome() {
        return over ? Optional.of(holding.size() > f) : Optional.empty();
    }

    @Override
    public boolean isFinished() {
        return over;
    }
}
