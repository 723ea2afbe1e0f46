package io.bulwark.simulation.history;

import java.util.HashSet;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The sequential register or object of one key. Each put makes a greater version than those before it. If a put did not
 * learn its version, the first operation that names a version determines it.
 *
 * @param value null if there is none
 * @param version 0 if it is not known
 * @param floor the greatest version known to be made so far
 * @param excluded versions that the unknown current one cannot have
 */
record KeyState(@Nullable String value, long version, long floor, Set<Long> excluded) {
    /** Stands for all values that no read returned; no value id is empty. */
    static final String UNSEEN = "";

    static final KeyState INITIAL = new KeyState(null, 0, 0, Set.of());

    /**
     * Returns the state after one more operation; null if that cannot come now.
     *
     * @param given all versions that operations in the order are known to make: none of them may be passed over
     */
    @Nullable
    KeyState after(Move move, NavigableSet<Long> given) {
        return switch (move.action()) {
            case WRITE, PUT -> holding(move, given);
            case READ -> Objects.equals(value, move.value()) ? this : null;
            case GET -> {
                if (!Objects.equals(value, move.value())) {
                    yield null;
                }
                yield value == null || move.version() == 0 ? this : withVersion(move.version(), given);
            }
            case PUT_IF_ABSENT -> {
                if (move.refused()) {
                    yield value != null ? this : null;
                }
                yield value == null ? holding(move, given) : null;
            }
            case PUT_IF_VERSION -> {
                KeyState known = value == null ? null : withVersion(move.ifVersion(), given);
                if (move.refused()) {
                    yield known == null ? this : without(move.ifVersion());
                }
                yield known == null ? null : known.holding(move, given);
            }
            case DELETE -> {
                if (move.refused()) {
                    yield value == null ? this : null;
                }
                KeyState known = value == null || move.version() == 0 ? this : withVersion(move.version(), given);
                yield value == null || known == null ? null : new KeyState(null, 0, known.floor, Set.of());
            }
        };
    }

    /** Returns whether a put makes a version too early: other puts must make smaller ones first. */
    boolean early(Move move, NavigableSet<Long> given) {
        return move.hasKnownVersion() && !Objects.equals(given.higher(floor), move.version());
    }

    private @Nullable KeyState holding(Move move, NavigableSet<Long> given) {
        if (early(move, given)) {
            return null;
        }
        return new KeyState(move.value(), move.version(), Math.max(floor, move.version()), Set.of());
    }

    /** Returns the state with this as the current version; null if it cannot be. */
    private @Nullable KeyState withVersion(long wanted, NavigableSet<Long> given) {
        if (version != 0) {
            return version == wanted ? this : null;
        }
        Long next = given.higher(floor);
        boolean possible = wanted > floor && (next == null || wanted < next) && !excluded.contains(wanted);
        return possible ? new KeyState(value, wanted, wanted, Set.of()) : null;
    }

    /** Returns the state with another current version than this; null if it is this one. */
    private @Nullable KeyState without(long refused) {
        return version != 0 ? null : new KeyState(value, 0, floor, with(excluded, refused));
    }

    private static Set<Long> with(Set<Long> set, long element) {
        Set<Long> larger = new HashSet<>(set);
        larger.add(element);
        return Set.copyOf(larger);
    }

    /** Returns text for people. */
    @Override
    public String toString() {
        if (value == null) {
            return "nothing";
        }
        String name = value.equals(UNSEEN) ? "a value that nobody read" : value;
        return version == 0 ? name : name + ", version " + version;
    }
}
