package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.extent.ExtentBlocks.ReadDepth;
import io.bulwark.protocol.extent.ExtentMessage.CheckDepth;
import io.bulwark.protocol.extent.ExtentRecord.DamagedRecord;
import io.bulwark.protocol.extent.ExtentRecord.HeldExtent;
import io.bulwark.protocol.extent.ExtentRecord.Poisonous;
import io.bulwark.protocol.extent.ExtentRecord.WantedExtent;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Repair of missing, damaged and suspected fragments by a few reads from the node's peers at a time. */
final class Repairs {
    private static final int WAITING_MAX = 1024;

    /**
     * Relation of a node to one extent.
     *
     * @param fresh whether it took its slot lately, so that versions that it never stored may have been stored in the
     *     slot
     */
    record Place(Volume volume, BlockId block, long epoch, int slot, boolean fresh) {
        ProtectionPolicy policy() {
            return volume.policyOf(block);
        }

        /** The reason that this node may give for not having a version. */
        ReadRefusal refusal(ReadRefusal reason) {
            boolean absent = reason == ReadRefusal.NONE || reason == ReadRefusal.OTHER_VERSION;
            return fresh && absent ? ReadRefusal.NOT_REPAIRED : reason;
        }
    }

    private record Operation(ClientOperation<?> operation, Continuations.Continuation<Object> then) {}

    private final PrincipalId self;
    private final ExtentLimits limits;
    private final Continuations continuations;
    private final ExtentBlocks blocks;
    private final ExtentSessions sessions;
    private final Deque<Operation> waiting = new ArrayDeque<>();
    private final Map<BlockId, List<ExtentBlocks.ValueContinuation<CompletionResult>>> repairing = new HashMap<>();
    private int running;

    Repairs(
            PrincipalId self,
            ExtentLimits limits,
            Continuations continuations,
            ExtentBlocks blocks,
            ExtentSessions sessions) {
        this.self = self;
        this.limits = limits;
        this.continuations = continuations;
        this.blocks = blocks;
        this.sessions = sessions;
    }

    /** COMPLETE: the extent is referenced under this pin. */
    void complete(
            ServerCall turn,
            Place place,
            Bytes pin,
            CheckDepth look,
            ExtentBlocks.ValueContinuation<CompletionResult> then) {
        blocks.learnPin(place.block(), pin);
        ReadDepth depth = look == CheckDepth.RECORD || look == CheckDepth.DISSEMINATE
                ? ReadDepth.RECORD
                : ReadDepth.HASHED_FRAGMENT;
        boolean waits = place.policy().isDelivered() && !place.fresh() && look != CheckDepth.DISSEMINATE;
        blocks.read(turn, place.block(), depth, (next, content) -> {
            Optional<ExtentRecord> known = content.record();
            boolean right = known.isPresent() && known.get() instanceof HeldExtent held && held.is(pin);
            boolean rightSlot = right && ((HeldExtent) known.get()).slot() == place.slot();
            if (rightSlot && (depth == ReadDepth.RECORD || content.fragment() != null)) {
                HeldExtent held = (HeldExtent) known.get();
                boolean ask = look == CheckDepth.OTHERS && !held.verified() && verifies(place);
                boolean undelivered = place.policy().isDelivered() && held.delivery() != Delivery.DELIVERED;
                blocks.reference(next, place.block(), pin, after -> {
                    if (ask) {
                        verify(after, place, pin, then);
                    } else if (undelivered && look == CheckDepth.DISSEMINATE) {
                        deliver(after, place, pin, held.delivery(), then);
                    } else if (undelivered) {
                        then.run(after, CompletionResult.UNDELIVERED);
                    } else {
                        then.run(after, CompletionResult.HELD);
                    }
                });
                return;
            }
            if (known.isPresent()
                    && known.get() instanceof Poisonous poisonous
                    && poisonous.pin().equals(pin)) {
                then.run(next, CompletionResult.POISONOUS);
                return;
            }
            if (right) {
                // A fragment of a slot that this node had once is none of this one, and not damaged.
                if (rightSlot) {
                    damaged(next, place.block());
                }
                repair(next, place, pin, !rightSlot, true, then);
                return;
            }
            if (waits && (known.isEmpty() || known.get() instanceof WantedExtent)) {
                then.run(next, CompletionResult.LACKING);
                return;
            }
            boolean lost = known.isPresent() && known.get() instanceof DamagedRecord;
            if (lost) {
                damaged(next, place.block());
            }
            WantedExtent wanted = new WantedExtent(place.epoch(), place.slot(), pin);
            sessions.with(
                    next,
                    ExtentSessions.Key.of(place.block()),
                    (told, session) -> blocks.want(
                            told,
                            place.block(),
                            session,
                            wanted,
                            after ->
                                    repair(after, place, pin, !lost, true, known.isPresent() ? replaced(then) : then)));
        });
    }

