package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.log.Slot;
import io.bulwark.protocol.ordering.log.SlotLog;
import io.bulwark.protocol.ordering.membership.ConfigurationStart;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.DigestView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.ordering.normal.BatchStore;
import io.bulwark.protocol.ordering.view.RecoveredView;
import io.bulwark.protocol.ordering.view.ViewHistory;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * State that results from a replica's records: read at the start, and written as the summary that begins each log
 * segment. A replica uses its own promises and conclusions only.
 */
final class RecoveredLog {
    /** The low water mark of a replica that has forgotten its own; the state there is unknown. */
    static final Numbered NOWHERE = new Numbered(0, Batch.NULL_DIGEST);

    private final List<LogRecord> records;
    private Numbered low;
    private @Nullable ViewChange viewChange;
    private @Nullable NewView newView;
    private LogRecord.Recovery recovery = new LogRecord.Recovery(false, false, 0);

    /**
     * @param term its beginning is the low water mark of a replica that has promised nothing in it
     * @param genesis the first checkpoint here, which is that mark in the first configuration
     */
    RecoveredLog(ConfigurationStart term, StartReason start, List<LogRecord> records, Numbered genesis) {
        this.records = List.copyOf(records);
        Numbered recorded = term.checkpoint();
        low = term.number() == 0 ? genesis : term.checkpoint();
        for (LogRecord record : this.records) {
            switch (record) {
                case LogRecord.Stable stable -> {
                    recorded = new Numbered(stable.sequence(), stable.digest());
                    if (stable.sequence() >= low.sequence()) {
                        low = new Numbered(stable.sequence(), stable.digest());
                    }
                }
                case LogRecord.ViewChange change when change.message().view() < 1 -> {} // none asks for the first
                case LogRecord.ViewChange change -> viewChange = change.message();
                case LogRecord.NewView installed -> newView = installed.message();
                case LogRecord.Recovery found -> recovery = found;
                default -> {}
            }
        }
        if (newView != null && newView.view() > view()) {
            newView = null; // nobody enters a view without a VIEW-CHANGE for it
        }
        if (start != StartReason.NORMAL) {
            boolean forgotten = start == StartReason.FORGOTTEN || (recovery.open() && recovery.forgotten());
            recovery = new LogRecord.Recovery(true, forgotten, recovery.floor());
        }
        if (recovery.open() && recovery.forgotten()) {
            // The beginning of the log is lost, too, until a certificate since then has confirmed it.
            low = recorded;
        }
    }

    /** Returns the current recovery, and the floor of earlier ones. */
    LogRecord.Recovery recovery() {
        return recovery;
    }

    Numbered low() {
        return low;
    }

    /** The view changes that the disk had. */
    RecoveredView views() {
        return new RecoveredView(viewChange, newView);
    }

    /** The view that the replica is in, or asks for. */
    long view() {
        return viewChange == null ? 0 : viewChange.view();
    }

    boolean isActive() {
        return viewChange == null || (newView != null && newView.view() == viewChange.view());
    }

    /**
     * P and Q.
     *
     * @param end the high water mark h + L
     */
    void restore(ViewHistory history, long end) {
        for (LogRecord record : records) {
            switch (record) {
                case LogRecord.Prepare prepare
                when isPossible(prepare.sequence(), prepare.view(), end) ->
                    history.prePrepared(prepare.sequence(), prepare.digest(), prepare.view());
                case LogRecord.Commit commit
                when isPossible(commit.sequence(), commit.view(), end) ->
                    history.prepared(commit.sequence(), commit.digest(), commit.view());
                default -> {}
            }
        }
    }

    /**
     * A vote that a replica can have given with this log: it comes to a view before it votes there, and no further than
     * h + L.
     */
    private boolean isPossible(long sequence, long view, long end) {
        return view <= view() && !isBeyond(sequence, end);
    }

    /**
     * Returns whether the number is beyond the limit during a recovery. A recovering replica may have a log that others
     * have written; in any other replica a number that is too high is an error.
     */
    private boolean isBeyond(long sequence, long end) {
        return recovery.open() && sequence > end;
    }

    void restore(BatchStore batches) {
        for (LogRecord record : records) {
            if (record instanceof LogRecord.Bodies bodies) {
                batches.restore(bodies);
            }
        }
    }

    /**
     * Restores the slots: learned commits, and promises in the current view. A PREPARE whose bodies are not here binds,
     * but is not repeated before they are: after a power failure perhaps nobody has them.
     *
     * @param batches which have been restored
     * @param self this replica
     * @return the last number of which the disk has a COMMIT or a learned commit: before it is executed nothing is read
     *     here
     */
    long restore(SlotLog log, BatchStore batches, int self) {
        long promised = 0;
        for (LogRecord record : records) {
            switch (record) {
                case LogRecord.Prepare prepare -> {
                    if (isActive() && prepare.view() == view() && log.covers(prepare.sequence())) {
                        Slot slot = log.slot(prepare.sequence());
                        slot.proposed = prepare.digest();
                        if (batches.isComplete(prepare.digest())) {
                            slot.accepted = true;
                            slot.prepares.put(self, prepare.digest());
                        }
                    }
                }
                case LogRecord.Commit commit -> {
                    promised =
                            isBeyond(commit.sequence(), log.end()) ? promised : Math.max(promised, commit.sequence());
                    if (isActive() && commit.view() == view() && log.covers(commit.sequence())) {
                        Slot slot = log.slot(commit.sequence());
                        slot.prepared = true;
                        slot.commits.put(self, commit.digest());
                    }
                }
                case LogRecord.Learned learned -> {
                    promised =
                            isBeyond(learned.sequence(), log.end()) ? promised : Math.max(promised, learned.sequence());
                    if (log.covers(learned.sequence())) {
                        log.slot(learned.sequence()).decided = learned.digest();
                    }
                }
                default -> {}
            }
        }
        return promised;
    }

    /** Records that stand for all before. */
    static List<LogRecord> summary(
            Numbered low,
            @Nullable ViewChange viewChange,
            @Nullable NewView newView,
            List<Numbered> checkpoints,
            SlotLog log,
            ViewHistory history,
            LogRecord.Recovery recovery,
            List<LogRecord> bodies) {
        List<LogRecord> summary = new ArrayList<>();
        summary.add(new LogRecord.Stable(low.sequence(), low.digest()));
        if (recovery.open() || recovery.floor() > 0) {
            summary.add(recovery);
        }
        if (viewChange != null) {
            summary.add(new LogRecord.ViewChange(viewChange));
        }
        if (newView != null) {
            summary.add(new LogRecord.NewView(newView));
        }
        for (Numbered checkpoint : checkpoints) {
            summary.add(new LogRecord.Checkpoint(checkpoint.sequence(), checkpoint.digest()));
        }
        summary.addAll(bodies);
        ViewChange told = history.tell(1, List.of());
        for (PrePrepared entry : told.prePrepared()) {
            for (DigestView pair : entry.pairs()) {
                summary.add(new LogRecord.Prepare(pair.view(), entry.sequence(), pair.digest()));
            }
        }
        for (Prepared entry : told.prepared()) {
            summary.add(new LogRecord.Commit(entry.view(), entry.sequence(), entry.digest()));
        }
        for (Slot slot : log.all()) {
            if (slot.decided != null) {
                summary.add(new LogRecord.Learned(slot.sequence, slot.decided));
            }
        }
        return summary;
    }
}
