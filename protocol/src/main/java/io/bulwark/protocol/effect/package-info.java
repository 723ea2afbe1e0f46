/**
 * Effects that a protocol's state machine asks of its driver, and the driver's calls to it. The same classes run in
 * production under one driver and in the simulator under another.
 */
@NullMarked
package io.bulwark.protocol.effect;

import org.jspecify.annotations.NullMarked;
