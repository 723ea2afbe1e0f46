package io.bulwark.client.object;

import io.bulwark.client.error.Subject;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.metadata.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Results of the steps of one operation on an object, in order of arrival, for the one thread that drives the
 * operation.
 */
final class StepResults {
    private final BlockingQueue<Answer> queue = new LinkedBlockingQueue<>();
    private final List<CompletableFuture<?>> open = new ArrayList<>();

    /** One answer. */
    sealed interface Answer {
        record Stored(long token, WriteOutcome outcome) implements Answer {}

        record Fetched(long token, ReadOutcome outcome) implements Answer {}

        record Replied(long token, Reply reply) implements Answer {}

        /** There will be none. */
        record None(long token, Throwable why) implements Answer {}
    }

    /** Makes an answer of an outcome. */
    interface Shape<T> {
        Answer of(long token, T outcome);
    }

    <T> void expect(long token, CompletableFuture<T> outcome, Shape<T> shape) {
        open.removeIf(CompletableFuture::isDone);
        open.add(outcome);
        var unused = outcome.whenComplete((@Nullable T result, @Nullable Throwable failure) -> {
            if (failure != null) {
                queue.add(new Answer.None(token, failure));
            } else if (result != null) {
                queue.add(shape.of(token, result));
            }
        });
    }

    /** Waits for the next one. */
    Answer next(Deadline deadline, Subject subject) {
        return deadline.take(queue, subject);
    }

    /** Cancels the steps: nobody waits any more. */
    void cancel() {
        open.forEach(each -> each.cancel(false));
        open.clear();
    }
}
