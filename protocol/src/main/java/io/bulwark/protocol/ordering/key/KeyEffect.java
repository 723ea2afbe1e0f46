package io.bulwark.protocol.ordering.key;

/** Actions that {@link SessionKeys} requests from its driver, in order. */
public sealed interface KeyEffect {
    /** Send this as it is, under no session key. */
    record Send(int to, KeyMessage message) implements KeyEffect {}

    /**
     * Effect: the keys under which a peer's messages were verified have changed. Only complete certificates count of
     * its earlier messages. Notify the state machine before the message that was just verified.
     */
    record Changed(int replica) implements KeyEffect {}

    /**
     * The configuration of the other replica has another T_w, or that of this one is wrong: they exchange no keys, and
     * so nothing else.
     */
    record WatchdogMismatch(int replica, long watchdogMillis) implements KeyEffect {}

    /**
     * Effect: the other replica is in another configuration of replicas. They exchange no keys, and the one that is
     * behind must be notified.
     */
    record ConfigurationMismatch(int replica, long configuration) implements KeyEffect {}
}
