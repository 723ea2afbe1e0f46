package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Bucket.Link;
import io.bulwark.protocol.metadata.Tables.EventKey;
import io.bulwark.protocol.metadata.Tables.Name;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Event logs of buckets (docs/decisions/0037). A bucket has one while it has a document {@link
 * Command.ClaimEvents#RULES}, which the state machine does not read. Each change of an object adds an event. One claimant at a time delivers events, and acknowledges
 * them by position. A full log drops its oldest event and counts it: no reply to a change depends on the log, so that
 * entries of locked logs get the same reply on an overlay and at replay.
 */
final class BucketEvents {
    /** Size of a log, which counts as weight from the beginning. */
    static final long BYTES_MAX = 2L << 20;

    private static final int EVENT_BYTES = 64;

    private final Tables tables;
    private PrincipalId actor = PrincipalId.NOBODY;

    /** Counts of a log, and who delivers its events. */
    static final class Log {
        private int count;
        private long bytes;
        private long dropped;
        private long claimant;
        private long claimedUntilMillis;

        void write(WireWriter out) {
            out.i32(count).i64(bytes).i64(dropped).i64(claimant).i64(claimedUntilMillis);
        }

        static Log read(WireReader in) {
            Log log = new Log();
            log.count = in.i32(0, Integer.MAX_VALUE);
            log.bytes = in.nonNegative64();
            log.dropped = in.nonNegative64();
            log.claimant = in.nonNegative64();
            log.claimedUntilMillis = in.nonNegative64();
            return log;
        }
    }

    BucketEvents(Tables tables) {
        this.tables = tables;
    }

    /** The following changes are made by the rights of this principal. */
    void begin(PrincipalId principal) {
        actor = principal;
    }

    /** Begins the log of a bucket, unless it has one. */
    void open(Bucket bucket) {
        if (!bucket.recordsEvents) {
            bucket.recordsEvents = true;
            tables.eventLogs.add(bucket.name, new Log());
        }
    }

    /** Ends the log of a bucket, with the events that nobody has acknowledged. */
    void close(Bucket bucket) {
        if (bucket.recordsEvents) {
            bucket.recordsEvents = false;
            Log log = log(bucket);
            removeUntil(bucket, log, Long.MAX_VALUE);
            tables.eventLogs.remove(bucket.name);
        }
    }

    /** Records what happened to a version, if the bucket has a log. */
    void record(Bucket bucket, ObjectEvent.Kind kind, Name name, Link link, long length) {
        if (!bucket.recordsEvents) {
            return;
        }
        String tag = link.state().attributes().properties().getOrDefault(ObjectEvent.TAG_PROPERTY, "");
        ObjectEvent event = new ObjectEvent(
                kind,
                Names.text(name.key()),
                name.version(),
                link.state().isNull(),
                length,
                Names.utf8(tag).length() > ObjectEvent.TAG_BYTES_MAX ? "" : tag,
                actor,
                tables.supply().nowMillis());
        Log log = log(bucket);
        log.count++;
        log.bytes += bytesOf(event);
        tables.events.put(new EventKey(bucket.name, ++tables.totals().lastEvent), event);
        while (log.bytes > BYTES_MAX) {
            remove(log, first(bucket).orElseThrow());
            log.dropped++;
        }
    }

    /**
     * Takes or keeps the right to deliver, and acknowledges. Positions are never reused, so that an acknowledgement of
     * events of an earlier log does no harm.
     */
    Reply.EventsClaimed claim(Bucket bucket, Command.ClaimEvents claim) {
        CommandRefusal.refuseUnless(
                bucket.recordsEvents, MetadataError.BAD_BUCKET_STATE, "bucket " + bucket.name + " records no events");
        Log log = log(bucket);
        long now = tables.supply().nowMillis();
        boolean isHeld = log.claimant == claim.claimant() || !isClaimed(log, now);
        if (isHeld) {
            log.claimant = claim.claimant();
            log.claimedUntilMillis = now + Command.ClaimEvents.LEASE_MILLIS;
            removeUntil(bucket, log, claim.acknowledged());
        }
        return new Reply.EventsClaimed(isHeld, log.count, log.dropped);
    }

    private static boolean isClaimed(Log log, long now) {
        return now < log.claimedUntilMillis;
    }

    /** Returns a page of the events behind a position. */
    Reply.EventList list(Bucket bucket, Query.ListEvents query) {
        List<Reply.EventEntry> page = new ArrayList<>();
        if (!bucket.recordsEvents) {
            return new Reply.EventList(page);
        }
        long bytes = 0;
        for (Table.Entry<EventKey, ObjectEvent> entry :
                tables.events.range(new EventKey(bucket.name, query.after() + 1), end(bucket))) {
            bytes += bytesOf(entry.value());
            if (page.size() == query.limit() || bytes > Query.PAGE_BYTES_MAX) {
                break;
            }
            page.add(new Reply.EventEntry(entry.key().position(), entry.value()));
        }
        return new Reply.EventList(page);
    }

    /** Returns a page of the logs of the buckets that fit. */
    Reply.EventLogList list(Query.ListEventLogs query, Predicate<Bucket> isShown) {
        List<Reply.EventLogEntry> page = new ArrayList<>();
        for (Table.Entry<String, Log> entry : tables.eventLogsByName.from(query.after())) {
            Bucket bucket = tables.buckets.find(entry.key()).orElseThrow();
            if (entry.key().equals(query.after()) || !isShown.test(bucket)) {
                continue;
            }
            if (page.size() == query.limit()) {
                return new Reply.EventLogList(page, page.getLast().bucket());
            }
            Log log = entry.value();
            page.add(new Reply.EventLogEntry(
                    bucket.name,
                    bucket.creator,
                    log.count,
                    log.bytes,
                    log.dropped,
                    first(bucket).map(event -> event.value().atMillis()).orElse(0L),
                    isClaimed(log, tables.totals().agreedMillis) ? log.claimant : 0));
        }
        return new Reply.EventLogList(page, "");
    }

    private Log log(Bucket bucket) {
        return tables.eventLogs.find(bucket.name).orElseThrow();
    }

    private void removeUntil(Bucket bucket, Log log, long position) {
        for (Optional<Table.Entry<EventKey, ObjectEvent>> first = first(bucket);
                first.isPresent() && first.get().key().position() <= position;
                first = first(bucket)) {
            remove(log, first.get());
        }
    }

    private Optional<Table.Entry<EventKey, ObjectEvent>> first(Bucket bucket) {
        return tables.events.first(new EventKey(bucket.name, 0), end(bucket));
    }

    private static EventKey end(Bucket bucket) {
        return new EventKey(bucket.name, Long.MAX_VALUE);
    }

    private void remove(Log log, Table.Entry<EventKey, ObjectEvent> event) {
        tables.events.remove(event.key());
        log.count--;
        log.bytes -= bytesOf(event.value());
    }

    private long bytesOf(ObjectEvent event) {
        return EVENT_BYTES + (long) tables.events.encode(event).length();
    }

    /** Returns what the log of a bucket with this document weighs. */
    static long weightOf(String document) {
        return document.equals(Command.ClaimEvents.RULES) ? BYTES_MAX : 0;
    }
}
