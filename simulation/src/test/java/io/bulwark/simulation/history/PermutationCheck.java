package io.bulwark.simulation.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * Decides tiny histories of one key by the definition: all versions that puts without one may have made, all subsets of what may be
 * left out, all orders. Shares nothing with the checkers but the operations.
 */
@NullMarked
final class PermutationCheck {
    /** Versions from here on are of puts that nobody names: they fit in anywhere. */
    private static final long UNNAMED = 1_000;

    private final List<Operation> operations = new ArrayList<>();
    private final Map<Operation, Long> versions = new HashMap<>();

    static boolean linearizable(History history) {
        PermutationCheck check = new PermutationCheck();
        for (Operation operation : history.operations()) {
            boolean reads = operation.action() == Action.READ || operation.action() == Action.GET;
            boolean failed = operation.correct() && operation.outcome() == Outcome.FAILED;
            if (!failed && !(reads && !binding(operation))) {
                check.operations.add(operation);
            }
        }
        TreeSet<Long> named = new TreeSet<>();
        for (Operation operation : check.operations) {
            if (binding(operation) && operation.version() != 0) {
                named.add(operation.version());
            }
            if (operation.ifVersion() != 0) {
                named.add(operation.ifVersion());
            }
        }
        return check.assign(0, new ArrayList<>(named), UNNAMED);
    }

    private static boolean binding(Operation operation) {
        return operation.correct() && operation.outcome() != Outcome.UNKNOWN;
    }

    private static boolean puts(Operation operation) {
        return switch (operation.action()) {
            case PUT, PUT_IF_ABSENT, PUT_IF_VERSION -> !(binding(operation) && operation.outcome() == Outcome.REFUSED);
            case WRITE, READ, GET, DELETE -> false;
        };
    }

    /** Gives each put a version, no two the same. */
    private boolean assign(int index, List<Long> named, long fresh) {
        if (index == operations.size()) {
            return order(new ArrayList<>(), null, 0, 0);
        }
        Operation operation = operations.get(index);
        if (!puts(operation)) {
            return assign(index + 1, named, fresh);
        }
        List<Long> choices = new ArrayList<>(named);
        choices.add(fresh);
        if (binding(operation) && operation.version() != 0) {
            choices = List.of(operation.version());
        }
        for (long choice : choices) {
            if (!versions.containsValue(choice)) {
                versions.put(operation, choice);
                if (assign(index + 1, named, fresh + 1)) {
                    return true;
                }
                versions.remove(operation);
            }
        }
        return false;
    }

    private boolean order(List<Operation> done, @Nullable String value, long version, long floor) {
        if (operations.stream().filter(PermutationCheck::binding).allMatch(done::contains)) {
            return true;
        }
        for (Operation next : operations) {
            boolean late = operations.stream()
                    .anyMatch(other -> binding(other)
                            && !done.contains(other)
                            && !other.equals(next)
                            && other.completedMicros() < next.invokedMicros());
            if (!done.contains(next) && !late) {
                done.add(next);
                if (apply(done, next, value, version, floor)) {
                    return true;
                }
                done.removeLast();
            }
        }
        return false;
    }

    private boolean apply(List<Operation> done, Operation next, @Nullable String value, long version, long floor) {
        boolean refused = binding(next) && next.outcome() == Outcome.REFUSED;
        boolean holds = switch (next.action()) {
            case PUT_IF_ABSENT -> value == null;
            case PUT_IF_VERSION -> value != null && version == next.ifVersion();
            case DELETE -> value != null;
            case WRITE, PUT, READ, GET -> true;
        };
        if (binding(next) && refused == holds) {
            return false;
        }
        if (!holds) {
            return order(done, value, version, floor);
        }
        boolean versionFits = next.version() == 0 || !binding(next) || next.version() == version;
        return switch (next.action()) {
            case READ, GET -> Objects.equals(value, next.value()) && versionFits && order(done, value, version, floor);
            case DELETE -> versionFits && order(done, null, 0, floor);
            case WRITE, PUT, PUT_IF_ABSENT, PUT_IF_VERSION -> {
                long made = versions.getOrDefault(next, UNNAMED);
                yield made >= UNNAMED
                        ? order(done, next.value(), made, floor)
                        : made > floor && order(done, next.value(), made, made);
            }
        };
    }
}
