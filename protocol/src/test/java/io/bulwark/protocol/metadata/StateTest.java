package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.state.KeyValueState;
import io.bulwark.protocol.state.TreeMapState;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** All that decides on replies is in the keys and values. */
@NullMarked
class StateTest {
    private static final Bytes BEFORE =
            MetadataFixture.withSomeOfEverything().machine.snapshot();

    private record Pair(Bytes key, Bytes value) {}

    /** Keys and values that become corrupt after some calls: an access then reports it. */
    private static final class Rotten implements KeyValueState {
        private TreeMapState entries = new TreeMapState();
        private int callsLeft = Integer.MAX_VALUE;

        private static final class Damage extends RuntimeException {
            private static final long serialVersionUID = 1L;
        }

        private TreeMapState touched() {
            if (callsLeft-- == 0) {
                throw new Damage();
            }
            return entries;
        }

        @Override
        public Optional<Bytes> get(Bytes key) {
            return touched().get(key);
        }

        @Override
        public void put(Bytes key, Bytes value) {
            touched().put(key, value);
        }

        @Override
        public void remove(Bytes key) {
            touched().remove(key);
        }

        @Override
        public void scan(Bytes from, Bytes to, BiPredicate<Bytes, Bytes> visitor) {
            touched().scan(from, to, visitor);
        }
    }

    @Test
    void aCommandThatMetDamageIsExecutedOnceTheStateIsSetBack() {
        Rotten state = new Rotten();
        MetadataStateMachine machine = MetadataStateMachine.restore(BEFORE, state, GenesisKeys.NONE);
        long now = machine.agreedMillis() + 1000;
        Bytes close = new Submission.InSession(1, 100, 90, new Command.DeleteObject("diary", "renamed", 0)).encoded();
        TreeMapState before = state.entries.copy();
        MetadataStateMachine undamaged = MetadataStateMachine.restore(BEFORE);
        Bytes expected = undamaged.execute(ALICE, close, now);
        int damages = 0;
        for (boolean met = true; met; damages++) {
            state.entries = before.copy();
            state.callsLeft = damages;
            met = false;
            try {
                assertThat(machine.execute(ALICE, close, now)).isEqualTo(expected);
            } catch (Rotten.Damage damage) {
                met = true;
            }
        }
        assertThat(damages).isGreaterThan(20);
        state.callsLeft = Integer.MAX_VALUE;
        assertThat(machine.snapshot()).isEqualTo(undamaged.snapshot());
    }

    @Test
    void aCommandChangesFewRecordsHoweverMuchThereIs() {
        TreeMapState state = new TreeMapState();
        MetadataFixture rig = new MetadataFixture();
        rig.machine = MetadataStateMachine.restore(BEFORE, state, GenesisKeys.NONE);
        rig.volume = 1;
        rig.nowMillis = rig.machine.agreedMillis();
        MetadataFixture.User alice = rig.user(ALICE, 1);
        for (int i = 0; i < 300; i++) {
            alice.run(new Command.AbandonRanges(List.of(alice.range(1000 + 2 * i, 1)), List.of()));
        }
        List<Pair> before = pairs(state);
        assertThat(alice.put("diary", "new", 2000)).isNotNull();
        List<Pair> changed = pairs(state);
        changed.removeAll(before);
        assertThat(changed).hasSizeBetween(8, 14);
        assertThat(changed.stream().mapToInt(pair -> pair.value.length()).sum()).isLessThan(2000);
    }

    @Test
    void aSnapshotIsAllPairsInOrder() {
        TreeMapState state = new TreeMapState();
        MetadataStateMachine machine = MetadataStateMachine.restore(BEFORE, state, GenesisKeys.NONE);
        assertThat(machine.snapshot()).isEqualTo(BEFORE).isEqualTo(snapshot(pairs(state)));
    }

    @Test
    void whatIsNoSnapshotIsRefused() {
        TreeMapState state = new TreeMapState();
        MetadataStateMachine.restore(BEFORE, state, GenesisKeys.NONE);
        List<Pair> pairs = pairs(state);
        refused(List.of());
        refused(pairs.subList(1, pairs.size()));
        List<Pair> swapped = new ArrayList<>(pairs);
        Collections.swap(swapped, 3, 4);
        refused(swapped);
        List<Pair> twice = new ArrayList<>(pairs);
        twice.add(4, pairs.get(3));
        refused(twice);
        for (int i = 0; i < pairs.size(); i++) {
            Pair pair = pairs.get(i);
            refused(with(pairs, i, new Pair(pair.key, longer(pair.value))));
            refused(with(pairs, i, new Pair(longer(pair.key), pair.value)));
        }
        refused(with(pairs, pairs.size() - 1, new Pair(Bytes.of((byte) 26), Bytes.EMPTY)));
        Bytes huge = Bytes.of(new byte[KeyValueState.KEY_BYTES_MAX + 1]);
        refused(with(pairs, pairs.size() - 1, new Pair(huge, Bytes.EMPTY)));
    }

    private static List<Pair> with(List<Pair> pairs, int at, Pair pair) {
        List<Pair> changed = new ArrayList<>(pairs);
        changed.set(at, pair);
        return changed;
    }

    private static Bytes longer(Bytes bytes) {
        return Bytes.of(Arrays.copyOf(bytes.toByteArray(), bytes.length() + 1));
    }

    private static void refused(List<Pair> pairs) {
        Bytes snapshot = snapshot(pairs);
        assertThatThrownBy(() -> MetadataStateMachine.restore(snapshot)).isInstanceOf(MalformedException.class);
    }

    private static List<Pair> pairs(KeyValueState state) {
        List<Pair> pairs = new ArrayList<>();
        state.scan(Bytes.EMPTY, Bytes.of((byte) 0xFF), (key, value) -> pairs.add(new Pair(key, value)));
        return pairs;
    }

    private static Bytes snapshot(List<Pair> pairs) {
        WireWriter out = new WireWriter().u8(Tables.VERSION);
        pairs.forEach(pair -> out.u16(pair.key.length()).raw(pair.key).bytes(pair.value));
        return out.toBytes();
    }
}
