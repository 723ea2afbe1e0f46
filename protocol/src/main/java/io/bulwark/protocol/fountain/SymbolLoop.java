package io.bulwark.protocol.fountain;

/** Operations on the symbols of an {@link Arena}. Implementations keep no state and differ in speed only. */
interface SymbolLoop {
    /** Symbols side by side in one array: symbol i begins at {@code i * stride}. */
    final class Arena {
        final byte[] bytes;
        final int stride;
        /** Bytes of each symbol, a multiple of the loop's unit. */
        final int length;

        Arena(byte[] bytes, int stride, int length) {
            this.bytes = bytes;
            this.stride = stride;
            this.length = length;
        }
    }

    /** Returns the number of bytes of which all lengths are multiples, so that the loop has no end of its own. */
    int unit();

    /**
     * Writes the sum of symbols to a target, which may be one of them.
     *
     * @param program has the number of symbols at {@code from}, and the symbols after it; at least one
     */
    void sum(Arena arena, int[] program, int from, byte[] target, int at);

    /**
     * Computes the dense symbols of the {@link Precode}: for each of the light symbols, in their order, the running sum s becomes 2s +
     * symbol, and is added to two dense ones.
     *
     * @param present whether a light symbol counts; others are taken as zero
     * @param first the first dense symbol, all of which are overwritten
     */
    void precode(Arena arena, int[][] pairs, boolean[] present, int first);

    /** Writes to symbol {@code outputs[o]} the sum over i of {@code rows[o][i]} times symbol {@code inputs[i]}; no output is an input. */
    void combine(Arena arena, byte[][] rows, int[] inputs, int[] outputs);
}
