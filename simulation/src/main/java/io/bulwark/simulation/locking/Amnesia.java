package io.bulwark.simulation.locking;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LogId;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Losses of memory (rule 11). A forgetful replica loses the store of its log server at any time; it counts among the f. In
 * other runs fewer replicas lie, and correct ones are recovered in turn: each loses its state and its logs, and the next one
 * follows once all logs are closed that were open when it served again.
 */
final class Amnesia {
    private static final int LOSES_ONE_IN = 25;
    private static final int RECOVERS_ONE_IN = 15;

    private final List<PrincipalId> forgetful;
    private final List<PrincipalId> recovered;
    private final Host host;
    private final Random random;
    private Set<LogId> waitsFor = Set.of();
    private boolean isRecovering;
    private int turn;
    private long losses;

    /** The replicas. */
    interface Host {
        /** Returns the logs that are open now. */
        Set<LogId> openLogs();

        /** Returns whether the log server of a replica takes entries. */
        boolean isServing(PrincipalId replica);

        /** Restarts a replica without its logs. */
        void loseLogs(PrincipalId replica);

        /** Restarts a replica without its state and its logs. */
        void loseAll(PrincipalId replica);
    }

    /**
     * @param forgetful replicas that lose logs at any time
     * @param recovered replicas that are recovered in turn; empty if none are
     */
    Amnesia(List<PrincipalId> forgetful, List<PrincipalId> recovered, Host host, Random random) {
        this.forgetful = forgetful;
        this.recovered = recovered;
        this.host = host;
        this.random = random;
    }

    /** Returns how many stores were lost. */
    long losses() {
        return losses;
    }

    void step() {
        if (!forgetful.isEmpty() && random.nextInt(LOSES_ONE_IN) == 0) {
            losses++;
            host.loseLogs(forgetful.get(random.nextInt(forgetful.size())));
        }
        if (recovered.isEmpty()) {
            return;
        }
        Set<LogId> open = host.openLogs();
        if (isRecovering && host.isServing(recovered.get(turn % recovered.size()))) {
            isRecovering = false;
            waitsFor = open;
            turn++;
        }
        if (!isRecovering && waitsFor.stream().noneMatch(open::contains) && random.nextInt(RECOVERS_ONE_IN) == 0) {
            isRecovering = true;
            losses++;
            host.loseAll(recovered.get(turn % recovered.size()));
        }
    }
}
