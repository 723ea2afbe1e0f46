package io.bulwark.protocol.cluster;

/** What 2f+1 replicas say of a session. Only {@link #CLOSED} never reverts. */
public enum SessionState {
    /** Never opened, as far as the replicas know. */
    UNKNOWN,
    OPEN,
    CLOSED
}
