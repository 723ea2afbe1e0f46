package io.bulwark.storage.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.random.RandomGenerator;

/** Keys and contents for the tests of the store. */
final class Records {
    static final int SEGMENT_BYTES = 256 << 10;

    private Records() {}

    static StoreConfig small(Path directory) {
        return StoreConfig.standard(directory).withSegmentBytes(SEGMENT_BYTES);
    }

    static BlockId block(long counter) {
        return new BlockId(1, PrincipalId.client(7), 3, counter);
    }

    static RecordKey extent(long counter) {
        return RecordKey.of(RecordKind.EXTENT, block(counter));
    }

    static Bytes text(String text) {
        return Bytes.of(text.getBytes(StandardCharsets.UTF_8));
    }

    static Bytes bytes(RandomGenerator random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }

    static Mutation.Put put(RecordKey key, String meta, Bytes fragment) {
        return new Mutation.Put(key, text(meta), fragment);
    }

    static void store(FragmentStore store, Mutation... mutations) {
        assertThat(store.store(List.of(mutations)).join()).isEqualTo(Stored.DURABLE);
    }

    static Loaded load(FragmentStore store, RecordKey key) {
        return store.load(key).join();
    }

    static void assertFound(FragmentStore store, Mutation.Put put) {
        assertThat(load(store, put.key())).isEqualTo(new Loaded.Found(put.key(), put.meta(), put.fragment()));
    }
}
