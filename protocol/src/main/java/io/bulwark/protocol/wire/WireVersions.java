package io.bulwark.protocol.wire;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Wire versions that one build supports; two builds use the newest that both support. The first is that of builds from
 * before versions were negotiated, which name none; the others have a constant here. A message that an older version
 * does not know is never sent to a peer of that version ({@link MessageCodec#since}). The form of a known message never
 * changes: a new message replaces it.
 *
 * @param oldest peers that support only older ones are refused
 */
public record WireVersions(int oldest, int newest) {
    /** Version of a peer that names none. */
    public static final int UNNAMED = 1;

    /** Storage nodes agree on keys. Of those of the first version some do, too, and say so by beginning. */
    public static final int AGREED_KEYS = 2;

    /** Storage nodes tell how large their history pool should be. */
    public static final int POOL_TOLD = 3;

    /** Replicas may differ from those of the genesis, and their peers ask for the current ones. */
    public static final int OTHER_REPLICAS = 4;

    /** A NEW-VIEW among replicas may leave numbers free. */
    public static final int FREE_NUMBERS = 5;

    /** With the proof that other replicas follow goes what shows that an operator has named them. */
    public static final int MANDATES = 6;

    /** Storage nodes tell how fast they rebuild. */
    public static final int REBUILD_TOLD = 6;

    /** Versions of this build. */
    public static final WireVersions HERE = new WireVersions(UNNAMED, REBUILD_TOLD);

    private static final String PREFIX = "bulwark/";
    private static final int NEWEST_MAX = 99;

    public WireVersions {
        if (oldest < UNNAMED || newest < oldest || newest > NEWEST_MAX) {
            throw new IllegalArgumentException("versions " + oldest + " to " + newest);
        }
    }

    /** As they are called when a connection is made, the newest first. */
    public List<String> names() {
        return IntStream.rangeClosed(oldest, newest)
                .map(offset -> newest - (offset - oldest))
                .mapToObj(version -> PREFIX + version)
                .toList();
    }

    /** Returns the version agreed on under this name; {@link #UNNAMED} if the name is none of them. */
    public int named(String name) {
        int at = names().indexOf(name);
        return at < 0 ? UNNAMED : newest - at;
    }

    public boolean contains(int version) {
        return version >= oldest && version <= newest;
    }
}
