package io.bulwark.protocol.pasis;

import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.Outbox;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Takes new versions of one block in: from writers, from readers that repair, and from the node's own repair. */
final class BlockWriter {
    private final PasisBlock block;
    private final PasisNode node;
    /** The greatest time that b + 1 of N - b nodes were found to have. */
    private long polledTime;

    BlockWriter(PasisBlock block, PasisNode node) {
        this.block = block;
        this.node = node;
    }

    void write(long nowMillis, AdmittedRequest call, PasisMessage.Write request) {
        ValidatingTimestamp version = request.timestamp();
        Versions versions = block.versions();
        PasisGroup group = block.group();
        if (node.access().closed(call.from(), block.block(), request.session())) {
            block.refuse(call, PasisRefusal.SESSION_CLOSED);
        } else if (!group.accepts(version, block.slot(), request.fragment())) {
            // Else a writer could make it look as if this node had corrupted its fragment.
            block.refuse(call, PasisRefusal.INCONSISTENT);
        } else if (versions.covers(version)) {
            block.answer(call, new PasisMessage.Written(request.target(), version.name()));
        } else if (versions.isPoisonous(version.name())) {
            block.refuse(call, PasisRefusal.POISONOUS);
        } else if (LogicalTime.far(LogicalTime.later(versions.time(), polledTime), version.time(), LogicalTime.FAR)) {
            far(nowMillis, call);
        } else if (group.verification() == Verification.NONE) {
            replace(call, request);
        } else {
            PasisRefusal bound = versions.get(version) == null ? bound(call.from(), request.fragment()) : null;
            if (bound == null) {
                keep(call, request);
            } else {
                makeRoom(nowMillis, call, bound);
            }
        }
    }

    /** Refuses a time as FAR only if it is so for the others, too: a complete version is at b + 1 of N - b nodes. */
    private void far(long nowMillis, AdmittedRequest call) {
        if (call.polled()) {
            block.refuse(call, PasisRefusal.FAR);
        } else if (!node.rate().allow(nowMillis, call.from()) || !node.waiting().enter(call)) {
            block.refuse(call, PasisRefusal.BUSY);
        } else {
            TimePoll poll =
                    new TimePoll(block.group(), block.slot(), block.versions().time(), node.times());
            node.out().run(poll, block.laterWith((now, outcome) -> {
                node.waiting().leave(call);
                if ((Long) outcome == -1) {
                    block.refuse(call, PasisRefusal.BUSY);
                } else {
                    polledTime = LogicalTime.later(polledTime, (Long) outcome);
                    block.call(now, call.afterPoll());
                }
            }));
        }
    }

    /** The bound of 3.3 or 3.4 that one more possible version of this sender would exceed, if any. */
    private @Nullable PasisRefusal bound(PrincipalId sender, Bytes fragment) {
        PossibleVersions possible = node.possible();
        if (possible.of(sender, block.block()) >= node.limits().possiblePerBlock()) {
            return PasisRefusal.BLOCK_LIMIT;
        }
        long charge = PasisLimits.charge(fragment.length());
        if (node.poolIsShort(charge)) {
            node.watch().poolIsShort(block.block().volume(), node.poolNeeded(charge));
        }
        boolean crowded = possible.bytesOf(sender) + charge > node.clientBytes(charge);
        if (crowded || possible.of(sender) >= node.limits().possiblePerClient()) {
            return PasisRefusal.CLIENT_LIMIT;
        }
        return node.isPoolFull(charge) ? PasisRefusal.POOL : null;
    }

    /**
     * The request waits until something was verified; once nothing can be freed any more, with repairs neither, it is refused. A
     * peer asks for a repair since it makes room itself: for it nothing is repaired, else both could wait for each other.
     */
    private void makeRoom(long nowMillis, AdmittedRequest call, PasisRefusal bound) {
        boolean tried = call.collected() == (block.group().slotOf(call.from()) < 0 ? 2 : 1);
        // Efforts for a client or the pool are bounded by the collector.
        if (tried || (bound == PasisRefusal.BLOCK_LIMIT && !node.rate().allow(nowMillis, call.from()))) {
            node.tally().refused(block.block());
            block.refuse(call, bound);
            return;
        }
        if (!node.waiting().enter(call)) {
            block.refuse(call, PasisRefusal.BUSY);
            return;
        }
        boolean repair = call.collected() == 1;
        Outbox.Continuation<Boolean> then = block.laterWith((now, freed) -> {
            node.waiting().leave(call);
            block.call(now, call.afterCollection(freed ? call.collected() : call.collected() + 1));
        });
        // Run at most two rounds for one block and sender: the freed versions may belong to others.
        PasisNode.CollectionCallback room = (now, any) -> then.then(now, any && bound != PasisRefusal.BLOCK_LIMIT);
        switch (bound) {
            case BLOCK_LIMIT ->
                block.verifier()
                        .request(
                                nowMillis,
                                VerificationGoal.DEMANDED.withRepair(repair),
                                (now, ignored, gone) -> room.made(now, gone > 0));
            case CLIENT_LIMIT -> node.collector().makeRoom(nowMillis, call.from(), repair, room);
            default -> node.collector().makeRoom(nowMillis, null, repair, room);
        }
    }

