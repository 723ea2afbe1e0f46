package io.bulwark.protocol.ordering.key;

/** Actions that {@link SessionKeys} requests from its driver, in order. */
public sealed interface KeyEffect {
    /** Send this as it is, under no session key. */
    record Send(int to, KeyMessage message) implements KeyEffect {}

    /**
     * The keys under which this replica speaks have changed: of what it said before only complete certificates count. To be told
     * to the state machine before the message that was just verified.
     */
    record Changed(int replica) implements KeyEffect {}

    /**
     * The configuration of the other replica has another T_w, or that of this one is wrong: they exchange no keys, and so nothing
     * else.
     */
    record Misfit(int replica, long watchdogMillis) implements KeyEffect {}

    /** The other replica is in another configuration of replicas: they exchange no keys, and whoever is behind is to be told. */
    record Elsewhere(int replica, long configuration) implements KeyEffect {}
}
