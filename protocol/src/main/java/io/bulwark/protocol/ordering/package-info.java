/**
 * Client side of the ordering port (docs/ordering), the same for every engine: the messages of clients to all
 * 3f+1 replicas, the count of their replies (2f+1 matching ones), and the messages by which replicas settle on one
 * state after a restart.
 */
@NullMarked
package io.bulwark.protocol.ordering;

import org.jspecify.annotations.NullMarked;
