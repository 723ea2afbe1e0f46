package io.bulwark.simulation.locking;

import io.bulwark.protocol.bucket.SessionCommands;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.locking.HolderOperation;
import io.bulwark.protocol.locking.LogEntry;
import io.bulwark.protocol.locking.LogHolder;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A correct client with locks, as the SDK has it: what lies in its subtrees goes to its log, all else is ordered. What
 * others hold is asked for again until their log is closed.
 *
 * <pre>
 * state    locks                  then
 * free     none; all is ordered   lock: locking
 * locking  asked for              granted: open; refused: free
 * open     held; a log takes      release, or the servers refuse it: closing
 * closing  until the outcome of   free
 *          the log is known
 * </pre>
 */
final class LockClient {
    private static final Timeouts TIMES = new Timeouts(150, 500, 3_000, 10_000);
    private static final int AGAIN_MILLIS = 100;

    /** After so long without the outcome of a log, what has no reply keeps an unknown one. */
    private static final long OUTCOME_MILLIS_MAX = 20_000;

    private final Party party;
    private final Bytes cluster;
    private final int volume;
    private final LockInvariants invariants;
    private OrderedSession ordered;
    private OrderedSession holding;
    private State state = State.FREE;
    private List<Subtree> subtrees = List.of();
    private @Nullable OpenLog log;
    private final List<Runnable> whenLocked = new ArrayList<>();
    private final List<Runnable> whenFree = new ArrayList<>();
    private final List<Consumer<Optional<Reply.LogOutcome>>> whenClosed = new ArrayList<>();

    private enum State {
        FREE,
        LOCKING,
        OPEN,
        CLOSING
    }

    private record OpenLog(LogId id, HolderOperation operation) {}

    /** @param volume of all names */
    LockClient(Party party, Bytes cluster, int volume, LockInvariants invariants) {
        this.party = party;
        this.cluster = cluster;
        this.volume = volume;
        this.invariants = invariants;
        ordered = new OrderedSession(party, volume);
        holding = new OrderedSession(party, volume);
        party.regularly(this::renew);
    }

    Party party() {
        return party;
    }

    private void renew() {
        ordered.renew();
        holding.renew();
        if (ordered.isLost()) {
            ordered = new OrderedSession(party, volume);
        }
    }

    /** Asks for locks, unless it has some. */
    void lock(List<Subtree> wanted) {
        if (state != State.FREE) {
            return;
        }
        state = State.LOCKING;
        if (holding.isLost()) {
            holding = new OrderedSession(party, volume);
        }
        HolderKey key = new HolderKey(party.random().nextLong());
        holding.submit(new Command.Lock(wanted, key.named()), reply -> {
            if (reply instanceof Reply.Locked locked) {
                open(locked.log(), wanted, key);
            } else {
                free();
            }
        });
    }

    private void open(LogId id, List<Subtree> wanted, HolderKey key) {
        invariants.begun(id);
        LogHolder holder = new LogHolder(new LogHolder.Terms(cluster, id, party.replicas()), key::sign, TIMES);
        HolderOperation operation = new HolderOperation(holder);
        log = new OpenLog(id, operation);
        subtrees = wanted;
        state = State.OPEN;
        party.run(operation, reason -> onEnded(id));
        runAll(whenLocked);
        if (!whenFree.isEmpty()) {
            release(() -> {});
        }
    }

    private static void runAll(List<Runnable> waiting) {
        List<Runnable> now = List.copyOf(waiting);
        waiting.clear();
        now.forEach(Runnable::run);
    }

    /** The log has ended: by itself, or since the servers refuse it. */
    private void onEnded(LogId id) {
        state = State.CLOSING;
        log = null;
        holding.submit(
                new Command.Unlock(),
                reply -> outcome(id, outcome -> {
                    List<Consumer<Optional<Reply.LogOutcome>>> waiting = List.copyOf(whenClosed);
                    whenClosed.clear();
                    waiting.forEach(then -> then.accept(outcome));
                    free();
                }));
    }

    private void free() {
        state = State.FREE;
        subtrees = List.of();
        runAll(whenLocked);
        runAll(whenFree);
    }

    /** Gives all locks up, and continues then. */
    void release(Runnable then) {
        if (state == State.FREE) {
            then.run();
            return;
        }
        whenFree.add(then);
        if (log != null) {
            log.operation.stop();
        }
    }

    /** Sends a request about names of a bucket. The reply is empty if it will never be known. */
    void request(String bucket, NameRequest request, Consumer<Optional<Reply>> then) {
        if (party.isDead()) {
            return;
        }
        if (state == State.LOCKING) {
            whenLocked.add(() -> request(bucket, request, then));
            return;
        }
        List<Subtree> names = request.names(bucket);
        request.command(bucket, volume).ifPresent(command -> change(command, names, then));
        request.query(bucket).ifPresent(query -> read(query, names, then));
    }

