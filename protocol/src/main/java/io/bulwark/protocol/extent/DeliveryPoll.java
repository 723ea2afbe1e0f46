package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Echo and ready of AVID-FP (thesis figure 2.3.2) for one extent that a node holds (docs/protocols/archive.md, delivery).
 * Nodes ask for them instead of sending them: a request carries the pin, an answer the stage, and lost messages and crashes need
 * no channels that remember. Since the metadata names the pin, all correct nodes count for the same version.
 */
public final class DeliveryPoll implements ClientOperation<Delivery> {
    private final PlacementGroup group;
    private final ProtectionPolicy policy;
    private final BlockId block;
    private final Bytes pin;
    private final int own;
    private final Delivery before;
    private final ExtentTiming timing;
    private final Map<Integer, Delivery> stages = new HashMap<>();
    private final Set<Integer> answered = new HashSet<>();
    private long startedMillis;
    private int asked;
    private boolean over;

    /**
     * @param own the slot of the node, which holds the version
     * @param before the stage that the node has stored
     */
    DeliveryPoll(Volume volume, BlockId block, Bytes pin, int own, Delivery before, ExtentTiming timing) {
        this.group = volume.group(block);
        this.policy = volume.policyOf(block);
        this.block = block;
        this.pin = pin;
        this.own = own;
        this.before = before;
        this.timing = timing;
        stages.put(own, before);
    }

    @Override
    public List<Effect> start(long nowMillis) {
        startedMillis = nowMillis;
        int witnesses = witnesses(policy);
        boolean counts = own < witnesses && before == Delivery.STORED;
        return askUpTo(counts ? policy.n() : witnesses);
    }

    /**
     * Returns the number of the first slots that count echoes. 2f + 1 of them are correct, so that the others get enough
     * readies from these alone, and n nodes send no n^2 messages.
     */
    public static int witnesses(ProtectionPolicy policy) {
        return Math.min(policy.n(), 3 * policy.f() + 1);
    }

    private List<Effect> askUpTo(int slots) {
        List<Effect> effects = new ArrayList<>();
        for (; asked < slots; asked++) {
            if (asked != own) {
                PrincipalId node = PrincipalId.node(group.holders().get(asked));
                effects.add(new Effect.Send(node, 0, new ReadPinned(block, group.epoch(), asked, pin, false)));
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
                || !answer.block().equals(block)) {
            return List.of();
        }
        if (answer.epoch() == group.epoch()) {
            switch (answer) {
                case Holds holds -> stages.putIfAbsent(slot, holds.delivery());
                case Found found -> stages.putIfAbsent(slot, found.delivery());
                // It has decoded, and so may all. It may have been ready before, and others may have counted that.
                case NotFound none
                when none.reason() == ReadRefusal.POISONOUS -> stages.putIfAbsent(slot, Delivery.READY);
                default -> {}
            }
        }
        answered.add(slot);
        over |= stage() == Delivery.DELIVERED || answered.size() >= asked - (own < asked ? 1 : 0);
        return List.of();
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        // Some are away: the others may do.
        over |= nowMillis - startedMillis >= 2 * timing.hedgeMillis();
        return !over && nowMillis - startedMillis >= timing.hedgeMillis() ? askUpTo(policy.n()) : List.of();
    }

    @Override
    public boolean isResendOptional() {
        return true;
    }

    /** The stage that the node may keep now. */
    private Delivery stage() {
        int f = policy.f();
        long ready =
                stages.values().stream().filter(each -> each != Delivery.STORED).count();
        boolean isReady = before != Delivery.STORED || stages.size() >= policy.m() + f || ready >= f + 1;
        if (!isReady) {
            return Delivery.STORED;
        }
        long withOwn = ready + (before == Delivery.STORED ? 1 : 0);
        return before == Delivery.DELIVERED || withOwn >= 2L * f + 1 ? Delivery.DELIVERED : Delivery.READY;
    }

    @Override
    public Optional<Delivery> outcome() {
        return over ? Optional.of(stage()) : Optional.empty();
    }

    @Override
    public boolean isFinished() {
        return over;
    }
}
