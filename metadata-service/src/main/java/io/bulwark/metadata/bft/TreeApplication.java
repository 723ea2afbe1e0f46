package io.bulwark.metadata.bft;

import io.bulwark.metadata.ordering.LockTable;
import io.bulwark.metadata.ordering.StateMachine;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.Application;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.state.DamagedPageException;
import io.bulwark.protocol.state.PageBatch;
import io.bulwark.protocol.state.PageStore;
import io.bulwark.protocol.state.StateFetch;
import io.bulwark.protocol.state.StateTree;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state machine with its state in a {@link StateTree}. The replica's thread calls it; pages are written by {@code
 * writer}, in the order in which they are handed over, so that a checkpoint makes no pause.
 */
final class TreeApplication implements Application {
    private static final Logger LOG = LoggerFactory.getLogger(TreeApplication.class);

    /** Key of the engine's own state: no state machine uses it. */
    private static final Bytes ENGINE_KEY = Bytes.of((byte) 0);

    /** About so many bytes of pages are modified, and not written, before they are. */
    private static final long MODIFIED_BYTES_MAX = 16 << 20;

    private final StateMachine.Factory machines;
    private final PageStore store;
    private final long cacheBytesMax;
    private final int checkpointInterval;
    private final Executor writer;
    private final LongConsumer checkpointDurable;
    private final NavigableMap<Long, Bytes> durable = new TreeMap<>();
    private CompletableFuture<?> flushed = CompletableFuture.completedFuture(null);
    private final NavigableMap<Long, Long> commands = new TreeMap<>();
    private long stableCommands;
    private boolean staged;
    private final List<Long> damagedCheckpoints;
    private boolean hasOthers;
    private StateTree tree;
    private StateMachine machine;

    /**
     * @param store pages that were fetched for a checkpoint that never became complete are removed from it
     * @param checkpointInterval a checkpoint is taken at each multiple
     * @param writer one thread
     * @param checkpointDurable receives from the writer which checkpoint is on disk
     */
    TreeApplication(
            StateMachine.Factory machines,
            PageStore store,
            long cacheBytesMax,
            int checkpointInterval,
            Executor writer,
            LongConsumer checkpointDurable) {
        this.machines = machines;
        this.store = store;
        this.cacheBytesMax = cacheBytesMax;
        this.checkpointInterval = checkpointInterval;
        this.writer = writer;
        this.checkpointDurable = checkpointDurable;
        store.write(StateFetch.abandoned(store));
        tree = StateTree.open(store, cacheBytesMax);
        damagedCheckpoints = tree.damagedCheckpoints();
        if (!damagedCheckpoints.isEmpty()) {
            LOG.warn("the records of the checkpoints {} are damaged and were dropped", damagedCheckpoints);
            store.write(new PageBatch(
                    Map.of(), Map.of(), List.of(), Map.of(), Set.copyOf(damagedCheckpoints), false, false));
        }
        boolean isNew = tree.checkpoints().isEmpty();
        machine = machines.over(tree);
        if (isNew) {
            StateTree.Checkpoint first = tree.checkpoint(0);
            store.write(first.batch());
            tree.stored(0);
        }
        durable.putAll(tree.checkpoints());
        // Reads everything that the engine reads as a life begins: damage in it is found here, where no state is needed
        // yet.
        var _ = engineState();
        var _ = machine.nextReplicas();
        hasOthers = last() == 0 && store.digests(Bytes.EMPTY, 2).size() > 1;
    }

    @Override
    public Bytes execute(PrincipalId client, Bytes operation, long agreedMillis) {
        if (tree.modifiedBytes() > MODIFIED_BYTES_MAX) {
            flush();
        }
        tree.begin();
        try {
            return ExecutionResult.done(machine.execute(client, operation, agreedMillis));
        } catch (DamagedPageException e) {
            tree.rollback();
            throw e;
        } catch (RuntimeException e) {
            // Deterministic: the same happens at every replica, and their states stay equal.
            LOG.error("a command of {} failed", client, e);
            tree.rollback();
            return ExecutionResult.failed();
        }
    }

