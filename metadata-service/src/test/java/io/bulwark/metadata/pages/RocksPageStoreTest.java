package io.bulwark.metadata.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.state.KeyValueState;
import io.bulwark.protocol.state.PageStore;
import io.bulwark.protocol.state.PageStoreContract;
import io.bulwark.protocol.state.StateTree;
import io.bulwark.protocol.state.TreeMapState;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store by itself, under a tree that is opened again and again, and when its files rot. */
@NullMarked
class RocksPageStoreTest implements PageStoreContract {
    private static final long SEED = Long.getLong("bulwark.seed", 20261125L);
    private static final Bytes END = Bytes.of((byte) 0xFF);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    private final List<RocksPageStore> opened = new ArrayList<>();
    private final Random random = new Random(SEED);

    @Override
    public PageStore create() throws IOException {
        return open("store");
    }

    @Override
    public PageStore reopened(PageStore store) throws IOException {
        ((RocksPageStore) store).close();
        return open("store");
    }

    private RocksPageStore open(String name) throws IOException {
        RocksPageStore store = RocksPageStore.open(directory.resolve(name));
        opened.add(store);
        return store;
    }

    @AfterEach
    void close() {
        opened.forEach(RocksPageStore::close);
    }

    private static Bytes key(int number) {
        return Bytes.of(
                ByteBuffer.allocate(6).putShort((short) 1).putInt(number).array());
    }

    private Bytes value() {
        byte[] value = new byte[random.nextInt(20) == 0 ? 30_000 : random.nextInt(600)];
        random.nextBytes(value);
        return Bytes.of(value);
    }

    @Test
    void aTreeThatIsOpenedAgainAndAgainIsWhatASortedMapIs() throws IOException {
        System.out.println("RocksPageStoreTest bulwark.seed=" + SEED);
        TreeMapState model = new TreeMapState();
        RocksPageStore store = open("store");
        StateTree tree = StateTree.open(store, 100_000);
        for (int round = 1; round <= 12; round++) {
            for (int i = 0; i < 300; i++) {
                Bytes key = key(random.nextInt(4_000));
                if (random.nextInt(4) == 0) {
                    tree.remove(key);
                    model.remove(key);
                } else {
                    Bytes value = value();
                    tree.put(key, value);
                    model.put(key, value);
                }
            }
            store.write(tree.checkpoint(round).batch());
            tree.stored(round);
            if (round > 2) {
                store.write(tree.discard(round - 2));
            }
            if (round % 3 == 0) {
                store.close();
                store = open("store");
                tree = StateTree.open(store, 100_000);
                assertThat(tree.checkpoints()).hasSize(2);
            }
            assertThat(entries(tree).equals(entries(model))).isTrue();
        }
        tree.put(key(1), value());
        assertThat(entries(StateTree.open(store, 0)).equals(entries(model)))
                .as("what was after the last checkpoint is not in the store")
                .isTrue();
        assertThat(store.unreadable()).isZero();
    }

    private static List<Bytes> entries(KeyValueState state) {
        List<Bytes> entries = new ArrayList<>();
        state.scan(Bytes.EMPTY, END, (key, value) -> entries.add(key) && entries.add(value));
        return entries;
    }

    @Test
    void aBatchThatIsLongIsWrittenInPartsAndWholeInTheEnd() throws IOException {
        RocksPageStore store = open("store");
        StateTree tree = StateTree.open(store, 100_000);
        for (int i = 0; i < 50; i++) {
            byte[] value = new byte[1 << 20];
            random.nextBytes(value);
            tree.put(key(i), Bytes.of(value));
        }
        StateTree.Checkpoint checkpoint = tree.checkpoint(1);
        store.write(checkpoint.batch());
        assertThat(store.staged()).isEmpty();
        assertThat(PageStoreContract.digests(store))
                .isEqualTo(checkpoint.batch().pages().keySet());
        store.close();
        assertThat(entries(StateTree.open(open("store"), 0)).equals(entries(tree)))
                .isTrue();
    }

    @Test
    void aStoreThatIsOpenIsNotOpenedTwice() throws IOException {
        open("store");
        assertThatThrownBy(() -> open("store")).isInstanceOf(IOException.class).hasMessageContaining("store");
    }

    /** Bits of its files flip: it refuses to open, or recovery finds and repairs what is damaged; nothing wrong is read. */
    @Test
    void filesThatRotAreNoticedAndTheStateIsRepaired() throws IOException {
        System.out.println("RocksPageStoreTest bulwark.seed=" + SEED);
        RocksPageStore right = open("right");
        StateTree tree = StateTree.open(right, 100_000);
        for (int i = 0; i < 3_000; i++) {
            tree.put(key(i), value());
        }
        StateTree.Checkpoint checkpoint = tree.checkpoint(128);
        right.write(checkpoint.batch());
        tree.stored(128);
        int repaired = 0;
        for (int round = 0; round < 12; round++) {
            String name = "rot" + round;
            try (RocksPageStore whole = RocksPageStore.open(directory.resolve(name))) {
                whole.write(checkpoint.batch());
            }
            if (round % 2 == 0) {
                // Opening the store moves records from the log to files of pages.
                RocksPageStore.open(directory.resolve(name)).close();
            }
            rot(directory.resolve(name));
            RocksPageStore store;
            try {
                store = open(name);
            } catch (IOException e) {
                continue;
            }
            repaired += PageRecovery.run(store, right, checkpoint) > 0 ? 1 : 0;
            assertThat(entries(StateTree.open(store, 0)).equals(entries(tree))).isTrue();
        }
        assertThat(repaired).isPositive();
    }

    private void rot(Path store) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(store)) {
            files = all.filter(file -> file.toString().matches(".*\\.(blob|sst|log)")
                            && file.toFile().length() > 4_000)
                    .sorted()
                    .toList();
        }
        for (int i = 0; i < 3; i++) {
            Path file = files.get(random.nextInt(files.size()));
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                long at = random.nextLong(channel.size());
                ByteBuffer one = ByteBuffer.allocate(1);
                channel.read(one, at);
                one.put(0, (byte) (one.get(0) ^ 1 << random.nextInt(8)));
                channel.write(one.rewind(), at);
            }
        }
    }
}
