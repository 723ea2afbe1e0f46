package io.bulwark.storage.store;

import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Task of the writer thread. */
sealed interface StoreTask {
    /** Completed once the task is done. */
    CompletableFuture<Stored> done();

    /** Bytes that the task brings in fragments. */
    default long fragmentBytes() {
        return 0;
    }

    /**
     * A caller's mutations.
     *
     * @param owed acknowledged before; they may use the reserve
     */
    record Write(List<Mutation> mutations, boolean owed, CompletableFuture<Stored> done) implements StoreTask {
        @Override
        public long fragmentBytes() {
            long bytes = 0;
            for (Mutation mutation : mutations) {
                bytes += mutation instanceof Mutation.Put put ? put.fragment().length() : 0;
            }
            return bytes;
        }
    }

    /** Copies a live record of a segment elsewhere; a null fragment was found damaged. */
    record Move(Bytes key, IndexEntry from, @Nullable Bytes fragment, CompletableFuture<Stored> done)
            implements StoreTask {
        @Override
        public long fragmentBytes() {
            return fragment == null ? 0 : fragment.length();
        }
    }

    /** Frees a place that no entry points to. */
    record Reclaim(RecordIndex.LiveRecord place, CompletableFuture<Stored> done) implements StoreTask {}

    /** Makes all that was written before durable, whatever the setting. */
    record Flush(CompletableFuture<Stored> done) implements StoreTask {}

    /** Ends the writer thread after all that came before. */
    record Stop(CompletableFuture<Stored> done) implements StoreTask {}
}
