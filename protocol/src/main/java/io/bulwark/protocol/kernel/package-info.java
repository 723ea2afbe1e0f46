/**
 * Parts that several storage protocols share: timeouts and retry timers of client operations, rates of senders, deletion
 * of the data of deleted volumes, and the addressing, failures and scrub requests of register protocols. The package
 * knows no protocol: {@code fp} and {@code pasis} build on it.
 */
@NullMarked
package io.bulwark.protocol.kernel;

import org.jspecify.annotations.NullMarked;
