package io.bulwark.protocol.erasure;

import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.VectorOperators;

/**
 * The coding loop on vectors: two inputs to two outputs at a time, with their eight tables in registers, over pieces of the
 * fragments that stay in the L1 cache between pairs. Linked by name only, see {@link VectorUnit}.
 */
final class VectorCodingLoop implements CodingLoop {
    private static final int LANES = VectorTables.LANES;

    /** Bytes of each fragment coded before the next ones. */
    private static final int PIECE = 4096;

    /** Part of one output: where it is written, and its coefficients. */
    private static final class Target {
        final byte[] array;
        final int at;
        final byte[] row;

        Target(byte[] array, int at, byte[] row) {
            this.array = array;
            this.at = at;
            this.row = row;
        }
    }

    @Override
    public void code(byte[][] rows, List<Bytes> inputs, byte[][] outputs, int[] positions, int length) {
        for (int from = 0; from < length; from += PIECE) {
            int count = Math.min(PIECE, length - from);
            for (int o = 0; o < rows.length; o += 2) {
                Target x = new Target(outputs[o], positions[o] + from, rows[o]);
                if (o + 1 < rows.length) {
                    two(inputs, from, x, new Target(outputs[o + 1], positions[o + 1] + from, rows[o + 1]), count);
                } else {
                    one(inputs, from, x, count);
                }
            }
        }
    }

    private static void two(List<Bytes> inputs, int from, Target x, Target y, int count) {
        for (int i = 0; i < inputs.size(); i += 2) {
            boolean paired = i + 1 < inputs.size();
            Bytes a = inputs.get(i);
            Bytes b = inputs.get(paired ? i + 1 : i);
            int xa = x.row[i];
            int xb = paired ? x.row[i + 1] : 0;
            int ya = y.row[i];
            int yb = paired ? y.row[i + 1] : 0;
            int aAt = a.offset() + from;
            int bAt = b.offset() + from;
            int done = toTwo(a.array(), aAt, b.array(), bAt, xa, xb, ya, yb, x, y, count, i > 0);
            tail(a.array(), aAt, b.array(), bAt, xa, xb, x, done, count, i > 0);
            tail(a.array(), aAt, b.array(), bAt, ya, yb, y, done, count, i > 0);
        }
    }

    private static void one(List<Bytes> inputs, int from, Target x, int count) {
        for (int i = 0; i < inputs.size(); i += 2) {
            boolean paired = i + 1 < inputs.size();
            Bytes a = inputs.get(i);
            Bytes b = inputs.get(paired ? i + 1 : i);
            int xa = x.row[i];
            int xb = paired ? x.row[i + 1] : 0;
            int aAt = a.offset() + from;
            int bAt = b.offset() + from;
            int done = toOne(a.array(), aAt, b.array(), bAt, xa, xb, x, count, i > 0);
            tail(a.array(), aAt, b.array(), bAt, xa, xb, x, done, count, i > 0);
        }
    }

    /**
     * Computes x = xa * a + xb * b and y = ya * a + yb * b, added to the present content if {@code add}. Whole vectors
     * only.
     */
    private static int toTwo(
            byte[] a,
            int aAt,
            byte[] b,
            int bAt,
            int xa,
            int xb,
            int ya,
            int yb,
            Target xTarget,
            Target yTarget,
            int count,
            boolean add) {
        ByteVector xaLow = VectorTables.low(xa);
        ByteVector xaHigh = VectorTables.high(xa);
        ByteVector xbLow = VectorTables.low(xb);
        ByteVector xbHigh = VectorTables.high(xb);
        ByteVector yaLow = VectorTables.low(ya);
        ByteVector yaHigh = VectorTables.high(ya);
        ByteVector ybLow = VectorTables.low(yb);
        ByteVector ybHigh = VectorTables.high(yb);
        byte[] x = xTarget.array;
        byte[] y = yTarget.array;
        int xAt = xTarget.at;
        int yAt = yTarget.at;
        int bound = count - count % LANES;
        for (int i = 0; i < bound; i += LANES) {
            ByteVector first = ByteVector.fromArray(VectorTables.SPECIES, a, aAt + i);
            ByteVector firstHigh = VectorTables.highBits(first);
            ByteVector second = ByteVector.fromArray(VectorTables.SPECIES, b, bAt + i);
            ByteVector secondHigh = VectorTables.highBits(second);
            ByteVector xSum = VectorTables.product(first, firstHigh, xaLow, xaHigh)
                    .lanewise(VectorOperators.XOR, VectorTables.product(second, secondHigh, xbLow, xbHigh));
            ByteVector ySum = VectorTables.product(first, firstHigh, yaLow, yaHigh)
                    .lanewise(VectorOperators.XOR, VectorTables.product(second, secondHigh, ybLow, ybHigh));
            if (add) {
                xSum = xSum.lanewise(VectorOperators.XOR, ByteVector.fromArray(VectorTables.SPECIES, x, xAt + i));
                ySum = ySum.lanewise(VectorOperators.XOR, ByteVector.fromArray(VectorTables.SPECIES, y, yAt + i));
            }
            xSum.intoArray(x, xAt + i);
            ySum.intoArray(y, yAt + i);
        }
        return bound;
    }

    /** Does the same as {@link #toTwo}, for a last output without a partner. */
    private static int toOne(
            byte[] a, int aAt, byte[] b, int bAt, int xa, int xb, Target target, int count, boolean add) {
        ByteVector aLow = VectorTables.low(xa);
        ByteVector aHigh = VectorTables.high(xa);
        ByteVector bLow = VectorTables.low(xb);
        ByteVector bHigh = VectorTables.high(xb);
        byte[] x = target.array;
        int xAt = target.at;
        int bound = count - count % LANES;
        for (int i = 0; i < bound; i += LANES) {
            ByteVector first = ByteVector.fromArray(VectorTables.SPECIES, a, aAt + i);
            ByteVector second = ByteVector.fromArray(VectorTables.SPECIES, b, bAt + i);
            ByteVector sum = VectorTables.product(first, VectorTables.highBits(first), aLow, aHigh)
                    .lanewise(
                            VectorOperators.XOR,
                            VectorTables.product(second, VectorTables.highBits(second), bLow, bHigh));
            if (add) {
                sum = sum.lanewise(VectorOperators.XOR, ByteVector.fromArray(VectorTables.SPECIES, x, xAt + i));
            }
            sum.intoArray(x, xAt + i);
        }
        return bound;
    }

    /** The bytes from {@code done} on, fewer than a vector. */
    private static void tail(
            byte[] a, int aAt, byte[] b, int bAt, int xa, int xb, Target x, int done, int count, boolean add) {
        for (int i = done; i < count; i++) {
            int sum = GaloisField.multiply(xa, a[aAt + i]) ^ GaloisField.multiply(xb, b[bAt + i]);
            x.array[x.at + i] = (byte) (add ? x.array[x.at + i] ^ sum : sum);
        }
    }
}