    /** Lazy verification: if the others' fragments give a block that encodes to the whole checksum, the own one is right, too. */
    private void verify(
            ServerCall turn, Place place, Bytes pin, ExtentBlocks.ValueContinuation<CompletionResult> then) {
        if (isBusy()) {
            then.run(turn, CompletionResult.UNAVAILABLE);
            return;
        }
        ExtentRepair repair =
                new ExtentRepair(place.volume(), place.block(), place.slot(), pin, false, limits.repairTiming());
        start(turn, repair, (next, outcome) -> {
            switch ((RepairOutcome) outcome) {
                case RepairOutcome.Rebuilt ignored ->
                    blocks.verified(next, place.block(), pin, after -> then.run(after, CompletionResult.VERIFIED));
                case RepairOutcome.Poisonous ignored -> poisonous(next, place, pin, then);
                case RepairOutcome.Incomplete ignored -> then.run(next, CompletionResult.INCOMPLETE);
                case RepairOutcome.Freed ignored -> then.run(next, CompletionResult.FREED);
                case RepairOutcome.Unavailable ignored -> then.run(next, CompletionResult.UNAVAILABLE);
            }
        });
    }

    /** Asks the other slots for their echo and ready, and keeps the stage that they allow. */
    private void deliver(
            ServerCall turn,
            Place place,
            Bytes pin,
            Delivery before,
            ExtentBlocks.ValueContinuation<CompletionResult> then) {
        if (isBusy()) {
            then.run(turn, CompletionResult.UNDELIVERED);
            return;
        }
        DeliveryPoll poll =
                new DeliveryPoll(place.volume(), place.block(), pin, place.slot(), before, limits.repairTiming());
        start(
                turn,
                poll,
                (next, stage) -> blocks.advance(
                        next, place.block(), pin, (Delivery) stage, after -> delivered(after, place, pin, then)));
    }

    /** Calls with the stage that the disk has: it may have refused the last one. */
    private void delivered(
            ServerCall turn, Place place, Bytes pin, ExtentBlocks.ValueContinuation<CompletionResult> then) {
        blocks.read(turn, place.block(), ReadDepth.RECORD, (next, content) -> {
            boolean delivered = content.record().orElse(null) instanceof HeldExtent held
                    && held.is(pin)
                    && held.delivery() == Delivery.DELIVERED;
            then.run(next, delivered ? CompletionResult.HELD : CompletionResult.UNDELIVERED);
        });
    }

    /** With so many of them b may be faulty, and b+1 still have verified it: enough for readers, and to accuse its writer. */
    private static boolean verifies(Place place) {
        return place.slot() <= 2 * place.policy().f();
    }

    private void poisonous(
            ServerCall turn, Place place, Bytes pin, ExtentBlocks.ValueContinuation<CompletionResult> then) {
        Poisonous poisonous = new Poisonous(place.epoch(), place.slot(), pin);
        BlockId block = place.block();
        sessions.with(
                turn,
                ExtentSessions.Key.of(block),
                (next, session) -> blocks.poisonous(next, block, session, poisonous, after -> {
                    String detail = "poisonous extent of pin " + pin.slice(0, 4).toHex();
                    after.add(new Effect.Evidence(block.owner(), block, Verdict.POISONOUS, detail, block.session()));
                    then.run(after, session.isFreed(block) ? CompletionResult.FREED : CompletionResult.POISONOUS);
                }));
    }

    private static ExtentBlocks.ValueContinuation<CompletionResult> replaced(
            ExtentBlocks.ValueContinuation<CompletionResult> then) {
        return (turn, result) ->
                then.run(turn, result == CompletionResult.COMPLETED ? CompletionResult.REPAIRED : result);
    }

    /** A fragment of this node was found damaged when it was read. */
    void repairDamaged(ServerCall turn, Place place, HeldExtent held) {
        damaged(turn, place.block());
        if (!repairing.containsKey(place.block())) {
            repair(turn, place, held.checksum().pin(), false, held.referenced(), (ignored1, ignored2) -> {});
        }
    }

    /** Handles SUSPECT of the own slot: compares the local fragment with the result of the others' fragments. */
    void verifyOwn(ServerCall turn, Place place, Bytes pin) {
        blocks.read(turn, place.block(), ReadDepth.HASHED_FRAGMENT, (next, content) -> {
            if (content.record().orElse(null) instanceof HeldExtent held
                    && held.is(pin)
                    && held.slot() == place.slot()) {
                if (content.fragment() == null) {
                    repairDamaged(next, place, held);
                } else if (!place.policy().isDelivered() || verifies(place)) {
                    // Archived fragments were checked when they were kept. A few holders look for what the writer did.
                    compare(next, place, held, content.fragment());
                }
            }
        });
    }

