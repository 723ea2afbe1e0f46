package io.bulwark.metadata.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.state.PageBatch;
import io.bulwark.protocol.state.PageStoreContract;
import io.bulwark.protocol.state.StateTree;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rot of single bytes in RocksDB's files: wherever it hits, correct pages stay, and corrupt ones are replaced. */
@NullMarked
class PageRotTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final int PAGES_MAX = 400;

    @TempDir
    private Path directory = Path.of("");

    private final Random random = new Random(20261201L);
    private final List<RocksPageStore> opened = new ArrayList<>();

    @AfterEach
    void close() {
        opened.forEach(RocksPageStore::close);
    }

    private RocksPageStore open(Path store) throws IOException {
        RocksPageStore found = RocksPageStore.open(store);
        opened.add(found);
        return found;
    }

    private void fill(StateTree tree, int from, int to) {
        for (int i = from; i < to; i++) {
            byte[] value = new byte[i % 40 == 0 ? 20_000 : 300];
            random.nextBytes(value);
            tree.put(Bytes.of(ByteBuffer.allocate(6).putInt(i).array()), Bytes.of(value));
        }
    }

    private static StateTree.Checkpoint checkpoint(StateTree tree, RocksPageStore store, long number) {
        StateTree.Checkpoint taken = tree.checkpoint(number);
        store.write(taken.batch());
        tree.stored(number);
        return taken;
    }

    /** A store with a checkpoint, closed; its pages in blob files, or in a log. */
    private Map<Bytes, Bytes> made(Path path, boolean flushed) throws IOException {
        Map<Bytes, Bytes> pages;
        try (RocksPageStore store = RocksPageStore.open(path)) {
            StateTree tree = StateTree.open(store, 1 << 20);
            fill(tree, 0, 1_000);
            pages = checkpoint(tree, store, 128).batch().pages();
        }
        assertThat(pages).hasSizeBetween(20, PAGES_MAX);
        if (flushed) {
            PageFiles.flush(path);
        }
        return pages;
    }

    @Test
    void aPageThatCannotBeReadIsAbsentListedWrittenOverAndRemoved() throws IOException {
        Path path = directory.resolve("store");
        Map<Bytes, Bytes> pages = made(path, true);
        List<Bytes> digests = pages.keySet().stream().sorted().toList();
        List<Bytes> rotten = List.of(digests.getFirst(), digests.get(7), digests.get(8), digests.getLast());
        for (Bytes digest : rotten) {
            PageFiles.rot(path, Objects.requireNonNull(pages.get(digest)));
        }
        RocksPageStore store = open(path);
        assertThat(rotten).allMatch(digest -> store.get(digest).isEmpty());
        assertThat(store.unreadable()).isEqualTo(rotten.size());
        assertThat(store.digests(Bytes.EMPTY, PAGES_MAX)).isEqualTo(digests);
        assertThat(store.digests(digests.get(5), 4)).isEqualTo(digests.subList(6, 10));

        Bytes first = digests.getFirst();
        store.write(staged(Map.of(first, pages.get(first))));
        assertThat(store.get(first)).hasValue(pages.get(first));
        assertThat(store.staged()).as("it belongs to a checkpoint").isEmpty();
        store.write(new PageBatch(
                Map.of(), Map.of(), List.of(digests.get(7), digests.getLast()), Map.of(), Set.of(), true, true));
        Set<Bytes> left = new HashSet<>(digests);
        left.remove(digests.get(7));
        left.remove(digests.getLast());
        assertThat(PageStoreContract.digests(store)).isEqualTo(left);
    }

    private static PageBatch staged(Map<Bytes, Bytes> pages) {
        return new PageBatch(Map.of(), pages, List.of(), Map.of(), Set.of(), false, false);
    }

    /** A recovery that fetches another state comes to its end, whichever pages of the old state cannot be read. */
    @Test
    void pagesThatCannotBeReadDoNotHoldUpTheFetchOfAnotherState() throws IOException {
        Path path = directory.resolve("store");
        Map<Bytes, Bytes> pages = made(path, true);
        RocksPageStore right = open(directory.resolve("right"));
        StateTree tree = StateTree.open(right, 1 << 20);
        fill(tree, 500, 1_500);
        StateTree.Checkpoint target = checkpoint(tree, right, 256);
        for (Bytes page : List.copyOf(pages.values()).subList(0, 20)) {
            PageFiles.rot(path, page);
        }
        RocksPageStore store = open(path);
        var _ = PageRecovery.run(store, right, target);
        assertThat(PageStoreContract.digests(store))
                .isEqualTo(target.batch().pages().keySet());
        assertThat(store.checkpoints()).containsOnlyKeys(256L);
    }

    @PlantedBug(
            in = RocksPageStore.class,
            rule = "a store checks its tables when it is opened",
            replace = "db.verifyChecksum();",
            with = "")
    @Test
    void whateverRotsInTheFilesWithoutPagesIsFoundAndThePagesStay() throws IOException {
        Path path = directory.resolve("store");
        Map<Bytes, Bytes> pages = made(path, true);
        List<Path> tables = PageFiles.files(path, ".*\\.sst");
        assertThat(tables).isNotEmpty();
        for (Path table : tables) {
            Path copy = copied(path);
            PageFiles.flip(copy.resolve(table.getFileName()), Files.size(table) / 4);
            assertSalvaged(copy, pages);
        }
    }

    /** Some bytes make RocksDB take another end for the list's, and remove files, or never come back. */
    @Test
    void aManifestThatRotsAnywhereIsFoundBeforeRocksDbReadsIt() throws IOException {
        Path path = directory.resolve("store");
        made(path, true);
        Path manifest = PageFiles.files(path, "MANIFEST-.*").getLast();
        byte[] right = Files.readAllBytes(manifest);
        assertThat(Manifest.isRight(path)).isTrue();
        for (int at = 0; at < right.length; at++) {
            PageFiles.flip(manifest, at);
            assertThat(Manifest.isRight(path)).as("byte %d", at).isFalse();
            Files.write(manifest, right);
        }
        Files.write(manifest, Arrays.copyOf(right, right.length - 3));
        assertThat(Manifest.isRight(path)).isFalse();
    }

    @Test
    void aManifestThatRotsCostsNoPage() throws IOException {
        Path path = directory.resolve("store");
        for (boolean flushed : new boolean[] {true, false}) {
            Map<Bytes, Bytes> pages = made(path, flushed);
            // The flipped byte is in the type of the third record: RocksDB does not open.
            PageFiles.flip(PageFiles.files(path, "MANIFEST-.*").getLast(), 98);
            assertSalvaged(path, pages);
            delete(path);
        }
    }

    @Test
    void aStoreWithoutCurrentIsNotTakenForAnEmptyOne() throws IOException {
        Path path = directory.resolve("store");
        Map<Bytes, Bytes> pages = made(path, false);
        Files.delete(path.resolve("CURRENT"));
        assertSalvaged(path, pages);
        Files.writeString(path.resolve("CURRENT"), "MANIFEST-9");
        assertSalvaged(path, pages);
    }

    @Test
    void pagesBeforeAndBehindOneThatIsRottenInABlobFileStay() throws IOException {
        Path path = directory.resolve("store");
        Map<Bytes, Bytes> pages = made(path, true);
        Path blobs = PageFiles.files(path, ".*\\.blob").getFirst();
        // The length of the first record; the file's header has 30 bytes.
        PageFiles.flip(blobs, 30 + 9);
        PageFiles.flip(blobs, Files.size(blobs) / 2);
        Files.delete(path.resolve("CURRENT"));
        try (RocksPageStore store = PageSalvage.salvage(path)) {
            assertThat(PageStoreContract.digests(store)).hasSize(pages.size() - 2);
        }
    }

    /**
     * RocksDB merges eight of its files, and reads pages that nobody asked for. It then accepts no writes, in this life
     * and in later ones.
     */
    @Test
    void whatRotsWhereRocksDbReadsByItselfEndsOneLifeOnly() throws IOException {
        Path path = directory.resolve("store");
        Map<Bytes, Bytes> pages = made(path, true);
        for (Bytes page : pages.values()) {
            PageFiles.rot(path, page);
        }
        for (int number = 0; number < 7; number++) {
            try (RocksPageStore store = RocksPageStore.open(path)) {
                store.write(staged(around(number)));
            }
        }
        RocksPageStore store = open(path);
        await().atMost(LONG)
                .untilAsserted(() -> assertThatThrownBy(() -> store.write(staged(around(9))))
                        .isInstanceOf(UncheckedIOException.class)
                        .hasCauseInstanceOf(RocksPageStore.DamagedException.class));
        store.close();
        assertThatThrownBy(() -> RocksPageStore.open(path)).isInstanceOf(RocksPageStore.DamagedException.class);
        try (RocksPageStore salvaged = PageSalvage.salvage(path)) {
            salvaged.write(staged(pages));
            assertThat(PageStoreContract.digests(salvaged)).containsAll(pages.keySet());
        }
    }

    /** Before all digests and behind them, so that files with this overlap, and are merged. */
    private static Map<Bytes, Bytes> around(int number) {
        Bytes page = Bytes.of(new byte[5_000]);
        return Map.of(
                Bytes.of(ByteBuffer.allocate(32).putInt(number).array()), page,
                Bytes.of(ByteBuffer.allocate(32).putInt(-1 - number).array()), page);
    }

    /** One salvage that a crash interrupted between its two renamings. */
    @Test
    void aSalvageThatWasInterruptedBeginsAnew() throws IOException {
        Path path = directory.resolve("store");
        Map<Bytes, Bytes> pages = made(path, true);
        Files.delete(path.resolve("CURRENT"));
        Files.move(path, directory.resolve("store-damaged"));
        PageSalvage.resume(path);
        assertSalvaged(path, pages);
        assertThat(directory.resolve("store-damaged")).exists();
        PageSalvage.forget(path);
        assertThat(directory.resolve("store-damaged")).doesNotExist();
    }

    private void assertSalvaged(Path path, Map<Bytes, Bytes> pages) throws IOException {
        for (int life = 0; life < 2; life++) {
            // Not that it is in use, the second time.
            assertThatThrownBy(() -> RocksPageStore.open(path)).isInstanceOf(RocksPageStore.DamagedException.class);
        }
        try (RocksPageStore store = PageSalvage.salvage(path)) {
            assertThat(store.checkpoints()).isEmpty();
            assertThat(store.staged()).isEmpty();
            assertPages(store, pages);
        }
    }

    private static void assertPages(RocksPageStore store, Map<Bytes, Bytes> pages) {
        assertThat(PageStoreContract.digests(store)).containsAll(pages.keySet());
        pages.forEach((digest, page) ->
                assertThat(store.get(digest).equals(Optional.of(page))).isTrue());
    }

    private Path copied(Path store) throws IOException {
        Path copy = directory.resolve("copy");
        delete(copy);
        Files.createDirectory(copy);
        for (Path file : PageFiles.files(store, ".*")) {
            Files.copy(file, copy.resolve(file.getFileName()));
        }
        return copy;
    }

    private static void delete(Path store) throws IOException {
        if (Files.exists(store)) {
            for (Path file : PageFiles.files(store, ".*")) {
                Files.delete(file);
            }
            Files.delete(store);
        }
    }
}
