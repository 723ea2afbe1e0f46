package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import java.util.Optional;

/**
 * Judgement of one slot of the archive class by its own fragment (docs/protocols/archive.md). A correct node keeps a fragment only if it
 * leads to the commitment, so one that does not needs no comparison with others. Nothing else is read: all slots hear of a
 * suspect, and m fragments for each of n nodes would be a load that a liar can cause at will. Returns true if the slot sent
 * wrong bytes.
 */
final class SuspectCheck implements ClientOperation<Boolean> {
    private final PlacementGroup group;
    private final ExtentCoding coding;
    private final BlockId block;
    private final Bytes pin;
    private final int suspect;
    private final ExtentTiming timing;
    private long startedMillis;
    private long askedMillis;
    private Optional<Boolean> outcome = Optional.empty();

    SuspectCheck(Volume volume, BlockId block, Bytes pin, int suspect, ExtentTiming timing) {
        this.group = volume.group(block);
        this.coding = ExtentCoding.of(volume.policyOf(block));
        this.block = block;
        this.pin = pin;
        this.suspect = suspect;
        this.timing = timing;
    }

    @Override
    public List<Effect> start(long nowMillis) {
        startedMillis = nowMillis;
        return ask(nowMillis);
    }

    private List<Effect> ask(long nowMillis) {
        askedMillis = nowMillis;
        return List.of(new Effect.Send(node(), 0, new ReadPinned(block, group.epoch(), suspect, pin, true)));
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        if (outcome.isPresent()
                || !from.equals(node())
                || !(message instanceof ExtentMessage.Answer answer)
                || !answer.block().equals(block)) {
            return List.of();
        }
        boolean corrupt = answer instanceof Found found
                && found.epoch() == group.epoch()
                && !(found.checksum().pin().equals(pin)
                        && coding.isFragmentOf(found.checksum(), suspect, found.fragment()));
        outcome = Optional.of(corrupt);
        return corrupt
                ? List.of(new Effect.Evidence(
                        node(),
                        block,
                        Verdict.CORRUPT,
                        "sent another checksum, or bytes that are not the fragment of slot " + suspect))
                : List.of();
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        if (outcome.isEmpty() && nowMillis - startedMillis >= 2 * timing.retryMillis()) {
            outcome = Optional.of(false);
        }
        return outcome.isPresent() || nowMillis - askedMillis < timing.retryMillis() ? List.of() : ask(nowMillis);
    }

    @Override
    public boolean isResendOptional() {
        return true;
    }

    @Override
    public Optional<Boolean> outcome() {
        return outcome;
    }

    private PrincipalId node() {
        return PrincipalId.node(group.holders().get(suspect));
    }
}
