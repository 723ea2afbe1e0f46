package io.bulwark.appliance.cluster;

import java.util.Optional;
import java.util.OptionalLong;

/** A storage node, a replica or the console of an appliance on one machine. */
public interface Member {
    /** Returns text such as {@code node-3}. */
    String name();

    /** Returns the address on which it listens, for people. */
    String address();

    /** Begins to start it, if it does not run. */
    void start() throws Exception;

    /** Waits until it listens, as long as it makes progress. */
    void awaitListening() throws Exception;

    /**
     * Returns the reason why it does not listen yet, for people; empty once it does.
     *
     * @throws Exception if it never will; the message says why
     */
    default Optional<String> awaited() throws Exception {
        return Optional.empty();
    }

    /** Returns its activity since it was started, where it has a process of its own. */
    default Activity activity() {
        return Activity.NONE;
    }

    /** Processor time of a process and length of its log. One of them changes as long as the process does something. */
    record Activity(long processorMillis, long logBytes) {
        public static final Activity NONE = new Activity(0, 0);
    }

    /** Returns when it has ended; stopping what does not run does nothing. */
    void stop() throws Exception;

    boolean isRunning();

    /**
     * Returns how it ended although nobody stopped it, for people; empty if it runs or was stopped. Inside this process
     * no member ends by itself.
     */
    default Optional<String> ended() {
        return Optional.empty();
    }

    /** Begins to start it if it has {@link #ended}; who was stopped meanwhile stays so. */
    default void startAgain() throws Exception {}

    /** Its process, where it has one of its own. */
    OptionalLong pid();
}
