package io.bulwark.metadata.bft;

import io.bulwark.metadata.pages.PageSalvage;
import io.bulwark.metadata.pages.RocksPageStore;
import io.bulwark.protocol.state.DamagedPageException;
import io.bulwark.protocol.state.PageBatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The initial state of a replica's life.
 *
 * @param damaged whether some or all of it was damaged
 */
record LoadedState(RocksPageStore store, TreeApplication application, boolean damaged) {
    private static final Logger LOG = LoggerFactory.getLogger(LoadedState.class);

    /**
     * Opens the state. If the part that a life needs first is damaged, the replica begins without a checkpoint, but
     * with all correct pages. It serves these to others, and uses them again when it fetches the state. Each page is
     * checked by its digest.
     */
    static LoadedState open(int self, Path pages, Function<RocksPageStore, TreeApplication> over) throws IOException {
        PageSalvage.resume(pages);
        try {
            LoadedState found = begun(self, RocksPageStore.open(pages), over, false);
            if (!found.damaged() && found.application().last() > 0) {
                PageSalvage.forget(pages);
            }
            return found;
        } catch (RocksPageStore.DamagedException e) {
            LOG.error("replica-{} has damaged files and fetches the damaged parts from the others", self, e);
            return begun(self, PageSalvage.salvage(pages), over, true);
        }
    }

    private static LoadedState begun(
            int self, RocksPageStore store, Function<RocksPageStore, TreeApplication> over, boolean damaged)
            throws IOException {
        try {
            return begin(self, store, over, damaged);
        } catch (UncheckedIOException e) {
            store.close();
            throw e.getCause();
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
    }

    private static LoadedState begin(
            int self, RocksPageStore store, Function<RocksPageStore, TreeApplication> over, boolean damaged) {
        try {
            TreeApplication found = over.apply(store);
            return new LoadedState(store, found, damaged || found.isDamaged());
        } catch (DamagedPageException e) {
            LOG.error("replica-{} has damaged state and fetches the damaged parts from the others", self, e);
            store.write(new PageBatch(
                    Map.of(), Map.of(), List.of(), Map.of(), store.checkpoints().keySet(), false, true));
            return new LoadedState(store, over.apply(store), true);
        }
    }
}
