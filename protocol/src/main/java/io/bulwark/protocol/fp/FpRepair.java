package io.bulwark.protocol.fp;

import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Share;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * REPAIR of one block at this node (docs/protocols/fp.md): READ without write-back, stage under the writer tag {@code repair},
 * gather m + f repair MACs, and only then COMMIT. One at a time; those who ask meanwhile wait for it, or for the next.
 */
final class FpRepair {
    private static final int OWN_VERSIONS_MAX = 16;
    private static final int ROUNDS_MAX = 3;

    /** Factor of S up to which a block may always stage versions for repairs. */
    private static final long ROOM_FACTOR = 2;

    private final FpRegister register;
    private final FpNode node;
    private final RepairQueue repairQueue;
    private final Map<Timestamp, Share> ownShares = new HashMap<>();
    private boolean running;
    /** True while the repair notifies its waiters, which may then ask for the next one. */
    private boolean ending;
    /** Version under repair: first the requested one, then the one that READ has proven. */
    private @Nullable Timestamp goal;

    private boolean nothing;
    private int rounds;
    /** All of a repair belongs to one epoch. */
    private long epoch;

    FpRepair(FpRegister register, FpNode node) {
        this.register = register;
        this.node = node;
        this.repairQueue = new RepairQueue(node.self(), node.limits().waitingMax());
    }

    boolean running() {
        return running;
    }

    /** Calls when the repair that is under way has ended. */
    void runWhenOver(LongConsumer then) {
        repairQueue.runWhenOver(then);
    }

    /** Returns whether the READ of the last repair found that the block was never written. */
    boolean hasFoundNothing() {
        return nothing;
    }

    /**
     * Runs a repair, joins the current one if it is about the same version, or queues one after it.
     *
     * @param wanted the version that the asker names, a candidate of the READ
     * @param early whether it is enough that READ has proven a version and its fragment is staged
     * @param then called when the repair has reached that stage, or has failed
     * @return false if the asker has asked too often: nothing will be called
     */
    boolean request(long nowMillis, PrincipalId asker, @Nullable Timestamp wanted, boolean early, LongConsumer then) {
        boolean free = canJoin(wanted) || repairQueue.waits(asker, wanted);
        return repairQueue.hasRoom(asker)
                && (free || node.repairRate().allow(nowMillis, asker))
                && take(nowMillis, asker, wanted, early, then);
    }

    /** Requests a repair for this node itself, without a rate limit: it begins only a few at a time. */
    boolean request(long nowMillis, @Nullable Timestamp wanted, boolean early, LongConsumer then) {
        return repairQueue.hasRoom(node.self()) && take(nowMillis, node.self(), wanted, early, then);
    }

    /** Runs a repair for the node itself, unless one for the same will run. */
    void run(long nowMillis, Timestamp wanted) {
        if (!canJoin(wanted) && !repairQueue.waits(node.self(), wanted)) {
            request(nowMillis, node.self(), wanted, false, ignored -> {});
        }
    }

    private boolean canJoin(@Nullable Timestamp wanted) {
        return running && !ending && (wanted == null || wanted.equals(goal));
    }

    private boolean take(
            long nowMillis, PrincipalId asker, @Nullable Timestamp wanted, boolean early, LongConsumer then) {
        if (running && !canJoin(wanted)) {
            return repairQueue.queue(asker, wanted, early, then);
        }
        repairQueue.join(asker, early, then);
        if (!running) {
            start(nowMillis, wanted);
        }
        return true;
    }

    private void start(long nowMillis, @Nullable Timestamp wanted) {
        running = true;
        nothing = false;
        rounds = 0;
        begin(nowMillis, wanted);
    }

    /** Begins a repair with the node's own possible answers: its latest, and each version that it has staged. */
    private void begin(long nowMillis, @Nullable Timestamp wanted) {
        if (!node.index().ready(PrepareTag.REPAIR)) {
            node.index().load(PrepareTag.REPAIR, now -> register.enqueue(now, later -> begin(later, wanted)));
            return;
        }
        rounds++;
        goal = wanted;
        epoch = register.group().placement().epoch();
        if (!register.serves(epoch)) {
            end(nowMillis);
            return;
        }
        ownShares.clear();
        BlockVersions versions = register.versions();
        List<VersionRecord> own = new ArrayList<>(versions.stagedAboveLatest());
        if (own.size() > OWN_VERSIONS_MAX) {
            VersionRecord named = wanted == null ? null : versions.get(wanted);
            own = new ArrayList<>(own.subList(0, OWN_VERSIONS_MAX));
            if (named != null && !own.contains(named)) {
                own.add(named);
            }
        }
        VersionRecord latest = versions.get(versions.latest());
        if (latest != null) {
            own.addFirst(latest);
        }
        List<FpMessage.Answer> answers = new ArrayList<>();
        Target target = register.target();
        if (latest == null) {
            answers.add(new FpMessage.FoundTimestamp(target, Timestamp.NONE, null));
        }
        int[] left = {own.size()};
        for (VersionRecord record : own) {
            register.hold(record, (now, holding) -> {
                FpGroup group = register.group();
                HeldVersion good = holding;
                Share share = holding.share().orElse(null);
                if (share != null && group.code().isShareOf(record.version().written(), target.slot(), share)) {
                    ownShares.put(record.version(), share);
                } else {
                    // Its own answer counts as its slot's, without fragment if that is bad.
                    good = new HeldVersion(null, null, holding.nonceHash(), holding.nonces(), false);
                }
                answers.add(
                        record.committed()
                                ? new FpMessage.FoundTimestamp(target, record.version(), good)
                                : new FpMessage.ReadAnswer(
                                        target,
                                        record.version().version(),
                                        register.versions().latest(),
                                        good));
                if (--left[0] == 0) {
                    read(now, wanted, answers);
                }
            });
        }
        if (own.isEmpty()) {
            read(nowMillis, wanted, answers);
        }
    }

