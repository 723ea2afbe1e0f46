package io.bulwark.protocol.extent;

import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.extent.ExtentCoding.Accepted;
import io.bulwark.protocol.extent.ExtentRecord.DamagedRecord;
import io.bulwark.protocol.extent.ExtentRecord.HeldExtent;
import io.bulwark.protocol.extent.ExtentRecord.Poisonous;
import io.bulwark.protocol.extent.ExtentRecord.WantedExtent;
import io.bulwark.protocol.extent.ExtentSessions.Session;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Extents on a node's disk, changed by one task at a time for each. The metadata of those in use is kept in memory; the
 * least recently used are dropped.
 */
final class ExtentBlocks {
    private static final int KEPT_MAX = 4096;
    /** Size of a record beside its fragment. */
    private static final int RECORD_BYTES = 512;

    /** Goes on with a value. */
    interface ValueContinuation<T extends @Nullable Object> {
        void run(ServerCall turn, T value);
    }

    /**
     * Fragment that STORE, STORE_BLOCK or SUPPLY asks the node to keep; empty if it is not consistent with the
     * checksum.
     */
    interface Proposal {
        PrincipalId sender();

        /**
         * Returns whether it comes from a reader. A reader need not own the extent, so a closed session is no reason
         * for a refusal.
         */
        boolean supplied();

        Checksum checksum();

        Optional<Accepted> check();
    }

    /** Part of a record that a read returns. */
    enum ReadDepth {
        RECORD,
        /** With the fragment that the store returns: its checksum is right, so it is what was stored. */
        FRAGMENT,
        /** With the fragment, whose hash is compared with that under which it was stored. */
        HASHED_FRAGMENT
    }

    /** Result of a read; without a fragment if it is damaged or was not requested. */
    record Content(Optional<ExtentRecord> record, @Nullable Bytes fragment) {}

    private static final class RecentBlocks<V> extends LinkedHashMap<BlockId, V> {
        private static final long serialVersionUID = 1L;

        RecentBlocks() {
            super(64, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<BlockId, V> eldest) {
            return size() > KEPT_MAX;
        }
    }

    /** Tells which epochs this node serves. */
    interface Epochs {
        boolean serves(BlockId block, long epoch);
    }

    private final Continuations continuations;
    private final StorageQuota quota;
    private final Epochs epochs;
    private final SenderPenalties penalties = new SenderPenalties();
    private final BlockQueues queues = new BlockQueues();
    private final RecentBlocks<Optional<ExtentRecord>> records = new RecentBlocks<>();
    /** Pins that 2f+1 replicas named lately: from then on only that version counts. */
    private final RecentBlocks<Bytes> pins = new RecentBlocks<>();

    ExtentBlocks(Continuations continuations, StorageQuota quota, Epochs epochs) {
        this.continuations = continuations;
        this.quota = quota;
        this.epochs = epochs;
    }

    static long size(HeldExtent held) {
        return held.checksum().length() + (long) RECORD_BYTES;
    }

    /** Returns the number of tasks that wait for this extent. */
    int waiting(BlockId block) {
        return queues.waiting(block);
    }

    void learnPin(BlockId block, Bytes pin) {
        pins.put(block, pin);
    }

    /**
     * Reports whether this version is known to be the one of this id, by its pin or a record. Calls with null if
     * nothing is known, neither of this version nor of another.
     */
    void knows(ServerCall turn, BlockId block, Bytes pin, ValueContinuation<@Nullable Boolean> then) {
        Bytes told = pins.get(block);
        if (told != null) {
            then.run(turn, told.equals(pin));
            return;
        }
        read(
                turn,
                block,
                ReadDepth.RECORD,
                (next, content) -> then.run(
                        next,
                        content.record()
                                .map(known -> switch (known) {
                                    case HeldExtent held -> held.is(pin);
                                    case WantedExtent wanted -> wanted.pin().equals(pin);
                                    case Poisonous ignored -> false;
                                    case DamagedRecord ignored -> false;
                                })
                                .orElse(null)));
    }

