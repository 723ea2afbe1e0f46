package io.bulwark.protocol.fp;

import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.Outbox;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.epoch.PastRecords;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Server state S_i of one block (thesis figures 4.2.2 and 4.2.3): its state, loaded on demand, and its queue of
 * requests. While a store is in flight the next request waits, so that no answer ever shows a state that is not
 * durable.
 */
final class FpRegister {
    private final FpNode node;
    private final FpRepair repair;
    private final FpPrepare prepare;
    private final OrphanPollAnswers orphanedPrepares;
    private final RepairAnswers repairs;
    private final ReadAnswers reads;
    private final PastRecords pastRecords;
    private final BlockVersions versions = new BlockVersions();
    private final PeerProofs proofs = new PeerProofs();
    private final Deque<LongConsumer> waiting = new ArrayDeque<>();
    private FpGroup group;
    private boolean loaded;
    /** The epoch in which m + f slots are known to have held the latest. */
    private long heldIn;

    private boolean busy;
    private boolean draining;
    /** Number of pending operations that this block waits for; it stays in memory until then. */
    private int awaited;

    FpRegister(FpNode node, FpGroup group) {
        this.node = node;
        this.group = group;
        this.repair = new FpRepair(this, node);
        this.prepare = new FpPrepare(this, node);
        this.orphanedPrepares = new OrphanPollAnswers(this, node);
        this.repairs = new RepairAnswers(this, node);
        this.reads = new ReadAnswers(this);
        this.pastRecords = new PastRecords(
                node.out(),
                node.limits().repairMillis(),
                this::taken,
                () -> this.group.placement().epoch());
        load();
    }

    BlockVersions versions() {
        return versions;
    }

    PeerProofs proofs() {
        return proofs;
    }

    /** Returns whether f + 1 peers have proven it, one of them correct. */
    boolean isProvenByPeers(Timestamp version) {
        return proofs.count(version) > group.f();
    }

    FpGroup group() {
        return group;
    }

    void setGroup(long nowMillis, FpGroup later) {
        if (!later.placement().equals(group.placement())) {
            proofs.clear();
        }
        group = later;
        pastRecords.onGroup();
        drain(nowMillis);
    }

    /** Epoch in which this node took its slot; 0 if it has none. */
    long taken() {
        return node.access().taken(group);
    }

    BlockId block() {
        return group.block();
    }

    FpRepair repair() {
        return repair;
    }

    /** Returns whether this is the current epoch, and the node has a slot in it, and has not sealed it. */
    boolean serves(long epoch) {
        return epoch == group.placement().epoch()
                && group.slotOf(node.self()) >= 0
                && node.access().serves(block(), epoch);
    }

    /** Returns whether its volume is known to be deleted. */
    boolean isGone() {
        return node.access().gone(block().volume());
    }

    /** Returns whether m + f slots held the latest in this epoch, as far as is remembered. */
    boolean isLatestHeldIn(long epoch) {
        return heldIn == epoch;
    }

    /** m + f slots have said in this epoch that they hold it. */
    void held(Timestamp version, long epoch) {
        if (version.equals(versions.latest())) {
            heldIn = epoch;
        }
    }

    /** This node's own slot in this epoch. */
    Target target() {
        return group.target(group.slotOf(node.self()));
    }

    boolean isIdle() {
        boolean free = loaded && !busy && awaited == 0 && waiting.isEmpty();
        return free && !repair.running() && !versions.hasKeptVersions() && !pastRecords.any();
    }

    private void load() {
        node.out().loadMetas(RecordKind.REGISTER_VERSION, group.block(), (now, metas) -> {
            versions.kept().keySet().forEach(this::dropKept);
            versions.clear();
            heldIn = 0;
            pastRecords.loaded();
            List<VersionRecord> past = new ArrayList<>();
            for (Loaded.Meta meta : metas) {
                try {
                    VersionRecord record = VersionRecord.decode(meta.meta());
                    if (pastRecords.isPast(record.taken())) {
                        past.add(record);
                    } else {
                        versions.put(record);
                    }
                } catch (MalformedException e) {
                    // Not written by this code: as if it was lost, which is within what f nodes may do.
                }
            }
            loaded = true;
            // Older versions that a restart left below the latest are not kept for any client.
            for (VersionRecord old : versions.versionsBelow(versions.latest())) {
                versions.keep(old.version(), new BlockVersions.KeptVersion(PrepareTag.REPAIR, now));
                node.keptBy().merge(PrepareTag.REPAIR, 1, Integer::sum);
            }
            clear(past);
            drain(now);
        });
    }

