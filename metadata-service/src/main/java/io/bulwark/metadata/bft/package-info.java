/**
 * A running replica of the ordering engine after the proactive recovery paper: the driver of {@link
 * io.bulwark.protocol.ordering.replica.Replica}, with its log, its pages of state and its connections.
 */
@NullMarked
package io.bulwark.metadata.bft;

import org.jspecify.annotations.NullMarked;
