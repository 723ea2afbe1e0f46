package io.bulwark.protocol.locking;

import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.SortedMap;

/** Port to the encoding of the submissions of a log server, which the metadata state machine reads. */
public interface LogSubmissions {
    /** Returns a FETCH: the ends of closed logs, at most {@link LogServer#HEADS_MAX}. */
    Bytes fetch(SortedMap<LogId, LogHead> heads);

    /** Returns a piece of a log: entries from this number on, of at most {@link LogPieces#BYTES_MAX} bytes. */
    Bytes pieces(LogId log, long first, List<LogEntry> entries);
}