    @Override
    public Bytes query(PrincipalId client, Bytes query) {
        try {
            return ExecutionResult.done(machine.query(client, query));
        } catch (DamagedPageException e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.error("a query of {} failed", client, e);
            return ExecutionResult.failed();
        }
    }

    @Override
    public Optional<List<Member>> nextMembers() {
        return machine.nextReplicas();
    }

    /** Returns the state's proof that an operator has replaced the first configuration by the second. */
    Optional<Bytes> authorization(Configuration ended, Configuration next) {
        try {
            return machine.authorization(ended, next);
        } catch (RuntimeException e) { // The state may be an intruder's here, and not checked yet.
            LOG.warn("the local audit log is damaged: other replicas have to prove the successor of {}", ended, e);
            return Optional.empty();
        }
    }

    @Override
    public void onReconfigured(Configuration now) {
        machine.onReconfigured(now);
    }

    /** Has the modified pages written before their checkpoint; waits while the last time is not done. */
    private void flush() {
        flushed.join();
        PageBatch pages = tree.flush(last() / checkpointInterval * checkpointInterval + checkpointInterval);
        staged = true;
        flushed = CompletableFuture.runAsync(() -> store.write(pages), writer);
    }

    @Override
    public Bytes checkpoint(long sequence, Bytes engineState) {
        tree.put(ENGINE_KEY, engineState);
        StateTree.Checkpoint taken = tree.checkpoint(sequence);
        machine.locks().ifPresent(locks -> commands.put(sequence, locks.view().commands()));
        staged = false;
        writer.execute(() -> {
            store.write(taken.batch());
            checkpointDurable.accept(sequence);
        });
        return taken.digest();
    }

    /** The driver heard, on the replica's thread, that this checkpoint is on disk. */
    void onDurable(long sequence) {
        Bytes digest = tree.checkpoints().get(sequence);
        if (digest != null) {
            tree.stored(sequence);
            durable.put(sequence, digest);
            Long executed = commands.get(sequence);
            stableCommands = executed == null ? stableCommands : executed;
            commands.headMap(sequence, true).clear();
        }
    }

    /**
     * Returns a number of executed commands. No later life begins from a state with fewer, unless its files are damaged:
     * and such a life executes first what the log of promises has.
     */
    long stableCommands() {
        return stableCommands;
    }

    /** Returns the locks in the state, until the state is replaced. */
    Optional<LockTable> locks() {
        return machine.locks();
    }

    @Override
    public void discard(long sequence) {
        for (long older : tree.checkpoints().headMap(sequence).keySet()) {
            durable.remove(older);
            PageBatch removed = tree.discard(older);
            writer.execute(() -> store.write(removed));
        }
    }

    @Override
    public List<Numbered> checkpoints() {
        List<Numbered> numbered = new ArrayList<>();
        durable.forEach((sequence, digest) -> numbered.add(new Numbered(sequence, digest)));
        return numbered;
    }

    @Override
    public Bytes engineState() {
        return tree.get(ENGINE_KEY).orElse(Bytes.EMPTY);
    }

    /** Returns whether a checkpoint's record was damaged when this life began. */
    boolean isDamaged() {
        return !damagedCheckpoints.isEmpty();
    }

    /**
     * Returns whether there are pages of a state whose checkpoint was damaged. They are used for the state that is
     * fetched, and those that do not belong to it are removed.
     */
    boolean hasOthers() {
        return hasOthers;
    }

    /** The number of the last checkpoint that was taken here. */
    long last() {
        return tree.checkpoints().lastKey();
    }

    /** Another state is about to be fetched: what was written for the next checkpoint of this one is removed. */
    void abandon() {
        if (staged) {
            staged = false;
            CompletableFuture.runAsync(() -> store.write(StateFetch.abandoned(store)), writer)
                    .join();
        }
    }

    /** Writes all that was handed over before, then this batch. */
    void write(PageBatch batch) {
        CompletableFuture.runAsync(() -> store.write(batch), writer).join();
    }

    /** The store has got another last checkpoint, which is the state from now on. */
    void reopen() {
        tree = StateTree.open(store, cacheBytesMax);
        machine = machines.over(tree);
        durable.clear();
        durable.putAll(tree.checkpoints());
        commands.clear();
        hasOthers = false;
    }
}
