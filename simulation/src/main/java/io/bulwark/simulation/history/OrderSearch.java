package io.bulwark.simulation.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Searches an order of one key's operations (J. Wing and C. Gong, Testing and verifying concurrent objects, with the
 * memory of G. Lowe, Testing for linearizability: no pair of a set of ordered operations and a state is visited twice).
 *
 * <p>Some cuts keep long histories fast:
 * <ul>
 * <li>An operation that changes nothing is ordered as soon as possible.
 * <li>A put of unknown outcome took effect before a read returned its value, if no other operation wrote that value.
 * <li>Puts of unknown outcome whose values no read returned differ only in their beginning: the earliest is taken
 * first.
 * <li>An optional operation comes right before one that needs it, or not at all; in a register that is a read of its
 * value.
 * <li>Where no read of a register can come, a write must. A write whose value no read returned may come first, since
 * the next hides it.
 * </ul>
 */
final class OrderSearch {
    private static final int SHOWN_MAX = 5;

    /** Result of the search. */
    sealed interface Result {
        record Found() implements Result {}

        record None(Violation violation) implements Result {}

        record GivenUp() implements Result {}
    }

    /**
     * Moves that are in order so far.
     *
     * @param low all required moves before this one are in order
     * @param beyond the moves after it that are in order
     * @param used the optional moves that are in order
     */
    private record Configuration(int low, BitSet beyond, BitSet used, KeyState state) {
        int count() {
            return low + beyond.cardinality();
        }
    }

    private record Step(@Nullable Move by, Configuration to) {}

    private static final class Frame {
        private final Step step;
        private final ArrayDeque<Step> next;

        private Frame(Step step, ArrayDeque<Step> next) {
            this.step = step;
            this.next = next;
        }
    }

    private final History history;
    private final String key;
    private final List<Integer> numbers;
    private final int configurationsMax;
    private final List<Move> required = new ArrayList<>();
    private final List<Move> optional = new ArrayList<>();
    private final TreeSet<Long> given = new TreeSet<>();
    private final List<Frame> path = new ArrayList<>();
    private int best = -1;
    private List<Step> bestEnd = List.of();

    OrderSearch(History history, String key, List<Integer> numbers, int configurationsMax) {
        this.history = history;
        this.key = key;
        this.numbers = numbers;
        this.configurationsMax = configurationsMax;
    }

    Result run() {
        Optional<Violation> wrong = prepare();
        if (wrong.isPresent()) {
            return new Result.None(wrong.get());
        }
        Set<Configuration> seen = new HashSet<>();
        Configuration start = new Configuration(0, new BitSet(), new BitSet(), KeyState.INITIAL);
        path.add(new Frame(new Step(null, start), steps(start)));
        while (!path.isEmpty()) {
            Frame frame = path.getLast();
            Configuration at = frame.step.to();
            if (at.low() == required.size()) {
                return new Result.Found();
            }
            note(at);
            Step step = frame.next.poll();
            if (step == null) {
                path.removeLast();
            } else if (seen.add(step.to())) {
                if (seen.size() > configurationsMax) {
                    return new Result.GivenUp();
                }
                path.add(new Frame(step, steps(step.to())));
            }
        }
        return new Result.None(violation());
    }

    /** Makes the moves; what is wrong without any search. */
    private Optional<Violation> prepare() {
        Sources sources = new Sources(history, key, numbers);
        Map<String, Long> firstReturned = new HashMap<>();
        Map<String, Long> versions = new HashMap<>();
        for (int number : numbers) {
            Operation operation = history.operations().get(number);
            Optional<Violation> wrong = sources.violation(number);
            if (wrong.isPresent()) {
                return wrong;
            }
            String value = operation.value();
            if (operation.action().reads() && !operation.isIrrelevant() && value != null) {
                firstReturned.merge(value, operation.completedMicros(), Math::min);
                if (operation.version() != 0) {
                    versions.put(value, operation.version());
                }
            }
        }
        Map<Long, Integer> makers = new HashMap<>();
        for (int number : numbers) {
            Operation operation = history.operations().get(number);
            if (operation.isIrrelevant()) {
                continue;
            }
            String value = operation.value();
            boolean alone = value != null && sources.of(value).size() == 1;
            Move move = move(number, operation, alone, firstReturned, versions);
            if (move.hasKnownVersion()) {
                Integer other = makers.put(move.version(), number);
                if (other != null) {
                    String reason = "#" + other + " and #" + number + " both made version " + move.version();
                    return Optional.of(Violation.of(history, key, reason, List.of(other, number)));
                }
            }
            (move.required() ? required : optional).add(move);
        }
        given.addAll(makers.keySet());
        required.sort(Comparator.comparingLong(Move::firstMicros));
        optional.sort(Comparator.comparingLong(Move::firstMicros));
        return Optional.empty();
    }

