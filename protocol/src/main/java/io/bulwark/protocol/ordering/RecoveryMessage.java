package io.bulwark.protocol.ordering;

import io.bulwark.protocol.ordering.recovery.RecoveryStatus;
import io.bulwark.protocol.wire.Message;

/**
 * How anybody who belongs asks a replica where recoveries stand. Each replica answers for itself, at once and without ordering:
 * what fewer than f+1 say alike may be a lie.
 */
public sealed interface RecoveryMessage extends Message {
    /** The number of the question, drawn anew for each. */
    long call();

    /** Where do recoveries stand? */
    record Ask(long call) implements RecoveryMessage {}

    /** So they do. */
    record Told(long call, RecoveryStatus status) implements RecoveryMessage {}
}
