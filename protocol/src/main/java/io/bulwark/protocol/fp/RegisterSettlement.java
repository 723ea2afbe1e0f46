package io.bulwark.protocol.fp;

import io.bulwark.protocol.epoch.SettleRequest;
import java.util.function.LongConsumer;

/**
 * Check of one block by a holder before it confirms an epoch (docs/decisions/0016, registers). Its latest must be held
 * by m + f slots in this epoch, and its latest at the beginning must be claimed by m + f.
 */
final class RegisterSettlement {
    private static final int ROUNDS_MAX = 3;

    private final FpNode node;
    private final FpRegister register;
    private final long epoch;
    private final SettleRequest.SettleCallback then;
    private Timestamp begun = Timestamp.NONE;
    private int rounds;

    RegisterSettlement(FpNode node, FpRegister register, long epoch, SettleRequest.SettleCallback then) {
        this.node = node;
        this.register = register;
        this.epoch = epoch;
        this.then = then;
    }

    /** Must be called as a task of the register. */
    void start(long nowMillis) {
        begun = register.versions().latest();
        if (!register.serves(epoch)) {
            then.settled(false, nowMillis);
        } else if (begun.isNone()) {
            // The node lacks the data that it was to keep, or has just taken its slot.
            then.settled(true, nowMillis);
        } else {
            hold(nowMillis);
        }
    }

    private void hold(long nowMillis) {
        Timestamp latest = register.versions().latest();
        if (!register.serves(epoch) || rounds++ == ROUNDS_MAX) {
            then.settled(false, nowMillis);
        } else if (register.isLatestHeldIn(epoch)) {
            claim();
        } else if (!register.versions().holds(latest)) {
            again(nowMillis, latest);
        } else {
            gather(latest);
        }
    }

    private void again(long nowMillis, Timestamp wanted) {
        boolean asked = register.repair().request(nowMillis, wanted, false, this::hold);
        if (!asked) {
            then.settled(false, nowMillis);
        }
    }

    private void gather(Timestamp latest) {
        RepairMacs operation = new RepairMacs(
                register.group(),
                register.target().slot(),
                latest,
                node.times(),
                prepareMac -> register.serves(epoch) && register.verifies(prepareMac, latest, PrepareTag.REPAIR, 0),
                () -> false,
                false);
        LongConsumer over = register.once(ignored -> {});
        node.out().run(operation, (now, outcome) -> {
            over.accept(now);
            switch ((RepairMacs.Outcome) outcome) {
                case RepairMacs.Outcome.Gathered ignored -> {
                    register.held(latest, epoch);
                    hold(now);
                }
                case RepairMacs.Outcome.Superseded overtaken -> again(now, overtaken.by());
                case RepairMacs.Outcome.Supported ignored -> then.settled(false, now);
                case RepairMacs.Outcome.TimedOut ignored -> then.settled(false, now);
            }
        });
    }

    private void claim() {
        ClaimPoll operation = new ClaimPoll(register.group(), register.target().slot(), begun, node.times());
        LongConsumer over = register.once(ignored -> {});
        node.out().run(operation, (now, outcome) -> {
            over.accept(now);
            then.settled(outcome == ClaimPoll.Outcome.CLAIMED && register.serves(epoch), now);
        });
    }
}
