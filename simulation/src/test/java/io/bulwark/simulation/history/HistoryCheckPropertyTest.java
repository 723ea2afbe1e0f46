package io.bulwark.simulation.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.Runs;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@NullMarked
@Tag("long")
class HistoryCheckPropertyTest {
    private static final long SEED = Long.getLong("bulwark.seed", System.nanoTime());
    private static final int SMALL_RUNS = Runs.of(6_000);

    @BeforeAll
    static void printSeed() {
        System.out.println("HistoryCheckPropertyTest bulwark.seed=" + SEED);
    }

    @Test
    void theCheckersOfRegistersAgreeWithTheDefinition() {
        Random random = new Random(SEED);
        int linearizable = 0;
        for (int run = 0; run < SMALL_RUNS; run++) {
            History history = smallRegister(random, random.nextInt(4) != 0);
            List<Integer> numbers = history.byKey().values().iterator().next();
            boolean expected = PermutationCheck.linearizable(history);
            linearizable += expected ? 1 : 0;
            assertThat(search(history, numbers)).as("search, %s", history).isEqualTo(expected);
            assertThat(HistoryCheck.of(history).problem().isEmpty())
                    .as("%s", history)
                    .isEqualTo(expected);
            if (HistoryCheck.canUseZones(history, numbers)) {
                assertThat(new RegisterZones(history, "k", numbers).violation().isEmpty())
                        .as("zones, %s", history)
                        .isEqualTo(expected);
            }
        }
        assertThat(linearizable).isBetween(SMALL_RUNS / 10, SMALL_RUNS * 9 / 10);
    }

    @Test
    void theCheckerOfObjectsAgreesWithTheDefinition() {
        Random random = new Random(SEED);
        int linearizable = 0;
        for (int run = 0; run < SMALL_RUNS; run++) {
            History history = smallObject(random);
            boolean expected = PermutationCheck.linearizable(history);
            linearizable += expected ? 1 : 0;
            assertThat(HistoryCheck.of(history).problem().isEmpty())
                    .as("%s", history)
                    .isEqualTo(expected);
        }
        assertThat(linearizable).isBetween(SMALL_RUNS / 20, SMALL_RUNS * 19 / 20);
    }

    @Test
    void whatARealRegisterDidIsAcceptedAndAPlantedReadIsFound() {
        Random random = new Random(SEED);
        int undecided = 0;
        for (int run = 0; run < 10; run++) {
            RealRegister register = new RealRegister(random, 1_000, run % 2 == 0);
            HistoryCheck check = HistoryCheck.of(new History(register.operations));
            assertThat(check.problem()).isEmpty();
            // A value overwritten long ago is read once more.
            List<Operation> planted = new ArrayList<>(register.operations);
            Operation late = register.operations.getLast();
            long now = late.invokedMicros() + 100_000;
            planted.add(new Operation(
                    "p",
                    true,
                    late.action().isRegisterAction() ? Action.READ : Action.GET,
                    "k",
                    register.oldValue,
                    0,
                    0,
                    now,
                    now + 1,
                    Outcome.OK));
            // A proof that no order exists may exceed the limit of tries (about one object in 1,500). The check then
            // reports that it is undecided.
            HistoryCheck found = HistoryCheck.of(new History(planted));
            assertThat(found.problem()).isPresent();
            undecided += found.undecided().size();
        }
        assertThat(undecided).isLessThanOrEqualTo(1);
    }

    @Test
    void longHistoriesAreDecided() {
        Random random = new Random(SEED);
        for (boolean register : new boolean[] {true, false}) {
            RealRegister real = new RealRegister(random, register ? 100_000 : 20_000, register);
            assertThat(HistoryCheck.of(new History(real.operations)).problem()).isEmpty();
        }
    }

    private static boolean search(History history, List<Integer> numbers) {
        return switch (new OrderSearch(history, "k", numbers, 1_000_000).run()) {
            case OrderSearch.Result.Found _ -> true;
            case OrderSearch.Result.None _ -> false;
            case OrderSearch.Result.GivenUp _ -> throw new AssertionError("given up");
        };
    }

    private static History smallRegister(Random random, boolean distinct) {
        List<Operation> operations = new ArrayList<>();
        int count = 1 + random.nextInt(7);
        for (int i = 0; i < count; i++) {
            boolean write = random.nextBoolean();
            String value = write
                    ? "v" + (distinct ? i : random.nextInt(2))
                    : random.nextInt(5) == 0 ? null : "v" + random.nextInt(count);
            add(random, operations, write ? Action.WRITE : Action.READ, value, 0, 0);
        }
        return new History(operations);
    }

