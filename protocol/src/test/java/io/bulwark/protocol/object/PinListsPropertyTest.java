package io.bulwark.protocol.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** A writer builds the levels from below, a reader finds every pin again from above. */
@NullMarked
class PinListsPropertyTest {
    private static final long SEED = Long.getLong("bulwark.seed", 20261121L);

    @Test
    void everyPinIsFoundThroughTheLists() {
        System.out.println("PinListsPropertyTest bulwark.seed=" + SEED);
        Random random = new Random(SEED);
        for (int round = 0; round < 30; round++) {
            int blockBytes = 512 + random.nextInt(600);
            long length = (long) Math.pow(2, random.nextDouble() * 24);
            check(random, blockBytes, length);
        }
        check(random, 512, 512L * 256 * 15);
        check(random, 512, 512L * 256 * 15 + 1);
    }

    private static void check(Random random, int blockBytes, long length) {
        long[] levels = ObjectLayout.levels(blockBytes, length);
        List<Bytes> contents = new ArrayList<>();
        List<Bytes> pinsOfLevels = new ArrayList<>();
        Bytes pins = pins(random, levels[0]);
        pinsOfLevels.add(pins);
        for (int level = 1; level < levels.length; level++) {
            List<PinList> lists = PinList.of(blockBytes, level, pins);
            assertThat(lists).hasSize((int) levels[level]);
            lists.forEach(list -> contents.add(list.encoded()));
            pins = pins(random, levels[level]);
            pinsOfLevels.add(pins);
        }
        long extents = ObjectLayout.extents(blockBytes, length);
        BlockRange range = new BlockRange(1, PrincipalId.client(1), 1, 0, extents);
        ObjectLayout layout = new ObjectLayout(1, blockBytes, length, List.of(range), pins);
        PinLists lists = new PinLists(layout);
        long extent = 0;
        long bytes = 0;
        for (int level = 0; level < levels.length; level++) {
            for (int i = 0; i < levels[level]; i++, extent++) {
                int reads = 0;
                for (OptionalLong missing = lists.missing(extent);
                        missing.isPresent();
                        missing = lists.missing(extent)) {
                    long list = missing.getAsLong();
                    assertThat(lists.pin(list)).isPresent();
                    Bytes content = contents.get((int) (list - levels[0]));
                    assertThat(content.length()).isEqualTo(layout.lengthOf(list));
                    lists.loaded(list, content);
                    reads++;
                }
                assertThat(reads).isLessThanOrEqualTo(layout.depth());
                assertThat(lists.pin(extent)).contains(pinsOfLevels.get(level).slice(i * 32, 32));
                bytes += level == 0 ? layout.lengthOf(extent) : 0;
            }
        }
        assertThat(extent).isEqualTo(extents);
        assertThat(bytes).isEqualTo(length);
        if (levels.length > 1) {
            lists.forget(extents - 1);
            Bytes wrong = new PinList(200, pins(random, 1)).encoded();
            assertThatThrownBy(() -> lists.loaded(extents - 1, wrong)).isInstanceOf(MalformedException.class);
        }
    }

    private static Bytes pins(Random random, long count) {
        byte[] pins = new byte[(int) count * ObjectLayout.PIN_BYTES];
        random.nextBytes(pins);
        return new WireWriter().raw(Bytes.of(pins)).toBytes();
    }
}
