package io.bulwark.metadata.ordering;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.Comparator;

/**
 * One request of a client, as it goes through the order.
 *
 * @param call the client's number of this call
 * @param query true if {@code command} is a query to be answered at its place in the order
 */
public record Submission(PrincipalId client, long call, boolean query, Bytes command) {
    /** Identity of a submission. */
    public record Id(PrincipalId client, long call) implements Comparable<Id> {
        private static final Comparator<Id> ORDER =
                Comparator.comparing(Id::client).thenComparingLong(Id::call);

        @Override
        public int compareTo(Id other) {
            return ORDER.compare(this, other);
        }
    }

    public Id id() {
        return new Id(client, call);
    }
}
