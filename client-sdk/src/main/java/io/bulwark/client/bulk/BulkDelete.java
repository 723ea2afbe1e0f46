package io.bulwark.client.bulk;

import io.bulwark.client.Bucket;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.NoSuchKeyException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** Deletes many objects, several at a time. */
public final class BulkDelete {
    private BulkDelete() {}

    /**
     * Result of a deletion.
     *
     * @param deleted number of objects, without those that were gone before
     * @param failures messages that name the object
     */
    public record Result(long deleted, List<String> failures) {
        public Result {
            failures = List.copyOf(failures);
        }
    }

    /** Deletes the latest version of each, in a bucket that keeps versions by a delete marker. */
    public static Result run(Bucket bucket, List<String> keys, int parallel) throws InterruptedException {
        AtomicLong deleted = new AtomicLong();
        ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
        List<Runnable> work = new ArrayList<>();
        for (String key : keys) {
            work.add(() -> {
                try {
                    bucket.delete(key);
                    deleted.incrementAndGet();
                } catch (NoSuchKeyException e) {
                    // Another client has deleted it.
                } catch (BulwarkException e) {
                    failures.add(key + ": " + e.getMessage());
                }
            });
        }
        ParallelWork.run(work, parallel);
        return new Result(deleted.get(), new ArrayList<>(failures));
    }
}
