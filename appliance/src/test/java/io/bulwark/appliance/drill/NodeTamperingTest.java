package io.bulwark.appliance.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.storage.store.StoreConfig;
import io.bulwark.storage.store.StoreEditor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullMarked
class NodeTamperingTest {
    @TempDir
    Path directory = Path.of("");

    @Test
    void fragmentsAreSwappedWithOthersOfTheirLengthAndTheRestAmongThemselves() throws IOException {
        assertThat(swapFragments(100, 200, 100, 300, 200, 100, 50)).containsExactly(100, 200, 100, 50, 200, 100, 300);
    }

    @Test
    void aDirectoryOfSmallFilesCanBeSwapped() throws IOException {
        assertThat(swapFragments(30, 20, 10))
                .containsExactlyInAnyOrder(10, 20, 30)
                .doesNotContainSequence(30, 20, 10);
    }

    @Test
    void oneFragmentAloneStaysRight() throws IOException {
        StoreConfig store = StoreConfig.standard(directory.resolve("store"));
        write(store, 100);
        assertThat(tampering(store).apply(Lie.SWAP)).isZero();
        assertThat(tampering(store).apply(Lie.GARBLE)).isEqualTo(1);
    }

    /** The lengths afterwards; all are others than they were. */
    private List<Integer> swapFragments(int... lengths) throws IOException {
        StoreConfig store = StoreConfig.standard(directory.resolve("store"));
        List<Bytes> before = write(store, lengths);
        assertThat(tampering(store).apply(Lie.SWAP)).isEqualTo(lengths.length);
        List<Bytes> after = read(store);
        assertThat(after).containsExactlyInAnyOrderElementsOf(before);
        for (int i = 0; i < lengths.length; i++) {
            assertThat(after.get(i)).isNotEqualTo(before.get(i));
        }
        return after.stream().map(Bytes::length).toList();
    }

    private NodeTampering tampering(StoreConfig store) {
        return new NodeTampering(directory, directory.resolve("saved"), store, new Random(1));
    }

    private static List<Bytes> write(StoreConfig store, int... lengths) throws IOException {
        try (StoreEditor editor = StoreEditor.open(store)) {
            List<Bytes> all = new ArrayList<>();
            for (int length : lengths) {
                byte[] fragment = new byte[length];
                Arrays.fill(fragment, (byte) all.size());
                editor.replace(key(all.size()), Bytes.of((byte) 1), Bytes.of(fragment));
                all.add(Bytes.of(fragment));
            }
            return all;
        }
    }

    private static List<Bytes> read(StoreConfig store) throws IOException {
        try (StoreEditor editor = StoreEditor.open(store)) {
            List<Bytes> all = new ArrayList<>();
            for (RecordKey key : editor.list(RecordKind.EXTENT)) {
                all.add(((Loaded.Found) editor.read(key)).fragment());
            }
            return all;
        }
    }

    private static RecordKey key(int number) {
        return RecordKey.of(RecordKind.EXTENT, BlockId.register(1, number));
    }
}
