package io.bulwark.protocol.extent;

import io.bulwark.protocol.id.BlockId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One task at a time for each extent, in the order in which they came: stores, deletions and reads never race. */
final class BlockQueues {
    /** Called when a task is over. */
    interface CompletionCallback {
        void done(ServerCall turn);
    }

    /** Must call {@code done} exactly once, now or from a later turn. */
    interface Task {
        void run(ServerCall turn, CompletionCallback done);
    }

    private static final class Queue {
        final Deque<Task> tasks = new ArrayDeque<>();
        /** Mark of a running task that the loop on the stack started, and of its end. */
        boolean starting;

        boolean over;
    }

    private final Map<BlockId, Queue> queues = new HashMap<>();

    /** Returns the number of tasks that wait for the current one. */
    int waiting(BlockId block) {
        Queue queue = queues.get(block);
        return queue == null ? 0 : queue.tasks.size();
    }

    void add(ServerCall turn, BlockId block, Task task) {
        Queue queue = queues.get(block);
        if (queue != null) {
            queue.tasks.addLast(task);
            return;
        }
        queue = new Queue();
        queues.put(block, queue);
        run(turn, block, queue, task);
    }

    /** A loop, not a recursion: a long queue must not need a deep stack. */
    private void run(ServerCall turn, BlockId block, Queue queue, Task first) {
        @Nullable Task task = first;
        while (task != null) {
            queue.starting = true;
            queue.over = false;
            task.run(turn, next -> over(next, block, queue));
            queue.starting = false;
            if (!queue.over) {
                return;
            }
            task = queue.tasks.pollFirst();
        }
        queues.remove(block);
    }

    private void over(ServerCall turn, BlockId block, Queue queue) {
        if (queue.starting) {
            queue.over = true;
            return;
        }
        Task next = queue.tasks.pollFirst();
        if (next == null) {
            queues.remove(block);
        } else {
            run(turn, block, queue, next);
        }
    }
}
