package io.bulwark.protocol.locking;

import java.util.Optional;

/**
 * A log server's part in the replay of closed logs. Each ordered command executes some of their entries. So servers have
 * steps ordered when nobody else does, in turn: after each command it is the turn of another one, so that one is enough.
 */
final class ReplaySteps {
    /** A server waits so long for each one before it in the order. */
    static final long TURN_MILLIS = 50;

    private final LogServer.Config config;
    private final LockView view;
    private final LogSubmissions submissions;
    private long commands = -1;
    private long sinceMillis;
    private boolean isSubmitted;

    ReplaySteps(LogServer.Config config, LockView view, LogSubmissions submissions) {
        this.config = config;
        this.view = view;
        this.submissions = submissions;
    }

    /** Returns a step, if it is the turn of this server. */
    Optional<LogEffect> next(long nowMillis) {
        if (view.commands() != commands) {
            commands = view.commands();
            sinceMillis = nowMillis;
            isSubmitted = false;
        }
        if (isSubmitted || !view.isReplaying() || nowMillis - sinceMillis < TURN_MILLIS * rank()) {
            return Optional.empty();
        }
        isSubmitted = true;
        return Optional.of(new LogEffect.Submit(submissions.step()));
    }

    private long rank() {
        int servers = config.replicas().size();
        return Math.floorMod(config.replicas().indexOf(config.self()) - commands, servers);
    }
}
