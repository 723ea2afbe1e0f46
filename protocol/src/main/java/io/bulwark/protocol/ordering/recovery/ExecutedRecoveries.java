package io.bulwark.protocol.ordering.recovery;

import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.normal.ReplicaRequests;
import io.bulwark.protocol.ordering.view.ViewGroup;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/** Execution of recovery requests (4.4): the ledger of the replicated state, as this replica has it. */
public final class ExecutedRecoveries implements ReplicaRequests {
    /** Observer of recovery requests. */
    interface Listener {
        /** A recovery request was executed with this number; or a state was fetched that reflects one, accepted. */
        void onRecovery(long nowMillis, int replica, long call, long sequence, boolean accepted);
    }

    private final ReplicaConfig config;
    private RecoveryLedger ledger;

    /**
     * Ledger in the state: {@link #ledger}, or after the end of this configuration the ledger with which the next one
     * begins.
     */
    private RecoveryLedger kept;

    /** The ledger before the last state was read. */
    private RecoveryLedger before;

    private Listener listener = (ignored1, ignored2, ignored3, ignored4, ignored5) -> {};

    public ExecutedRecoveries(ReplicaConfig config) {
        this.config = config;
        ledger = newLedger();
        kept = ledger;
        before = ledger;
    }

    private RecoveryLedger newLedger() {
        return new RecoveryLedger(
                ViewGroup.of(config),
                config.recoveries().watchdogMillis(),
                config.term().checkpoint().sequence());
    }

    void setListener(Listener newListener) {
        listener = newListener;
    }

    /** The recoveries that the state reflects. */
    RecoveryLedger ledger() {
        return ledger;
    }

    @Override
    public void execute(long nowMillis, long sequence, long agreedMillis, Request request) {
        RecoveryRequest asked = RecoveryRequest.of(request).orElse(null);
        if (asked == null) {
            return; // replicas ask for nothing but their recovery
        }
        RecoveryLedger.Entry last = ledger.of(asked.replica());
        if (last == null || last.call() != asked.call()) {
            boolean accepted = ledger.execute(asked, sequence, agreedMillis);
            listener.onRecovery(nowMillis, asked.replica(), asked.call(), sequence, accepted);
        }
    }

    @Override
    public long openUpTo(long stable) {
        return ledger.openUpTo(stable);
    }

    @Override
    public void handOver(Configuration now, Configuration next, long sequence, long agreedMillis) {
        kept = ledger.handOver(now, next, sequence, agreedMillis);
    }

    @Override
    public void write(WireWriter out) {
        kept.write(out);
    }

    @Override
    public void read(WireReader in) {
        before = ledger;
        kept = newLedger();
        if (in.remaining() > 0) {
            kept.read(in);
        }
        ledger = kept;
    }

    @Override
    public void disregard() {
        ledger = newLedger();
    }

    @Override
    public void onResumed(long nowMillis) {
        RecoveryLedger known = before;
        ledger.entries().keySet().forEach(replica -> {
            RecoveryLedger.Entry entry = ledger.of(replica);
            RecoveryLedger.Entry last = known.of(replica);
            if (entry != null && (last == null || last.call() != entry.call())) {
                listener.onRecovery(nowMillis, replica, entry.call(), entry.sequence(), true);
            }
        });
    }
}
