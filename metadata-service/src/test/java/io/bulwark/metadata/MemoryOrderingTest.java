package io.bulwark.metadata;

import io.bulwark.metadata.ordering.MemorySequencer;
import io.bulwark.metadata.ordering.OrderingEngine;
import org.jspecify.annotations.NullMarked;

@NullMarked
class MemoryOrderingTest extends OrderingContract {
    private final MemorySequencer sequencer = new MemorySequencer();

    @Override
    OrderingEngine.Factory engines() {
        return sequencer;
    }
}
