package io.bulwark.protocol.erasure;

import io.bulwark.protocol.wire.Bytes;
import java.util.List;

/** Multiplies a matrix over GF(2^8) with byte strings. Implementations keep no state and differ in speed only. */
@FunctionalInterface
interface CodingLoop {
    /**
     * Writes to {@code outputs[o]}, from {@code positions[o]} on, the sum over i of {@code rows[o][i] * inputs[i]}.
     *
     * @param inputs at least one, each of {@code length} bytes
     * @param outputs overwritten; no output overlaps an input or another output
     */
    void code(byte[][] rows, List<Bytes> inputs, byte[][] outputs, int[] positions, int length);
}
