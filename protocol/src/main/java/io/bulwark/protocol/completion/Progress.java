package io.bulwark.protocol.completion;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How far a node has come, to be remembered over restarts. One that is lost means to begin again, which costs time only.
 *
 * @param sequence all changes of sessions up to this one are durable with the node's servers
 * @param inodes by volume: all extents of the inodes up to this one are done
 */
public record Progress(long sequence, SortedMap<Integer, Long> inodes) {
    public static final Progress NONE = new Progress(0, Collections.emptySortedMap());

    public Progress {
        inodes = Collections.unmodifiableSortedMap(new TreeMap<>(inodes));
    }
}
