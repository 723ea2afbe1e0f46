package io.bulwark.client;

import io.bulwark.protocol.metadata.AuditEntry;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Log of operators' actions: each administrative command that was executed, in order, signed by its author and chained
 * to the one before. Only for clients with the right to administer.
 */
public interface AuditLog {
    /**
     * Some of the log.
     *
     * @param count how many entries there are in all
     */
    record Page(List<AuditEntry> entries, long count) {
        public Page {
            entries = List.copyOf(entries);
        }
    }

    /**
     * Result of a verification.
     *
     * @param entries number of correct entries, from the first on
     * @param head digest of all these entries
     * @param unsigned how many of these nobody has signed: in a cluster without keys all
     * @param own how many the replicas made by themselves, as signed entries before let them
     * @param problem the problem, and the entry that has it
     */
    record Verification(long entries, Bytes head, long unsigned, long own, Optional<String> problem) {}

    /**
     * A page.
     *
     * @param after it begins behind this entry; 0 to begin with the first
     * @param limit not more entries than this, from 1 to 1000
     */
    Page list(long after, int limit);

    /**
     * Checks the chain and every signature, trusting the genesis file alone.
     *
     * @param known the digest that an earlier verification reached: the chain must pass through it
     */
    Verification verify(Optional<Bytes> known, Consumer<AuditEntry> progress);
}
