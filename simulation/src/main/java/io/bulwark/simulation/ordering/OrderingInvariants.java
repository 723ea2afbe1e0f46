package io.bulwark.simulation.ordering;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.campaign.Invariant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Invariants of correct replicas at any moment. */
public final class OrderingInvariants {
    /** Correct replicas decide one batch for each number, whatever happens. */
    public static final Invariant SAME_BATCH = new Invariant(
            "same-batch", "proactive recovery paper, 4.2 and 4.5: requests that commit are totally ordered");

    /** After the same number, correct replicas hold the same state. */
    public static final Invariant SAME_STATE =
            new Invariant("same-state", "proactive recovery paper, section 3: replicas are deterministic");

    /** Every executed request comes from a client: nobody forges requests of correct clients. */
    public static final Invariant ASKED_FOR =
            new Invariant("asked-for", "docs/ordering: vouches of f+1, or what a NEW-VIEW chose");

    /**
     * No request is executed again and again: at most twice for its vouches, and once more if its client repeats it
     * after the replicas forgot it.
     */
    public static final Invariant SELDOM_REPEATED =
            new Invariant("seldom-repeated", "docs/ordering: one number in flight, and one more for a vouch");

    /** f liars do not make a correct replica believe that more are faulty. */
    public static final Invariant NEVER_STOPPED =
            new Invariant("never-stopped", "docs/ordering/checkpoints.md, beyond f: only certificates stop a replica");

    /** No correct replica is accused. */
    public static final Invariant NEVER_ACCUSED = new Invariant("never-accused", "misbehaviour is evidence");

    /** The log is cut. */
    public static final Invariant BOUNDED =
            new Invariant("bounded", "proactive recovery paper, 4.3: entries up to a stable checkpoint are discarded");

    /** Correct parties believe only in configurations that exist. */
    public static final Invariant REAL_CONFIGURATION =
            new Invariant("real-configuration", "decision 20: 2f+1 of those of the one before have signed it");

    private static final int LOG_RECORDS_MAX = 3_000;

    private static final int REPETITIONS_MAX = 8;

    private record RequestedOperation(PrincipalId client, Bytes operation) {}

    private final Map<Long, Map<Long, Bytes>> batches = new HashMap<>();
    private final Map<Long, Bytes> states = new HashMap<>();
    private final Map<Long, Bytes> checkpoints = new HashMap<>();
    private final Set<RequestedOperation> asked = new HashSet<>();

    /** Compares decisions within one configuration, since its decisions for numbers beyond its end are void. */
    void decided(int replica, long configuration, long number, Bytes digest) {
        compare(SAME_BATCH, batches.computeIfAbsent(configuration, _ -> new HashMap<>()), replica, number, digest);
    }

    void executed(int replica, long number, Bytes digest) {
        compare(SAME_STATE, states, replica, number, digest);
    }

    void checkpoint(int replica, long number, Bytes digest) {
        compare(SAME_STATE, checkpoints, replica, number, digest);
    }

    private static void compare(Invariant invariant, Map<Long, Bytes> known, int replica, long number, Bytes digest) {
        Bytes before = known.putIfAbsent(number, digest);
        if (before != null && !before.equals(digest)) {
            throw invariant.violation(
                    "sequence=" + number, "replica " + replica + " has " + digest + ", another had " + before);
        }
    }

    /** A client has sent this operation to somebody. */
    void asked(PrincipalId client, Bytes operation) {
        asked.add(new RequestedOperation(client, operation));
    }

    void executed(int replica, PrincipalId client, Bytes operation) {
        if (!asked.contains(new RequestedOperation(client, operation))) {
            throw ASKED_FOR.violation(client.toString(), "replica " + replica + " executed " + operation.toHex());
        }
    }

    /** A replica has executed this so often in one life. */
    void repeated(int replica, PrincipalId client, Bytes operation, int times) {
        if (times > REPETITIONS_MAX) {
            throw SELDOM_REPEATED.violation(
                    client.toString(),
                    "replica " + replica + " executed " + operation.toHex() + " " + times + " times");
        }
    }

    void bounded(int replica, int records) {
        if (records > LOG_RECORDS_MAX) {
            throw BOUNDED.violation("replica-" + replica, records + " records in its log");
        }
    }
}
