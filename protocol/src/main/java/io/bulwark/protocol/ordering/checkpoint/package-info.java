/**
 * Checkpoints (proactive recovery paper, section 4.3, garbage collection) and state transfer (section 4.6.2).
 */
@NullMarked
package io.bulwark.protocol.ordering.checkpoint;

import org.jspecify.annotations.NullMarked;
