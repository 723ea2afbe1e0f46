package io.bulwark.protocol.fp;

import io.bulwark.protocol.kernel.Failure;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Meaning of a node's refusal for the operation, if more than f nodes say the same. */
final class RefusalMeaning {
    private RefusalMeaning() {}

    /** Returns the failure that more than f nodes report. */
    static Optional<Failure> decisive(FpGroup group, Stream<Optional<Failure>> said) {
        Map<Failure, Integer> counts = new EnumMap<>(Failure.class);
        said.flatMap(Optional::stream).forEach(failure -> counts.merge(failure, 1, Integer::sum));
        return counts.entrySet().stream()
                .filter(entry -> entry.getValue() > group.f())
                .map(Map.Entry::getKey)
                .findFirst();
    }

    static Optional<Failure> failure(FpRefusal refusal, long refusedEpoch, long epoch) {
        return switch (refusal) {
            case LIMIT -> Optional.of(Failure.LIMIT);
            case SESSION_CLOSED -> Optional.of(Failure.SESSION_CLOSED);
            case SESSION_UNKNOWN -> Optional.of(Failure.SESSION_UNKNOWN);
            case NO_GRANT -> Optional.of(Failure.NO_GRANT);
            // A node that is behind in epochs learns of the new one and answers later.
            case OTHER_EPOCH -> refusedEpoch > epoch ? Optional.of(Failure.OTHER_EPOCH) : Optional.empty();
            case WRONG_SLOT -> Optional.of(Failure.OTHER_EPOCH);
            case NO_SPACE -> Optional.of(Failure.NO_SPACE);
            case EXHAUSTED -> Optional.of(Failure.EXHAUSTED);
            case INCONSISTENT, FAR, PREPARES, NOT_REPAIRED, NOT_PROVEN, DEVICE, BUSY -> Optional.empty();
        };
    }
}
