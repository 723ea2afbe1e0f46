package io.bulwark.appliance.supervisor;

import io.bulwark.protocol.ordering.recovery.RecoveryReport.KnownRecovery;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import io.bulwark.protocol.ordering.recovery.RecoveryStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.stream.IntStream;

/**
 * State of the replicas of a group, as far as a recovery of one of them depends on it.
 *
 * @param othersProblem why the group cannot spare a replica: f or more others do not answer or recover; empty if it can
 * @param ownProblem the same for the replica itself: it has not finished its start or its last recovery
 * @param doubt why it should wait: the replica has a problem, or too many others report that they take no part in
 *     ordering. They may be behind. Or each is one view ahead of the others, which lasts until these follow, and which
 *     the primary's recovery ends
 * @param lastMillis when its last recovery was ordered, according to f+1 others
 * @param tookMillis duration of the last recovery of its life, by its own report
 */
public record GroupHealth(
        String othersProblem, String ownProblem, String doubt, OptionalLong lastMillis, OptionalLong tookMillis) {
    /**
     * Derives the state from the replicas' answers.
     *
     * @param answers by number; replicas that did not answer are absent
     */
    public static GroupHealth of(int self, int replicas, SortedMap<Integer, RecoveryStatus> answers) {
        return of(self, IntStream.range(0, replicas).boxed().toList(), answers);
    }

    /** The same of replicas with these numbers. */
    public static GroupHealth of(int self, List<Integer> replicas, SortedMap<Integer, RecoveryStatus> answers) {
        int faulty = (replicas.size() - 1) / 3;
        List<String> out = new ArrayList<>();
        List<String> doubtful = new ArrayList<>();
        for (int other : replicas) {
            String problem = other == self ? "" : problem(other, faulty, answers);
            if (!problem.isEmpty()) {
                out.add(problem);
            } else if (other != self && isIdle(other, answers)) {
                doubtful.add("replica-" + other + " takes no part in ordering");
            }
        }
        doubtful.addAll(out);
        String own = problem(self, faulty, answers);
        String doubt = doubtful.size() >= faulty
                ? String.join(", ", doubtful)
                : own.isEmpty() && isIdle(self, answers) ? "replica-" + self + " takes no part in ordering" : own;
        List<Long> times = new ArrayList<>();
        knownRecoveries(self, answers).stream()
                .filter(KnownRecovery::hasRecovered)
                .forEach(known -> times.add(known.agreedMillis()));
        Optional<Long> last =
                times.stream().sorted(Comparator.reverseOrder()).skip(faulty).findFirst();
        return new GroupHealth(
                out.size() < faulty ? "" : String.join(", ", out),
                own,
                doubt,
                last.map(OptionalLong::of).orElse(OptionalLong.empty()),
                Optional.ofNullable(answers.get(self))
                        .map(status -> status.own().recoveredMillis())
                        .filter(millis -> millis != RecoveryStatus.NEVER)
                        .map(OptionalLong::of)
                        .orElse(OptionalLong.empty()));
    }

    private static String problem(int replica, int faulty, SortedMap<Integer, RecoveryStatus> answers) {
        RecoveryStatus status = answers.get(replica);
        String name = "replica-" + replica;
        if (status == null) {
            return name + " does not answer";
        }
        long open = knownRecoveries(replica, answers).stream()
                .filter(KnownRecovery::open)
                .count();
        return status.phase() != Phase.NONE || open > faulty ? name + " recovers" : "";
    }

    private static boolean isIdle(int replica, SortedMap<Integer, RecoveryStatus> answers) {
        RecoveryStatus status = answers.get(replica);
        return status != null && !status.takesPart();
    }

    /** Returns the other replicas' reports of a replica's last recovery. */
    private static List<KnownRecovery> knownRecoveries(int replica, SortedMap<Integer, RecoveryStatus> answers) {
        List<KnownRecovery> all = new ArrayList<>();
        answers.forEach((by, status) -> {
            if (by != replica) {
                status.known().stream()
                        .filter(known -> known.replica() == replica)
                        .forEach(all::add);
            }
        });
        return all;
    }
}
