package io.bulwark.appliance.cluster;

import java.util.Optional;
import java.util.OptionalLong;

/** A storage node, a replica or the console of an appliance on one machine. */
public interface Member {
    /** For example {@code node-3}. */
    String name();

    /** Where it listens, for people. */
    String address();

    /** Begins to start it, if it does not run. */
    void start() throws Exception;

    /** Waits until it listens, as long as it makes progress. */
    void awaitListening() throws Exception;

    /**
     * Why it does not listen yet, for people; empty once it does.
     *
     * @throws Exception if it never will; says why
     */
    default Optional<String> awaited() throws Exception {
        return Optional.empty();
    }

    /** What it has done since it was started, where it has a process of its own. */
    default Activity activity() {
        return Activity.NONE;
    }

    /** How much processor time a process has used, and how much it has written into its log: what moves as long as it does something. */
    record Activity(long processorMillis, long logBytes) {
        public static final Activity NONE = new Activity(0, 0);
    }

    /** Returns when it has ended; stopping what does not run does nothing. */
    void stop() throws Exception;

    boolean running();

    /** How it has ended though nobody stopped it, for people; empty if it runs or was stopped. Inside this process nothing ends alone. */
    default Optional<String> ended() {
        return Optional.empty();
    }

    /** Begins to start it if it has {@link #ended}; who was stopped meanwhile stays so. */
    default void startAgain() throws Exception {}

    /** Its process, where it has one of its own. */
    OptionalLong pid();
}