    private void keep(AdmittedRequest call, PasisMessage.Write request) {
        VersionRecord known = block.versions().get(request.timestamp());
        VersionRecord record = known == null
                ? new VersionRecord(request.timestamp(), call.from(), request.session(), block.taken(), false)
                : known;
        LongConsumer written = ignored -> block.answer(
                call,
                new PasisMessage.Written(request.target(), record.timestamp().name()));
        LongConsumer stored = now -> {
            if (block.group().verification() == Verification.WRITE_TIME
                    && node.waiting().enter(call)) {
                // This is in the critical path (5.2); the version counts as written whatever the result is.
                LongConsumer then = block.later(later -> {
                    node.waiting().leave(call);
                    written.accept(later);
                });
                VersionName name = record.timestamp().name();
                block.verifier().verifyAtWriteTime(now, name, (later, ignored1, ignored2) -> then.accept(later));
            } else {
                written.accept(now);
            }
        };
        store(record, record.sender(), request.fragment(), call, stored, ignored -> {});
    }

    private void store(
            VersionRecord record,
            PrincipalId account,
            Bytes fragment,
            @Nullable AdmittedRequest call,
            LongConsumer then,
            LongConsumer failed) {
        VersionName name = record.timestamp().name();
        List<Mutation> mutations = new ArrayList<>();
        mutations.add(new Mutation.Put(record.key(block.block()), record.encoded(), fragment));
        boolean fresh = block.versions().get(record.timestamp()) == null && !record.verified();
        if (fresh) {
            mutations.add(PossibleVersions.put(block.block(), name, account, fragment.length()));
            node.possible().charge(block.block(), name, account, fragment.length());
        }
        block.store(
                mutations,
                call,
                now -> {
                    block.versions().put(record);
                    block.onArrived(now);
                    block.verifier().onArrived(now, record.timestamp());
                    then.accept(now);
                },
                now -> {
                    if (fresh) {
                        node.possible().release(block.block(), name);
                    }
                    failed.accept(now);
                });
    }

    /** The policy without verification: the new version takes the place of the old one. */
    private void replace(AdmittedRequest call, PasisMessage.Write request) {
        ValidatingTimestamp version = request.timestamp();
        PasisMessage.Written written = new PasisMessage.Written(request.target(), version.name());
        VersionRecord record = new VersionRecord(version, call.from(), request.session(), block.taken(), true);
        List<VersionRecord> before = block.versions().before(version);
        List<Mutation> mutations = new ArrayList<>();
        mutations.add(new Mutation.Put(record.key(block.block()), record.encoded(), request.fragment()));
        before.forEach(old -> mutations.add(new Mutation.Delete(old.key(block.block()))));
        block.store(
                mutations,
                call,
                ignored -> {
                    block.versions().put(record);
                    before.forEach(old -> block.versions().remove(old.timestamp()));
                    block.answer(call, written);
                },
                ignored -> {});
    }

    /** RequestKind for by a reader, or by a peer that must make room. */
    void repair(long nowMillis, AdmittedRequest call, PasisMessage.Repair request) {
        ValidatingTimestamp version = request.version();
        Versions versions = block.versions();
        if (!block.group().fits(version)) {
            block.refuse(call, PasisRefusal.INCONSISTENT);
        } else if (versions.covers(version)) {
            block.answer(call, new PasisMessage.Repaired(request.target(), version.name()));
        } else if (full(version, call)) {
            makeRoom(nowMillis, call, PasisRefusal.BLOCK_LIMIT);
        } else if (!node.rate().allow(nowMillis, call.from())) {
            block.refuse(call, PasisRefusal.BUSY);
        } else {
            fetch(version, call, (ignored1, ignored2) -> {});
        }
    }

