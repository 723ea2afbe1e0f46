package io.bulwark.protocol.fountain;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * The sparse part of inactivation decoding (RFC 6330, 5.4.2.2): an order in which each received row gives one more light symbol, if the
 * <i>inactive</i> symbols are known. All dense symbols are inactive from the beginning. Where no row has a single active symbol
 * left, the light symbol that frees most rows becomes inactive.
 */
final class Peeling {
    private enum State {
        ACTIVE,
        SOLVED,
        INACTIVE
    }

    private final int k;
    private final int[][] rows;
    private final int[][] rowsOf;
    private final int[] activeDegree;
    /** The exclusive or of a row's active symbols: its last one, once only one is left. */
    private final int[] activeColumns;

    private final State[] states;
    private final boolean[] used;
    private final Deque<Integer> ready = new ArrayDeque<>();
    private int remaining;

    /** Rows that solve a light symbol, in order, and the symbols. */
    final List<Integer> pivotRows = new ArrayList<>();

    final List<Integer> pivotColumns = new ArrayList<>();
    /** The inactive symbols: the dense ones first. */
    final List<Integer> inactive = new ArrayList<>();

    Peeling(SymbolSchedule schedule, int[][] rows) {
        this.k = schedule.lightSymbols();
        this.rows = rows;
        this.rowsOf = invert(k, rows);
        this.activeDegree = new int[rows.length];
        this.activeColumns = new int[rows.length];
        this.states = new State[k];
        this.used = new boolean[rows.length];
        this.remaining = k;
        Arrays.fill(states, State.ACTIVE);
        for (int column = k; column < schedule.intermediates(); column++) {
            inactive.add(column);
        }
        for (int row = 0; row < rows.length; row++) {
            for (int column : rows[row]) {
                if (column < k) {
                    activeDegree[row]++;
                    activeColumns[row] ^= column;
                }
            }
            if (activeDegree[row] == 1) {
                ready.add(row);
            }
        }
        peel();
    }

    /** Returns the rows that solve no light symbol. */
    List<Integer> leftRows() {
        List<Integer> left = new ArrayList<>();
        for (int row = 0; row < rows.length; row++) {
            if (!used[row]) {
                left.add(row);
            }
        }
        return left;
    }

    private void peel() {
        while (remaining > 0) {
            Integer row = ready.poll();
            if (row == null) {
                int column = mostFreeing();
                inactive.add(column);
                leave(column, State.INACTIVE);
            } else if (activeDegree[row] == 1) {
                int column = activeColumns[row];
                used[row] = true;
                pivotRows.add(row);
                pivotColumns.add(column);
                leave(column, State.SOLVED);
            }
        }
    }

    private void leave(int column, State state) {
        states[column] = state;
        remaining--;
        for (int row : rowsOf[column]) {
            activeDegree[row]--;
            activeColumns[row] ^= column;
            if (activeDegree[row] == 1) {
                ready.add(row);
            }
        }
    }

    /** The active symbol in most rows that have two of them; of equal ones that in most other rows. */
    private int mostFreeing() {
        int best = -1;
        int bestWeight = -1;
        for (int column = 0; column < k; column++) {
            if (states[column] == State.ACTIVE) {
                int weight = 0;
                for (int row : rowsOf[column]) {
                    weight += activeDegree[row] == 2 ? rows.length : 1;
                }
                if (weight > bestWeight) {
                    best = column;
                    bestWeight = weight;
                }
            }
        }
        return best;
    }

    private static int[][] invert(int k, int[][] rows) {
        int[] counts = new int[k];
        for (int[] row : rows) {
            for (int column : row) {
                if (column < k) {
                    counts[column]++;
                }
            }
        }
        int[][] inverse = new int[k][];
        for (int column = 0; column < k; column++) {
            inverse[column] = new int[counts[column]];
        }
        for (int row = 0; row < rows.length; row++) {
            for (int column : rows[row]) {
                if (column < k) {
                    inverse[column][--counts[column]] = row;
                }
            }
        }
        return inverse;
    }
}
