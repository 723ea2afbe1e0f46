package io.bulwark.console.replica;

import io.bulwark.console.StatusView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A metadata replica.
 *
 * @param place in the configuration; -1 if it is not of it
 * @param status its own report, except {@code agrees}, which compares it with the others
 * @param behind commands by which f+1 replicas are ahead; null if it did not answer
 * @param leads whether f+1 replicas report that it leads
 * @param recovery phase and steps by its own report, the rest as f+1 others report it; null if replicas do not recover
 * @param key its public key, for people
 */
public record ReplicaView(
        int place,
        StatusView.Replica status,
        @Nullable Long behind,
        boolean leads,
        StatusView.@Nullable Recovery recovery,
        String key) {
    /** Returns the name in the cluster. */
    public String name() {
        return "replica-" + status.number();
    }

    /** Returns one word for its state. */
    public String word() {
        return !status.reachable() ? "unreachable" : !status.agrees() ? "contradicts" : recovers() ? "recovers" : "ok";
    }

    /** Returns the class of the style sheet for its state. */
    public String css() {
        return switch (word()) {
            case "ok" -> "good";
            case "recovers" -> "warn";
            default -> "bad";
        };
    }

    /** Returns what f+1 others raise as alarms about it, and what it raises itself. */
    public List<String> alarms() {
        List<String> alarms = new ArrayList<>();
        if (recovery != null) {
            if (recovery.slow()) {
                alarms.add("its recovery is slower than its bound");
            }
            if (recovery.overdue()) {
                alarms.add("its recovery is overdue");
            }
            if (recovery.forgotten()) {
                alarms.add("it says that its promises were lost");
            }
        }
        return alarms;
    }

    private boolean recovers() {
        return recovery != null
                && (recovery.open()
                        || !(recovery.phase().equals("none") || recovery.phase().equals("unknown")));
    }
}
