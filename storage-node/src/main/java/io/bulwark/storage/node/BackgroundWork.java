package io.bulwark.storage.node;

/** Work that a node does unasked, such as completing and scrubbing extents. It brings its own threads. */
public interface BackgroundWork {
    /** Begins; called once, when the node serves. */
    void start(NodeAccess node);

    /** Ends, and waits until it has ended; called once, before the node stops serving. */
    void stop();
}
