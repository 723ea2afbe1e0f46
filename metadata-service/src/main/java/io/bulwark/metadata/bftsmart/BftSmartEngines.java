package io.bulwark.metadata.bftsmart;

import io.bulwark.metadata.ordering.OrderingEngine;
import java.time.Duration;

/** Makes BFT-SMaRt engines. */
public final class BftSmartEngines implements OrderingEngine.Factory {
    private final int requestTimeoutMillis;

    /**
     * Creates the factory with a timeout.
     *
     * @param requestTimeout a replica asks for another leader after a request was not ordered for twice this time
     * @throws IllegalStateException if the library's deserialization cannot be restricted in this process
     */
    public BftSmartEngines(Duration requestTimeout) {
        LibrarySandbox.checkRestricted();
        this.requestTimeoutMillis = Math.toIntExact(requestTimeout.toMillis());
        if (requestTimeoutMillis < 100) {
            throw new IllegalArgumentException("a timeout of " + requestTimeout + " changes leaders all the time");
        }
    }

    /** A leader that dies is replaced after about 1.6 seconds. */
    public static BftSmartEngines standard() {
        return new BftSmartEngines(Duration.ofMillis(800));
    }

    @Override
    public OrderingEngine create(long incarnation, int self, int replicas, OrderingEngine.Host host) {
        return new BftSmartEngine(incarnation, self, replicas, requestTimeoutMillis, host);
    }
}
