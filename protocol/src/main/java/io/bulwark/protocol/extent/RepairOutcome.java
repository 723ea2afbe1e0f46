package io.bulwark.protocol.extent;

import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.wire.Bytes;
import java.util.Map;

/** Outcome of a node's repair of its own fragment. */
public sealed interface RepairOutcome {
    /** Fragment of the version for the node's slot. */
    record Rebuilt(Checksum checksum, Bytes fragment) implements RepairOutcome {}

    /** 2f+1 holders, this one perhaps among them, never stored this version. */
    record Incomplete() implements RepairOutcome {}

    /** Result that no block encodes to the pin, as this node found itself or as f+1 others report. */
    record Poisonous() implements RepairOutcome {}

    /** Result that f+1 others report the extent as freed. */
    record Freed() implements RepairOutcome {}

    /** Too few good fragments now; why, by slot. */
    record Unavailable(Map<Integer, String> reasons) implements RepairOutcome {
        public Unavailable {
            reasons = Map.copyOf(reasons);
        }
    }
}
