/**
 * One replica of the ordering engine (proactive recovery paper, section 4; docs/ordering): a state machine of one
 * thread, without I/O, that agrees with its peers on one batch for each sequence number and executes them in order.
 *
 * <p>In reading order: {@link io.bulwark.protocol.ordering.replica.Replica} (inputs, effects, and which part handles
 * which message), {@link io.bulwark.protocol.ordering.replica.RecoveredLog} (the start from the disk's records). The
 * parts are packages of {@code protocol.ordering}. Each depends only on those before it: {@code driver} (contract with
 * the driver), {@code log} (shared state), {@code request} (request authentication), {@code normal} (4.2), {@code
 * checkpoint} (4.3, 4.6.2), {@code view} (4.5), {@code recovery} (4.4), {@code retransmission} (4.6.1).
 */
@NullMarked
package io.bulwark.protocol.ordering.replica;

import org.jspecify.annotations.NullMarked;
