package io.bulwark.client;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.ObjectEvent;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Event logs of buckets, for whoever delivers their events at least once: claim, read, deliver, acknowledge with the next
 * claim. A bucket has a log while it has the setting {@link #RULES}.
 */
public interface EventLogs {
    /** Name of the setting that makes a bucket record events. The replicas do not read it. */
    String RULES = Command.ClaimEvents.RULES;

    /**
     * Event log of a bucket.
     *
     * @param pending number of events that nobody has acknowledged
     * @param dropped number of events that were dropped because it was full
     * @param oldest time of its first event
     * @param claimant who delivers now; 0 if nobody does
     */
    record EventLog(
            String bucket, PrincipalId creator, int pending, long dropped, Optional<Instant> oldest, long claimant) {}

    /**
     * Answer to a claim.
     *
     * @param held whether this claimant delivers; if not, nothing was acknowledged
     */
    record Claim(boolean held, int pending, long dropped) {}

    /**
     * Event with its place.
     *
     * @param position ascends with gaps, and is never reused
     */
    record Entry(long position, ObjectEvent event) {}

    /** Returns the logs of all buckets for administrators, else of those of the client and of whom it acts for. */
    List<EventLog> list();

    /**
     * Claims the right to deliver for 30 seconds, unless another one has it, and acknowledges. For the bucket's creator,
     * and for who may administer it.
     *
     * @param claimant a number above 0 that the caller has drawn
     * @param acknowledged position up to which all events were delivered; 0 if none was
     */
    Claim claim(String bucket, long claimant, long acknowledged);

    /**
     * Returns the next events of a bucket.
     *
     * @param after position of the last one that the caller has seen; 0 to begin
     */
    List<Entry> read(String bucket, long after, int limit);
}
