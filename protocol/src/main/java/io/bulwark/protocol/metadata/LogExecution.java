package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LogEntry;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Execution of the entries of a log, on an overlay and at replay. An entry reads names of the subtrees, the grant of the
 * log, blocks of its session, and what is frozen while the log is there: rights, placement and settings. So it gives the
 * same reply in both places, and the same state under the subtrees.
 */
final class LogExecution {
    private final Tables tables;
    private final SessionTable sessions;
    private final Permissions permissions;
    private final Suspensions suspensions;
    private final ActForGrants actFor;
    private final CommandBody body;

    /** Executes a command after all checks of rights. */
    interface CommandBody {
        Reply run(Authority by, Session session, Command command);
    }

    LogExecution(
            Tables tables,
            SessionTable sessions,
            Permissions permissions,
            Suspensions suspensions,
            ActForGrants actFor,
            CommandBody body) {
        this.tables = tables;
        this.sessions = sessions;
        this.permissions = permissions;
        this.suspensions = suspensions;
        this.actFor = actFor;
        this.body = body;
    }

    /** Executes the next entry of a log, and returns the canonical bytes of the reply. */
    Bytes execute(Holder holder, LogEntry entry) {
        Session session = sessions.require(holder.owner, holder.session);
        Grant grant = tables.grantsOfLogs.find(holder.id()).orElseThrow();
        grant.begin(entry);
        Draw draw = new Draw(session, grant);
        Reply reply = tables.drawingFrom(grant, () -> reply(holder, session, grant, entry));
        draw.settle();
        return reply.encoded();
    }

    private Reply reply(Holder holder, Session session, Grant grant, LogEntry entry) {
        try {
            Command command = decode(entry.command());
            CommandRefusal.refuseUnless(
                    Lockable.isWithin(holder.subtrees, command),
                    MetadataError.NOT_LOCKABLE,
                    command.getClass().getSimpleName());
            grant.requireIds();
            Authority by = authority(holder, entry.onBehalfOf());
            permissions.check(by, session, command);
            if (Weight.isAddedBy(command)) {
                grant.requireWeight(Weight.maxOf(command));
            }
            return body.run(by, session, command);
        } catch (CommandRefusal refusal) {
            return refusal.reply();
        }
    }

    private static Command decode(Bytes bytes) {
        try {
            WireReader in = new WireReader(bytes);
            Command command = CommandCodec.read(in);
            in.end();
            return command;
        } catch (MalformedException | IllegalArgumentException malformed) {
            throw new CommandRefusal(MetadataError.MALFORMED, "");
        }
    }

    /** Returns the authority of an entry or a query in a log. */
    Authority authority(Holder holder, Optional<PrincipalId> onBehalfOf) {
        Authority by = actFor.authority(holder.owner, onBehalfOf);
        onBehalfOf.ifPresent(suspensions::requireNone);
        return by;
    }

    /** Room that one entry takes: growth draws from the grant, and what it frees is free for all. */
    private final class Draw {
        private final Session session;
        private final Grant grant;
        private final long volumeBytes;
        private final long weight;
        private final Map<String, Long> buckets = new TreeMap<>();

        private Draw(Session session, Grant grant) {
            this.session = session;
            this.grant = grant;
            volumeBytes = usage().bytes;
            weight = tables.totals().weight;
            grant.buckets.keySet().forEach(name -> buckets.put(name, bucket(name).bytes));
        }

        private void settle() {
            long ofVolume = drawn(usage().bytes - volumeBytes, grant.volumeBytes);
            grant.volumeBytes -= ofVolume;
            usage().escrow -= ofVolume;
            long ofWeight = drawn(tables.totals().weight - weight, grant.weight);
            grant.weight -= ofWeight;
            tables.weight.escrow(session.owner, -ofWeight);
            buckets.forEach((name, before) -> {
                long ofBucket = drawn(bucket(name).bytes - before, grant.buckets.getOrDefault(name, 0L));
                grant.buckets.merge(name, -ofBucket, Long::sum);
                bucket(name).escrow -= ofBucket;
            });
        }

        /** Markers of deletions may add more than is left of the weight: who makes room must be able to delete. */
        private static long drawn(long added, long left) {
            return Math.max(0, Math.min(added, left));
        }

        private Volumes.Usage usage() {
            return tables.usages.find(session.volume).orElseThrow();
        }

        private Bucket bucket(String name) {
            return tables.buckets.find(name).orElseThrow();
        }
    }
}