    /** Keeps a fragment, unless another version was ever stored. Calls with null for OK. */
    void store(
            ServerCall turn,
            BlockId block,
            Session session,
            long epoch,
            int slot,
            Proposal proposal,
            ValueContinuation<@Nullable StoreRefusal> then) {
        session.users++;
        queues.add(turn, block, (start, done) -> {
            ValueContinuation<@Nullable StoreRefusal> end = (next, refusal) -> {
                session.users--;
                then.run(next, refusal);
                done.done(next);
            };
            withRecord(start, block, (next, known) -> {
                // The epoch may have ended since it was asked: in the next one this node has perhaps said that it has
                // nothing.
                StoreRefusal refusal = epochs.serves(block, epoch)
                        ? refusal(block, session, known, proposal)
                        : StoreRefusal.WRONG_EPOCH;
                Optional<HeldExtent> here =
                        known.filter(HeldExtent.class::isInstance).map(HeldExtent.class::cast);
                if (refusal != null || here.filter(held -> held.slot() == slot).isPresent()) {
                    end.run(next, refusal);
                    return;
                }
                if (penalties.isBarred(next.nowMillis(), proposal.sender())) {
                    end.run(next, StoreRefusal.LIMIT);
                    return;
                }
                Optional<Accepted> accepted = proposal.check();
                if (accepted.isEmpty()) {
                    penalties.strike(next.nowMillis(), proposal.sender());
                    end.run(next, StoreRefusal.INCONSISTENT);
                    return;
                }
                // A fragment of a slot that this node had once is none of this one: the other takes its place, and its
                // charge.
                boolean charged = here.filter(held -> !held.referenced()).isPresent();
                boolean referenced = (known.isPresent() && !charged)
                        || pins.containsKey(block)
                        || session.pending(block)
                        || session.closed();
                HeldExtent fresh = new HeldExtent(
                        epoch, slot, referenced, accepted.get().verified(), stage(known), proposal.checksum());
                if (charged) {
                    release(block, known);
                }
                if (!referenced && !quota.charge(block, size(fresh))) {
                    end.run(next, StoreRefusal.LIMIT);
                    return;
                }
                put(next, block, session, fresh, accepted.get().fragment(), proposal, end);
            });
        });
    }

    /** Returns the reason against storing this version, as far as records and facts show one. */
    private @Nullable StoreRefusal refusal(
            BlockId block, Session session, Optional<ExtentRecord> known, Proposal proposal) {
        Checksum checksum = proposal.checksum();
        Bytes pin = pins.get(block);
        if (session.isFreed(block)) {
            return StoreRefusal.FREED;
        }
        if (session.closed() && !proposal.supplied()) {
            return StoreRefusal.SESSION_CLOSED;
        }
        if (proposal.supplied() && session.forgotten() && pin == null) {
            return StoreRefusal.UNREFERENCED;
        }
        if (pin != null && !pin.equals(checksum.pin())) {
            return StoreRefusal.OTHER_CONTENT;
        }
        if (known.isEmpty()) {
            return null;
        }
        boolean same = switch (known.get()) {
            case HeldExtent held -> held.is(checksum.pin());
            case WantedExtent wanted -> wanted.pin().equals(checksum.pin());
            case Poisonous ignored -> false;
            case DamagedRecord ignored -> false;
        };
        return same ? null : StoreRefusal.OTHER_CONTENT;
    }

    private void put(
            ServerCall turn,
            BlockId block,
            Session session,
            HeldExtent fresh,
            Bytes fragment,
            Proposal proposal,
            ValueContinuation<@Nullable StoreRefusal> end) {
        Mutation put = new Mutation.Put(ExtentRecord.key(block), fresh.encoded(block), fragment);
        continuations.store(turn, put, (next, stored) -> {
            if (stored != Stored.DURABLE) {
                records.remove(block);
                release(block, Optional.of(fresh));
                end.run(next, stored == Stored.NO_SPACE ? StoreRefusal.NO_SPACE : StoreRefusal.DEVICE_FAILED);
                return;
            }
            records.put(block, Optional.of(fresh));
            // "Freed" and "closed" may have been told while the disk was at it.
            if (session.isFreed(block)) {
                delete(next, session, block, Optional.of(fresh), after -> end.run(after, StoreRefusal.FREED));
            } else {
                end.run(next, refusal(block, session, Optional.of(fresh), proposal));
            }
        });
    }

    /** Reads as much of a record as is wanted. */
    void read(ServerCall turn, BlockId block, ReadDepth depth, ValueContinuation<Content> then) {
        queues.add(turn, block, (start, done) -> {
            ValueContinuation<Content> end = (next, content) -> {
                then.run(next, content);
                done.done(next);
            };
            if (depth == ReadDepth.RECORD) {
                withRecord(start, block, (next, known) -> end.run(next, new Content(known, null)));
                return;
            }
            continuations.load(
                    start,
                    ExtentRecord.key(block),
                    (next, loaded) -> end.run(
                            next,
                            switch (loaded) {
                                case Loaded.Found found ->
                                    checked(ExtentRecord.decode(block, found.meta()), found.fragment(), depth);
                                case Loaded.Damaged damaged ->
                                    new Content(Optional.of(ExtentRecord.decode(block, damaged.meta())), null);
                                case Loaded.Missing ignored -> new Content(Optional.empty(), null);
                                case Loaded.Metas ignored -> new Content(Optional.empty(), null);
                            }));
        });
    }

