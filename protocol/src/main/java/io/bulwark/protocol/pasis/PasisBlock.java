package io.bulwark.protocol.pasis;

import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.Outbox;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.epoch.PastRecords;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Block at one node: its versions, loaded on demand, and its queue of requests. While a store is in flight the next
 * request waits, so that no answer ever shows a state that is not durable.
 */
final class PasisBlock {
    /** A peer's question that waits for a version which is on its way. */
    private record WaitingQuestion(AdmittedRequest call, VersionName awaited, long untilMillis) {}

    private final PasisNode node;
    private final Versions versions = new Versions();
    private final Deque<LongConsumer> waiting = new ArrayDeque<>();
    private final List<WaitingQuestion> held = new ArrayList<>();
    private final BlockWriter writer;
    private final Verifier verifier;
    private final PastRecords pastRecords;
    private PasisGroup group;
    private boolean loaded;
    private boolean busy;
    private boolean draining;
    /** Number of pending results from elsewhere; the block stays in memory until they arrive. */
    private int awaited;

    PasisBlock(PasisNode node, PasisGroup group) {
        this.node = node;
        this.group = group;
        this.writer = new BlockWriter(this, node);
        this.verifier = new Verifier(this, node);
        this.pastRecords = new PastRecords(
                node.out(),
                node.limits().verifyMillis(),
                this::taken,
                () -> this.group.placement().epoch());
        load();
    }

    Versions versions() {
        return versions;
    }

    Verifier verifier() {
        return verifier;
    }

    PasisGroup group() {
        return group;
    }

    void setGroup(long nowMillis, PasisGroup later) {
        boolean opened = later.placement().epoch() != group.placement().epoch();
        group = later;
        pastRecords.onGroup();
        if (opened) {
            verifier.forget();
        }
        drain(nowMillis);
    }

    /** Epoch in which this node took its slot; 0 if it has none. */
    long taken() {
        return node.access().taken(group);
    }

    BlockId block() {
        return group.block();
    }

    /** This node's slot in this epoch, or -1. */
    int slot() {
        return group.slotOf(node.self());
    }

    /** Returns whether this is the current epoch, and the node has a slot in it and has not sealed it. */
    boolean serves(long epoch) {
        return epoch == group.placement().epoch()
                && slot() >= 0
                && node.access().serves(block(), epoch);
    }

    boolean serves(Target target) {
        return serves(target.epoch()) && target.slot() == slot();
    }

    boolean isIdle() {
        boolean free = loaded && !busy && awaited == 0 && waiting.isEmpty();
        return free && held.isEmpty() && !verifier.running() && !pastRecords.any();
    }

    private void load() {
        node.out().loadMetas(RecordKind.PASIS_VERSION, group.block(), (now, metas) -> {
            versions.clear();
            pastRecords.loaded();
            List<Mutation> past = new ArrayList<>();
            List<VersionName> names = new ArrayList<>();
            metas.forEach(record -> take(record, past, names));
            loaded = true;
            clear(past, names);
            drain(now);
        });
    }

    private void take(Loaded.Meta loadedRecord, List<Mutation> past, List<VersionName> names) {
        try {
            if (loadedRecord.key().suffix().isEmpty()) {
                VersionRecord.Floor floor = VersionRecord.Floor.decode(loadedRecord.meta());
                if (pastRecords.isPast(floor.taken())) {
                    past.add(new Mutation.Delete(loadedRecord.key()));
                } else {
                    versions.floor(floor);
                }
                return;
            }
            VersionRecord record = VersionRecord.decode(loadedRecord.meta());
            if (pastRecords.isPast(record.taken())) {
                VersionName name = record.timestamp().name();
                past.add(new Mutation.Delete(loadedRecord.key()));
                past.add(PossibleVersions.delete(block(), name));
                names.add(name);
            } else {
                versions.put(record);
            }
        } catch (MalformedException e) {
            // Not written by this code: as if it was lost, which is within what b nodes may do.
        }
    }

    private void clear(List<Mutation> past, List<VersionName> names) {
        Runnable cleared = () -> names.forEach(name -> node.possible().release(block(), name));
        busy = pastRecords.clear(past, cleared, now -> {
            busy = false;
            tellPossible(now);
            drain(now);
        });
    }

    /** Runs the task once the state is loaded and no store is under way. */
    void enqueue(long nowMillis, LongConsumer task) {
        waiting.add(task);
        drain(nowMillis);
    }

    /**
     * Does the same as {@link #enqueue} for a task that is triggered from elsewhere later; until then the block stays
     * in memory.
     */
    LongConsumer later(LongConsumer task) {
        Outbox.Continuation<Boolean> then = laterWith((now, ignored) -> task.accept(now));
        return now -> then.then(now, true);
    }

