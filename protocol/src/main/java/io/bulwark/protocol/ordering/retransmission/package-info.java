/**
 * Message retransmission (proactive recovery paper, section 4.6.1).
 *
 * <p>In reading order: {@link io.bulwark.protocol.ordering.retransmission.Retransmission} (the wiring), {@link
 * io.bulwark.protocol.ordering.retransmission.StatusExchange} (STATUS and its answers), {@link
 * io.bulwark.protocol.ordering.retransmission.CommitLearner} (batches that others have executed), {@link
 * io.bulwark.protocol.ordering.retransmission.MissingBatches}, {@link
 * io.bulwark.protocol.ordering.retransmission.BatchFetcher} and {@link
 * io.bulwark.protocol.ordering.retransmission.BatchServer} (batches and requests by digest).
 */
@NullMarked
package io.bulwark.protocol.ordering.retransmission;

import org.jspecify.annotations.NullMarked;
