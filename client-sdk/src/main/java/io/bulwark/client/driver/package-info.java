/**
 * Runs the client's side of the protocols in production: hands each {@link io.bulwark.protocol.effect.ClientOperation}
 * its messages and ticks, one at a time, sends what it wants sent, and keeps the evidence that it meets (PROTOCOLS
 * section 4, verdicts). The simulator drives the same operations its own way.
 */
@NullMarked
package io.bulwark.client.driver;

import org.jspecify.annotations.NullMarked;
