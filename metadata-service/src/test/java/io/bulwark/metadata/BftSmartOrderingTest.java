package io.bulwark.metadata;

import io.bulwark.metadata.bftsmart.BftSmartEngines;
import io.bulwark.metadata.ordering.OrderingEngine;
import org.jspecify.annotations.NullMarked;

@NullMarked
class BftSmartOrderingTest extends OrderingContract {
    @Override
    OrderingEngine.Factory engines() {
        return BftSmartEngines.standard();
    }
}
