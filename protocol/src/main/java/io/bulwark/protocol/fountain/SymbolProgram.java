package io.bulwark.protocol.fountain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Computation of the intermediate symbols from a set of received symbols, compiled once for the set and run for every piece of a segment. In its
 * arena the intermediate symbols come first, then the values of the dense constraints, a zero, and the received symbols.
 * <ol>
 *   <li>Each light symbol that is not inactive gets its value without the inactive ones; each row over GF(2) of the
 *       {@link DenseSystem} its own.
 *   <li>The precode is run over these. The result and the rows give the rest of the inactive symbols.
 *   <li>The other inactive symbols and then the light ones are computed from what is known.
 * </ol>
 * Immutable and safe for use by many threads.
 */
final class SymbolProgram {
    private final int intermediates;
    private final int received;
    private final int[][] pairs;
    private final boolean[] solved;
    private final int[] first;
    private final int[] second;
    private final byte[][] rows;
    private final int[] inputs;
    private final int[] rest;

    /** A list of sums: for each its target, the number of symbols, and the symbols. */
    private static final class Sums {
        private int[] ints = new int[1024];
        private int size;

        void begin(int target, int count) {
            add(target);
            add(count);
        }

        void add(int value) {
            if (size == ints.length) {
                ints = Arrays.copyOf(ints, 2 * size);
            }
            ints[size++] = value;
        }

        int[] toArray() {
            return Arrays.copyOf(ints, size);
        }
    }

    private SymbolProgram(Compiler compiler, byte[][] rows) {
        intermediates = compiler.schedule.intermediates();
        received = compiler.received;
        pairs = compiler.precode.pairs();
        solved = compiler.solved;
        this.rows = rows;
        inputs = compiler.inputs();
        rest = compiler.rest();
        first = compiler.first();
        second = compiler.second();
    }

    /** Compiles the program for the received symbols; empty if they do not determine the others. */
    static Optional<SymbolProgram> of(SymbolSchedule schedule, Precode precode, int[] symbols) {
        if (symbols.length < schedule.messages()) {
            return Optional.empty();
        }
        Compiler compiler = new Compiler(schedule, precode, symbols);
        byte[][] rows = compiler.dense.solve(compiler.constraints());
        return rows == null ? Optional.empty() : Optional.of(new SymbolProgram(compiler, rows));
    }

    /** Number of symbols in the arena. */
    int arenaSymbols() {
        return input(received);
    }

    /** The place of a received symbol in the arena, by its place among the received ones. */
    int input(int index) {
        return intermediates + SymbolSchedule.DENSE + 1 + index;
    }

    /** Computes the intermediate symbols from the received ones in the arena. */
    void run(SymbolLoop loop, SymbolLoop.Arena arena) {
        run(loop, arena, first);
        if (rest.length > 0) {
            loop.precode(arena, pairs, solved, intermediates);
            loop.combine(arena, rows, inputs, rest);
        }
        run(loop, arena, second);
    }

    private static void run(SymbolLoop loop, SymbolLoop.Arena arena, int[] sums) {
        for (int at = 0; at < sums.length; at += 2 + sums[at + 1]) {
            loop.sum(arena, sums, at + 1, arena.bytes, sums[at] * arena.stride);
        }
    }

    /** State of the compilation of a program. */
    private static final class Compiler {
        final SymbolSchedule schedule;
        final Precode precode;
        final int received;
        /** The intermediate symbols in each received one, then those in each parity row. */
        final int[][] columns;

        final Peeling peeling;
        final DenseSystem dense;
        final boolean[] solved;
        /** Place of each intermediate symbol among the inactive ones, -1 if it is not inactive. */
        private final int[] place;
        /** Inactive symbols in each solved light symbol. */
        private final BitSet[] inactiveIn;

        Compiler(SymbolSchedule schedule, Precode precode, int[] symbols) {
            this.schedule = schedule;
            this.precode = precode;
            received = symbols.length;
            columns = Stream.concat(
                            Arrays.stream(symbols).mapToObj(schedule::columns), Arrays.stream(schedule.parityRows()))
                    .toArray(int[][]::new);
            peeling = new Peeling(schedule, columns);
            dense = new DenseSystem(peeling.inactive.size());
            solved = new boolean[schedule.lightSymbols()];
            place = new int[schedule.intermediates()];
            inactiveIn = new BitSet[schedule.intermediates()];
            Arrays.fill(place, -1);
            for (int i = 0; i < peeling.inactive.size(); i++) {
                place[peeling.inactive.get(i)] = i;
            }
            for (int i = 0; i < peeling.pivotRows.size(); i++) {
                int column = peeling.pivotColumns.get(i);
                inactiveIn[column] = inactiveIn(peeling.pivotRows.get(i));
                solved[column] = true;
            }
            peeling.leftRows().forEach(row -> dense.add(row, inactiveIn(row)));
        }

