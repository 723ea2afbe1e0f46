package io.bulwark.protocol.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.wire.Bytes;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class TreeMapStateTest extends KeyValueStateContract {
    @Override
    KeyValueState create() {
        return new TreeMapState();
    }

    @Test
    void aCopyStaysAsItWas() {
        TreeMapState state = new TreeMapState();
        state.put(key(1), key(2));
        TreeMapState copy = state.copy();
        state.put(key(1), key(3));
        state.put(key(4), key(5));
        assertThat(copy.get(key(1))).contains(key(2));
        assertThat(copy.size()).isEqualTo(1);
        assertThat(state.size()).isEqualTo(2);
    }

    @Test
    void theFrameThatAValueWasReadFromIsNotKept() {
        TreeMapState state = new TreeMapState();
        state.put(key(1, 2, 3).slice(1, 1), Bytes.of(new byte[4096], 0, 2));
        assertThat(state.get(key(2)).orElseThrow().array()).hasSize(2);
    }
}
