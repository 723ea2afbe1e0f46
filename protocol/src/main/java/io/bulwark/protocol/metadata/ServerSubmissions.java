package io.bulwark.protocol.metadata;

import io.bulwark.protocol.locking.LogEntry;
import io.bulwark.protocol.locking.LogHead;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.LogSubmissions;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.SortedMap;

/** Encoding of what a log server has ordered. */
public final class ServerSubmissions implements LogSubmissions {
    @Override
    public Bytes fetch(SortedMap<LogId, LogHead> heads) {
        return new Submission.Fetch(heads.entrySet().stream()
                        .map(end -> new Submission.Fetched(end.getKey(), end.getValue()))
                        .toList())
                .encoded();
    }

    @Override
    public Bytes pieces(LogId log, long first, Bytes previous, List<LogEntry> entries) {
        return new Submission.Pieces(log, first, previous, entries).encoded();
    }

    @Override
    public Bytes step() {
        return new Submission.Fetch(List.of()).encoded();
    }
}
