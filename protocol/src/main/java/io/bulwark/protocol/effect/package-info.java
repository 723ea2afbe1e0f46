/**
 * What a protocol's state machine asks of its driver, and how the driver calls it. The same classes run in production
 * under one driver and in the simulator under another.
 */
@NullMarked
package io.bulwark.protocol.effect;

import org.jspecify.annotations.NullMarked;
