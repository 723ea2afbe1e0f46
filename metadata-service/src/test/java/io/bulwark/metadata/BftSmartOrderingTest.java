package io.bulwark.metadata;

import io.bulwark.metadata.bftsmart.BftSmartEngines;
import org.jspecify.annotations.NullMarked;

@NullMarked
class BftSmartOrderingTest extends OrderingContract {
    @Override
    ReplicaGroup.Starter starter() {
        return ReplicaGroup.Starter.incarnations(BftSmartEngines.standard());
    }
}
