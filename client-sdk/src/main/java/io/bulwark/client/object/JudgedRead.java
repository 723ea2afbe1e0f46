package io.bulwark.client.object;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A pinned read whose verdicts are passed on: where it finds a node's bytes corrupt or damaged, all holders get the hint
 * (PROTOCOLS section 4, verdicts), so that they fetch from it themselves, judge, and repair.
 */
final class JudgedRead implements ClientOperation<ReadOutcome> {
    private final ClientOperation<ReadOutcome> read;
    private final PlacementGroup group;
    private final BlockId block;
    private final Bytes pin;

    JudgedRead(ClientOperation<ReadOutcome> read, Volume volume, BlockId block, Bytes pin) {
        this.read = read;
        this.group = volume.group(block);
        this.block = block;
        this.pin = pin;
    }

    @Override
    public List<Effect> start(long nowMillis) {
        return withHints(read.start(nowMillis));
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        return withHints(read.onMessage(nowMillis, from, message));
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        return withHints(read.onTick(nowMillis));
    }

    @Override
    public Optional<ReadOutcome> outcome() {
        return read.outcome();
    }

    @Override
    public boolean finished() {
        return read.finished();
    }

    private List<Effect> withHints(List<Effect> effects) {
        List<Effect> all = new ArrayList<>(effects);
        for (Effect effect : effects) {
            if (effect instanceof Effect.Evidence evidence
                    && (evidence.verdict() == Verdict.CORRUPT || evidence.verdict() == Verdict.DAMAGED)) {
                int suspect = group.slotOf(evidence.about().number());
                for (int slot = 0; suspect >= 0 && slot < group.holders().size(); slot++) {
                    PrincipalId holder = PrincipalId.node(group.holders().get(slot));
                    Message hint = new ExtentMessage.Suspect(block, group.epoch(), slot, pin, suspect);
                    all.add(new Effect.Send(holder, 0, hint));
                }
            }
        }
        return all;
    }
}