    private void read(long nowMillis, @Nullable Timestamp wanted, List<FpMessage.Answer> own) {
        if (!register.serves(epoch)) {
            end(nowMillis);
            return;
        }
        boolean proven = wanted != null && register.isProvenByPeers(wanted);
        FpRead operation =
                FpRead.forRepair(register.group(), register.target().slot(), wanted, proven, own, node.times());
        node.out().run(operation, (now, outcome) -> {
            if (outcome instanceof FpReadOutcome.Value value) {
                register.versions().prove(value.timestamp());
                goal = value.timestamp();
                repairQueue.joinAll(value.timestamp());
                register.enqueue(now, later -> stage(later, value.timestamp(), value.padded()));
            } else {
                nothing = outcome instanceof FpReadOutcome.NeverWritten;
                end(now);
            }
        });
    }

    /** Stores the fragment that READ gave, unless the local one is right already. */
    private void stage(long nowMillis, Timestamp version, Bytes padded) {
        FpGroup group = register.group();
        BlockVersions versions = register.versions();
        if (!register.serves(epoch) || versions.latest().isAfter(version)) {
            end(nowMillis);
            return;
        }
        int slot = register.target().slot();
        VersionRecord record = versions.get(version);
        Share own = ownShares.get(version);
        boolean good = record != null
                && versions.holds(version)
                && own != null
                && group.code().matches(padded, slot, own.fragment());
        boolean tagged =
                record != null && (record.committed() || record.writer().equals(PrepareTag.REPAIR));
        boolean crowded =
                !tagged && versions.stagedBy(PrepareTag.REPAIR) >= node.limits().stagedPerBlock();
        if (good && record != null && record.isVouchedFor()) {
            staged(nowMillis, version);
            return;
        }
        BlockCode.Staged cut = group.code()
                .acceptBlock(padded, version.written(), slot)
                .orElseThrow(() -> new IllegalStateException("READ returned a block that does not fit " + version));
        if (crowded && record == null) {
            register.proofs().addWithoutRoom(version);
            repairQueue.proven(nowMillis);
            gather(
                    version,
                    (now, macs) -> adoptAtOnce(now, version, cut, macs),
                    now -> adoptBeyondLimit(now, version, cut));
        } else {
            store(version, record, good, crowded, cut, now -> staged(now, version));
        }
    }

    /**
     * Stores a proven version, which leaves its writer's account, so that the closing of the writer's session cannot
     * drop it. In a crowded block a version staged already takes no room of others: it stays on that account, and is
     * kept all the same. Otherwise a writer who has filled the room for proven versions could keep a version from being
     * held by all but f.
     */
    private void store(
            Timestamp version,
            @Nullable VersionRecord record,
            boolean good,
            boolean crowded,
            BlockCode.Staged cut,
            LongConsumer then) {
        VersionRecord next = record == null
                ? new VersionRecord(version, register.taken(), true, cut.cc(), PrepareTag.REPAIR, 0, List.of())
                : good ? record : record.withFragment(cut.cc());
        if (!next.committed()) {
            next = crowded ? next.provenForItsWriter() : next.repaired();
        }
        Mutation change = good
                ? new Mutation.UpdateMeta(next.key(register.block()), next.encoded())
                : new Mutation.Put(next.key(register.block()), next.encoded(), cut.fragment());
        LongConsumer healed = now -> {
            register.versions().heal(version);
            then.accept(now);
        };
        store(record, next, change, healed, this::end);
    }

    /** Keeps a version that this node has vouched for, and removes it from its writer's account. */
    void takeOver(VersionRecord record) {
        VersionRecord taken = record.repaired();
        Mutation change = new Mutation.UpdateMeta(taken.key(register.block()), taken.encoded());
        store(record, taken, change, now -> {}, now -> {});
    }

