/**
 * Parts that several storage protocols share: timeouts and retry timers of client operations, rates of senders, deletion
 * of the data of deleted volumes, and of register protocols the addressing, failures, scrub requests, and requests that
 * wait for facts. The package knows no protocol: {@code fp} and {@code pasis} build on it.
 */
@NullMarked
package io.bulwark.protocol.kernel;

import org.jspecify.annotations.NullMarked;
