package io.bulwark.protocol.ordering.checkpoint;

import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.log.HistoryGuard;
import io.bulwark.protocol.ordering.log.Outbox;
import io.bulwark.protocol.ordering.log.ReplicaContext;
import io.bulwark.protocol.ordering.log.SlotLog;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.normal.Execution;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * State transfer (4.6.2): a replica fetches another state instead of executing in three cases. Its log begins above its
 * last executed number. Or f+1 others have a checkpoint that its log does not reach, or that it does not reach by
 * itself. Or their checkpoint differs from its own.
 *
 * <pre>
 * from       to         when
 * executing  fetching   one of the three cases; for a log that would reach it, after a time without execution
 * executing  lost       the own state cannot be read, or no correct replica can have it
 * lost       fetching   f+1 others have a checkpoint
 * fetching   fetching   of a newer checkpoint: the others have discarded this one, or the fetch takes too long
 * fetching   executing  the driver reports the state
 * </pre>
 */
public final class StateTransfer {
    private final ReplicaConfig config;
    private final SlotLog log;
    private final Execution execution;
    private final Checkpoints checkpoints;
    private final HistoryGuard guard;
    private final Outbox outbox;
    private @Nullable Numbered target;
    private long askedMillis;
    private long missingSinceMillis = Long.MAX_VALUE;
    private boolean lost;
    private boolean gone;
    private BooleanSupplier distrust = () -> false;

    public StateTransfer(ReplicaContext context, Execution execution, Checkpoints checkpoints) {
        config = context.config();
        log = context.log();
        guard = context.guard();
        outbox = context.outbox();
        this.execution = execution;
        this.checkpoints = checkpoints;
    }

    /** The checkpoints of this replica and its peers. */
    public Checkpoints checkpoints() {
        return checkpoints;
    }

    /** While this holds, no page that is here is trusted. */
    public void setDistrust(BooleanSupplier newDistrust) {
        distrust = newDistrust;
    }

    public boolean isFetching() {
        return target != null || lost;
    }

    /** Handles the loss of the local state: the state of f+1 others is fetched. */
    public void lose() {
        lost = true;
        target = null;
        execution.suspend();
    }

    /**
     * Begins a fetch where it is due, or another one.
     *
     * @param low the checkpoint at the low water mark
     */
    public void onTick(long nowMillis, Numbered low) {
        long executed = lost ? -1 : execution.executed();
        Numbered missing = checkpoints.missing(executed);
        if (missing != null && !lost && !guard.canAdmit(missing, checkpoints.hasOther(missing))) {
            return;
        }
        boolean isBelow = executed < low.sequence() || (executed == low.sequence() && checkpoints.hasOther(low));
        if (!lost && isBelow && (missing == null || missing.sequence() < low.sequence())) {
            missing = low;
        }
        if (missing == null) {
            missingSinceMillis = Long.MAX_VALUE;
            return;
        }
        missingSinceMillis = Math.min(missingSinceMillis, nowMillis);
        if (target != null) {
            // Others may have discarded the checkpoint of the fetch without more than f of them reporting it.
            boolean stale =
                    gone || nowMillis - askedMillis >= 4 * config.timers().stateMillis();
            if (stale && missing.sequence() >= target.sequence() && !missing.equals(target)) {
                fetch(nowMillis, missing);
            }
            return;
        }
        long waitedMillis = nowMillis - Math.max(missingSinceMillis, execution.progressMillis());
        boolean unreachable = isBelow || missing.sequence() > log.high() || missing.sequence() <= executed;
        if (unreachable || waitedMillis >= config.timers().stateMillis()) {
            fetch(nowMillis, missing);
        }
    }

    public void fetch(long nowMillis, Numbered checkpoint) {
        target = checkpoint;
        gone = false;
        askedMillis = nowMillis;
        execution.suspend();
        outbox.add(new ReplicaEffect.FetchState(checkpoint, distrust.getAsBoolean()));
    }

    /** Handles more than f others that lack a page of the fetch: they have reached a newer checkpoint. */
    public void onGone() {
        gone = true;
    }

    /** Handles the end of a fetch. Returns whether it was still wanted: it may have been abandoned. */
    public boolean onFetched(long nowMillis) {
        if (target == null && lost) {
            return false;
        }
        if (target == null) {
            throw new IllegalStateException("no state was to be fetched");
        }
        target = null;
        lost = false;
        missingSinceMillis = Long.MAX_VALUE;
        execution.resume(nowMillis);
        checkpoints.announce();
        return true;
    }
}
