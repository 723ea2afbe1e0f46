package io.bulwark.protocol.wire;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Wire versions that one build supports. Two builds use the newest that both support; without a common one they refuse
 * each other (docs/decisions/0019).
 *
 * @param oldest the oldest version that is supported, from 1
 */
public record WireVersions(int oldest, int newest) {
    /** Versions of this build. */
    public static final WireVersions HERE = new WireVersions(1, 1);

    private static final String PREFIX = "bulwark/";
    private static final int NEWEST_MAX = 99;

    public WireVersions {
        if (oldest < 1 || newest < oldest || newest > NEWEST_MAX) {
            throw new IllegalArgumentException("versions " + oldest + " to " + newest);
        }
    }

    /** Returns the names that a build offers when a connection is made, the newest first. */
    public List<String> names() {
        return IntStream.rangeClosed(oldest, newest)
                .map(offset -> newest - (offset - oldest))
                .mapToObj(version -> PREFIX + version)
                .toList();
    }
}
