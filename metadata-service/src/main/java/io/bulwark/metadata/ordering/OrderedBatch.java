package io.bulwark.metadata.ordering;

import java.util.List;

/**
 * What an engine decided: these requests in this order, at this time.
 *
 * @param proposedMillis the time the proposer gave; the agreed time is the greater of it and the one before
 */
public record OrderedBatch(long proposedMillis, List<Submission> submissions) {
    public OrderedBatch {
        submissions = List.copyOf(submissions);
    }
}
