package io.bulwark.client;

import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Evidence;
import io.bulwark.protocol.metadata.EvidenceProof;
import io.bulwark.protocol.metadata.EvidenceVerification;
import io.bulwark.protocol.metadata.Reply;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Recorded faults: observations of a node or a client that f+1 nodes of a placement group report. The record keeps the
 * last 64 about each. Faults of clients are shown to clients with the right to administer only.
 */
public interface Faults {
    /**
     * A recorded fault.
     *
     * @param number counted from 1; never given twice
     * @param about the accused node or client
     * @param block of reports about a client, that of the first one
     * @param at when f+1 was reached
     * @param detail of the first report
     */
    record Fault(
            long number,
            PrincipalId about,
            BlockId block,
            Verdict verdict,
            Instant at,
            List<PrincipalId> reporters,
            String detail) {
        public Fault {
            reporters = List.copyOf(reporters);
        }

        static Fault of(Reply.EvidenceEntry entry) {
            return new Fault(
                    entry.number(),
                    entry.about(),
                    entry.block(),
                    entry.verdict(),
                    Instant.ofEpochMilli(entry.agreedMillis()),
                    entry.reporters(),
                    entry.detail());
        }
    }

    /**
     * Some of the record.
     *
     * @param more whether faults follow the last one
     */
    record Page(List<Fault> faults, boolean more) {
        public Page {
            faults = List.copyOf(faults);
        }
    }

    /**
     * A page.
     *
     * @param after it begins behind this number; 0 to begin with the first
     * @param limit not more faults than this, from 1 to 1000
     */
    Page list(long after, int limit);

    /** Returns a fault with its reports; empty if there is none of this number, or no longer. */
    Optional<Evidence> find(long number);

    /**
     * Returns the proof of a fault, for checking without the cluster. It was checked against the genesis. Needs the right
     * to administer, since it reads the audit log.
     *
     * @throws io.bulwark.client.error.InvalidRequestException if there is no such fault, or it cannot be proven: the
     *     reports of a cluster without keys are not signed
     */
    EvidenceProof proof(long number);

    /**
     * Checks this proof against the genesis, step by step in words. If the proof does not show f of the volume, the
     * replicas' word for it counts.
     */
    EvidenceVerification.Outcome check(long number);

    /** Returns this proof as a file, which {@link io.bulwark.client.evidence.EvidenceFile} reads. */
    byte[] export(long number);
}
