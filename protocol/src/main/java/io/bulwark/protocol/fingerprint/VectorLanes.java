package io.bulwark.protocol.fingerprint;

import io.bulwark.protocol.erasure.VectorTables;
import io.bulwark.protocol.wire.Bytes;
import java.util.Arrays;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.VectorOperators;
import org.jspecify.annotations.Nullable;

/**
 * Horner's rule with vectors: four groups of 64 lanes at a time, so that the tables of the multiplication by r^256 are loaded
 * once for all four. At the end the four are joined by r^64, so that fewer lanes are left to be joined one by one. The
 * multiplication is a matrix over GF(2^8) applied to the sixteen rows of coordinates; its entry in
 * row j and column i is the coordinate of x^j in r^256 * x^i. Linked by name only, see
 * {@link io.bulwark.protocol.erasure.VectorUnit}.
 */
final class VectorLanes implements LaneEvaluation {
    private static final int STREAMS = 4;
    private static final int WIDTH = STREAMS * LANES;
    private static final int STEP = STREAMS * GROUP;

    /** For fewer bytes of one point making the tables costs more than it saves. */
    private static final int THRESHOLD = 2 * STEP;

    private static final int VECTOR = VectorTables.LANES;

    /** Tables of one pair of rows: for each of 16 columns low and high of the first and of the second row. */
    private static final int PAIR = Element.BYTES * 4 * VECTOR;

    private final PortableLanes small;
    private Element r;

    /** Tables and sums, made for the first fragment that needs them. */
    private @Nullable Workspace workspace;

    private boolean areTablesSet;

    /** Bytes that were evaluated at this point without tables. */
    private int bytesBefore;

    private static final class Workspace {
        /** By r^256. */
        final byte[] tables = new byte[Element.BYTES / 2 * PAIR];

        /** By r^64. */
        final byte[] joining = new byte[Element.BYTES / 2 * PAIR];

        byte[] joined = new byte[GROUP];
        byte[] nextJoined = new byte[GROUP];
        final byte[] highs = new byte[Element.BYTES * WIDTH];
        final byte[] last = new byte[STEP];
        byte[] sums = new byte[Element.BYTES * WIDTH];
        byte[] next = new byte[Element.BYTES * WIDTH];

        void swap() {
            byte[] swap = sums;
            sums = next;
            next = swap;
        }
    }

    VectorLanes(Element r) {
        this.r = r;
        this.small = new PortableLanes(r);
    }

    @Override
    public void setPoint(Element other) {
        r = other;
        small.setPoint(other);
        areTablesSet = false;
        bytesBefore = 0;
    }

    @Override
    public byte[] evaluate(Bytes fragment) {
        int length = fragment.length();
        if (length <= GROUP || (!areTablesSet && bytesBefore + length < THRESHOLD)) {
            bytesBefore += length;
            return small.evaluate(fragment);
        }
        Workspace work = workspace();
        byte[] matrix = work.tables;
        Arrays.fill(work.sums, (byte) 0);
        for (int from = (length - 1) / STEP * STEP; from >= 0; from -= STEP) {
            if (from + STEP <= length) {
                step(matrix, work.sums, work.highs, work.next, fragment.array(), fragment.offset() + from);
            } else {
                fragment.copyTo(from, work.last, 0, length - from);
                Arrays.fill(work.last, length - from, STEP, (byte) 0);
                step(matrix, work.sums, work.highs, work.next, work.last, 0);
            }
            work.swap();
        }
        return join(work);
    }

    /** The sums of the four groups as one: Horner's rule again, by r^64. */
    private static byte[] join(Workspace work) {
        copyGroup(work.sums, STREAMS - 1, work.joined);
        for (int group = STREAMS - 2; group >= 0; group--) {
            for (int i = 0; i < GROUP; i += VECTOR) {
                VectorTables.highBits(load(work.joined, i)).intoArray(work.highs, i);
            }
            copyGroup(work.sums, group, work.nextJoined);
            for (int lane = 0; lane < LANES; lane += VECTOR) {
                for (int j = 0; j < Element.BYTES; j += 2) {
                    joinRows(work.joining, j, work.joined, work.highs, work.nextJoined, lane);
                }
            }
            byte[] swap = work.joined;
            work.joined = work.nextJoined;
            work.nextJoined = swap;
        }
        return work.joined;
    }

    private static void copyGroup(byte[] sums, int group, byte[] target) {
        for (int j = 0; j < Element.BYTES; j++) {
            System.arraycopy(sums, j * WIDTH + group * LANES, target, j * LANES, LANES);
        }
    }

    /** Rows j and j + 1 of next += matrix * joined, for one vector of lanes. */
    private static void joinRows(byte[] matrix, int j, byte[] joined, byte[] highs, byte[] next, int lane) {
        int at = j * LANES + lane;
        ByteVector a = load(next, at);
        ByteVector b = load(next, at + LANES);
        int table = j / 2 * PAIR;
        for (int column = lane; column < GROUP; column += LANES) {
            ByteVector s = load(joined, column);
            ByteVector h = load(highs, column);
            a = xor(a, VectorTables.product(s, h, load(matrix, table), load(matrix, table + VECTOR)));
            b = xor(b, VectorTables.product(s, h, load(matrix, table + 2 * VECTOR), load(matrix, table + 3 * VECTOR)));
            table += 4 * VECTOR;
        }
        a.intoArray(next, at);
        b.intoArray(next, at + LANES);
    }

    private Workspace workspace() {
        Workspace known = workspace;
        if (known == null) {
            known = new Workspace();
            workspace = known;
        }
        if (!areTablesSet) {
            fill(known.tables, r.squared(8));
            fill(known.joining, r.squared(6));
            areTablesSet = true;
        }
        return known;
    }

    private static void fill(byte[] tables, Element constant) {
        Element column = constant;
        for (int i = 0; i < Element.BYTES; i++) {
            for (int j = 0; j < Element.BYTES; j++) {
                int at = j / 2 * PAIR + (4 * i + 2 * (j % 2)) * VECTOR;
                VectorTables.low(column.coefficient(j)).intoArray(tables, at);
                VectorTables.high(column.coefficient(j)).intoArray(tables, at + VECTOR);
            }
            column = column.timesX();
        }
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
