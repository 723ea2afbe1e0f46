/**
 * Normal case (proactive recovery paper, section 4.2).
 *
 * <p>In reading order: {@link io.bulwark.protocol.ordering.normal.NormalCase} (the states of a sequence number, and the
 * wiring), {@link io.bulwark.protocol.ordering.normal.Primary} (assigns numbers), {@link
 * io.bulwark.protocol.ordering.normal.Agreement} (PRE-PREPARE, PREPARE, COMMIT), {@link
 * io.bulwark.protocol.ordering.normal.Assignments} (no request has two open numbers), {@link
 * io.bulwark.protocol.ordering.normal.BatchStore}, {@link io.bulwark.protocol.ordering.normal.Execution}. Two
 * interfaces are for the packages above: {@link io.bulwark.protocol.ordering.normal.VoteHistory} for view changes,
 * {@link io.bulwark.protocol.ordering.normal.ReplicaRequests} for recoveries.
 */
@NullMarked
package io.bulwark.protocol.ordering.normal;

import org.jspecify.annotations.NullMarked;
