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
 * How the replicas of a group are, as far as a recovery of one of them depends on it.
 *
 * @param othersProblem why one less would be one too few: f or more others do not answer or recover; empty if not
 * @param ownProblem the same of the replica itself: it has not finished its start or its last recovery
 * @param doubt why it had better wait: the replica has a problem, or so many others say that they take no part in ordering. They may be
 *     behind; or each is one view ahead of the others, which lasts until these follow, and that the primary's recovery ends
 * @param lastMillis when its last recovery was ordered, as f+1 others say
 * @param tookMillis how long the last recovery of its life took, as it says itself
 */
public record Standing(
        String othersProblem, String ownProblem, String doubt, OptionalLong lastMillis, OptionalLong tookMillis) {
    /**
     * What follows from what the replicas say.
     *
     * @param answers by number; who did not answer is not there
     */
    public static Standing of(int self, int replicas, SortedMap<Integer, RecoveryStatus> answers) {
        return of(self, IntStream.range(0, replicas).boxed().toList(), answers);
    }

    /** The same of replicas with these numbers. */
    public static Standing of(int self, List<Integer> replicas, SortedMap<Integer, RecoveryStatus> answers) {
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
        knownOf(self, answers).stream()
                .filter(KnownRecovery::hasRecovered)
                .forEach(known -> times.add(known.agreedMillis()));
        Optional<Long> last =
                times.stream().sorted(Comparator.reverseOrder()).skip(faulty).findFirst();
        return new Standing(
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
        long open =
                knownOf(replica, answers).stream().filter(KnownRecovery::open).count();
        return status.phase() != Phase.NONE || open > faulty ? name + " recovers" : "";
    }

    private static boolean isIdle(int replica, SortedMap<Integer, RecoveryStatus> answers) {
        RecoveryStatus status = answers.get(replica);
        return status != null && !status.takesPart();
    }

    /** What others say of the last recovery of a replica. */
    private static List<KnownRecovery> knownOf(int replica, SortedMap<Integer, RecoveryStatus> answers) {
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