    /** Stores a version and moves it, if staged, from its present account to that of repairs. */
    private void store(
            @Nullable VersionRecord before,
            VersionRecord next,
            Mutation change,
            LongConsumer then,
            LongConsumer failed) {
        StagedIndex index = node.index();
        StagedIndex.Entry entry = register.entry(next.version());
        boolean moves =
                next.isChargedTo(PrepareTag.REPAIR) && (before == null || !before.isChargedTo(PrepareTag.REPAIR));
        List<Mutation> mutations = new ArrayList<>(List.of(change));
        if (moves) {
            mutations.add(index.put(PrepareTag.REPAIR, 0, entry));
            index.onAdded(PrepareTag.REPAIR, 0, entry);
            if (before != null) {
                register.uncharge(before, mutations);
            }
        }
        register.store(
                mutations,
                null,
                now -> {
                    if (moves && before != null) {
                        register.onUncharged(before);
                    }
                    register.versions().put(next);
                    then.accept(now);
                },
                now -> {
                    if (moves) {
                        index.recheck(now, register, PrepareTag.REPAIR, entry.version());
                    }
                    failed.accept(now);
                });
    }

    private void staged(long nowMillis, Timestamp version) {
        repairQueue.proven(nowMillis);
        if (!register.serves(epoch) || !version.isAfter(register.versions().latest())) {
            end(nowMillis);
            return;
        }
        gather(version, (now, macs) -> adopt(now, version, macs), null);
    }

    /**
     * Stages a version beyond the room. At least m - 1 other correct nodes have proven it, too. So all correct nodes
     * hear of it from f + 1, announce it to all, and exceed their room as well: then m hold it, all others can decode
     * it, and it is committed everywhere. A version that colluders show to fewer nodes never gets this far.
     */
    private void adoptBeyondLimit(long nowMillis, Timestamp version, BlockCode.Staged cut) {
        BlockVersions versions = register.versions();
        boolean room = versions.stagedBy(PrepareTag.REPAIR)
                < ROOM_FACTOR * node.limits().stagedPerBlock();
        if (!room || !register.serves(epoch) || !version.isAfter(versions.latest()) || versions.get(version) != null) {
            end(nowMillis);
            return;
        }
        store(version, null, false, false, cut, now -> staged(now, version));
    }

    /** Takes MACs, as a task of the register. */
    private interface MacTask {
        void go(long nowMillis, List<FpMessage.PrepareMac> macs);
    }

    /** @param backed what to do once all others know it to be proven, if that is enough */
    private void gather(Timestamp version, MacTask then, @Nullable LongConsumer backed) {
        RepairMacs operation = new RepairMacs(
                register.group(),
                register.target().slot(),
                version,
                node.times(),
                prepareMac -> register.verifies(prepareMac, version, PrepareTag.REPAIR, 0),
                repairQueue::hasNextRepair,
                backed != null);
        node.out().run(operation, (now, outcome) -> {
            switch ((RepairMacs.Outcome) outcome) {
                case RepairMacs.Outcome.Gathered gathered ->
                    register.enqueue(now, later -> then.go(later, gathered.prepares()));
                case RepairMacs.Outcome.Superseded overtaken -> {
                    if (rounds < ROUNDS_MAX) {
                        begin(now, overtaken.by());
                    } else {
                        end(now);
                    }
                }
                case RepairMacs.Outcome.Supported ignored -> register.enqueue(now, Objects.requireNonNull(backed));
                case RepairMacs.Outcome.TimedOut ignored -> end(now);
            }
        });
    }

    /**
     * Stages a version for which there is no room, only for as long as its COMMIT takes. If that fails, as the epoch
     * ends or the device fails, the version stays as after a crash: one above S for each such failure, until the next
     * COMMIT of it or above it. An attacker cannot cause such failures at will. The version is proven and held, so its
     * MAC is good; it is not the latest, so it supports no claim.
     */
    private void adoptAtOnce(long nowMillis, Timestamp version, BlockCode.Staged cut, List<FpMessage.PrepareMac> macs) {
        BlockVersions versions = register.versions();
        if (!register.serves(epoch) || !version.isAfter(versions.latest()) || versions.get(version) != null) {
            end(nowMillis);
            return;
        }
        store(version, null, false, false, cut, now -> adopt(now, version, macs));
    }

    /** COMMIT with m + f repair MACs: only now are older versions dropped. */
    private void adopt(long nowMillis, Timestamp version, List<FpMessage.PrepareMac> prepares) {
        // MACs of an older epoch are dead: its nodes may have lost since what they vouched for.
        if (!register.serves(epoch)
                || !version.isAfter(register.versions().latest())
                || !register.versions().holds(version)) {
            end(nowMillis);
            return;
        }
        List<HeldVersion.SlotNonce> nonces = new ArrayList<>();
        prepares.forEach(prepareMac -> nonces.add(new HeldVersion.SlotNonce(prepareMac.slot(), prepareMac.nonce())));
        nonces.add(new HeldVersion.SlotNonce(register.target().slot(), register.nonce(version)));
        nonces.sort((a, b) -> Integer.compare(a.slot(), b.slot()));
        if (nonces.size() < register.group().policy().writeQuorum()) {
            throw new IllegalStateException("adopting with " + nonces.size() + " prepares");
        }
        register.commit(version, nonces, PrepareTag.REPAIR, null, this::end, this::end);
    }

    private void end(long nowMillis) {
        ending = true;
        repairQueue.over(nowMillis);
        ending = false;
        running = repairQueue.hasNextRepair();
        if (running) {
            start(nowMillis, repairQueue.beginNext());
        }
    }
}