    private static Content checked(ExtentRecord record, Bytes fragment, ReadDepth depth) {
        boolean good = record instanceof HeldExtent held
                && (depth == ReadDepth.HASHED_FRAGMENT ? held.matches(fragment) : held.fits(fragment));
        return new Content(Optional.of(record), good ? fragment : null);
    }

    /** Marks the extent as referenced by a pending upload: its owner is charged no longer. */
    void reference(ServerCall turn, Session session, BlockId block, BlockQueues.CompletionCallback then) {
        reference(turn, block, null, then);
    }

    /**
     * Marks the version as referenced: its owner is charged no longer.
     *
     * @param pin null for whatever version is here
     */
    void reference(ServerCall turn, BlockId block, @Nullable Bytes pin, BlockQueues.CompletionCallback then) {
        update(
                turn,
                block,
                known -> known instanceof HeldExtent held && (pin == null || held.is(pin)) && !held.referenced()
                        ? held.asReferenced()
                        : null,
                then);
    }

    /** The version was found valid. */
    void verified(ServerCall turn, BlockId block, Bytes pin, BlockQueues.CompletionCallback then) {
        update(
                turn,
                block,
                known ->
                        known instanceof HeldExtent held && held.is(pin) && !held.verified() ? held.asVerified() : null,
                then);
    }

    /** The version has reached a stage of its delivery. */
    void advance(ServerCall turn, BlockId block, Bytes pin, Delivery stage, BlockQueues.CompletionCallback then) {
        update(
                turn,
                block,
                known -> known instanceof HeldExtent held
                                && held.is(pin)
                                && held.delivery().compareTo(stage) < 0
                        ? held.at(stage)
                        : null,
                then);
    }

    /** No block encodes to this version: its fragment goes, and only that is remembered. */
    void poisonous(
            ServerCall turn, BlockId block, Session session, Poisonous poisonous, BlockQueues.CompletionCallback then) {
        updateUnlessFreed(
                turn,
                block,
                session,
                known -> known instanceof HeldExtent held && !held.is(poisonous.pin()) ? null : poisonous,
                then);
    }

    /** Drops a version other than the referenced one; the record in its place refuses it for ever. */
    void want(
            ServerCall turn, BlockId block, Session session, WantedExtent wanted, BlockQueues.CompletionCallback then) {
        updateUnlessFreed(
                turn,
                block,
                session,
                known -> {
                    boolean other = switch (known) {
                        case HeldExtent held -> !held.is(wanted.pin());
                        case Poisonous poisonous -> !poisonous.pin().equals(wanted.pin());
                        case DamagedRecord ignored -> true;
                        case WantedExtent ignored -> false;
                        case null -> false;
                    };
                    return other ? wanted : null;
                },
                then);
    }

    /** The record that takes the place of what is here, if anything is; null if nothing changes. */
    private interface NextRecord {
        @Nullable
        ExtentRecord after(@Nullable ExtentRecord known);
    }

    /** Replaces the record of a block; if its version stays, the fragment stays, too. */
    private void update(ServerCall turn, BlockId block, NextRecord next, BlockQueues.CompletionCallback then) {
        queues.add(
                turn,
                block,
                (start, done) -> withRecord(start, block, (loaded, known) -> {
                    BlockQueues.CompletionCallback end = after -> {
                        then.done(after);
                        done.done(after);
                    };
                    ExtentRecord fresh = next.after(known.orElse(null));
                    if (fresh == null) {
                        end.done(loaded);
                        return;
                    }
                    Mutation mutation = fresh instanceof HeldExtent
                            ? new Mutation.UpdateMeta(ExtentRecord.key(block), fresh.encoded(block))
                            : new Mutation.Put(ExtentRecord.key(block), fresh.encoded(block), Bytes.EMPTY);
                    continuations.store(loaded, mutation, (after, stored) -> {
                        if (stored == Stored.DURABLE) {
                            if (!(fresh instanceof HeldExtent held) || held.referenced()) {
                                release(block, known);
                            }
                            records.put(block, Optional.of(fresh));
                        }
                        end.done(after);
                    });
                }));
    }

