package io.bulwark.storage.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Effect;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** A node refuses an epoch once each of its shards does. */
@NullMarked
class EpochPromisesTest {
    private final EpochPromises promises = new EpochPromises(2);
    private final List<Effect.Refuses> heard = new ArrayList<>();

    @Test
    void whatOneShardRefusesTheNodeMayStillServe() {
        promises.hear(heard::add);
        promises.add(0, new Effect.Refuses(1, 0, 3));
        promises.add(0, new Effect.Refuses(1, 0, 3));
        promises.add(1, new Effect.Refuses(1, 5, 3));
        assertThat(heard).isEmpty();
        promises.add(1, new Effect.Refuses(1, 0, 2));
        assertThat(heard).containsExactly(new Effect.Refuses(1, 0, 2));
        promises.add(1, new Effect.Refuses(1, 0, 4));
        assertThat(heard).containsExactly(new Effect.Refuses(1, 0, 2), new Effect.Refuses(1, 0, 3));
    }

    @Test
    void whatWasSaidBeforeAnybodyListenedIsSaidAgain() {
        promises.add(0, new Effect.Refuses(1, 0, 2));
        promises.add(1, new Effect.Refuses(1, 0, 2));
        promises.hear(heard::add);
        promises.add(0, new Effect.Refuses(1, 0, 2));
        assertThat(heard).containsExactly(new Effect.Refuses(1, 0, 2));
    }
}
