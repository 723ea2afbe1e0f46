package io.bulwark.simulation.locking;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.BucketChange;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import io.bulwark.protocol.metadata.Submission;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** An operator who changes what logs rely on: rights, settings, holders of placement groups, replicas; and revokes faulty clients. */
final class LockOperator {
    private static final long AGAIN_MILLIS = 50;

    private final Party party;
    private final List<PrincipalId> faulty;
    private final Supplier<PlacementGroup> group;
    private final ReplicaSuccession succession;
    private final UnaryOperator<Submission.InSession> signing;
    private final Random random;
    private OrderedSession session;
    private int revoked;
    private boolean isAtWork;
    private long changes;

    /**
     * @param faulty clients that may be revoked
     * @param group the placement group as it is now
     * @param signing signs commands
     */
    LockOperator(
            Party party,
            List<PrincipalId> faulty,
            Supplier<PlacementGroup> group,
            ReplicaSuccession succession,
            UnaryOperator<Submission.InSession> signing,
            long seed) {
        this.party = party;
        this.faulty = faulty;
        this.group = group;
        this.succession = succession;
        this.signing = signing;
        random = new Random(seed);
        session = new OrderedSession(party, 0, signing);
        party.regularly(() -> session.renew());
    }

    /** Returns whether a command has no answer yet. */
    boolean isAtWork() {
        return isAtWork;
    }

    /** Returns how many changes have been made. */
    long changes() {
        return changes;
    }

    void step() {
        if (isAtWork) {
            return;
        }
        switch (random.nextInt(8)) {
            case 0, 1 ->
                order(new Command.SetGrant(
                        LockingWorld.GRANTED,
                        new Scope.OfBucket(LockingWorld.NAMES),
                        random.nextInt(3) == 0 ? new Rights(true, false, false) : Rights.ALL));
            case 2 ->
                order(new Command.UpdateBucket(
                        random.nextBoolean() ? LockingWorld.NAMES : LockingWorld.WILD,
                        BucketChange.NONE.withQuota(1_000_000 + random.nextInt(1_000))));
            case 3 -> changeHolder();
            case 4 -> {
                if (revoked < faulty.size() && random.nextInt(4) == 0) {
                    order(new Command.RevokePrincipal(faulty.get(revoked++)));
                }
            }
            case 5, 6 -> succession.next(random).ifPresent(this::order);
            default -> {}
        }
    }

    private void changeHolder() {
        PlacementGroup now = group.get();
        order(
                now.change().isPresent()
                        ? new Command.AbortChange(LockingWorld.VOLUME, 0, now.epoch())
                        : new Command.ChangeHolder(
                                LockingWorld.VOLUME,
                                0,
                                now.epoch(),
                                now.holders().getFirst(),
                                spare(now)));
    }

    private static int spare(PlacementGroup now) {
        return IntStream.range(0, LockingWorld.NODES)
                .filter(node -> now.slotOf(node) < 0)
                .findFirst()
                .orElseThrow();
    }

    /** Gives a command until no log is in its way. */
    private void order(Command command) {
        isAtWork = true;
        if (session.isLost()) {
            session = new OrderedSession(party, 0, signing);
        }
        session.submit(command, reply -> {
            if (session.isLost() || (reply instanceof Reply.Failed failed && failed.error() == MetadataError.LOCKED)) {
                party.later(AGAIN_MILLIS, () -> order(command));
            } else {
                isAtWork = false;
                changes += reply instanceof Reply.Failed ? 0 : 1;
            }
        });
    }
}
