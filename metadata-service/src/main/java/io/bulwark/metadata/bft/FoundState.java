package io.bulwark.metadata.bft;

import io.bulwark.metadata.pages.RocksPageStore;
import io.bulwark.protocol.state.DamagedPageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state that a life of a replica begins with.
 *
 * @param damaged whether some of it, or all, was damaged
 */
record FoundState(RocksPageStore store, TreeApplication application, boolean damaged) {
    private static final Logger LOG = LoggerFactory.getLogger(FoundState.class);

    /** Opens the state; if what it begins with is damaged, it begins with nothing, and the others' state is fetched. */
    static FoundState open(int self, Path pages, Function<RocksPageStore, TreeApplication> over) throws IOException {
        Exception damage;
        try {
            RocksPageStore opened = RocksPageStore.open(pages);
            try {
                TreeApplication found = over.apply(opened);
                return new FoundState(opened, found, found.isDamaged());
            } catch (DamagedPageException e) {
                opened.close();
                damage = e;
            }
        } catch (RocksPageStore.DamagedException e) {
            damage = e;
        }
        LOG.error("replica-{} has damaged state; all of it is fetched from the others", self, damage);
        try (Stream<Path> files = Files.walk(pages)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        RocksPageStore empty = RocksPageStore.open(pages);
        return new FoundState(empty, over.apply(empty), true);
    }
}
