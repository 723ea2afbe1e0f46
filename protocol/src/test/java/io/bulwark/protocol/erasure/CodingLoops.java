package io.bulwark.protocol.erasure;

import java.util.stream.Stream;

/** Both loops; the tests run with {@code --add-modules jdk.incubator.vector}, so that a missing one is a failure. */
final class CodingLoops {
    private CodingLoops() {}

    static Stream<CodingLoop> all() {
        return Stream.of(new CodingLoop() {
            @Override
            public void code(
                    byte[][] rows,
                    java.util.List<io.bulwark.protocol.wire.Bytes> inputs,
                    byte[][] outputs,
                    int[] positions,
                    int length) {
                GaloisField.code(rows, inputs, outputs, positions, length);
            }

            @Override
            public String toString() {
                return "portable";
            }
        });
    }
}
