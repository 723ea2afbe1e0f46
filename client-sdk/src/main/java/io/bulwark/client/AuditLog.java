package io.bulwark.client;

import io.bulwark.protocol.metadata.AuditEntry;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What operators did: each administrative command that was executed, in order, signed by who gave it and chained to the one before.
 * For who may administer.
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
     * What came of a verification.
     *
     * @param entries how many are right, from the first on
     * @param head stands for all of these
     * @param unsigned how many of these nobody has signed: in a cluster without keys all
     * @param registeredBefore how many of these are signed with keys that were registered before the log began, and are known by
     *     the word of the replicas alone
     * @param problem what is wrong, and with which entry
     */
    record Verification(long entries, Bytes head, long unsigned, long registeredBefore, Optional<String> problem) {}

    /**
     * A page.
     *
     * @param after it begins behind this entry; 0 to begin with the first
     * @param limit not more entries than this, from 1 to 1000
     */
    Page list(long after, int limit);

    /**
     * Checks the chain and every signature, believing the genesis file alone.
     *
     * @param known the digest that an earlier verification came to: it must be on the way
     */
    Verification verify(Optional<Bytes> known, Consumer<AuditEntry> progress);
}
