/**
 * State that all parts of a replica share (proactive recovery paper, sections 4.2 and 4.3): the view, and the log
 * between the water marks.
 *
 * <p>In reading order: {@link io.bulwark.protocol.ordering.log.View}, {@link io.bulwark.protocol.ordering.log.Slot}
 * (one sequence number), {@link io.bulwark.protocol.ordering.log.SlotLog} (the water marks), {@link
 * io.bulwark.protocol.ordering.log.Outbox} (holds each message until the disk has what it promises), {@link
 * io.bulwark.protocol.ordering.log.HistoryGuard} (stops a replica whose history contradicts certificates), {@link
 * io.bulwark.protocol.ordering.log.Clock}, {@link io.bulwark.protocol.ordering.log.ReplicaContext} (all of these).
 */
@NullMarked
package io.bulwark.protocol.ordering.log;

import org.jspecify.annotations.NullMarked;
