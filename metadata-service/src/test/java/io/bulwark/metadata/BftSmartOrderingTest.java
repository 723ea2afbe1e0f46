package io.bulwark.metadata;

import io.bulwark.metadata.bftsmart.BftSmartEngines;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;

/** The engine that operators may choose for crashes only. {@link BftOrderingTest} has these situations with our own. */
@NullMarked
@Tag("long")
class BftSmartOrderingTest extends OrderingContract {
    @Override
    ReplicaGroup.Starter starter() {
        return ReplicaGroup.Starter.incarnations(BftSmartEngines.standard());
    }
}
