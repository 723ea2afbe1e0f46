package io.bulwark.client;

import io.bulwark.client.ClusterStatus.Recoveries;
import io.bulwark.client.ClusterStatus.Recovery;
import io.bulwark.client.ClusterStatus.Steps;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.KnownRecovery;
import io.bulwark.protocol.ordering.recovery.RecoveryStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Summary of the replicas' recovery reports. A number is one that at least f+1 reach: f liars can neither exceed what a
 * correct replica sees nor hide it behind their own. An alarm needs f+1 others that raise it.
 */
final class RecoveryFacts {
    private RecoveryFacts() {}

    /** Derives the summary from the answers, by number of the replica. */
    static Recoveries summary(List<Integer> replicas, int faulty, SortedMap<Integer, RecoveryStatus> answers) {
        List<RecoveryStatus> all = List.copyOf(answers.values());
        List<Recovery> each = new ArrayList<>();
        for (int replica : replicas) {
            SortedMap<Integer, RecoveryStatus> others = new TreeMap<>(answers);
            RecoveryStatus own = others.remove(replica);
            each.add(recovery(replica, faulty, own, List.copyOf(others.values())));
        }
        return new Recoveries(
                Duration.ofMillis(reached(
                                faulty,
                                all.stream().map(RecoveryStatus::watchdogMillis).toList())
                        .orElse(0L)),
                Duration.ofMillis(reached(
                                faulty,
                                all.stream()
                                        .map(RecoveryStatus::oldestKeyMillis)
                                        .toList())
                        .orElse(0L)),
                reached(
                                faulty,
                                all.stream()
                                        .map(status -> status.windowMillis(replicas.size()))
                                        .filter(window -> window.isPresent())
                                        .map(window -> window.getAsLong())
                                        .toList())
                        .map(Duration::ofMillis),
                each);
    }

    private static Recovery recovery(
            int replica, int faulty, @Nullable RecoveryStatus own, List<RecoveryStatus> others) {
        return new Recovery(
                replica,
                own == null ? "unknown" : own.phase().name().toLowerCase(Locale.ROOT),
                own != null && own.forgotten(),
                own == null ? Optional.empty() : steps(own.own()),
                when(replica, faulty, others, KnownRecovery::hasRecovered),
                when(replica, faulty, others, known -> !known.hasRecovered()),
                said(replica, faulty, others, (ignored, known) -> known.open()),
                said(replica, faulty, others, (ignored, known) -> known.slow()),
                said(replica, faulty, others, RecoveryStatus::isOverdue));
    }

    /** The agreed time of what others know of it, if that is of this kind. */
    private static Optional<Instant> when(
            int replica, int faulty, List<RecoveryStatus> others, Predicate<KnownRecovery> kind) {
        List<Long> times = others.stream()
                .flatMap(status -> known(status, replica).stream())
                .filter(kind)
                .map(KnownRecovery::agreedMillis)
                .toList();
        return reached(faulty, times).map(Instant::ofEpochMilli);
    }

    /** Returns whether f+1 replicas report it. */
    private static boolean said(
            int replica, int faulty, List<RecoveryStatus> others, BiPredicate<RecoveryStatus, KnownRecovery> what) {
        return others.stream()
                        .filter(status -> known(status, replica)
                                .filter(known -> what.test(status, known))
                                .isPresent())
                        .count()
                > faulty;
    }

    private static Optional<KnownRecovery> known(RecoveryStatus status, int replica) {
        return status.known().stream()
                .filter(known -> known.replica() == replica)
                .findFirst();
    }

    /** The greatest number that f+1 of these reach. */
    private static Optional<Long> reached(int faulty, List<Long> numbers) {
        return numbers.stream().sorted(Comparator.reverseOrder()).skip(faulty).findFirst();
    }

    private static Optional<Steps> steps(RecoveryStatus.Steps own) {
        if (own.agoMillis() == RecoveryStatus.NEVER) {
            return Optional.empty();
        }
        return Optional.of(new Steps(
                Duration.ofMillis(own.agoMillis()),
                step(own.estimatedMillis()),
                step(own.answeredMillis()),
                step(own.checkedMillis()),
                step(own.recoveredMillis()),
                own.checkedPages(),
                own.damagedPages()));
    }

    private static Optional<Duration> step(long millis) {
        return millis == RecoveryStatus.NEVER ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
    }
}
