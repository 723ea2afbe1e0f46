package io.bulwark.protocol.fountain;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The fixed schedule of a code: which intermediate symbols add up to a symbol. It depends on k, the number of the symbol and the code's seed
 * only, so no writer chooses it. There are three kinds of intermediate symbols, numbered in this order:
 *
 * <ol>
 *   <li>k <i>message</i> symbols;
 *   <li>k / 16 + 8 <i>parity</i> symbols. Parity symbol g is the sum of the message symbols whose numbers leave the rest g. They determine
 *       message symbols that no received symbol has in it (the LDPC symbols of RFC 6330);
 *   <li>{@link #DENSE} <i>dense</i> symbols, each a dense sum of all others ({@link Precode}; the HDPC symbols of RFC 6330).
 * </ol>
 *
 * <p>Message and parity symbols are <i>light</i>. A symbol is the sum of d distinct light ones and of two or three distinct dense ones. d has the
 * degree distribution of RFC 6330 (5.3.5.2), but two thirds of its degree 2 go to 3 and 4: symbols of degree 2 that form a cycle say the same
 * thing twice. The numbers are drawn from SplitMix64, seeded with k, the seed and the symbol's number.
 */
final class SymbolSchedule {
    static final int DENSE = 12;

    /** Draws below these, of 2^20, give the degrees 1, 2, 3, ... */
    private static final int[] DEGREES = {
        5_243, 180_006, 529_532, 791_675, 844_104, 879_057, 904_023, 922_747, 937_311, 948_962, 958_494, 966_438,
        973_160, 978_921, 983_914, 988_283, 992_138, 995_565, 998_631, 1_001_391, 1_003_887, 1_006_157, 1_008_229,
        1_010_129, 1_011_876, 1_013_490, 1_014_983, 1_016_370, 1_017_662, 1_048_576
    };

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final int messages;
    private final int parities;
    private final long key;

    SymbolSchedule(int k, int seed) {
        this.messages = k;
        this.parities = k / 16 + 8;
        this.key = mix(((long) k << 32) | seed);
    }

    int messages() {
        return messages;
    }

    int lightSymbols() {
        return messages + parities;
    }

    int intermediates() {
        return lightSymbols() + DENSE;
    }

    /** The symbols whose sum is zero, for each parity symbol. */
    int[][] parityRows() {
        int[][] rows = new int[parities][];
        for (int g = 0; g < parities; g++) {
            int group = g;
            rows[g] = IntStream.concat(
                            IntStream.range(0, messages).filter(symbol -> symbol % parities == group),
                            IntStream.of(messages + group))
                    .toArray();
        }
        return rows;
    }

    /** The distinct intermediate symbols whose sum is the symbol: light ones first. */
    int[] columns(int symbol) {
        Draws draws = new Draws(key ^ mix(symbol + 1L));
        int light = Math.min(degree(draws.next(1 << 20)), lightSymbols());
        int dense = light < 4 ? 2 + draws.next(2) : 2;
        int[] columns = new int[light + dense];
        for (int i = 0; i < light; i++) {
            columns[i] = another(draws, columns, i, 0, lightSymbols());
        }
        for (int i = light; i < columns.length; i++) {
            columns[i] = another(draws, columns, i, lightSymbols(), DENSE);
        }
        return columns;
    }

    /** The two dense symbols that take up the running sum of the precode after each light symbol. */
    int[][] precodePairs() {
        Draws draws = new Draws(key);
        int[][] pairs = new int[lightSymbols()][2];
        for (int[] pair : pairs) {
            pair[0] = draws.next(DENSE);
            pair[1] = (pair[0] + 1 + draws.next(DENSE - 1)) % DENSE;
        }
        return pairs;
    }

    private static int another(Draws draws, int[] drawn, int count, int first, int range) {
        while (true) {
            int column = first + draws.next(range);
            if (Arrays.stream(drawn, 0, count).noneMatch(other -> other == column)) {
                return column;
            }
        }
    }

    private static int degree(int draw) {
        int degree = 1;
        while (draw >= DEGREES[degree - 1]) {
            degree++;
        }
        return degree;
    }

    private static long mix(long z) {
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    /** SplitMix64, whose upper 32 bits are scaled to the range. */
    private static final class Draws {
        private long state;

        Draws(long seed) {
            state = seed;
        }

        int next(int range) {
            state += GOLDEN;
            return (int) (((mix(state) >>> 32) * range) >>> 32);
        }
    }
}
