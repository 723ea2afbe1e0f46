package io.bulwark.console.audit;

import io.bulwark.client.AuditLog;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Result of a verification of the log, which trusts the genesis file alone.
 *
 * @param entries number of correct entries, from the first on
 * @param head digest of all these entries
 * @param unsigned how many of these nobody has signed
 * @param own how many the replicas made by themselves, as signed entries before let them
 * @param problem the first wrong entry and its problem; null if there is none
 */
record VerificationView(
        Instant at,
        long entries,
        String head,
        long unsigned,
        long own,
        @Nullable String problem) {
    static VerificationView of(AuditLog.Verification found, Instant at) {
        return new VerificationView(
                at,
                found.entries(),
                found.head().toHex(),
                found.unsigned(),
                found.own(),
                found.problem().orElse(null));
    }
}
