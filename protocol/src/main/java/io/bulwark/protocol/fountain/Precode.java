package io.bulwark.protocol.fountain;

import io.bulwark.protocol.erasure.GaloisField;

/**
 * The dense constraints (RFC 6330, 5.3.3.3): after each light symbol c a running sum s becomes 2s + c, and is added to two of the
 * dense symbols. So each dense symbol is a dense sum of the light ones, at the cost of three operations for each of them.
 */
final class Precode {
    private final int[][] pairs;

    Precode(SymbolSchedule schedule) {
        pairs = schedule.precodePairs();
    }

    int[][] pairs() {
        return pairs;
    }

    /** The coefficients of the light symbols: for each of them one for each dense symbol. */
    byte[][] coefficients() {
        byte[][] coefficients = new byte[pairs.length][];
        byte[] next = new byte[SymbolSchedule.DENSE];
        for (int light = pairs.length - 1; light >= 0; light--) {
            byte[] column = new byte[SymbolSchedule.DENSE];
            for (int dense = 0; dense < column.length; dense++) {
                column[dense] = GaloisField.multiply(2, next[dense]);
            }
            column[pairs[light][0]] ^= 1;
            column[pairs[light][1]] ^= 1;
            coefficients[light] = column;
            next = column;
        }
        return coefficients;
    }
}
