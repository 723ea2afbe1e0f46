package io.bulwark.protocol.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.wire.Bytes;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Contract of every {@link PageStore}. */
@NullMarked
public interface PageStoreContract {
    /** An empty store. */
    PageStore create() throws Exception;

    /** The same content, after the process was started anew. */
    default PageStore reopened(PageStore store) throws Exception {
        return store;
    }

    @Test
    default void pagesAndRecordsAreThereAfterTheWriteAndGoneAfterTheirRemoval() throws Exception {
        PageStore store = create();
        store.write(new PageBatch(
                Map.of(digest(1), page(1), digest(2), page(2)),
                Map.of(),
                List.of(),
                Map.of(7L, page(7), 1L << 40, page(8)),
                Set.of(),
                false,
                true));
        store = reopened(store);
        assertThat(store.get(digest(1))).contains(page(1));
        assertThat(store.get(digest(3))).isEmpty();
        assertThat(store.checkpoints()).containsExactly(Map.entry(7L, page(7)), Map.entry(1L << 40, page(8)));
        store.write(new PageBatch(
                Map.of(), Map.of(), List.of(digest(1), digest(9)), Map.of(7L, page(9)), Set.of(1L << 40), false, true));
        store = reopened(store);
        assertThat(digests(store)).containsExactly(digest(2));
        assertThat(store.checkpoints()).containsExactly(Map.entry(7L, page(9)));
        assertThat(store.staged()).isEmpty();
    }

    @Test
    default void stagedPagesAreKnownUntilTheyArePutOrRemovedOrAdopted() throws Exception {
        PageStore store = create();
        store.write(PageBatch.repaired(Map.of(digest(1), page(1))));
        store.write(PageBatch.staged(
                Map.of(), Map.of(digest(1), page(9), digest(2), page(2), digest(3), page(3), digest(4), page(4))));
        store = reopened(store);
        assertThat(store.staged()).containsExactlyInAnyOrder(digest(2), digest(3), digest(4));
        assertThat(store.get(digest(1)))
                .as("right bytes in the place of others")
                .contains(page(9));
        assertThat(store.get(digest(2))).contains(page(2));
        store.write(PageBatch.repaired(Map.of(digest(2), page(2))));
        store.write(new PageBatch(Map.of(), Map.of(), List.of(digest(3)), Map.of(), Set.of(), false, true));
        assertThat(store.staged()).containsExactly(digest(4));
        store = reopened(store);
        store.write(new PageBatch(Map.of(), Map.of(), List.of(), Map.of(1L, page(1)), Set.of(), true, true));
        store = reopened(store);
        assertThat(store.staged()).isEmpty();
        assertThat(digests(store)).containsExactlyInAnyOrder(digest(1), digest(2), digest(4));
    }

    @Test
    default void whatWasFetchedForNothingIsRemoved() throws Exception {
        PageStore store = create();
        store.write(PageBatch.repaired(Map.of(digest(1), page(1))));
        store.write(PageBatch.staged(Map.of(), Map.of(digest(2), page(2))));
        store = reopened(store);
        store.write(StateFetch.abandoned(store));
        assertThat(digests(store)).containsExactly(digest(1));
        assertThat(store.staged()).isEmpty();
        assertThat(store.get(digest(2))).isEqualTo(Optional.empty());
    }

    /** The digests of all pages. */
    static Set<Bytes> digests(PageStore store) {
        Set<Bytes> digests = new HashSet<>();
        store.forEach(digests::add);
        return digests;
    }

    private static Bytes digest(int seed) {
        byte[] digest = new byte[32];
        digest[0] = (byte) (255 - seed);
        digest[31] = (byte) seed;
        return Bytes.of(digest);
    }

    private static Bytes page(int seed) {
        byte[] page = new byte[5_000];
        page[4_999] = (byte) seed;
        return Bytes.of(page);
    }
}
