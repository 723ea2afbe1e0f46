package io.bulwark.protocol.extent;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.Map;

/** Outcome of writing an extent. */
public sealed interface WriteOutcome {
    /**
     * Durable at m+f slots, or N-b under PASIS: the inode may name it.
     *
     * @param pin SHA-256 of the checksum
     * @param epoch the one in which all of them said so
     */
    record Complete(Bytes pin, long epoch) implements WriteOutcome {}

    /** More than f nodes refuse; why, by node. The id is lost, a later attempt takes another. */
    record Refused(Map<PrincipalId, StoreRefusal> reasons) implements WriteOutcome {
        public Refused {
            reasons = Map.copyOf(reasons);
        }
    }

    /** More than f nodes refuse, at least one of them because its disk is full; why, by node. */
    record NoSpace(Map<PrincipalId, StoreRefusal> reasons) implements WriteOutcome {
        public NoSpace {
            reasons = Map.copyOf(reasons);
        }
    }

    /** f+1 nodes are in a later epoch of the group: fetch the map and store the same content again. */
    record StaleMap(long epoch) implements WriteOutcome {}

    /** Too few OKs before the deadline; why, by slot. */
    record Unavailable(Map<Integer, String> reasons) implements WriteOutcome {
        public Unavailable {
            reasons = Map.copyOf(reasons);
        }
    }
}
