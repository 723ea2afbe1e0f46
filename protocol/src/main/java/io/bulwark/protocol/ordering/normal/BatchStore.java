package io.bulwark.protocol.ordering.normal;

import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.ordering.request.RequestPool;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Batches that the log names, by digest, with the bodies of their requests as far as they are here. Bodies of the pool
 * are kept for logged or executed batches, independently of the pool. A batch that merely names a body does not keep
 * it, as anything can be named.
 */
public class BatchStore {
    private static final class StoredBody {
        private int batches;
        private @Nullable Request request;

        /** True if the body is kept for a batch without a known acceptance. */
        private boolean offered;
    }

    private final RequestPool pool;
    private final Map<Bytes, Batch> batches = new HashMap<>();
    private final Map<RequestId, StoredBody> bodies = new HashMap<>();
    private final Set<Bytes> logged = new HashSet<>();
    private long offeredBytes;

    public BatchStore(RequestPool pool) {
        this.pool = pool;
        batches.put(Batch.NULL_DIGEST, Batch.NULL);
        logged.add(Batch.NULL_DIGEST);
    }

    public void put(Bytes digest, Batch batch) {
        if (batches.putIfAbsent(digest, batch) == null) {
            for (RequestId id : batch.requests()) {
                bodies.computeIfAbsent(id, ignored -> new StoredBody()).batches++;
            }
        }
    }

    public @Nullable Batch get(Bytes digest) {
        return batches.get(digest);
    }

    /** A body whose digest has been computed here. */
    public void onBody(RequestId id, Request request) {
        StoredBody body = bodies.get(id);
        if (body != null) {
            withdraw(body);
            body.request = request;
        }
    }

    /**
     * Stores a body for which the pool has no room. The batch that names it may be a liar's, but if it is not, perhaps
     * no other replica has room for the body either.
     */
    public void offer(RequestId id, Request request, int bytesMax) {
        StoredBody body = bodies.get(id);
        int bytes = request.operation().length();
        if (body != null && body.request == null && offeredBytes + bytes <= bytesMax) {
            body.request = request;
            body.offered = true;
            offeredBytes += bytes;
        }
    }

    private void withdraw(StoredBody body) {
        Request request = body.request;
        if (body.offered && request != null) {
            offeredBytes -= request.operation().length();
            body.offered = false;
        }
    }

    /** Returns the missing requests of a batch that is here. */
    public List<RequestId> missing(Batch batch) {
        List<RequestId> missing = new ArrayList<>();
        for (RequestId id : batch.requests()) {
            if (body(id) == null) {
                missing.add(id);
            }
        }
        return missing;
    }

    public boolean isComplete(Bytes digest) {
        Batch batch = batches.get(digest);
        if (batch == null) {
            return false;
        }
        for (RequestId id : batch.requests()) {
            if (body(id) == null) {
                return false;
            }
        }
        return true;
    }

    /** The body of a request of a batch, or of one that waits. */
    public @Nullable Request body(RequestId id) {
        StoredBody body = bodies.get(id);
        if (body == null) {
            return pool.body(id);
        }
        return body.request == null ? pool.body(id) : body.request;
    }

    /** The requests of a complete batch, in its order; they stay. */
    List<Request> requests(Bytes digest) {
        Batch batch = batches.get(digest);
        List<Request> requests = new ArrayList<>();
        if (batch != null) {
            for (RequestId id : batch.requests()) {
                Request request = body(id);
                if (request == null) {
                    throw new IllegalStateException("the body of " + id + " is not here");
                }
                onBody(id, request);
                requests.add(request);
            }
        }
        return requests;
    }

    /** The record of a complete batch that the log does not have yet. */
    @Nullable
    LogRecord unlogged(Bytes digest) {
        Batch batch = batches.get(digest);
        return batch == null || !logged.add(digest) ? null : new LogRecord.Bodies(batch, requests(digest));
    }

    /** From disk. */
    public void restore(LogRecord.Bodies record) {
        Bytes digest = record.batch().digest();
        put(digest, record.batch());
        record.requests().forEach(request -> onBody(request.id(), request));
        if (isComplete(digest)) {
            logged.add(digest);
        }
    }

    /** Returns the records of these batches, as far as they are complete, and forgets all others. */
    public List<LogRecord> retain(Set<Bytes> live) {
        for (Map.Entry<Bytes, Batch> entry : List.copyOf(batches.entrySet())) {
            if (!live.contains(entry.getKey()) && !entry.getKey().equals(Batch.NULL_DIGEST)) {
                forget(entry.getKey(), entry.getValue());
            }
        }
        List<LogRecord> records = new ArrayList<>();
        batches.forEach((digest, batch) -> {
            if (logged.contains(digest) && !digest.equals(Batch.NULL_DIGEST)) {
                records.add(new LogRecord.Bodies(batch, requests(digest)));
            }
        });
        return records;
    }

    private void forget(Bytes digest, Batch batch) {
        batches.remove(digest);
        logged.remove(digest);
        for (RequestId id : batch.requests()) {
            StoredBody body = bodies.get(id);
            if (body != null && --body.batches == 0) {
                withdraw(body);
                bodies.remove(id);
            }
        }
    }
}
