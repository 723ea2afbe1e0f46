package io.bulwark.protocol.cluster;

/** State of a session according to 2f+1 replicas. Only {@link #CLOSED} never reverts. */
public enum SessionState {
    /** Never opened, as far as the replicas know. */
    UNKNOWN,
    OPEN,
    CLOSED
}
