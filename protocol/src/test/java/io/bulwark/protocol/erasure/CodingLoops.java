package io.bulwark.protocol.erasure;

import java.util.stream.Stream;

/** Both loops; the tests run with {@code --add-modules jdk.incubator.vector}, so that a missing one is a failure. */
final class CodingLoops {
    private CodingLoops() {}

    static Stream<CodingLoop> all() {
        return Stream.of(GaloisField::code, new VectorCodingLoop());
    }
}