    /** Does the same as {@link #later} for a task that takes a result. */
    <T> Outbox.Continuation<T> laterWith(Outbox.Continuation<T> task) {
        awaited++;
        return (now, result) -> {
            awaited--;
            enqueue(now, later -> task.then(later, result));
        };
    }

    void call(long nowMillis, AdmittedRequest call) {
        if (waiting.size() >= node.limits().waitingMax() || !node.waiting().enter(call)) {
            refuse(call, PasisRefusal.BUSY);
        } else {
            enqueue(nowMillis, now -> {
                node.waiting().leave(call);
                handle(now, call);
            });
        }
    }

    /** Never within itself: a request sees no other one's half-made step. */
    private void drain(long nowMillis) {
        if (draining) {
            return;
        }
        draining = true;
        while (loaded && !busy && (pastRecords.isOutdated() || !waiting.isEmpty())) {
            if (pastRecords.isOutdated()) {
                loaded = false;
                load();
            } else {
                waiting.remove().accept(nowMillis);
            }
        }
        draining = false;
    }

    private void handle(long nowMillis, AdmittedRequest call) {
        if (node.access().gone(block().volume())) {
            refuse(call, PasisRefusal.WRONG_SLOT);
            return;
        }
        // The epoch may have changed while the request waited.
        if (!serves(call.request().target())) {
            refuse(call, PasisRefusal.OTHER_EPOCH);
            return;
        }
        switch (call.request()) {
            case PasisMessage.FindTime request -> {
                if (node.access().mayWrite(call.from(), block().volume())) {
                    node.watch().writeBegins(call.from(), block());
                }
                answer(call, new PasisMessage.FoundTime(request.target(), versions.time()));
            }
            case PasisMessage.Write request -> {
                node.watch().writeCame(call.from(), block());
                writer.write(nowMillis, call, request);
            }
            case PasisMessage.Read request -> onRead(nowMillis, call, request);
            case PasisMessage.ReadFragment request -> onReadFragment(call, request);
            case PasisMessage.Repair request -> writer.repair(nowMillis, call, request);
            case PasisMessage.Notify request -> verifier.onNotify(nowMillis, group.slotOf(call.from()), request);
        }
    }

    private void onRead(long nowMillis, AdmittedRequest call, PasisMessage.Read request) {
        VersionName wanted = request.awaited();
        if (wanted != null
                && group.slotOf(call.from()) >= 0
                && !isStoredHere(wanted)
                && held.size() < node.limits().waitingMax()) {
            held.add(new WaitingQuestion(call, wanted, nowMillis + node.limits().awaitMillis()));
            return;
        }
        VersionRecord greatest = versions.get(versions.greatest());
        boolean ask = request.before().isNone()
                && group.slotOf(call.from()) < 0
                && greatest != null
                && !greatest.verified()
                && group.verification() == Verification.LAZY
                && node.watch().mustVerifyBeforeRead(nowMillis, block());
        if (ask && verifier.isPromising(nowMillis) && node.rate().allow(nowMillis, call.from())) {
            LongConsumer then = later(ignored -> history(call, request));
            verifier.request(nowMillis, VerificationGoal.DEMANDED, (now, ignored1, ignored2) -> then.accept(now));
        } else {
            history(call, request);
        }
    }

    private boolean isStoredHere(VersionName wanted) {
        return versions.get(wanted) != null
                || Long.compareUnsigned(wanted.time(), versions.collected().time()) < 0;
    }

    /** Section 4: the version with the greatest logical time before some time, and the history before it. */
    private void history(AdmittedRequest call, PasisMessage.Read request) {
        if (request.before().isNone() && group.slotOf(call.from()) < 0) {
            node.tally().countAnswer(block(), request.withFragment());
        }
        List<VersionRecord> all = versions.history(request.before());
        boolean more = all.size() > PasisMessage.HISTORY_UNIT;
        List<VersionRecord> unit = more ? all.subList(0, PasisMessage.HISTORY_UNIT) : all;
        List<PasisMessage.Entry> entries = unit.stream()
                .map(record -> new PasisMessage.Entry(record.timestamp(), record.verified()))
                .toList();
        ValidatingTimestamp collected = versions.collected();
        if (!request.withFragment() || unit.isEmpty()) {
            answer(call, new PasisMessage.History(request.target(), request.before(), entries, more, collected, null));
            return;
        }
        fragment(unit.getFirst(), (ignored, fragment) -> {
            answer(
                    call,
                    new PasisMessage.History(request.target(), request.before(), entries, more, collected, fragment));
        });
    }

