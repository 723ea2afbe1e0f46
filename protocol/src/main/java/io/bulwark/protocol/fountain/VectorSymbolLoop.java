package io.bulwark.protocol.fountain;

import io.bulwark.protocol.erasure.VectorTables;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.VectorOperators;

/** Symbol operations on vectors. Linked by name only, see {@link io.bulwark.protocol.erasure.VectorUnit}. */
final class VectorSymbolLoop implements SymbolLoop {
    private static final int LANES = VectorTables.LANES;

    /** Vectors that are summed side by side: enough to hide the latency, and for the indexes to cost little. */
    private static final int FOUR = 4 * LANES;

    @Override
    public int unit() {
        return 64; // a multiple of any vector
    }

    @Override
    public void sum(Arena arena, int[] program, int from, byte[] target, int at) {
        int i = 0;
        for (; i + FOUR <= arena.length; i += FOUR) {
            four(arena.bytes, arena.stride, i, program, from, target, at + i);
        }
        for (; i < arena.length; i += LANES) {
            one(arena.bytes, arena.stride, i, program, from, target, at + i);
        }
    }

    private static void four(byte[] bytes, int stride, int i, int[] program, int from, byte[] target, int at) {
        int first = program[from + 1] * stride + i;
        ByteVector a = load(bytes, first);
        ByteVector b = load(bytes, first + LANES);
        ByteVector c = load(bytes, first + 2 * LANES);
        ByteVector d = load(bytes, first + 3 * LANES);
        int end = from + 1 + program[from];
        for (int symbol = from + 2; symbol < end; symbol++) {
            int next = program[symbol] * stride + i;
            a = xor(a, load(bytes, next));
            b = xor(b, load(bytes, next + LANES));
            c = xor(c, load(bytes, next + 2 * LANES));
            d = xor(d, load(bytes, next + 3 * LANES));
        }
        a.intoArray(target, at);
        b.intoArray(target, at + LANES);
        c.intoArray(target, at + 2 * LANES);
        d.intoArray(target, at + 3 * LANES);
    }

    private static void one(byte[] bytes, int stride, int i, int[] program, int from, byte[] target, int at) {
        ByteVector sum = load(bytes, program[from + 1] * stride + i);
        int end = from + 1 + program[from];
        for (int symbol = from + 2; symbol < end; symbol++) {
            sum = xor(sum, load(bytes, program[symbol] * stride + i));
        }
        sum.intoArray(target, at);
    }

    @Override
    public void precode(Arena arena, int[][] pairs, boolean[] present, int first) {
        for (int at = 0; at < arena.length; at += LANES) {
            precode(arena.bytes, arena.stride, pairs, present, first, at);
        }
    }

    private static void precode(byte[] bytes, int stride, int[][] pairs, boolean[] present, int first, int at) {
        ByteVector low = VectorTables.low(2);
        ByteVector high = VectorTables.high(2);
        ByteVector sum = ByteVector.zero(VectorTables.SPECIES);
        for (int dense = 0; dense < SymbolSchedule.DENSE; dense++) {
            sum.intoArray(bytes, (first + dense) * stride + at);
        }
        for (int light = 0; light < pairs.length; light++) {
            sum = VectorTables.product(sum, VectorTables.highBits(sum), low, high);
            if (present[light]) {
                sum = xor(sum, load(bytes, light * stride + at));
            }
            int[] pair = pairs[light];
            int a = (first + pair[0]) * stride + at;
            int b = (first + pair[1]) * stride + at;
            xor(load(bytes, a), sum).intoArray(bytes, a);
            xor(load(bytes, b), sum).intoArray(bytes, b);
        }
    }

    @Override
    public void combine(Arena arena, byte[][] rows, int[] inputs, int[] outputs) {
        for (int o = 0; o < outputs.length; o++) {
            int to = outputs[o] * arena.stride;
            int i = 0;
            for (; i + FOUR <= arena.length; i += FOUR) {
                combineFour(arena.bytes, arena.stride, rows[o], inputs, to, i);
            }
            for (; i < arena.length; i += LANES) {
                combineOne(arena.bytes, arena.stride, rows[o], inputs, to, i);
            }
        }
    }

    private static void combineFour(byte[] bytes, int stride, byte[] row, int[] inputs, int to, int at) {
        ByteVector a = ByteVector.zero(VectorTables.SPECIES);
        ByteVector b = a;
        ByteVector c = a;
        ByteVector d = a;
        for (int i = 0; i < inputs.length; i++) {
            ByteVector low = VectorTables.low(row[i]);
            ByteVector high = VectorTables.high(row[i]);
            int from = inputs[i] * stride + at;
            a = xor(a, product(load(bytes, from), low, high));
            b = xor(b, product(load(bytes, from + LANES), low, high));
            c = xor(c, product(load(bytes, from + 2 * LANES), low, high));
            d = xor(d, product(load(bytes, from + 3 * LANES), low, high));
        }
        a.intoArray(bytes, to + at);
        b.intoArray(bytes, to + at + LANES);
        c.intoArray(bytes, to + at + 2 * LANES);
        d.intoArray(bytes, to + at + 3 * LANES);
    }

    private static void combineOne(byte[] bytes, int stride, byte[] row, int[] inputs, int to, int at) {
        ByteVector sum = ByteVector.zero(VectorTables.SPECIES);
        for (int i = 0; i < inputs.length; i++) {
            ByteVector next = load(bytes, inputs[i] * stride + at);
            sum = xor(sum, product(next, VectorTables.low(row[i]), VectorTables.high(row[i])));
        }
        sum.intoArray(bytes, to + at);
    }

    private static ByteVector product(ByteVector bytes, ByteVector low, ByteVector high) {
        return VectorTables.product(bytes, VectorTables.highBits(bytes), low, high);
    }

    private static ByteVector load(byte[] array, int at) {
        return ByteVector.fromArray(VectorTables.SPECIES, array, at);
    }

    private static ByteVector xor(ByteVector a, ByteVector b) {
        return a.lanewise(VectorOperators.XOR, b);
    }
}
