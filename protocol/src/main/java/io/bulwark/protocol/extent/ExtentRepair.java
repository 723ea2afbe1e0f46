package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rebuild of a node's own fragment of a referenced extent (docs/protocols/extents.md, completion and repair): a pinned read
 * from the other slots, then the own slot's fragment. Under FP the read also hands their fragments to others that lack
 * them.
 */
public final class ExtentRepair implements ClientOperation<RepairOutcome> {
    private final ExtentCoding coding;
    private final int slot;
    private final ExtentRead read;
    private @Nullable RepairOutcome outcome;

    /**
     * @param slot the node's own
     * @param neverStored whether this node, too, never stored this version
     */
    public ExtentRepair(Volume volume, BlockId block, int slot, Bytes pin, boolean neverStored, ExtentTiming timing) {
        this.coding = ExtentCoding.of(volume.policyOf(block));
        this.slot = slot;
        this.read = ExtentRead.forJudgement(volume, block, pin, Set.of(), Set.of(slot), timing)
                .withNeverStored(neverStored ? 1 : 0);
    }

    /** Makes it a dissemination, which hands their fragments to all slots that lack them. To be called before the start. */
    void disseminate() {
        read.handToAll();
    }

    @Override
    public List<Effect> start(long nowMillis) {
        return read.start(nowMillis);
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        return read.onMessage(nowMillis, from, message);
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        return read.onTick(nowMillis);
    }

    @Override
    public boolean isResendOptional() {
        return read.isResendOptional();
    }

    @Override
    public void onMoving(PrincipalId peer, long atMillis) {
        read.onMoving(peer, atMillis);
    }

    @Override
    public long memoryBytes() {
        return read.memoryBytes();
    }

    @Override
    public Optional<RepairOutcome> outcome() {
        if (outcome == null && read.outcome().isPresent()) {
            outcome = conclude(read.outcome().get());
        }
        return Optional.ofNullable(outcome);
    }

    @Override
    public boolean isFinished() {
        return read.isFinished();
    }

    private RepairOutcome conclude(ReadOutcome known) {
        return switch (known) {
            case ReadOutcome.Whole whole ->
                rebuild(whole.content(), read.checksum().orElseThrow());
            case ReadOutcome.Poisonous ignored -> new RepairOutcome.Poisonous();
            case ReadOutcome.Freed ignored -> new RepairOutcome.Freed();
            case ReadOutcome.Incomplete ignored -> new RepairOutcome.Incomplete();
            case ReadOutcome.Unavailable(Map<Integer, String> reasons) -> new RepairOutcome.Unavailable(reasons);
            case ReadOutcome.TooFewHolders(Map<Integer, String> reasons) -> new RepairOutcome.Unavailable(reasons);
            case ReadOutcome.NotPermitted ignored -> new RepairOutcome.Unavailable(Map.of(slot, "refused: " + known));
            case ReadOutcome.StaleMap ignored -> new RepairOutcome.Unavailable(Map.of(slot, "refused: " + known));
        };
    }

    private RepairOutcome rebuild(Bytes content, Checksum checksum) {
        return read.fragments()
                .or(() -> coding.encodeExactly(checksum, content))
                .<RepairOutcome>map(fragments -> new RepairOutcome.Rebuilt(
                        checksum, Bytes.of(fragments.get(slot).toByteArray())))
                .orElseGet(RepairOutcome.Poisonous::new);
    }
}