    private void onReadFragment(AdmittedRequest call, PasisMessage.ReadFragment request) {
        VersionRecord record = versions.get(request.version());
        if (record == null) {
            answer(
                    call,
                    new PasisMessage.Fragment(
                            request.target(),
                            request.version(),
                            PasisMessage.Held.NOT_HELD,
                            Bytes.EMPTY,
                            versions.collected()));
            return;
        }
        fragment(record, (ignored, fragment) -> {
            // A version collected during the read is gone: nobody must be accused of losing its fragment.
            boolean gone = fragment == null && versions.get(record.timestamp()) == null;
            PasisMessage.Held how = fragment != null
                    ? PasisMessage.Held.HELD
                    : gone ? PasisMessage.Held.NOT_HELD : PasisMessage.Held.DAMAGED;
            Bytes bytes = fragment == null ? Bytes.EMPTY : fragment;
            answer(
                    call,
                    new PasisMessage.Fragment(request.target(), request.version(), how, bytes, versions.collected()));
        });
    }

    /** Continuation after the reading of a fragment. */
    interface FragmentCallback {
        void then(long nowMillis, @Nullable Bytes fragment);
    }

    /** The fragment of a version, or null; where it turns out to be lost, it is made again. */
    void fragment(VersionRecord record, FragmentCallback then) {
        read(record, (now, fragment, damaged) -> {
            then.then(now, fragment);
            if (damaged) {
                mend(now, record.timestamp());
            }
        });
    }

    /** Continuation after the re-reading of a fragment. */
    interface RereadCallback {
        /**
         * Receives the fragment, or null.
         *
         * @param damaged whether this read found the fragment corrupt
         */
        void then(long nowMillis, @Nullable Bytes fragment, boolean damaged);
    }

    /** Reads the fragment of a version if it matches the cross-checksum. */
    void read(VersionRecord record, RereadCallback then) {
        ValidatingTimestamp version = record.timestamp();
        awaited++;
        node.out().load(record.key(block()), (now, found) -> {
            awaited--;
            Bytes read = found instanceof Loaded.Found whole ? whole.fragment() : null;
            boolean right = read != null && (slot() < 0 || group.accepts(version, slot(), read));
            if (right && !versions.isDamaged(version)) {
                then.then(now, read, false);
                return;
            }
            // A deletion that is under way may already be done.
            boolean fresh = versions.holds(version) && !(busy && found instanceof Loaded.Missing);
            if (fresh) {
                versions.damage(version);
                node.out().evidence(node.self(), block(), Verdict.DAMAGED, "own fragment of " + version);
            }
            then.then(now, null, fresh);
        });
    }

    void onTick(long nowMillis) {
        if (loaded && !busy) {
            pastRecords.onTick(nowMillis);
            drain(nowMillis);
        }
        release(nowMillis, over -> over.untilMillis() <= nowMillis);
    }

    /** Answers those who waited for what is here now. */
    void onArrived(long nowMillis) {
        release(nowMillis, waits -> isStoredHere(waits.awaited()));
    }

    private void release(long nowMillis, Predicate<WaitingQuestion> which) {
        for (WaitingQuestion waits : List.copyOf(held)) {
            if (which.test(waits)) {
                held.remove(waits);
                if (waits.call().request() instanceof PasisMessage.Read request) {
                    enqueue(nowMillis, ignored -> history(waits.call(), request));
                }
            }
        }
    }

    /** A change of the durable state: memory follows once it is durable. */
    void store(List<Mutation> mutations, @Nullable AdmittedRequest call, LongConsumer then, LongConsumer failed) {
        busy = true;
        node.out().store(mutations, (now, stored) -> {
            busy = false;
            if (stored == Stored.DURABLE) {
                then.accept(now);
                tellPossible(now);
            } else {
                if (stored == Stored.FAILED) {
                    // The state on the device is now unknown: nothing is promised before it has been read again.
                    loaded = false;
                    load();
                }
                if (call != null) {
                    refuse(call, stored == Stored.NO_SPACE ? PasisRefusal.NO_SPACE : PasisRefusal.DEVICE);
                }
                failed.accept(now);
            }
            drain(now);
        });
    }

    private void tellPossible(long nowMillis) {
        VerificationCandidates.tell(nowMillis, node, group);
    }

    void answer(AdmittedRequest call, PasisMessage answer) {
        node.out().send(call.from(), call.requestId(), answer);
    }

    void refuse(AdmittedRequest call, PasisRefusal refusal) {
        answer(
                call,
                PasisMessage.Refused.of(
                        call.request(), refusal, group.placement().epoch()));
    }

    /** A complete version is not here, or damaged. */
    void mend(long nowMillis, ValidatingTimestamp version) {
        writer.mend(nowMillis, version, (ignored1, ignored2) -> {});
    }

    /** Works as {@link #mend(long, ValidatingTimestamp)}, and calls then with any result. */
    void mend(long nowMillis, ValidatingTimestamp version, BlockWriter.RepairCallback then) {
        writer.mend(nowMillis, version, then);
    }
}
