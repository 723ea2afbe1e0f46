package io.bulwark.protocol.state;

import io.bulwark.protocol.wire.Bytes;
import java.util.List;

/** Actions that a state fetch requests from its driver, in this order and before it is called again. */
public sealed interface FetchEffect {
    /** Asks another replica for pages; the token comes back with the answer. */
    record Send(int replica, long token, List<Bytes> digests) implements FetchEffect {
        public Send {
            digests = List.copyOf(digests);
        }
    }

    /** Writes a batch to the store. */
    record Write(PageBatch batch) implements FetchEffect {}

    /** There is more to do at once: a tick is due without delay. */
    record ImmediateTick() implements FetchEffect {}

    /** Evidence: a replica sent bytes that do not have the digest that was asked for, or more than was asked for. */
    record WrongPage(int replica, Bytes digest) implements FetchEffect {}

    /** A page that belongs to a checkpoint of this replica is missing, or wrong; it is being fetched. */
    record Damaged(Bytes digest, boolean missing) implements FetchEffect {}

    /**
     * Enough replicas lack this page that one of them is correct. It has discarded the checkpoint, so a newer one is
     * stable and wanted. The fetch keeps asking, and keeps the pages that it has.
     */
    record Unavailable(Bytes digest) implements FetchEffect {}

    /**
     * All pages are here and right. The batch makes the checkpoint durable and the last of the store, unless it was here
     * before; a tree that was open is stale if the batch adds a checkpoint.
     */
    record Complete(long number, Bytes digest, PageBatch batch) implements FetchEffect {}
}
