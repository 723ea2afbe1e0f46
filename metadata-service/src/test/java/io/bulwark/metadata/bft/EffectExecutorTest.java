package io.bulwark.metadata.bft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.state.DamagedPageException;
import io.bulwark.protocol.state.MemoryPageStore;
import io.bulwark.protocol.state.StateTree;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class EffectExecutorTest {
    private static final Bytes DIGEST = Bytes.of(new byte[32]);

    @Test
    void whatComesBehindAnEffectThatMeetsDamageIsCarriedOut() {
        StateTree damaged = damaged();
        ReplicaEffect before = new ReplicaEffect.Append(1, new LogRecord.Checkpoint(1, DIGEST));
        ReplicaEffect meets = new ReplicaEffect.FetchState(new Numbered(128, DIGEST), false);
        ReplicaEffect behind = new ReplicaEffect.Append(2, new LogRecord.Checkpoint(2, DIGEST));
        List<ReplicaEffect> done = new ArrayList<>();
        assertThatThrownBy(() -> EffectExecutor.carryOut(List.of(before, meets, behind), effect -> {
                    if (effect.equals(meets)) {
                        damaged.get(Bytes.of((byte) 1));
                    }
                    done.add(effect);
                }))
                .isInstanceOf(DamagedPageException.class);
        assertThat(done).containsExactly(before, behind);
    }

    @Test
    void anyOtherFailureEndsIt() {
        ReplicaEffect append = new ReplicaEffect.Append(1, new LogRecord.Checkpoint(1, DIGEST));
        List<ReplicaEffect> done = new ArrayList<>();
        assertThatThrownBy(() -> EffectExecutor.carryOut(List.of(append, append), effect -> {
                    done.add(effect);
                    throw new IllegalStateException("the disk");
                }))
                .hasMessage("the disk");
        assertThat(done).hasSize(1);
    }

    private static StateTree damaged() {
        MemoryPageStore store = new MemoryPageStore();
        StateTree tree = StateTree.empty(store, 0);
        tree.put(Bytes.of((byte) 1), Bytes.of((byte) 2));
        StateTree.Checkpoint taken = tree.checkpoint(1);
        store.write(taken.batch());
        store.rot(taken.digest(), Optional.empty());
        return StateTree.open(store, 0);
    }
}