    private void change(Command command, List<Subtree> names, Consumer<Optional<Reply>> then) {
        OpenLog open = holds(names) ? log : null;
        if (open == null) {
            order(command, names, then);
            return;
        }
        LogEntry entry = new LogEntry(party.nowMillis(), Optional.empty(), command.encoded());
        open.operation.append(entry, result -> {
            switch (result) {
                case HolderOperation.Result.Answered answered -> {
                    invariants.acknowledged(open.id, answered.number(), answered.reply());
                    Reply reply = Reply.decode(answered.reply());
                    if (isFailed(reply, MetadataError.LOG_EXHAUSTED) || isFailed(reply, MetadataError.NOT_LOCKABLE)) {
                        order(command, names, then);
                    } else {
                        then.accept(Optional.of(reply));
                    }
                }
                // The outcome is asked for once: the next LOCK of the session ends it.
                case HolderOperation.Result.Outstanding outstanding ->
                    whenClosed.add(outcome -> {
                        if (outcome.isEmpty()) {
                            then.accept(Optional.empty());
                        } else if (outstanding.number() > outcome.get().length()) {
                            order(command, names, then);
                        } else {
                            then.accept(Optional.of(replyOf(outcome.get(), outstanding.number())));
                        }
                    });
                case HolderOperation.Result.NotTaken ignored -> order(command, names, then);
            }
        });
    }

    private static Reply replyOf(Reply.LogOutcome outcome, long number) {
        return Reply.decode(outcome.replies().get((int) (number - outcome.first())));
    }

    private void outcome(LogId id, Consumer<Optional<Reply.LogOutcome>> then) {
        outcome(id, party.nowMillis() + OUTCOME_MILLIS_MAX, then);
    }

    private void outcome(LogId id, long untilMillis, Consumer<Optional<Reply.LogOutcome>> then) {
        party.ask(new Query.LogOutcome(id.session(), id.lock(), 1), reply -> {
            if (reply instanceof Reply.LogOutcome outcome) {
                then.accept(Optional.of(outcome));
            } else if (holding.isLost() && party.nowMillis() > untilMillis) {
                then.accept(Optional.empty());
            } else {
                if (party.nowMillis() > untilMillis) {
                    holding.submit(new Command.RenewSession(), ignored -> {}); // Shows whether the session is there.
                }
                party.later(AGAIN_MILLIS, () -> outcome(id, untilMillis, then));
            }
        });
    }

    /** Has a command ordered, once no log of this client or of others is in its way. */
    private void order(Command command, List<Subtree> names, Consumer<Optional<Reply>> then) {
        if (state == State.LOCKING) {
            whenLocked.add(() -> change(command, names, then));
            return;
        }
        if (overlaps(names)) {
            release(() -> order(command, names, then));
            return;
        }
        OrderedSession session = ordered;
        session.submit(command, reply -> {
            boolean isLost = reply instanceof Reply.Failed failed && SessionCommands.isLost(failed);
            if (reply instanceof Reply.Failed failed && SessionCommands.mayBeExecuted(failed)) {
                then.accept(Optional.empty());
            } else if (isLost || isFailed(reply, MetadataError.LOCKED)) {
                party.later(againMillis(), () -> order(command, names, then));
            } else {
                then.accept(Optional.of(reply));
            }
        });
    }

    private long againMillis() {
        return 1L + party.random().nextInt(AGAIN_MILLIS);
    }

    private void read(Query query, List<Subtree> names, Consumer<Optional<Reply>> then) {
        OpenLog open = holds(names) ? log : null;
        if (open != null) {
            open.operation.read(Optional.empty(), query.encoded(), result -> {
                if (result instanceof HolderOperation.Result.Answered answered) {
                    then.accept(Optional.of(Reply.decode(answered.reply())));
                } else {
                    readOrdered(query, names, then);
                }
            });
        } else {
            readOrdered(query, names, then);
        }
    }

    private void readOrdered(Query query, List<Subtree> names, Consumer<Optional<Reply>> then) {
        if (state == State.LOCKING) {
            whenLocked.add(() -> read(query, names, then));
            return;
        }
        if (overlaps(names)) {
            release(() -> readOrdered(query, names, then));
            return;
        }
        party.ask(query, reply -> {
            if (isFailed(reply, MetadataError.LOCKED)) {
                ordered.submit(
                        new Command.OpenRound(names.getFirst()),
                        ignored -> party.later(againMillis(), () -> readOrdered(query, names, then)));
            } else {
                then.accept(Optional.of(reply));
            }
        });
    }

    private boolean holds(List<Subtree> names) {
        return state == State.OPEN
                && names.stream()
                        .allMatch(name ->
                                subtrees.stream().anyMatch(subtree -> subtree.contains(name.bucket(), name.prefix())));
    }

    /** Returns whether a lock of this client is in the way. */
    private boolean overlaps(List<Subtree> names) {
        return state != State.FREE
                && names.stream().anyMatch(name -> subtrees.stream().anyMatch(name::overlaps));
    }

    private static boolean isFailed(Reply reply, MetadataError error) {
        return reply instanceof Reply.Failed failed && failed.error() == error;
    }
}
