/**
 * Checkpoints and state transfer (proactive recovery paper, sections 4.3, garbage collection, and 4.6.2).
 *
 * <p>In reading order: {@link io.bulwark.protocol.ordering.checkpoint.Checkpoints} (certificates), {@link
 * io.bulwark.protocol.ordering.checkpoint.StateTransfer}, {@link
 * io.bulwark.protocol.ordering.checkpoint.ConfigurationEnd} (the last checkpoint of a group before its members change).
 */
@NullMarked
package io.bulwark.protocol.ordering.checkpoint;

import org.jspecify.annotations.NullMarked;