    private void compare(ServerCall turn, Place place, HeldExtent held, Bytes fragment) {
        ExtentRepair repair = new ExtentRepair(
                place.volume(), place.block(), place.slot(), held.checksum().pin(), false, limits.repairTiming());
        start(turn, repair, (next, outcome) -> {
            if (outcome instanceof RepairOutcome.Rebuilt rebuilt
                    && !rebuilt.fragment().equals(fragment)) {
                damaged(next, place.block());
                adopt(next, place, rebuilt, held.referenced(), (ignored1, ignored2) -> {});
            } else if (outcome instanceof RepairOutcome.Poisonous) {
                poisonous(next, place, held.checksum().pin(), (ignored1, ignored2) -> {});
            }
        });
    }

    /** SUSPECT of another slot: fetches from it and judges; what it finds is this node's own evidence. */
    void judge(ServerCall turn, Place place, Bytes pin, int suspectSlot) {
        if (place.policy().isDelivered()) {
            SuspectCheck check =
                    new SuspectCheck(place.volume(), place.block(), pin, suspectSlot, limits.repairTiming());
            start(turn, check, (ignored1, ignored2) -> {});
            return;
        }
        ExtentRead read = ExtentRead.forJudgement(
                place.volume(), place.block(), pin, Set.of(suspectSlot), Set.of(place.slot()), limits.repairTiming());
        start(turn, read, (ignored1, ignored2) -> {});
    }

    boolean isBusy() {
        return waiting.size() >= WAITING_MAX;
    }

    private void repair(
            ServerCall turn,
            Place place,
            Bytes pin,
            boolean neverStored,
            boolean referenced,
            ExtentBlocks.ValueContinuation<CompletionResult> then) {
        List<ExtentBlocks.ValueContinuation<CompletionResult>> others = repairing.get(place.block());
        if (others != null) {
            others.add(then);
            return;
        }
        if (isBusy()) {
            then.run(turn, CompletionResult.UNAVAILABLE);
            return;
        }
        repairing.put(place.block(), new ArrayList<>(List.of(then)));
        ExtentBlocks.ValueContinuation<CompletionResult> end = (next, result) -> {
            List<ExtentBlocks.ValueContinuation<CompletionResult>> all = repairing.remove(place.block());
            if (all != null) {
                all.forEach(one -> one.run(next, result));
            }
        };
        ExtentRepair repair = new ExtentRepair(
                place.volume(), place.block(), place.slot(), pin, neverStored || place.fresh(), limits.repairTiming());
        if (place.policy().isDelivered() && neverStored && !place.fresh()) {
            repair.disseminate();
        }
        start(turn, repair, (next, outcome) -> {
            switch ((RepairOutcome) outcome) {
                case RepairOutcome.Rebuilt rebuilt -> adopt(next, place, rebuilt, referenced, end);
                case RepairOutcome.Incomplete ignored -> end.run(next, CompletionResult.INCOMPLETE);
                case RepairOutcome.Poisonous ignored -> poisonous(next, place, pin, end);
                case RepairOutcome.Freed ignored -> end.run(next, CompletionResult.FREED);
                case RepairOutcome.Unavailable ignored -> end.run(next, CompletionResult.UNAVAILABLE);
            }
        });
    }

    private void adopt(
            ServerCall turn,
            Place place,
            RepairOutcome.Rebuilt rebuilt,
            boolean referenced,
            ExtentBlocks.ValueContinuation<CompletionResult> then) {
        HeldExtent held = new HeldExtent(place.epoch(), place.slot(), referenced, true, rebuilt.checksum());
        Bytes fragment = rebuilt.fragment();
        sessions.with(
                turn,
                ExtentSessions.Key.of(place.block()),
                (next, session) -> blocks.adopt(next, place.block(), session, held, fragment, then));
    }

    /** Queues an operation of this node and runs it in order. */
    void start(ServerCall turn, ClientOperation<?> operation, Continuations.Continuation<Object> then) {
        waiting.addLast(new Operation(operation, then));
        startNext(turn);
    }

    private void startNext(ServerCall turn) {
        while (running < limits.repairsMax() && !waiting.isEmpty()) {
            Operation next = waiting.removeFirst();
            running++;
            continuations.run(turn, next.operation(), (later, outcome) -> {
                running--;
                next.then().run(later, outcome);
                startNext(later);
            });
        }
    }

    private void damaged(ServerCall turn, BlockId block) {
        turn.add(new Effect.Evidence(self, block, Verdict.DAMAGED, "own fragment is damaged; repairing"));
    }
}
