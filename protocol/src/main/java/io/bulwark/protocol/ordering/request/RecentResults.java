package io.bulwark.protocol.ordering.request;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.wire.Bytes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * Last executed results of each client, for clients that ask again. Kept in memory only, not part of the replicated
 * state, and so without influence on execution: a request whose result is forgotten here is ordered and executed again.
 */
public final class RecentResults {
    private static final long BYTES_MAX = 64L << 20;

    private final int perClientMax;
    private final LinkedHashMap<PrincipalId, LinkedHashMap<Long, Result>> byClient =
            new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    private record Result(RequestId id, long sequence, Bytes result) {
        private int bytes() {
            return result.length() + 128;
        }
    }

    public RecentResults(int perClientMax) {
        this.perClientMax = perClientMax;
    }

    /**
     * Keeps the result of a request.
     *
     * @param sequence the number with which it was executed
     */
    public void put(RequestId id, long sequence, Bytes result) {
        LinkedHashMap<Long, Result> results = byClient.computeIfAbsent(id.client(), ignored -> new LinkedHashMap<>());
        Result added = new Result(id, sequence, result);
        bytes += added.bytes();
        Result before = results.put(id.call(), added);
        bytes -= before == null ? 0 : before.bytes();
        if (results.size() > perClientMax) {
            dropEldest(results);
        }
        while (bytes > BYTES_MAX) {
            // The client that was quiet for longest goes first.
            Map.Entry<PrincipalId, LinkedHashMap<Long, Result>> quiet = byClient.firstEntry();
            dropEldest(quiet.getValue());
            if (quiet.getValue().isEmpty()) {
                byClient.remove(quiet.getKey());
            }
        }
    }

    public @Nullable Bytes get(RequestId id) {
        Result result = find(id);
        return result == null ? null : result.result();
    }

    /** The number with which this request was executed last; -1 if that is not known. */
    long sequence(RequestId id) {
        Result result = find(id);
        return result == null ? -1 : result.sequence();
    }

    private @Nullable Result find(RequestId id) {
        LinkedHashMap<Long, Result> results = byClient.get(id.client());
        Result result = results == null ? null : results.get(id.call());
        return result == null || !result.id().equals(id) ? null : result;
    }

    /**
     * Drops all results after a state transfer: the requests may have been executed again before that state, with
     * another result.
     */
    public void clear() {
        byClient.clear();
        bytes = 0;
    }

    private void dropEldest(SequencedMap<Long, Result> results) {
        Map.Entry<Long, Result> eldest = results.pollFirstEntry();
        bytes -= eldest == null ? 0 : eldest.getValue().bytes();
    }
}
