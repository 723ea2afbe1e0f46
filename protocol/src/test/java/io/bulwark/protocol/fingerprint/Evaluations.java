package io.bulwark.protocol.fingerprint;

import java.util.function.Function;
import java.util.stream.Stream;

/** Every way to evaluate; the tests run with the vector module, so that a missing way is a failure. */
final class Evaluations {
    record Way(String name, Function<Element, LaneEvaluation> evaluation) {
        @Override
        public String toString() {
            return name;
        }
    }

    private Evaluations() {}

    static Stream<Way> all() {
        return Stream.of(new Way("portable", PortableLanes::new), new Way("vector", VectorLanes::new));
    }
}
