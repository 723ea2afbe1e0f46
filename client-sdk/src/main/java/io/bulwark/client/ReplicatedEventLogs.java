package io.bulwark.client;

import io.bulwark.client.error.Subject;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The event logs in the replicated metadata. */
final class ReplicatedEventLogs implements EventLogs {
    private final BulwarkClient client;

    ReplicatedEventLogs(BulwarkClient client) {
        this.client = client;
    }

    @Override
    public List<EventLog> list() {
        return Listing.all(after -> {
            Reply.EventLogList page = client.query(
                    Reply.EventLogList.class,
                    new Query.ListEventLogs(after, Query.PAGE_MAX),
                    Subject.NONE,
                    BulwarkClient.noDeadline());
            List<EventLog> logs =
                    page.logs().stream().map(ReplicatedEventLogs::info).toList();
            return new Listing.Page<>(logs, page.next().isEmpty() ? null : page.next());
        });
    }

    private static EventLog info(Reply.EventLogEntry log) {
        return new EventLog(
                log.bucket(),
                log.creator(),
                log.pending(),
                log.dropped(),
                log.pending() == 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(log.oldestMillis())),
                log.claimant());
    }

    @Override
    public Claim claim(String bucket, long claimant, long acknowledged) {
        Reply.EventsClaimed claimed = client.execute(
                Reply.EventsClaimed.class,
                new Command.ClaimEvents(bucket, claimant, acknowledged),
                Subject.bucket(bucket));
        return new Claim(claimed.held(), claimed.pending(), claimed.dropped());
    }

    @Override
    public List<Entry> read(String bucket, long after, int limit) {
        return client
                .query(
                        Reply.EventList.class,
                        new Query.ListEvents(bucket, after, limit),
                        Subject.bucket(bucket),
                        BulwarkClient.noDeadline())
                .events()
                .stream()
                .map(entry -> new Entry(entry.position(), entry.event()))
                .toList();
    }
}
