package io.bulwark.protocol.fountain;

import io.bulwark.protocol.erasure.GaloisField;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The dense part of inactivation decoding: equations in the inactive symbols alone. Rows over GF(2) come first, as they cost
 * additions only. The dense constraints, over GF(2^8), decide on the <i>rest</i> of the symbols. Symbols here are numbered by
 * their places among the inactive ones.
 */
final class DenseSystem {
    /**
     * A row over GF(2) that gives one symbol.
     *
     * @param row the number that its caller gave it
     * @param pivot the symbol that it gives
     * @param others the other symbols in it
     * @param added the earlier of these rows, by place, whose values are to be added to its own
     */
    record BinaryRow(int row, int pivot, BitSet others, List<Integer> added) {}

    private final int symbols;
    private final List<BinaryRow> binary = new ArrayList<>();

    DenseSystem(int symbols) {
        this.symbols = symbols;
    }

    List<BinaryRow> binaryRows() {
        return binary;
    }

    /** Adds a row, unless it says nothing new. */
    void add(int row, BitSet coefficients) {
        BitSet reduced = (BitSet) coefficients.clone();
        List<Integer> added = new ArrayList<>();
        for (int i = 0; i < binary.size(); i++) {
            BinaryRow earlier = binary.get(i);
            if (reduced.get(earlier.pivot())) {
                reduced.xor(earlier.others());
                reduced.clear(earlier.pivot());
                added.add(i);
            }
        }
        int pivot = reduced.length() - 1;
        if (pivot >= 0) {
            reduced.clear(pivot);
            binary.add(new BinaryRow(row, pivot, reduced, added));
        }
    }

    /** The symbols that no row over GF(2) gives. */
    List<Integer> rest() {
        BitSet pivots = new BitSet();
        binary.forEach(row -> pivots.set(row.pivot()));
        List<Integer> rest = new ArrayList<>();
        for (int symbol = 0; symbol < symbols; symbol++) {
            if (!pivots.get(symbol)) {
                rest.add(symbol);
            }
        }
        return rest;
    }

    /**
     * Solves the rest by constraints over GF(2^8).
     *
     * @param constraints each with the coefficients of all symbols; overwritten
     * @return for each symbol of the rest the coefficients of the values of all constraints, then of all {@link #binaryRows};
     *     null if they do not determine it
     */
    byte @Nullable [][] solve(byte[][] constraints) {
        List<Integer> rest = rest();
        int count = constraints.length;
        byte[][] eliminated = new byte[count][binary.size()];
        byte[][] system = new byte[count][rest.size() + count];
        for (int i = 0; i < count; i++) {
            eliminate(constraints[i], eliminated[i]);
            for (int j = 0; j < rest.size(); j++) {
                system[i][j] = constraints[i][rest.get(j)];
            }
            system[i][rest.size() + i] = 1;
        }
        if (!reduce(system, rest.size())) {
            return null;
        }
        byte[][] solution = new byte[rest.size()][count + binary.size()];
        for (int j = 0; j < solution.length; j++) {
            System.arraycopy(system[j], rest.size(), solution[j], 0, count);
            for (int i = 0; i < count; i++) {
                addScaled(solution[j], count, eliminated[i], system[j][rest.size() + i]);
            }
        }
        return solution;
    }

    /** Removes the symbols that rows over GF(2) give from a constraint, and notes how often each row was added. */
    private void eliminate(byte[] constraint, byte[] times) {
        for (int i = 0; i < binary.size(); i++) {
            BinaryRow row = binary.get(i);
            byte factor = constraint[row.pivot()];
            if (factor != 0) {
                times[i] = factor;
                constraint[row.pivot()] = 0;
                row.others().stream().forEach(symbol -> constraint[symbol] ^= factor);
            }
        }
    }

    /** Gauss-Jordan elimination of the first columns; row j then gives column j. Returns whether the rank suffices. */
    private static boolean reduce(byte[][] system, int columns) {
        for (int column = 0; column < columns; column++) {
            int pivot = column;
            while (pivot < system.length && system[pivot][column] == 0) {
                pivot++;
            }
            if (pivot >= system.length) {
                return false;
            }
            byte[] row = system[pivot];
            system[pivot] = system[column];
            system[column] = row;
            byte inverse = GaloisField.inverse(row[column]);
            for (int i = 0; i < row.length; i++) {
                row[i] = GaloisField.multiply(inverse, row[i]);
            }
            for (int other = 0; other < system.length; other++) {
                if (other != column && system[other][column] != 0) {
                    addScaled(system[other], 0, row, system[other][column]);
                }
            }
        }
        return true;
    }

    private static void addScaled(byte[] target, int at, byte[] row, byte factor) {
        for (int i = 0; i < row.length; i++) {
            target[at + i] ^= GaloisField.multiply(factor, row[i]);
        }
    }
}
