package io.bulwark.protocol.fountain;

import io.bulwark.protocol.erasure.GaloisField;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Symbol operations on 64-bit words and tables of products. */
final class PortableSymbolLoop implements SymbolLoop {
    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final byte[][] PRODUCTS = products();

    private static byte[][] products() {
        byte[][] products = new byte[256][];
        Arrays.setAll(products, GaloisField::products);
        return products;
    }

    @Override
    public int unit() {
        return Long.BYTES;
    }

    @Override
    public void sum(Arena arena, int[] program, int from, byte[] target, int at) {
        int end = from + 1 + program[from];
        for (int i = 0; i < arena.length; i += Long.BYTES) {
            long sum = 0;
            for (int next = from + 1; next < end; next++) {
                sum ^= (long) WORDS.get(arena.bytes, program[next] * arena.stride + i);
            }
            WORDS.set(target, at + i, sum);
        }
    }

    @Override
    public void precode(Arena arena, int[][] pairs, boolean[] present, int first) {
        byte[] bytes = arena.bytes;
        for (int dense = 0; dense < SymbolSchedule.DENSE; dense++) {
            int at = (first + dense) * arena.stride;
            Arrays.fill(bytes, at, at + arena.length, (byte) 0);
        }
        byte[] doubled = PRODUCTS[2];
        byte[] running = new byte[arena.length];
        for (int light = 0; light < pairs.length; light++) {
            int from = light * arena.stride;
            int a = (first + pairs[light][0]) * arena.stride;
            int b = (first + pairs[light][1]) * arena.stride;
            for (int i = 0; i < running.length; i++) {
                byte sum = doubled[running[i] & 0xFF];
                if (present[light]) {
                    sum ^= bytes[from + i];
                }
                running[i] = sum;
                bytes[a + i] ^= sum;
                bytes[b + i] ^= sum;
            }
        }
    }

    @Override
    public void combine(Arena arena, byte[][] rows, int[] inputs, int[] outputs) {
        byte[] bytes = arena.bytes;
        for (int o = 0; o < outputs.length; o++) {
            int to = outputs[o] * arena.stride;
            Arrays.fill(bytes, to, to + arena.length, (byte) 0);
            for (int i = 0; i < inputs.length; i++) {
                byte[] products = PRODUCTS[rows[o][i] & 0xFF];
                int from = inputs[i] * arena.stride;
                for (int at = 0; at < arena.length; at++) {
                    bytes[to + at] ^= products[bytes[from + at] & 0xFF];
                }
            }
        }
    }
}
