package io.bulwark.client;

import io.bulwark.protocol.id.BlockId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/**
 * Queue of one client's writes to one register block, which run one after another. A node stages only a few unfinished
 * versions of a block for each client (docs/protocols/fp.md, bounds). Concurrent writes that begin at different nodes in
 * different order could keep each other from a quorum for ever.
 */
final class WriteQueue {
    private static final CompletableFuture<Void> NOTHING = CompletableFuture.completedFuture(null);

    private final ConcurrentMap<BlockId, CompletableFuture<Void>> last = new ConcurrentHashMap<>();

    /** Starts the write once all that came before it to this block have ended, well or not. */
    <T> CompletableFuture<T> runInTurn(BlockId block, Supplier<CompletableFuture<T>> write) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        CompletableFuture<Void> before = last.put(block, over);
        CompletableFuture<T> written = before == null
                ? NOTHING.thenCompose(ignored -> write.get())
                : before.thenComposeAsync(ignored -> write.get(), Thread::startVirtualThread);
        var unused = written.whenComplete((ignored1, ignored2) -> {
            last.remove(block, over);
            over.complete(null);
        });
        return written.copy();
    }

    /** Blocks with a write under way. */
    int blocks() {
        return last.size();
    }
}