    /**
     * Returns the account charged for a fragment that this node makes: the requesting peer. Nobody is charged if a
     * reader asks, or if the node repairs its own. So fragments that others caused never use up a peer's room here.
     */
    private PrincipalId account(@Nullable AdmittedRequest call) {
        return call == null || block.group().slotOf(call.from()) < 0 ? PrincipalId.NOBODY : call.from();
    }

    /**
     * Returns whether the requester has reached its limit of unverified repaired versions, and this would be one more.
     */
    private boolean full(ValidatingTimestamp version, AdmittedRequest call) {
        Versions versions = block.versions();
        return versions.get(version) == null
                && !version.equals(versions.collected())
                && node.possible().of(account(call), block.block())
                        >= node.limits().possiblePerBlock();
    }

    /** Repairs a fragment that was lost, or never arrived, if the others hold enough to rebuild it. */
    void mend(long nowMillis, ValidatingTimestamp version, RepairCallback then) {
        if (block.slot() >= 0 && node.rate().allow(nowMillis, node.self())) {
            fetch(version, null, then);
        } else {
            then.then(nowMillis, false);
        }
    }

    /** Continuation once a version is here, or cannot be obtained. */
    interface RepairCallback {
        /**
         * It is here, or not.
         *
         * @param refuted whether it was found that it cannot have been complete, or is poisonous: nothing is lost with it
         */
        void then(long nowMillis, boolean refuted);
    }

    private void fetch(ValidatingTimestamp version, @Nullable AdmittedRequest call, RepairCallback over) {
        long epoch = block.group().placement().epoch();
        FragmentFetch fetch = new FragmentFetch(block.group(), block.slot(), version, node.times());
        node.out().run(fetch, block.laterWith((now, outcome) -> {
            if (block.serves(epoch)) {
                adopt(now, version, call, (FragmentFetch.Outcome) outcome, over);
            } else {
                // This node has denied holding the version, and others may rely on that.
                refuse(call, PasisRefusal.OTHER_EPOCH);
                over.then(now, false);
            }
        }));
    }

    private void adopt(
            long nowMillis,
            ValidatingTimestamp version,
            @Nullable AdmittedRequest call,
            FragmentFetch.Outcome outcome,
            RepairCallback over) {
        VersionRecord known = block.versions().get(version);
        boolean here = block.versions().covers(version);
        if (here || outcome instanceof FragmentFetch.Outcome.Obsolete) {
            repaired(version, call);
        } else if (outcome instanceof FragmentFetch.Outcome.Made made
                && block.group().accepts(version, block.slot(), made.fragment())) {
            boolean complete = version.equals(block.versions().collected());
            VersionRecord record = known == null ? VersionRecord.made(version, block.taken(), complete) : known;
            LongConsumer stored = now -> {
                repaired(version, call);
                over.then(now, false);
            };
            if (call != null && full(version, call)) {
                // Other repairs that it requested meanwhile finished first.
                block.refuse(call, PasisRefusal.BLOCK_LIMIT);
                over.then(nowMillis, false);
            } else {
                store(record, account(call), made.fragment(), call, stored, now -> over.then(now, false));
            }
            return;
        } else {
            refuse(
                    call,
                    switch (outcome) {
                        case FragmentFetch.Outcome.Poisonous ignored -> PasisRefusal.POISONOUS;
                        case FragmentFetch.Outcome.NotFound ignored -> PasisRefusal.NOT_FOUND;
                        case FragmentFetch.Outcome.Made ignored -> PasisRefusal.BUSY;
                        case FragmentFetch.Outcome.TimedOut ignored -> PasisRefusal.BUSY;
                        case FragmentFetch.Outcome.Obsolete ignored -> PasisRefusal.BUSY;
                    });
        }
        boolean refuted =
                outcome instanceof FragmentFetch.Outcome.NotFound || outcome instanceof FragmentFetch.Outcome.Poisonous;
        over.then(nowMillis, !here && refuted);
    }

    private void refuse(@Nullable AdmittedRequest call, PasisRefusal refusal) {
        if (call != null) {
            block.refuse(call, refusal);
        }
    }

    private void repaired(ValidatingTimestamp version, @Nullable AdmittedRequest call) {
        if (call != null) {
            block.answer(call, new PasisMessage.Repaired(call.request().target(), version.name()));
        }
    }
}