    private static History smallObject(Random random) {
        List<Operation> operations = new ArrayList<>();
        int count = 1 + random.nextInt(6);
        Action[] actions = {
            Action.PUT, Action.PUT_IF_ABSENT, Action.PUT_IF_VERSION, Action.GET, Action.GET, Action.DELETE
        };
        for (int i = 0; i < count; i++) {
            Action action = actions[random.nextInt(actions.length)];
            String value = switch (action) {
                case GET -> random.nextInt(4) == 0 ? null : "v" + random.nextInt(2);
                case DELETE -> null;
                default -> "v" + random.nextInt(2);
            };
            long ifVersion = action == Action.PUT_IF_VERSION ? 1 + random.nextInt(3) : 0;
            add(random, operations, action, value, ifVersion, random.nextInt(4));
        }
        return new History(operations);
    }

    private static void add(
            Random random,
            List<Operation> operations,
            Action action,
            @Nullable String value,
            long ifVersion,
            long version) {
        boolean correct = random.nextInt(6) != 0;
        Outcome outcome = Outcome.OK;
        int kind = random.nextInt(10);
        if (kind == 0) {
            outcome = Outcome.UNKNOWN;
        } else if (kind == 1) {
            outcome = Outcome.FAILED;
        } else if (kind < 5 && action.mayBeRefused()) {
            outcome = Outcome.REFUSED;
        }
        boolean returns = outcome == Outcome.OK;
        String shown = action.reads() && !returns ? null : value;
        boolean versioned = returns && !action.isRegisterAction() && (shown != null || action == Action.DELETE);
        long from = random.nextInt(12);
        long to = outcome == Outcome.UNKNOWN && random.nextBoolean() ? Operation.NEVER : from + random.nextInt(6);
        String client = "client-" + operations.size();
        operations.add(new Operation(
                client, correct, action, "k", shown, ifVersion, versioned ? version : 0, from, to, outcome));
    }

    /** One sequential register or object, and clients that see its operations within random intervals around the moment of each. */
    private static final class RealRegister {
        private final List<Operation> operations = new ArrayList<>();
        private @Nullable String value;
        private @Nullable String oldValue;
        private long version;
        private long versions;

        RealRegister(Random random, int count, boolean register) {
            for (int i = 0; i < count; i++) {
                step(random, i, register);
            }
            // Something that was certainly there, and is certainly gone.
            for (int i = 0; i < 2; i++) {
                String last = "last" + i;
                value = last;
                version = register ? 0 : ++versions;
                long at = 10L * count + 5_000 + 10_000L * i;
                operations.add(new Operation(
                        "l",
                        true,
                        register ? Action.WRITE : Action.PUT,
                        "k",
                        last,
                        0,
                        version,
                        at,
                        at + 5,
                        Outcome.OK));
            }
            oldValue = "last0";
            Collections.shuffle(operations, random);
            operations.sort((a, b) -> Long.compare(a.completedMicros(), b.completedMicros()));
            operations.removeIf(operation ->
                    operation.outcome() == Outcome.FAILED && operation.action().reads());
        }

        private void step(Random random, int i, boolean register) {
            Action[] actions = register
                    ? new Action[] {Action.WRITE, Action.READ, Action.READ}
                    : new Action[] {
                        Action.PUT, Action.GET, Action.PUT_IF_ABSENT, Action.PUT_IF_VERSION, Action.DELETE, Action.GET
                    };
            Action action = actions[random.nextInt(actions.length)];
            boolean unknown = random.nextInt(50) == 0;
            boolean correct = action.reads() || random.nextInt(50) != 0;
            long ifVersion = action == Action.PUT_IF_VERSION
                    ? random.nextBoolean() && version != 0 ? version : 1 + random.nextInt((int) versions + 1)
                    : 0;
            boolean holds = switch (action) {
                case PUT_IF_ABSENT -> value == null;
                case PUT_IF_VERSION -> value != null && version == ifVersion;
                case DELETE -> value != null;
                default -> true;
            };
            boolean happens = holds && !(unknown && random.nextBoolean());
            String brought = "v" + i;
            String returned = action.reads() ? value : null;
            long shownVersion = action == Action.GET || action == Action.DELETE ? version : 0;
            if (happens && action.hasOwnValue()) {
                value = brought;
                version = register ? 0 : ++versions;
                shownVersion = version;
            } else if (happens && action == Action.DELETE) {
                value = null;
                version = 0;
            }
            Outcome outcome = unknown ? Outcome.UNKNOWN : holds ? Outcome.OK : Outcome.REFUSED;
            boolean ok = outcome == Outcome.OK;
            long at = 10L * i + 1_000;
            operations.add(new Operation(
                    "client-" + random.nextInt(10),
                    correct,
                    action,
                    "k",
                    action.hasOwnValue() ? brought : ok ? returned : null,
                    ifVersion,
                    ok && correct && (!action.reads() || returned != null) ? shownVersion : 0,
                    at - random.nextInt(30),
                    unknown ? Operation.NEVER : at + random.nextInt(30),
                    outcome));
        }
    }
}
