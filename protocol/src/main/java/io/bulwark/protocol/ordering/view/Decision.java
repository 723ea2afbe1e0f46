package io.bulwark.protocol.ordering.view;

import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.DigestView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Decision procedure of a new view (proactive recovery paper, figure 3) over S, the VIEW-CHANGEs of different replicas.
 * The primary runs it whenever S has grown or a batch has arrived; a backup checks with it that S supports the choices
 * of a NEW-VIEW.
 *
 * <p>Several candidates of one number may verify A1 and A2 if none has committed. The primary takes that of the latest
 * view, then of the least digest; a backup accepts any, and null wherever B holds, since it cannot judge A3.
 */
public final class Decision {
    /** Bodies that the primary holds. */
    @FunctionalInterface
    public interface Bodies {
        /** A3: the batch with this digest is here with its requests, or this number is executed here. */
        boolean has(long sequence, Bytes digest);
    }

    /** Result of the decision procedure. */
    public sealed interface Outcome {}

    /**
     * A choice for the checkpoint, and for the numbers after it without gaps: L of them, or fewer if B holds for all
     * others.
     */
    public record Decided(Numbered checkpoint, List<Numbered> chosen) implements Outcome {
        public Decided {
            chosen = List.copyOf(chosen);
        }
    }

    /**
     * Not yet.
     *
     * @param missing the candidates that only A3 keeps from being chosen, by number: to be fetched
     */
    public record Undecided(List<Numbered> missing) implements Outcome {
        public Undecided {
            missing = List.copyOf(missing);
        }
    }

    private record Claim(long stable, Map<Long, Prepared> prepared, Map<Long, Map<Bytes, Long>> prePrepared) {}

    private static final Comparator<Prepared> LATEST_FIRST =
            Comparator.comparingLong(Prepared::view).reversed().thenComparing(Prepared::digest);

    private final ViewGroup group;
    private final List<Claim> claims = new ArrayList<>();
    private final SortedMap<Long, Map<Bytes, Integer>> checkpoints = new TreeMap<>(Comparator.reverseOrder());

    public Decision(ViewGroup group) {
        this.group = group;
    }

    /** Adds a VIEW-CHANGE, which has passed {@link ViewChecks}, to S; the caller adds one for each replica at most. */
    public void add(ViewChange message) {
        Map<Long, Prepared> prepared = new HashMap<>();
        message.prepared().forEach(entry -> prepared.put(entry.sequence(), entry));
        Map<Long, Map<Bytes, Long>> prePrepared = new HashMap<>();
        message.prePrepared().forEach(entry -> {
            Map<Bytes, Long> pairs = new HashMap<>();
            for (DigestView pair : entry.pairs()) {
                pairs.put(pair.digest(), pair.view());
            }
            prePrepared.put(entry.sequence(), pairs);
        });
        claims.add(new Claim(message.stable(), prepared, prePrepared));
        for (Numbered checkpoint : message.checkpoints()) {
            checkpoints
                    .computeIfAbsent(checkpoint.sequence(), ignored -> new TreeMap<>())
                    .merge(checkpoint.digest(), 1, Integer::sum);
        }
    }

