package io.bulwark.metadata;

import io.bulwark.metadata.log.AppliedLog;
import io.bulwark.metadata.log.SnapshotStore;
import io.bulwark.metadata.ordering.OrderedBatch;
import io.bulwark.protocol.ordering.PeerMessage;
import io.bulwark.protocol.ordering.Position;
import io.bulwark.protocol.ordering.Settlement;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state machine and its state on disk, kept in step. Executed commands are logged, and a snapshot is taken at each
 * multiple of the interval. A restart or a cut rebuilds the state from the last snapshot and the records after it. One
 * thread uses it; another one writes snapshots.
 */
final class ReplicatedState implements Settlement.History, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicatedState.class);

    private final Execution execution;
    private final int snapshotBatches;
    private final SnapshotStore snapshots;
    private final AppliedLog log;
    private final Bytes genesis;
    private boolean lost;
    private final ExecutorService writer = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("bulwark-snapshot").factory());

    private ReplicatedState(
            Execution execution, int snapshotBatches, SnapshotStore snapshots, AppliedLog log, Bytes genesis) {
        this.execution = execution;
        this.snapshotBatches = snapshotBatches;
        this.snapshots = snapshots;
        this.log = log;
        this.genesis = genesis;
    }

    /** Opens what the directory holds, and executes it. */
    static ReplicatedState open(Path directory, int snapshotBatches, Execution execution, Runnable durable)
            throws IOException {
        Bytes genesis = execution.snapshot();
        SnapshotStore snapshots = SnapshotStore.open(directory);
        AppliedLog log = AppliedLog.open(directory, durable);
        ReplicatedState state = new ReplicatedState(execution, snapshotBatches, snapshots, log, genesis);
        state.reconcile();
        state.rebuild();
        return state;
    }

    /**
     * Returns whether something was damaged or missing when it was opened: this replica may have forgotten acknowledged
     * writes.
     */
    boolean damaged() {
        return lost || log.damaged() || snapshots.damaged() > 0;
    }

    @Override
    public Position position() {
        return log.end();
    }

    Position base() {
        return log.base();
    }

    @Override
    public Optional<Bytes> digestAt(long sequence) {
        return log.digestAt(sequence);
    }

    List<Bytes> records(long after) throws IOException {
        return log.read(after);
    }

    SnapshotStore snapshots() {
        return snapshots;
    }

    long durableSequence() {
        return log.durableSequence();
    }

    void flush() throws IOException {
        log.flush();
    }

    /** Logs and executes a batch that has its agreed time; hands on each answer and the batch's sequence. */
    void apply(Bytes batchRecord, BiConsumer<Long, Execution.Answer> answers) throws IOException {
        OrderedBatch batch = OrderedBatch.decode(batchRecord);
        Position position = log.append(batchRecord);
        for (Execution.Answer answer : execution.apply(batch)) {
            answers.accept(position.sequence(), answer);
        }
        if (position.sequence() % snapshotBatches == 0) {
            snapshot(position);
        }
    }

    void cut(long sequence) throws IOException {
        log.truncate(sequence);
        snapshots.dropAfter(sequence);
        rebuild();
    }

    /** Replaces everything by a state that came from peers. */
    void install(Position position, Bytes state) throws IOException {
        snapshots.dropAfter(-1);
        snapshots.write(position, state);
        log.reset(position);
        execution.restore(state);
    }

    @Override
    public void close() throws IOException {
        writer.shutdown();
        boolean interrupted = false;
        while (!writer.isTerminated()) {
            try {
                var _ = writer.awaitTermination(1, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
                break;
            }
        }
        log.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Log and snapshots may not fit each other if one of them was damaged. */
    private void reconcile() throws IOException {
        List<PeerMessage.Snapshot> held = snapshots.held();
        boolean reachesBack =
                log.base().sequence() == 0 || held.stream().anyMatch(snapshot -> isWithin(snapshot.position()));
        if (reachesBack) {
            return;
        }
        if (held.isEmpty()) {
            LOG.error(
                    "no snapshot for the log, which starts after batch {}; the peers supply the whole state",
                    log.base().sequence());
            lost = true;
            log.reset(Position.GENESIS);
        } else {
            log.reset(held.getLast().position());
        }
    }

    private boolean isWithin(Position position) {
        Optional<Bytes> digest = log.digestAt(position.sequence());
        return digest.isPresent() && digest.get().equals(position.digest());
    }

    private void rebuild() throws IOException {
        Position from = Position.GENESIS;
        Bytes state = genesis;
        for (PeerMessage.Snapshot snapshot : snapshots.held()) {
            if (isWithin(snapshot.position())) {
                from = snapshot.position();
                state = snapshots.read(snapshot);
            }
        }
        if (from.sequence() == 0 && log.base().sequence() > 0) {
            throw new IOException("no state for the log, which starts after batch "
                    + log.base().sequence());
        }
        execution.restore(state);
        log.replay(from.sequence(), batchRecord -> {
            var _ = execution.apply(OrderedBatch.decode(batchRecord));
        });
    }

    private void snapshot(Position position) throws IOException {
        Bytes state = execution.snapshot();
        log.roll();
        List<PeerMessage.Snapshot> held = snapshots.held();
        if (!held.isEmpty()) {
            // The log reaches back to the older of the two snapshots that will be there.
            log.dropBefore(held.getLast().position().sequence());
        }
        writer.execute(() -> {
            try {
                snapshots.write(position, state);
            } catch (IOException e) {
                LOG.error("the snapshot at batch {} could not be written", position.sequence(), e);
                throw new UncheckedIOException(e);
            }
        });
    }
}