        /** The inactive symbols that a row has, once all solved ones are replaced. */
        private BitSet inactiveIn(int row) {
            BitSet sum = new BitSet(peeling.inactive.size());
            for (int column : columns[row]) {
                if (place[column] >= 0) {
                    sum.flip(place[column]);
                } else if (inactiveIn[column] != null) {
                    sum.xor(inactiveIn[column]);
                }
            }
            return sum;
        }

        /** The dense constraints in the inactive symbols. */
        byte[][] constraints() {
            byte[][] constraints = new byte[SymbolSchedule.DENSE][peeling.inactive.size()];
            byte[][] coefficients = precode.coefficients();
            for (int light = 0; light < coefficients.length; light++) {
                BitSet in = inactiveIn[light];
                for (int i = 0; i < constraints.length; i++) {
                    byte factor = coefficients[light][i];
                    byte[] constraint = constraints[i];
                    if (in == null) {
                        constraint[place[light]] ^= factor;
                    } else if (factor != 0) {
                        for (int u = in.nextSetBit(0); u >= 0; u = in.nextSetBit(u + 1)) {
                            constraint[u] ^= factor;
                        }
                    }
                }
            }
            for (int i = 0; i < constraints.length; i++) {
                constraints[i][place[schedule.lightSymbols() + i]] ^= 1;
            }
            return constraints;
        }

        /** The place of the zero in the arena, after which the received symbols stand. */
        private int zero() {
            return schedule.intermediates() + SymbolSchedule.DENSE;
        }

        private int inactive(int index) {
            return peeling.inactive.get(index);
        }

        int[] inputs() {
            List<Integer> inputs = new ArrayList<>();
            for (int i = 0; i < SymbolSchedule.DENSE; i++) {
                inputs.add(schedule.intermediates() + i);
            }
            dense.binaryRows().forEach(row -> inputs.add(inactive(row.pivot())));
            return inputs.stream().mapToInt(Integer::intValue).toArray();
        }

        int[] rest() {
            return dense.rest().stream().mapToInt(this::inactive).toArray();
        }

        int[] first() {
            Sums sums = new Sums();
            for (int i = 0; i < peeling.pivotRows.size(); i++) {
                int column = peeling.pivotColumns.get(i);
                addKnown(sums, column, peeling.pivotRows.get(i), column, List.of());
            }
            for (DenseSystem.BinaryRow row : dense.binaryRows()) {
                List<Integer> earlier = row.added().stream()
                        .map(other -> inactive(dense.binaryRows().get(other).pivot()))
                        .toList();
                addKnown(sums, inactive(row.pivot()), row.row(), -1, earlier);
            }
            return sums.toArray();
        }

        /** The sum of a row's received symbol, its solved symbols but one, and others. */
        private void addKnown(Sums sums, int target, int row, int except, List<Integer> others) {
            List<Integer> symbols = new ArrayList<>(others);
            for (int column : columns[row]) {
                if (column != except && place[column] < 0) {
                    symbols.add(column);
                }
            }
            addSum(sums, target, row, symbols);
        }

        private void addSum(Sums sums, int target, int row, List<Integer> symbols) {
            boolean isReceived = row < received;
            boolean isEmpty = !isReceived && symbols.isEmpty();
            sums.begin(target, symbols.size() + (isReceived || isEmpty ? 1 : 0));
            if (isReceived || isEmpty) {
                sums.add(isReceived ? zero() + 1 + row : zero());
            }
            symbols.forEach(sums::add);
        }

        int[] second() {
            Sums sums = new Sums();
            List<DenseSystem.BinaryRow> rows = dense.binaryRows();
            for (int i = rows.size() - 1; i >= 0; i--) {
                DenseSystem.BinaryRow row = rows.get(i);
                sums.begin(inactive(row.pivot()), 1 + row.others().cardinality());
                sums.add(inactive(row.pivot()));
                row.others().stream().map(this::inactive).forEach(sums::add);
            }
            for (int i = 0; i < peeling.pivotRows.size(); i++) {
                int row = peeling.pivotRows.get(i);
                int column = peeling.pivotColumns.get(i);
                List<Integer> others = Arrays.stream(columns[row])
                        .filter(other -> other != column)
                        .boxed()
                        .toList();
                addSum(sums, column, row, others);
            }
            return sums.toArray();
        }
    }
}
