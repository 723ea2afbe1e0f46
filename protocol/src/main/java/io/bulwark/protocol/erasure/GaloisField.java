package io.bulwark.protocol.erasure;

import com.backblaze.erasure.Galois;
import com.backblaze.erasure.Matrix;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;

/**
 * GF(2^8) with the polynomial 0x11D (x^8 + x^4 + x^3 + x^2 + 1), matrices over it, and the portable coding loop: the one
 * place that uses the library JavaReedSolomon.
 */
public final class GaloisField {
    /** Bytes of each output that are computed before the next ones. */
    private static final int PIECE = 4096;

    private static final byte[][] PRODUCTS = Galois.MULTIPLICATION_TABLE;

    private GaloisField() {}

    /** The product of two elements, each given by its low eight bits. */
    public static byte multiply(int a, int b) {
        return PRODUCTS[a & 0xFF][b & 0xFF];
    }

    /** The inverse of an element other than 0. */
    public static byte inverse(int a) {
        return Galois.divide((byte) 1, (byte) a);
    }

    /** The products of {@code a} with 0, 1, ... 255, in a new array. */
    public static byte[] products(int a) {
        return PRODUCTS[a & 0xFF].clone();
    }

    /** The n rows of the systematic generator matrix: row i times the m stripes of a block is fragment i. */
    static byte[][] generator(int m, int n) {
        Matrix vandermonde = new Matrix(n, m);
        for (int row = 0; row < n; row++) {
            for (int column = 0; column < m; column++) {
                vandermonde.set(row, column, Galois.exp((byte) row, column));
            }
        }
        return rows(vandermonde.times(vandermonde.submatrix(0, 0, m, m).invert()));
    }

    /** The inverse of a square matrix, IllegalArgumentException if it is singular. */
    static byte[][] inverse(byte[][] rows) {
        return rows(new Matrix(rows).invert());
    }

    private static byte[][] rows(Matrix matrix) {
        byte[][] rows = new byte[matrix.getRows()][];
        for (int row = 0; row < rows.length; row++) {
            rows[row] = matrix.getRow(row);
        }
        return rows;
    }

    /** The portable {@link CodingLoop}: table by table, over pieces of the outputs that stay in the L1 cache. */
    static void code(byte[][] rows, List<Bytes> inputs, byte[][] outputs, int[] positions, int length) {
        for (int at = 0; at < length; at += PIECE) {
            int count = Math.min(PIECE, length - at);
            for (int o = 0; o < rows.length; o++) {
                for (int i = 0; i < inputs.size(); i++) {
                    byte[] products = PRODUCTS[rows[o][i] & 0xFF];
                    Bytes input = inputs.get(i).slice(at, count);
                    add(products, input, outputs[o], positions[o] + at, i > 0);
                }
            }
        }
    }

    private static void add(byte[] products, Bytes input, byte[] output, int to, boolean sum) {
        byte[] from = input.array();
        int offset = input.offset();
        int count = input.length();
        for (int i = 0; i < count; i++) {
            byte product = products[from[offset + i] & 0xFF];
            output[to + i] = sum ? (byte) (output[to + i] ^ product) : product;
        }
    }
}
