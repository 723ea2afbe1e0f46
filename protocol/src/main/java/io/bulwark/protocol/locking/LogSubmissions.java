package io.bulwark.protocol.locking;

import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.SortedMap;

/** Port to the encoding of the submissions of a log server, which the metadata state machine reads. */
public interface LogSubmissions {
    /** Maximum number of heads in one FETCH. */
    int HEADS_MAX = 16;

    /** Maximum length of the entries of a piece on the wire. A submission has room for it, and one entry fits. */
    int PIECE_BYTES_MAX = 62 << 10;

    /** Returns a FETCH: the ends of closed logs, at most {@link #HEADS_MAX}. */
    Bytes fetch(SortedMap<LogId, LogHead> heads);

    /**
     * Returns a piece of a log.
     *
     * @param first number of its first entry
     * @param previous h(first - 1), which says behind which chain it belongs where a liar has brought another one
     * @param entries of at most {@link #PIECE_BYTES_MAX} bytes
     */
    Bytes pieces(LogId log, long first, Bytes previous, List<LogEntry> entries);

    /** Returns a submission of nothing, with which the order takes a step. */
    Bytes step();
}
