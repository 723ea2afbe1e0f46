package io.bulwark.simulation.ordering;

import io.bulwark.protocol.ordering.recovery.RecoveryReport;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Schedule of recoveries and faults. In some runs an intruder moves. Once a faulty replica has recovered, and the keys
 * of that time are no longer in force, another replica becomes faulty. In some runs one replica loses its promises in
 * the place of a faulty one.
 */
final class RecoveryPlan {
    private static final int RECOVER_ONE_IN = 16;
    private static final int FORGET_ONE_IN = 40;
    private static final int HAND_OVER_ONE_IN = 2;

    /** Services that the plan needs from the world. */
    interface Host {
        /** Null if the replica is down, or its own code has come to an end. */
        @Nullable
        RecoveryReport report(int replica);

        void recover(int replica, boolean handsOver);

        void forget(int replica);

        /** Makes the one lie from now on instead of the other. */
        void move(int liar, int next);

        long nowMillis();
    }

    private record CuredReplica(int replica, long sinceMillis) {}

    private final Host host;
    private final Random random;
    private final int replicas;
    private final int atOnce;
    private final boolean moves;
    private final int forgetful;
    private final long windowMillis;
    private final Set<Integer> liars;
    private final Set<Integer> recovering = new TreeSet<>();
    private final List<CuredReplica> cured = new ArrayList<>();

    /**
     * @param liars replicas that lie at first
     * @param forgetful the replica that forgets; -1 if none does
     * @param windowMillis time after which nothing from before a recovery counts
     */
    RecoveryPlan(
            Host host,
            Random random,
            int replicas,
            Set<Integer> liars,
            int atOnce,
            int forgetful,
            boolean moves,
            long windowMillis) {
        this.host = host;
        this.random = random;
        this.replicas = replicas;
        this.liars = new TreeSet<>(liars);
        this.atOnce = atOnce;
        this.forgetful = forgetful;
        this.moves = moves;
        this.windowMillis = windowMillis;
    }

    void step() {
        recovering.removeIf(this::isOver);
        move();
        if (forgetful >= 0 && !recovering.contains(forgetful) && random.nextInt(FORGET_ONE_IN) == 0) {
            recovering.add(forgetful);
            host.forget(forgetful);
        } else if (random.nextInt(RECOVER_ONE_IN) == 0) {
            int replica = random.nextInt(replicas);
            // It may be interrupted by another one, seldom.
            if (recovering.contains(replica) ? random.nextInt(4) == 0 : recovering.size() < atOnce) {
                recovering.add(replica);
                host.recover(replica, random.nextInt(HAND_OVER_ONE_IN) == 0);
            }
        }
    }

    /** Returns whether the replica's recovery in this life is complete. */
    private boolean isOver(int replica) {
        RecoveryReport report = host.report(replica);
        boolean over =
                report != null && report.phase() == Phase.NONE && report.own().recoveredMillis() > 0;
        if (over && moves && liars.contains(replica)) {
            liars.remove(replica);
            cured.add(new CuredReplica(replica, host.nowMillis()));
        }
        return over;
    }

    private void move() {
        if (!cured.isEmpty() && host.nowMillis() - cured.getFirst().sinceMillis() >= windowMillis) {
            CuredReplica was = cured.removeFirst();
            int next = random.nextInt(replicas);
            // A recovery that began before it lied would cure nothing.
            while (liars.contains(next) || isCured(next) || recovering.contains(next)) {
                next = random.nextInt(replicas);
            }
            liars.add(next);
            host.move(was.replica(), next);
        }
    }

    private boolean isCured(int replica) {
        return cured.stream().anyMatch(each -> each.replica() == replica);
    }
}
