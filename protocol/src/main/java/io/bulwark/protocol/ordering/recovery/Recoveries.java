package io.bulwark.protocol.ordering.recovery;

import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.log.ReplicaContext;
import io.bulwark.protocol.ordering.message.ReplicaMessage;

/**
 * Recoveries of 4.4 at one replica: its own ({@link ReplicaRecovery}), and those of its peers ({@link PeerRecoveries}).
 */
public final class Recoveries {
    /** Actions of the replica's other parts during a recovery. */
    public interface Host {
        /**
         * The marks have moved, or the recovery has come to another step: a new segment of the log begins, with this
         * index.
         */
        long onLogChanged(long nowMillis);

        /** The keys of a peer that recovers are invalid: of its messages only complete certificates remain. */
        void onKeyChange(int peer);
    }

    private final ReplicaContext context;
    private final ReplicaRecovery own;
    private final PeerRecoveries peers;
    private final Host host;

    public Recoveries(
            ReplicaContext context, RecoveryParts parts, ExecutedRecoveries executed, RecoveryStart start, Host host) {
        this.context = context;
        this.host = host;
        peers = new PeerRecoveries(context, parts, executed, start);
        own = new ReplicaRecovery(context, parts, peers, start, host);
        executed.setListener(this::onExecuted);
        parts.transfer().setDistrust(own::isStateUntrusted);
        context.guard().setTrustsOwn(() -> !own.isOpen());
    }

    /** The recovery of this replica. */
    public ReplicaRecovery own() {
        return own;
    }

    public void onMessage(long nowMillis, int from, ReplicaMessage.Recovery message) {
        switch (message) {
            case ReplicaMessage.QueryStable query -> peers.onQuery(from, query);
            case ReplicaMessage.ReplyStable reply -> own.onReply(nowMillis, from, reply);
            case ReplicaMessage.Recover recover -> peers.onRecover(nowMillis, from, recover);
            case ReplicaMessage.RecoveryReply reply -> own.onReply(nowMillis, from, reply);
        }
    }

    public void onTick(long nowMillis) {
        own.onTick(nowMillis);
        peers.onTick(nowMillis);
    }

    private void onExecuted(long nowMillis, int replica, long call, long sequence, boolean accepted) {
        if (replica == context.config().self()) {
            own.onExecuted(nowMillis, call, sequence, accepted);
            return;
        }
        peers.onExecuted(nowMillis, replica, call, sequence, accepted);
        if (accepted) {
            host.onKeyChange(replica);
            context.outbox().add(new ReplicaEffect.DropKeys(replica));
        }
    }

    /** Returns the recovery record that the log keeps. */
    public LogRecord.Recovery record() {
        return own.record();
    }

    /** Returns the state of recoveries, this replica's and the others'. */
    public RecoveryReport report(long nowMillis) {
        return new RecoveryReport(own.phase(), own.isForgotten(), own.report(), peers.report(nowMillis));
    }
}
