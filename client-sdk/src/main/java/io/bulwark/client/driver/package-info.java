/**
 * Runs the client's side of the protocols in production. It hands each {@link
 * io.bulwark.protocol.effect.ClientOperation} its messages and ticks, one at a time, and sends its messages. It keeps
 * the evidence that these find (docs/protocols/access.md, verdicts). The simulator drives the same operations its own way.
 */
@NullMarked
package io.bulwark.client.driver;

import org.jspecify.annotations.NullMarked;
