package io.bulwark.storage.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class OperationMemoryTest {
    private final OperationMemory memory = new OperationMemory(100);
    private final List<CompletableFuture<String>> started = new ArrayList<>();

    private CompletableFuture<String> start(long bytes) {
        return memory.start(bytes, () -> {
            CompletableFuture<String> operation = new CompletableFuture<>();
            started.add(operation);
            return operation;
        });
    }

    @Test
    void operationsBeyondTheBoundWaitInOrder() {
        CompletableFuture<String> first = start(60);
        CompletableFuture<String> second = start(60);
        CompletableFuture<String> third = start(10);
        assertThat(started).as("the third does not overtake the second").hasSize(1);
        var _ = start(0);
        assertThat(started).as("what holds nothing need not wait").hasSize(2);
        started.getFirst().complete("read");
        assertThat(first).isCompletedWithValue("read");
        assertThat(started).hasSize(4);
        started.get(2).completeExceptionally(new IllegalStateException("closed"));
        assertThat(second).isCompletedExceptionally();
        started.get(3).complete("read, too");
        assertThat(third).isCompletedWithValue("read, too");
    }

    @Test
    void anOperationThatNeedsMoreThanAllRunsAlone() {
        var _ = start(30);
        var _ = start(500);
        assertThat(started).hasSize(1);
        started.getFirst().complete("read");
        assertThat(started).hasSize(2);
        var _ = start(1);
        assertThat(started).hasSize(2);
        started.get(1).complete("read");
        assertThat(started).hasSize(3);
    }

    @Test
    void anOperationThatCannotBeStartedHoldsNothing() {
        CompletableFuture<String> failed = memory.start(100, () -> {
            throw new IllegalStateException("closed");
        });
        assertThat(failed).isCompletedExceptionally();
        var _ = start(100);
        assertThat(started).hasSize(1);
    }

    @Test
    void manyThatEndAtOnceDoNotNest() {
        var _ = start(100);
        List<CompletableFuture<String>> results = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            results.add(memory.start(100, () -> CompletableFuture.completedFuture("closed")));
        }
        started.getFirst().complete("read");
        assertThat(results).allMatch(CompletableFuture::isDone);
    }
}
