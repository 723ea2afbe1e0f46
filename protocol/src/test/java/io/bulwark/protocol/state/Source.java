package io.bulwark.protocol.state;

import io.bulwark.protocol.wire.Bytes;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.NullMarked;

/** A correct replica that makes checkpoints, all durable at once. */
@NullMarked
final class Source {
    final MemoryPageStore store = new MemoryPageStore();
    StateTree tree = StateTree.empty(store, 1 << 20);

    /** Changes that many keys, and takes a checkpoint. */
    StateTree.Checkpoint advance(long number, KeyMaker keys, Random random, int changes) {
        for (int i = 0; i < changes; i++) {
            if (random.nextInt(5) == 0) {
                tree.remove(keys.next(random));
            } else {
                tree.put(keys.next(random), KeyValueStateContract.value(random));
            }
        }
        StateTree.Checkpoint checkpoint = tree.checkpoint(number);
        store.write(checkpoint.batch());
        tree.stored(number);
        return checkpoint;
    }

    void discard(long number) {
        store.write(tree.discard(number));
    }

    /** The same, at another replica. */
    Source copy() {
        Source copy = new Source();
        store.forEach(digest -> copy.store.write(
                PageBatch.repaired(Map.of(digest, store.get(digest).orElseThrow()))));
        copy.store.write(new PageBatch(Map.of(), Map.of(), List.of(), store.checkpoints(), Set.of(), true, true));
        copy.tree = StateTree.open(copy.store, 1 << 20);
        return copy;
    }

    static Set<Bytes> pages(PageStore store) {
        Set<Bytes> pages = new HashSet<>();
        store.forEach(pages::add);
        return pages;
    }
}