    private static Move move(
            int number,
            Operation operation,
            boolean alone,
            Map<String, Long> firstReturned,
            Map<String, Long> versions) {
        String value = operation.value();
        long version = operation.correct() ? operation.version() : 0;
        long last = operation.lastMicros();
        boolean required = !operation.optional();
        if (value != null && operation.action().hasOwnValue() && !operation.refused()) {
            Long returned = firstReturned.get(value);
            if (returned == null) {
                value = KeyState.UNSEEN;
            } else if (alone) {
                last = Math.min(last, returned);
                required = true;
                version = version == 0 ? versions.getOrDefault(value, 0L) : version;
            }
        }
        return new Move(
                number,
                operation.action(),
                operation.refused(),
                value,
                operation.ifVersion(),
                version,
                required,
                operation.invokedMicros(),
                last);
    }

    /** Returns the possible next steps: the most urgent first, optional ones last. */
    private ArrayDeque<Step> steps(Configuration at) {
        List<Step> steps = new ArrayList<>();
        List<Move> blocked = new ArrayList<>();
        Step hidden = null;
        long soonest = Operation.NEVER;
        for (int i = at.low(); i < required.size() && required.get(i).firstMicros() <= soonest; i++) {
            if (!at.beyond().get(i)) {
                Move move = required.get(i);
                soonest = Math.min(soonest, move.lastMicros());
                KeyState after = at.state().after(move, given);
                if (after != null) {
                    Step step = new Step(move, with(at, i, after));
                    if (move.hasNoEffect() && after.equals(at.state())) {
                        return new ArrayDeque<>(List.of(step));
                    }
                    steps.add(step);
                    if (move.isHiddenWrite()) {
                        hidden = step;
                    }
                } else if (!at.state().early(move, given)) {
                    blocked.add(move);
                }
            }
        }
        if (hidden != null) {
            return new ArrayDeque<>(List.of(hidden));
        }
        steps.sort(Comparator.comparingLong(
                step -> step.by() == null ? 0 : step.by().lastMicros()));
        if (!blocked.isEmpty()) {
            addOptional(at, soonest, blocked, steps);
        }
        return new ArrayDeque<>(steps);
    }

    private void addOptional(Configuration at, long soonest, List<Move> blocked, List<Step> steps) {
        List<Move> taken = new ArrayList<>();
        for (int i = at.used().nextClearBit(0);
                i < optional.size() && optional.get(i).firstMicros() <= soonest;
                i = at.used().nextClearBit(i + 1)) {
            Move move = optional.get(i);
            KeyState after = at.state().after(move, given);
            if (after != null
                    && !after.equals(at.state())
                    && blocked.stream().anyMatch(move::mayHelp)
                    && taken.stream().noneMatch(move::sameAs)) {
                taken.add(move);
                BitSet used = (BitSet) at.used().clone();
                used.set(i);
                steps.add(new Step(move, new Configuration(at.low(), at.beyond(), used, after)));
            }
        }
    }

    private static Configuration with(Configuration at, int index, KeyState after) {
        BitSet beyond = (BitSet) at.beyond().clone();
        beyond.set(index);
        int low = beyond.nextClearBit(at.low());
        beyond.clear(at.low(), low);
        return new Configuration(low, beyond, at.used(), after);
    }

    private void note(Configuration at) {
        if (at.count() > best) {
            best = at.count();
            bestEnd = path.subList(Math.max(0, path.size() - SHOWN_MAX), path.size()).stream()
                    .map(frame -> frame.step)
                    .toList();
        }
    }

    private Violation violation() {
        Configuration at = bestEnd.getLast().to();
        List<Integer> involved = new ArrayList<>();
        for (Step step : bestEnd) {
            Move by = step.by();
            if (by != null) {
                involved.add(by.number());
            }
        }
        List<Integer> stuck = new ArrayList<>();
        long soonest = Operation.NEVER;
        for (int i = at.low(); i < required.size() && required.get(i).firstMicros() <= soonest; i++) {
            Move move = required.get(i);
            if (!at.beyond().get(i)) {
                if (move.lastMicros() < soonest) {
                    stuck.addFirst(move.number());
                    soonest = move.lastMicros();
                } else {
                    stuck.add(move.number());
                }
            }
        }
        List<Integer> shown = stuck.subList(0, Math.min(SHOWN_MAX, stuck.size()));
        String reason = "no legal order: at best, after " + at.count() + " of " + required.size()
                + " operations, there is " + at.state() + ", and then #" + shown.getFirst() + " cannot come in time";
        involved.addAll(shown);
        return Violation.of(history, key, reason, involved);
    }
}
