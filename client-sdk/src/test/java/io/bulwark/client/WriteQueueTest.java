package io.bulwark.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bulwark.protocol.id.BlockId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class WriteQueueTest {
    private static final BlockId BLOCK = BlockId.register(1, 7);
    private final WriteQueue turns = new WriteQueue();
    private final List<CompletableFuture<Integer>> started = new CopyOnWriteArrayList<>();

    private CompletableFuture<Integer> write(BlockId block) {
        return turns.runInTurn(block, () -> {
            CompletableFuture<Integer> write = new CompletableFuture<>();
            started.add(write);
            return write;
        });
    }

    @Test
    void writesToOneBlockRunOneAfterAnother() {
        List<CompletableFuture<Integer>> results = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            results.add(write(BLOCK));
        }
        for (int i = 0; i < 100; i++) {
            int count = i + 1;
            await().until(() -> started.size() == count);
            assertThat(started.get(i).complete(i)).isTrue();
            assertThat(results.get(i).join()).isEqualTo(i);
        }
        await().until(() -> turns.blocks() == 0);
    }

    @Test
    void aWriteThatCannotBeginLetsTheNextBegin() {
        CompletableFuture<Integer> failing = turns.runInTurn(BLOCK, () -> {
            throw new IllegalStateException("no session");
        });
        assertThatThrownBy(failing::join).hasMessageContaining("no session");
        var _ = write(BLOCK);
        assertThat(started).hasSize(1);
    }

    @Test
    void writesToDifferentBlocksDoNotWaitForEachOther() {
        var _ = write(BLOCK);
        var _ = write(BlockId.register(1, 8));
        assertThat(started).hasSize(2);
    }

    @Test
    void aWriteThatFailsOrIsWaitedForNoMoreLetsTheNextBegin() {
        CompletableFuture<Integer> failing = write(BLOCK);
        CompletableFuture<Integer> cancelled = write(BLOCK);
        CompletableFuture<Integer> next = write(BLOCK);
        assertThat(cancelled.cancel(true)).isTrue();
        assertThat(started.getFirst().completeExceptionally(new IllegalStateException("no luck")))
                .isTrue();
        assertThatThrownBy(failing::join).hasMessageContaining("no luck");
        await().until(() -> started.size() == 2);
        assertThat(next).isNotDone();
        assertThat(started.get(1).complete(2)).isTrue();
        await().until(() -> started.size() == 3);
        assertThat(started.get(2).complete(3)).isTrue();
        assertThat(next.join()).isEqualTo(3);
    }
}