    private void clear(List<VersionRecord> past) {
        List<Mutation> mutations = new ArrayList<>();
        for (VersionRecord record : past) {
            mutations.add(new Mutation.Delete(record.key(block())));
            uncharge(record, mutations);
        }
        busy = pastRecords.clear(mutations, () -> past.forEach(this::onUncharged), later -> {
            busy = false;
            drain(later);
        });
    }

    /** Runs the task once the state is loaded and no store is under way. */
    void enqueue(long nowMillis, LongConsumer task) {
        waiting.add(task);
        drain(nowMillis);
    }

    /** Must be called once, with something from outside this block: if the state was dropped and loaded again, there would be two of it. */
    LongConsumer once(LongConsumer then) {
        awaited++;
        return now -> {
            awaited--;
            then.accept(now);
        };
    }

    void call(long nowMillis, AdmittedRequest call) {
        if (waiting.size() >= node.limits().waitingMax()) {
            refuse(call, FpRefusal.BUSY);
        } else {
            enqueue(nowMillis, now -> handle(now, call));
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
        if (isGone()) {
            refuse(call, FpRefusal.WRONG_SLOT);
            return;
        }
        // The epoch may have changed while the request waited, and its sender been revoked.
        boolean serves = serves(call.request().target().epoch());
        if (!serves || node.access().revoked(call.from())) {
            refuse(call, serves ? FpRefusal.NO_GRANT : FpRefusal.OTHER_EPOCH);
            return;
        }
        switch (call.request()) {
            case FpMessage.Prepare request -> prepare.handle(nowMillis, call, request);
            case FpMessage.Commit request -> onCommit(call, request);
            case FpMessage.FindTimestamp request -> reads.handle(call, request);
            case FpMessage.Read request -> reads.handle(call, request);
            case FpMessage.Repair request -> repairs.handle(nowMillis, call, request);
            case FpMessage.AskRepairMac request -> repairs.handle(nowMillis, call, request);
            case FpMessage.AskLeftover request -> orphanedPrepares.handle(nowMillis, call, request);
        }
    }

    /** Lines 1500 to 1509. */
    private void onCommit(AdmittedRequest call, FpMessage.Commit request) {
        Timestamp version = new Timestamp(request.ts(), request.fpcc());
        FpMessage.Committed done = new FpMessage.Committed(request.target(), version.version());
        if (!version.isAfter(versions.latest())) {
            answer(call, done);
            return;
        }
        // Its peers may have been told that it is not committed here, and have dropped it.
        FpAccess.SessionKey session = new FpAccess.SessionKey(block().volume(), call.from(), request.session());
        if (node.access().isClosing(session)) {
            refuse(call, FpRefusal.SESSION_CLOSED);
            return;
        }
        if (!node.access().isOpen(session)) {
            refuse(call, FpRefusal.BUSY);
            return;
        }
        List<HeldVersion.SlotNonce> nonces = new ArrayList<>();
        if (group.fits(version)) {
            for (FpMessage.PrepareMac prepareMac : request.prepares()) {
                if (verifies(prepareMac, version, call.from(), request.session())) {
                    nonces.add(new HeldVersion.SlotNonce(prepareMac.slot(), prepareMac.nonce()));
                }
            }
        }
        if (nonces.size() < group.policy().writeQuorum()) {
            refuse(call, FpRefusal.PREPARES);
            return;
        }
        commit(
                version,
                nonces,
                call.from(),
                call,
                now -> {
                    answer(call, done);
                    if (!versions.holds(version)) {
                        repair.request(now, node.self(), version, false, later -> {});
                    }
                },
                now -> {});
    }

    /** Line 1501: whether the MAC is that of the slot's holder, for this node, this epoch, this writer and his session. */
    boolean verifies(FpMessage.PrepareMac prepareMac, Timestamp version, PrincipalId writer, long session) {
        if (prepareMac.slot() >= group.n() || taken() == 0) {
            return false;
        }
        Bytes input = PrepareTag.input(
                group.target(prepareMac.slot()), target().slot(), writer, session, version, prepareMac.nonce());
        return node.keys().verify(group.node(prepareMac.slot()), input, prepareMac.mac());
    }

    Bytes nonce(Timestamp version) {
        return PrepareTag.nonce(node.keys(), block(), version);
    }

    /** Lines 1504 to 1507: sets latest; what is below is dropped, but for a few that slow readers may still want. */
    void commit(
            Timestamp version,
            List<HeldVersion.SlotNonce> nonces,
            PrincipalId by,
            @Nullable AdmittedRequest call,
            LongConsumer then,
            LongConsumer failed) {
        long epoch = group.placement().epoch();
        VersionRecord staged = versions.get(version);
        VersionRecord committed = staged == null
                ? new VersionRecord(version, taken(), false, null, by, 0, nonces)
                : staged.withNonces(nonces);
        List<Mutation> mutations = new ArrayList<>();
        mutations.add(
                staged == null
                        ? new Mutation.Put(committed.key(block()), committed.encoded(), Bytes.EMPTY)
                        : new Mutation.UpdateMeta(committed.key(block()), committed.encoded()));
        if (staged != null) {
            uncharge(staged, mutations);
        }
        List<VersionRecord> below = versions.versionsBelow(version);
        List<VersionRecord> keep = new ArrayList<>();
        for (VersionRecord old : below.reversed()) {
            boolean wanted = old.committed() && versions.holds(old.version());
            if (wanted && keep.size() < node.limits().keptPerBlock() && mayKeep(by, keep.size())) {
                keep.add(old);
            } else {
                mutations.add(new Mutation.Delete(old.key(block())));
                if (old.isLurking()) {
                    mutations.add(node.index().overwrite(entry(old.version()), taken()));
                }
                if (!old.isChargedTo(PrepareTag.REPAIR)) {
                    uncharge(old, mutations);
                }
            }
        }
        store(
                mutations,
                call,
                now -> {
                    if (staged != null) {
                        onUncharged(staged);
                    }
                    versions.put(committed);
                    heldIn = epoch;
                    for (VersionRecord old : below) {
                        dropKept(old.version());
                        if (keep.contains(old)) {
                            versions.keep(
                                    old.version(),
                                    new BlockVersions.KeptVersion(
                                            by, now + node.limits().keepMillis()));
                            node.keptBy().merge(by, 1, Integer::sum);
                        } else {
                            if (!old.isChargedTo(PrepareTag.REPAIR)) {
                                onUncharged(old);
                            }
                            versions.remove(old.version());
                        }
                    }
                    then.accept(now);
                },
                failed);
    }

    private boolean mayKeep(PrincipalId by, int more) {
        return node.keptBy().getOrDefault(by, 0) + more < node.limits().stagedPerClient();
    }

    private void dropKept(Timestamp version) {
        BlockVersions.KeptVersion kept = versions.kept().get(version);
        if (kept != null) {
            node.keptBy().merge(kept.chargedTo(), -1, (a, b) -> a + b == 0 ? null : a + b);
        }
    }

    /** Delayed deletion. */
    void onTick(long nowMillis) {
        if (busy || !loaded) {
            return;
        }
        pastRecords.onTick(nowMillis);
        if (pastRecords.isOutdated()) {
            drain(nowMillis);
            return;
        }
        List<Timestamp> over = versions.kept().entrySet().stream()
                .filter(entry -> entry.getValue().untilMillis() <= nowMillis)
                .map(Map.Entry::getKey)
                .toList();
        if (!over.isEmpty()) {
            enqueue(nowMillis, ignored -> drop(over));
        }
    }

    private void drop(List<Timestamp> over) {
        List<VersionRecord> records = new ArrayList<>();
        List<Mutation> mutations = new ArrayList<>();
        for (Timestamp version : over) {
            VersionRecord record = versions.get(version);
            if (record != null) {
                records.add(record);
                mutations.add(new Mutation.Delete(record.key(block())));
                uncharge(record, mutations);
            }
        }
        if (records.isEmpty()) {
            return;
        }
        store(
                mutations,
                null,
                now -> {
                    for (VersionRecord record : records) {
                        dropKept(record.version());
                        onUncharged(record);
                        versions.remove(record.version());
                    }
                },
                now -> {});
    }

    /**
     * Loads this node's holding of a version. If the fragment turns out to be lost, the holding comes without it and a
     * repair begins.
     */
    void hold(VersionRecord record, Outbox.Continuation<HeldVersion> then) {
        Bytes nonceHash = Hashes.sha256(nonce(record.version()));
        boolean known = versions.isDamaged(record.version());
        if (!record.hasFragment() || known) {
            // Not at once: what follows must not run inside the caller's loop.
            awaited++;
            node.out().load(record.key(block()), (now, ignored) -> {
                awaited--;
                then.then(now, new HeldVersion(null, null, nonceHash, record.nonces(), known));
            });
            return;
        }
        awaited++;
        node.out().load(record.key(block()), (now, loadedRecord) -> {
            awaited--;
            if (loadedRecord instanceof Loaded.Found found) {
                then.then(now, new HeldVersion(found.fragment(), record.cc(), nonceHash, record.nonces(), false));
                return;
            }
            boolean here = versions.get(record.version()) != null;
            if (here) {
                damaged(record.version());
            }
            then.then(now, new HeldVersion(null, null, nonceHash, record.nonces(), here));
            if (here && record.version().equals(versions.latest())) {
                repair.request(now, node.self(), record.version(), false, later -> {});
            }
        });
    }

    /** The fragment that is here is not what was stored: it is not served any more. */
    void damaged(Timestamp version) {
        versions.damage(version);
        node.out().evidence(node.self(), block(), Verdict.DAMAGED, "own fragment of ts " + version.ts());
    }

    /** Drops a version that a closed session left and that can never be committed. */
    void dropLeftover(VersionRecord record) {
        if (record.equals(versions.get(record.version())) && record.version().isAfter(versions.latest())) {
            drop(List.of(record.version()));
        }
    }

    /** A change of the durable state: memory follows once it is durable. */
    void store(List<Mutation> mutations, @Nullable AdmittedRequest call, LongConsumer then, LongConsumer failed) {
        busy = true;
        node.out().store(mutations, (now, stored) -> {
            busy = false;
            if (stored == Stored.DURABLE) {
                then.accept(now);
            } else {
                if (stored == Stored.FAILED) {
                    // The content of the device is unknown now; the node promises nothing before it has read the block
                    // again.
                    loaded = false;
                    load();
                }
                if (call != null) {
                    refuse(call, stored == Stored.NO_SPACE ? FpRefusal.NO_SPACE : FpRefusal.DEVICE);
                }
                failed.accept(now);
            }
            drain(now);
        });
    }

    /** Takes a version off its writer's account: the record now, the count once that is durable. */
    void uncharge(VersionRecord record, List<Mutation> mutations) {
        if (record.isChargedTo(record.writer())) {
            mutations.add(node.index().delete(record.writer(), entry(record.version())));
        }
    }

    void onUncharged(VersionRecord record) {
        if (record.isChargedTo(record.writer())) {
            node.index().onRemoved(record.writer(), entry(record.version()));
        }
    }

    StagedIndex.Entry entry(Timestamp version) {
        return new StagedIndex.Entry(block(), version.version());
    }

    void answer(AdmittedRequest call, FpMessage answer) {
        node.out().send(call.from(), call.requestId(), answer);
    }

    void refuse(AdmittedRequest call, FpRefusal refusal) {
        FpMessage.Request asked = call.request();
        long ts = switch (asked) {
            case FpMessage.Prepare request ->
                refusal == FpRefusal.LIMIT && request.ts() == 0
                        ? versions.latest().ts() + 1
                        : request.ts();
            case FpMessage.Commit request -> request.ts();
            case FpMessage.Read request -> request.version().ts();
            default -> 0;
        };
        long epoch = group.placement().epoch();
        answer(call, new FpMessage.Refused(asked.target(), asked.asked(), ts, refusal, epoch));
    }
}