    /** The first lines of figure 3: the (h, d) of D with the greatest h. */
    public Optional<Numbered> checkpoint() {
        for (Map.Entry<Long, Map<Bytes, Integer>> entry : checkpoints.entrySet()) {
            long number = entry.getKey();
            if (count(claim -> claim.stable <= number) < group.quorum()) {
                continue;
            }
            for (Map.Entry<Bytes, Integer> digest : entry.getValue().entrySet()) {
                if (digest.getValue() >= group.weakQuorum()) {
                    return Optional.of(new Numbered(number, digest.getKey()));
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Decides at the primary (figure 3).
     *
     * @param toTheEnd whether each of the L numbers gets a choice, as in the paper. Else numbers after the last one in
     *     S get none: B holds for them, so that a fresh batch is as right there as null (docs/decisions/0022)
     */
    public Outcome decide(Bodies bodies, boolean toTheEnd) {
        Optional<Numbered> checkpoint = checkpoint();
        if (checkpoint.isEmpty()) {
            return new Undecided(List.of());
        }
        long h = checkpoint.get().sequence();
        long end = h + group.logSize();
        long last = toTheEnd ? end : Math.min(end, lastEntry(h));
        List<Numbered> chosen = new ArrayList<>(group.logSize());
        List<Numbered> missing = new ArrayList<>();
        for (long n = h + 1; n <= last; n++) {
            choose(n, bodies, missing).ifPresent(chosen::add);
        }
        return chosen.size() == last - h ? new Decided(checkpoint.get(), chosen) : new Undecided(missing);
    }

    /** The last number for which P or Q of any message in S has an entry; h if none above it has. */
    private long lastEntry(long h) {
        long last = h;
        for (Claim claim : claims) {
            for (long n : claim.prepared.keySet()) {
                last = Math.max(last, n);
            }
            for (long n : claim.prePrepared.keySet()) {
                last = Math.max(last, n);
            }
        }
        return last;
    }

    private Optional<Numbered> choose(long n, Bodies bodies, List<Numbered> missing) {
        List<Numbered> absent = new ArrayList<>();
        // A.
        for (Prepared candidate : candidates(n)) {
            if (hasNoLaterPrepared(candidate) && isPrePreparedByCorrect(candidate)) {
                Numbered choice = new Numbered(n, candidate.digest());
                if (candidate.digest().equals(Batch.NULL_DIGEST) || bodies.has(n, candidate.digest())) { // A3
                    return Optional.of(choice);
                }
                absent.add(choice);
            }
        }
        // B. else if
        if (hasNothingPrepared(n)) {
            return Optional.of(new Numbered(n, Batch.NULL_DIGEST));
        }
        missing.addAll(absent);
        return Optional.empty();
    }

    /** Returns whether S supports these choices, and none for later numbers: the check of a NEW-VIEW by a backup. */
    public boolean supports(Numbered checkpoint, List<Numbered> chosen) {
        if (!checkpoint().equals(Optional.of(checkpoint)) || chosen.size() > group.logSize()) {
            return false;
        }
        long n = checkpoint.sequence();
        for (Numbered choice : chosen) {
            n++;
            if (choice.sequence() != n || !supports(choice)) {
                return false;
            }
        }
        while (n < checkpoint.sequence() + group.logSize()) {
            n++;
            if (!hasNothingPrepared(n)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether S supports the choice of this batch for this number, above the checkpoint. */
    boolean supports(Numbered choice) {
        if (choice.digest().equals(Batch.NULL_DIGEST) && hasNothingPrepared(choice.sequence())) {
            return true;
        }
        return candidates(choice.sequence()).stream()
                .anyMatch(candidate -> candidate.digest().equals(choice.digest())
                        && hasNoLaterPrepared(candidate)
                        && isPrePreparedByCorrect(candidate));
    }

    /** A: there is m in S with (n, d, v) in m.P. */
    private List<Prepared> candidates(long n) {
        return claims.stream()
                .flatMap(claim -> Optional.ofNullable(claim.prepared.get(n)).stream())
                .distinct()
                .sorted(LATEST_FIRST)
                .toList();
    }

    /** A1: 2f+1 m' with m'.ls < n whose P has no entry for n, or one of an earlier view, or this one. */
    private boolean hasNoLaterPrepared(Prepared candidate) {
        return count(claim -> {
                    Prepared entry = claim.prepared.get(candidate.sequence());
                    return claim.stable < candidate.sequence()
                            && (entry == null || entry.view() < candidate.view() || entry.equals(candidate));
                })
                >= group.quorum();
    }

    /** A2: f+1 m' whose Q has (d, v') for n with v' at least v. */
    private boolean isPrePreparedByCorrect(Prepared candidate) {
        return count(claim -> claim.prePrepared
                                .getOrDefault(candidate.sequence(), Map.of())
                                .getOrDefault(candidate.digest(), -1L)
                        >= candidate.view())
                >= group.weakQuorum();
    }

    /** B: 2f+1 m with m.ls < n whose P has no entry for n. */
    private boolean hasNothingPrepared(long n) {
        return count(claim -> claim.stable < n && !claim.prepared.containsKey(n)) >= group.quorum();
    }

    private int count(Predicate<Claim> condition) {
        int count = 0;
        for (Claim claim : claims) {
            count += condition.test(claim) ? 1 : 0;
        }
        return count;
    }
}
