package io.bulwark.protocol.pasis;

import io.bulwark.protocol.effect.Outbox;
import io.bulwark.protocol.kernel.ScrubMessage;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongConsumer;
import java.util.function.ObjLongConsumer;

/**
 * Scrub of one block. Every local fragment is re-read and checked against its entry in the cross-checksum; a corrupt
 * one is rebuilt from N - 3b others'. Then the others are asked for their versions. A complete version that is missing
 * here is fetched by a verification of the block (3.1). Where b silent nodes and this one keep it from N - b, a
 * verification with repair fetches it.
 */
final class BlockScrub {
    private final PasisNode node;
    private final PasisBlock block;
    private final ObjLongConsumer<ScrubMessage.ScrubOutcome> then;
    private final Deque<ValidatingTimestamp> bad = new ArrayDeque<>();
    private boolean repaired;
    private boolean completed;
    private boolean left;

    /**
     * @param then called once with the result
     */
    BlockScrub(PasisNode node, PasisBlock block, ObjLongConsumer<ScrubMessage.ScrubOutcome> then) {
        this.node = node;
        this.block = block;
        this.then = then;
    }

    /** Must be called as a task of the block. */
    void start(long nowMillis) {
        if (!block.serves(block.group().placement().epoch())) {
            then.accept(ScrubMessage.ScrubOutcome.UNASKED, nowMillis);
            return;
        }
        reread(nowMillis, new ArrayDeque<>(block.versions().history(ValidatingTimestamp.NONE)));
    }

    private void reread(long nowMillis, Deque<VersionRecord> records) {
        VersionRecord next = records.poll();
        if (next == null) {
            mend(nowMillis);
            return;
        }
        LongConsumer further = block.later(now -> reread(now, records));
        block.read(next, (now, ignored1, ignored2) -> {
            if (block.versions().isDamaged(next.timestamp())) {
                bad.add(next.timestamp());
            }
            further.accept(now);
        });
    }

    private void mend(long nowMillis) {
        ValidatingTimestamp next = bad.poll();
        if (next == null) {
            poll(nowMillis);
            return;
        }
        Outbox.Continuation<Boolean> further = block.laterWith((now, refuted) -> {
            boolean held = block.versions().holds(next);
            repaired |= held;
            // A version collected meanwhile is not missing, nor is one that was never complete.
            left |= !held && !refuted && block.versions().get(next) != null;
            mend(now);
        });
        block.mend(nowMillis, next, further::then);
    }

    private void poll(long nowMillis) {
        if (!block.serves(block.group().placement().epoch())) {
            then.accept(ScrubMessage.ScrubOutcome.UNASKED, nowMillis);
            return;
        }
        HistoryPoll poll = new HistoryPoll(block.group(), block.verifier().own(), node.times());
        node.out().run(poll, block.laterWith((now, outcome) -> {
            switch ((HistoryPoll.Outcome) outcome) {
                case HistoryPoll.Outcome.Agreed ignored -> end(now);
                case HistoryPoll.Outcome.Unknown ignored ->
                    then.accept(left || repaired ? result() : ScrubMessage.ScrubOutcome.UNASKED, now);
                case HistoryPoll.Outcome.Missed missed -> complete(now, missed.version(), false);
            }
        }));
    }

    private void complete(long nowMillis, ValidatingTimestamp missed, boolean repair) {
        Outbox.Continuation<PasisBackground.VerificationOutcome> further = block.laterWith((now, found) -> {
            completed |= isStoredHere(missed);
            if (!isStoredHere(missed) && !repair && found != PasisBackground.VerificationOutcome.UNASKED) {
                complete(now, missed, true);
                return;
            }
            // A read that repairs passes over nothing that was complete when it began.
            left |= !isStoredHere(missed) && found == PasisBackground.VerificationOutcome.UNASKED;
            end(now);
        });
        block.verifier()
                .request(
                        nowMillis,
                        VerificationGoal.SCRUB.withRepair(repair),
                        (now, found, ignored) -> further.then(now, found));
    }

    private boolean isStoredHere(ValidatingTimestamp version) {
        return block.versions().covers(version);
    }

    private void end(long nowMillis) {
        then.accept(result(), nowMillis);
    }

    private ScrubMessage.ScrubOutcome result() {
        if (left) {
            return ScrubMessage.ScrubOutcome.UNFINISHED;
        }
        if (completed || repaired) {
            return repaired ? ScrubMessage.ScrubOutcome.REPAIRED : ScrubMessage.ScrubOutcome.COMPLETED;
        }
        return block.versions().greatest().isNone() ? ScrubMessage.ScrubOutcome.ABSENT : ScrubMessage.ScrubOutcome.GOOD;
    }
}
