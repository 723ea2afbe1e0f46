package io.bulwark.metadata;

import io.bulwark.metadata.ordering.MemorySequencer;
import org.jspecify.annotations.NullMarked;

@NullMarked
class MemoryOrderingTest extends OrderingContract {
    private final MemorySequencer sequencer = new MemorySequencer();

    @Override
    ReplicaGroup.Starter starter() {
        return ReplicaGroup.Starter.incarnations(sequencer);
    }
}
