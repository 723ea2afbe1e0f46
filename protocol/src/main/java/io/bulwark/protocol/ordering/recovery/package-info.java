/**
 * Proactive recovery (paper, section 4.4; docs/ordering/recovery.md).
 *
 * <p>In reading order: {@link io.bulwark.protocol.ordering.recovery.Recoveries} (the wiring), {@link
 * io.bulwark.protocol.ordering.recovery.ReplicaRecovery} (the own recovery, with its transition table), {@link
 * io.bulwark.protocol.ordering.recovery.HighWaterMarkEstimate}, {@link
 * io.bulwark.protocol.ordering.recovery.RecoveryRequest}, {@link
 * io.bulwark.protocol.ordering.recovery.RecoveryReplies}, {@link io.bulwark.protocol.ordering.recovery.PeerRecoveries}
 * (help for the others), {@link io.bulwark.protocol.ordering.recovery.ExecutedRecoveries} and {@link
 * io.bulwark.protocol.ordering.recovery.RecoveryLedger} (requests in the replicated state), {@link
 * io.bulwark.protocol.ordering.recovery.RecoveryReport} and {@link
 * io.bulwark.protocol.ordering.recovery.RecoveryStatus} (for status and alarms).
 */
@NullMarked
package io.bulwark.protocol.ordering.recovery;

import org.jspecify.annotations.NullMarked;
