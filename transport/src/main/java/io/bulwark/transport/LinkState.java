package io.bulwark.transport;

/** Activity of a {@link PeerLink}. */
public enum LinkState {
    /** An attempt is under way: what is sent waits for it. */
    CONNECTING,
    /** Connected and authenticated. */
    UP,
    /** The last attempt failed or the connection broke: nothing can be sent until the next attempt. */
    WAITING,
    /** Closed for good. */
    CLOSED
}