    /**
     * Updates a record unless the block was freed before or is freed during the disk operation: then nothing stays here
     * that nobody ever deletes.
     */
    private void updateUnlessFreed(
            ServerCall turn, BlockId block, Session session, NextRecord next, BlockQueues.CompletionCallback then) {
        session.users++;
        BlockQueues.CompletionCallback end = after -> {
            session.users--;
            then.done(after);
        };
        update(turn, block, known -> session.isFreed(block) ? null : next.after(known), after -> {
            if (session.isFreed(block)) {
                discard(after, session, block, end);
            } else {
                end.done(after);
            }
        });
    }

    /** Keeps what repair made of the version; calls with what became of it. */
    void adopt(
            ServerCall turn,
            BlockId block,
            Session session,
            HeldExtent repaired,
            Bytes fragment,
            ValueContinuation<CompletionResult> then) {
        session.users++;
        queues.add(turn, block, (start, done) -> {
            ValueContinuation<CompletionResult> end = (next, result) -> {
                session.users--;
                then.run(next, result);
                done.done(next);
            };
            withRecord(start, block, (next, known) -> {
                Bytes pin = pins.get(block);
                boolean same = known.isEmpty()
                        || (known.get() instanceof HeldExtent held
                                && held.is(repaired.checksum().pin()))
                        || (known.get() instanceof WantedExtent wanted
                                && wanted.pin().equals(repaired.checksum().pin()));
                if (session.isFreed(block)) {
                    end.run(next, CompletionResult.FREED);
                } else if (!epochs.serves(block, repaired.epoch())) {
                    end.run(next, CompletionResult.UNAVAILABLE);
                } else if (!same || (pin != null && !repaired.is(pin))) {
                    end.run(next, CompletionResult.REFUSED);
                } else {
                    boolean was = known.isPresent() && known.get() instanceof HeldExtent;
                    boolean charged = was && !((HeldExtent) known.get()).referenced() && repaired.referenced();
                    HeldExtent made = repaired.at(stage(known));
                    Mutation put = new Mutation.Put(ExtentRecord.key(block), made.encoded(block), fragment);
                    continuations.store(next, put, (after, stored) -> {
                        if (stored == Stored.DURABLE && charged) {
                            release(block, known);
                        }
                        onAdopted(after, block, session, made, stored, was, end);
                    });
                }
            });
        });
    }

    /** The node takes back nothing that it has said of the version. */
    private static Delivery stage(Optional<ExtentRecord> known) {
        return known.isPresent() && known.get() instanceof HeldExtent held ? held.delivery() : Delivery.STORED;
    }

    private void onAdopted(
            ServerCall turn,
            BlockId block,
            Session session,
            HeldExtent repaired,
            Stored stored,
            boolean was,
            ValueContinuation<CompletionResult> end) {
        if (stored != Stored.DURABLE) {
            records.remove(block);
            end.run(turn, CompletionResult.NO_SPACE);
            return;
        }
        records.put(block, Optional.of(repaired));
        if (session.isFreed(block)) {
            delete(turn, session, block, Optional.of(repaired), after -> end.run(after, CompletionResult.FREED));
        } else {
            end.run(turn, was ? CompletionResult.REPAIRED : CompletionResult.COMPLETED);
        }
    }

    /** Removes a freed extent. */
    void discard(ServerCall turn, Session session, BlockId block, BlockQueues.CompletionCallback then) {
        queues.add(
                turn,
                block,
                (start, done) -> withRecord(
                        start,
                        block,
                        (next, known) -> delete(next, session, block, known, after -> {
                            then.done(after);
                            done.done(after);
                        })));
    }

    private void delete(
            ServerCall turn,
            Session session,
            BlockId block,
            Optional<ExtentRecord> known,
            BlockQueues.CompletionCallback then) {
        continuations.store(turn, new Mutation.Delete(ExtentRecord.key(block)), (next, stored) -> {
            if (stored == Stored.DURABLE) {
                release(block, known);
                records.put(block, Optional.empty());
                pins.remove(block);
            } else {
                records.remove(block);
                session.onDeleteFailed(block);
            }
            then.done(next);
        });
    }

    private void release(BlockId block, Optional<ExtentRecord> known) {
        if (known.isPresent() && known.get() instanceof HeldExtent held && !held.referenced()) {
            quota.release(block, size(held));
        }
    }

    private void withRecord(ServerCall turn, BlockId block, ValueContinuation<Optional<ExtentRecord>> then) {
        Optional<ExtentRecord> known = records.get(block);
        if (known != null) {
            then.run(turn, known);
            return;
        }
        continuations.loadMeta(turn, ExtentRecord.key(block), (next, metas) -> {
            Optional<ExtentRecord> loaded =
                    metas.records().stream().findFirst().map(meta -> ExtentRecord.decode(block, meta.meta()));
            records.put(block, loaded);
            then.run(next, loaded);
        });
    }
}
