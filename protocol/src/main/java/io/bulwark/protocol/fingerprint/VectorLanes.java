package io.bulwark.protocol.fingerprint;

import io.bulwark.protocol.erasure.VectorTables;
import io.bulwark.protocol.wire.Bytes;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.VectorOperators;
import org.jspecify.annotations.Nullable;

/**
 * Horner's rule with vectors: four groups of 64 lanes at a time, so that the tables of the multiplication by r^256 are loaded
 * once for all four. The multiplication is a matrix over GF(2^8) applied to the sixteen rows of coordinates; its entry in
 * row j and column i is the coordinate of x^j in r^256 * x^i. Linked by name only, see
 * {@link io.bulwark.protocol.erasure.VectorUnit}.
 */
final class VectorLanes implements LaneEvaluation {
    private static final int STREAMS = 4;
    private static final int WIDTH = STREAMS * LANES;
    private static final int STEP = STREAMS * GROUP;

    /** Below this many bytes making the tables costs more than it saves. */
    private static final int THRESHOLD = 2 * STEP;

    private static final int VECTOR = VectorTables.LANES;

    /** Tables of one pair of rows: for each of 16 columns low and high of the first and of the second row. */
    private static final int PAIR = Element.BYTES * 4 * VECTOR;

    private final Element r;
    private final PortableLanes small;

    /** Made at first use; a race makes the same twice. */
    private byte @Nullable [] tables;

    VectorLanes(Element r) {
        this.r = r;
        this.small = new PortableLanes(r);
    }

    @Override
    public byte[] evaluate(Bytes fragment) {
        int length = fragment.length();
        if (length < THRESHOLD) {
            return small.evaluate(fragment);
        }
        byte[] matrix = tables();
        byte[] sums = new byte[Element.BYTES * WIDTH];
        byte[] highs = new byte[Element.BYTES * WIDTH];
        byte[] next = new byte[Element.BYTES * WIDTH];
        for (int from = (length - 1) / STEP * STEP; from >= 0; from -= STEP) {
            if (from + STEP <= length) {
                step(matrix, sums, highs, next, fragment.array(), fragment.offset() + from);
            } else {
                byte[] last = new byte[STEP];
                fragment.copyTo(from, last, 0, length - from);
                step(matrix, sums, highs, next, last, 0);
            }
            byte[] swap = sums;
            sums = next;
            next = swap;
        }
        return sums;
    }

    private byte[] tables() {
        byte[] known = tables;
        if (known == null) {
            known = tables(r.squared(8));
            tables = known;
        }
        return known;
    }

    private static byte[] tables(Element constant) {
        byte[] tables = new byte[Element.BYTES / 2 * PAIR];
        Element column = constant;
        for (int i = 0; i < Element.BYTES; i++) {
            for (int j = 0; j < Element.BYTES; j++) {
                int at = j / 2 * PAIR + (4 * i + 2 * (j % 2)) * VECTOR;
                VectorTables.low(column.coefficient(j)).intoArray(tables, at);
                VectorTables.high(column.coefficient(j)).intoArray(tables, at + VECTOR);
            }
            column = column.timesX();
        }
        return tables;
    }

    /** next = matrix * sums + data; highs are overwritten. */
    private static void step(byte[] matrix, byte[] sums, byte[] highs, byte[] next, byte[] data, int at) {
        for (int i = 0; i < sums.length; i += VECTOR) {
            VectorTables.highBits(load(sums, i)).intoArray(highs, i);
        }
        for (int lane = 0; lane < LANES; lane += VECTOR) {
            for (int j = 0; j < Element.BYTES; j += 2) {
                rows(matrix, j, sums, highs, next, data, at, lane);
            }
        }
    }

    /**
     * Rows j and j + 1 of a step, for one vector of lanes of each of the four groups. Not a vector operation more: the
     * compiler would stop inlining them.
     */
    private static void rows(
            byte[] matrix, int j, byte[] sums, byte[] highs, byte[] next, byte[] data, int at, int lane) {
        int from = at + j * LANES + lane;
        ByteVector a0 = load(data, from);
        ByteVector a1 = load(data, from + GROUP);
        ByteVector a2 = load(data, from + 2 * GROUP);
        ByteVector a3 = load(data, from + 3 * GROUP);
        ByteVector b0 = load(data, from + LANES);
        ByteVector b1 = load(data, from + LANES + GROUP);
        ByteVector b2 = load(data, from + LANES + 2 * GROUP);
        ByteVector b3 = load(data, from + LANES + 3 * GROUP);
        int table = j / 2 * PAIR;
        for (int column = lane; column < Element.BYTES * WIDTH; column += WIDTH) {
            ByteVector aLow = load(matrix, table);
            ByteVector aHigh = load(matrix, table + VECTOR);
            ByteVector bLow = load(matrix, table + 2 * VECTOR);
            ByteVector bHigh = load(matrix, table + 3 * VECTOR);
            table += 4 * VECTOR;
            ByteVector s0 = load(sums, column);
            ByteVector h0 = load(highs, column);
            a0 = xor(a0, VectorTables.product(s0, h0, aLow, aHigh));
            b0 = xor(b0, VectorTables.product(s0, h0, bLow, bHigh));
            ByteVector s1 = load(sums, column + LANES);
            ByteVector h1 = load(highs, column + LANES);
            a1 = xor(a1, VectorTables.product(s1, h1, aLow, aHigh));
            b1 = xor(b1, VectorTables.product(s1, h1, bLow, bHigh));
            ByteVector s2 = load(sums, column + 2 * LANES);
            ByteVector h2 = load(highs, column + 2 * LANES);
            a2 = xor(a2, VectorTables.product(s2, h2, aLow, aHigh));
            b2 = xor(b2, VectorTables.product(s2, h2, bLow, bHigh));
            ByteVector s3 = load(sums, column + 3 * LANES);
            ByteVector h3 = load(highs, column + 3 * LANES);
            a3 = xor(a3, VectorTables.product(s3, h3, aLow, aHigh));
            b3 = xor(b3, VectorTables.product(s3, h3, bLow, bHigh));
        }
        int to = j * WIDTH + lane;
        a0.intoArray(next, to);
        a1.intoArray(next, to + LANES);
        a2.intoArray(next, to + 2 * LANES);
        a3.intoArray(next, to + 3 * LANES);
        b0.intoArray(next, to + WIDTH);
        b1.intoArray(next, to + WIDTH + LANES);
        b2.intoArray(next, to + WIDTH + 2 * LANES);
        b3.intoArray(next, to + WIDTH + 3 * LANES);
    }

    private static ByteVector load(byte[] array, int at) {
        return ByteVector.fromArray(VectorTables.SPECIES, array, at);
    }

    private static ByteVector xor(ByteVector a, ByteVector b) {
        return a.lanewise(VectorOperators.XOR, b);
    }
}
