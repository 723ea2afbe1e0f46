package io.bulwark.protocol.fp;

import static io.bulwark.protocol.fp.LocalNodes.CLIENT;
import static io.bulwark.protocol.fp.LocalNodes.OTHER;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.Outbox;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class StagedIndexTest {
    /** A block of another shard of the node. */
    private static final long ANOTHERS = 77;

    private final Outbox out = new Outbox();
    private final StagedIndex index = new StagedIndex(out, block -> block.counter() != ANOTHERS, 1);
    private final List<PrincipalId> ready = new ArrayList<>();

    private static StagedIndex.Entry entry(long block) {
        return new StagedIndex.Entry(BlockId.register(3, block), new Version(block, SampleMessages.filled(32, 1)));
    }

    private void load(PrincipalId client) {
        index.load(client, _ -> ready.add(client));
    }

    /** Answers what was asked of the disk with these entries of one session. */
    private void loaded(PrincipalId client, long session, StagedIndex.Entry... entries) {
        List<Loaded.Meta> metas = Stream.of(entries)
                .map(entry -> (Mutation.Put) index.put(client, session, entry))
                .map(put -> new Loaded.Meta(put.key(), put.meta()))
                .toList();
        Effect.LoadMetas asked = (Effect.LoadMetas) out.drain().getFirst();
        out.loaded(1, asked.token(), new Loaded.Metas(RecordKind.REGISTER, metas));
    }

    @Test
    void whatIsDeletedWhileTheListIsReadIsNotCharged() {
        load(CLIENT);
        index.onRemoved(CLIENT, entry(1));
        loaded(CLIENT, 7, entry(1), entry(2));
        assertThat(index.of(CLIENT, 7)).containsExactly(entry(2));
        assertThat(ready).containsExactly(CLIENT);
    }

    @Test
    void whatIsOverwrittenWhileTheListIsReadStaysOnTheAccount() {
        load(PrepareTag.REPAIR);
        index.overwrite(entry(1), 4);
        loaded(PrepareTag.REPAIR, 0, entry(1), entry(2));
        assertThat(index.overwritten()).containsExactly(entry(1));
        assertThat(index.overwrittenIn(entry(1))).isEqualTo(4);
        assertThat(index.of(PrepareTag.REPAIR, 0)).containsExactly(entry(2));
        assertThat(index.repairs().before(3, index.repairs().mark())).isEqualTo(2);
    }

    @Test
    void whatIsAnotherShardsIsLeftToIt() {
        load(CLIENT);
        loaded(CLIENT, 7, entry(1), entry(ANOTHERS));
        assertThat(index.of(CLIENT, 7)).containsExactly(entry(1));
    }

    @Test
    void eachSessionHasItsOwn() {
        load(CLIENT);
        loaded(CLIENT, 0, entry(1));
        index.onAdded(CLIENT, 8, entry(2));
        assertThat(index.of(CLIENT, 0)).containsExactly(entry(1));
        assertThat(index.of(CLIENT, 8)).containsExactly(entry(2));
        assertThat(index.of(CLIENT, -1)).hasSize(2);
    }

    @Test
    void theListsOfSoManyClientsAreKept() {
        load(CLIENT);
        loaded(CLIENT, 7, entry(1));
        assertThat(index.ready(CLIENT)).isTrue();
        load(OTHER);
        loaded(OTHER, 7);
        assertThat(index.ready(OTHER)).isTrue();
        assertThat(index.ready(CLIENT)).isFalse();
    }
}
