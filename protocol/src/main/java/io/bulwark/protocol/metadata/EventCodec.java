package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command.ClaimEvents;
import io.bulwark.protocol.metadata.Command.RemoveWebhook;
import io.bulwark.protocol.metadata.Command.SetWebhook;
import io.bulwark.protocol.metadata.Query.ListEventLogs;
import io.bulwark.protocol.metadata.Query.ListEvents;
import io.bulwark.protocol.metadata.Query.ListWebhooks;
import io.bulwark.protocol.metadata.Reply.EventEntry;
import io.bulwark.protocol.metadata.Reply.EventList;
import io.bulwark.protocol.metadata.Reply.EventLogEntry;
import io.bulwark.protocol.metadata.Reply.EventLogList;
import io.bulwark.protocol.metadata.Reply.EventsClaimed;
import io.bulwark.protocol.metadata.Reply.WebhookList;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/** Canonical bytes of the commands, queries and replies about event logs and webhooks. */
final class EventCodec {
    private EventCodec() {}

    static void write(Command.OfEvents command, WireWriter out) {
        switch (command) {
            case SetWebhook set -> set.webhook().write(out.u8(90));
            case RemoveWebhook remove -> out.u8(91).string(remove.name());
            case ClaimEvents claim ->
                out.u8(92).string(claim.bucket()).i64(claim.claimant()).i64(claim.acknowledged());
        }
    }

    static Command read(int type, WireReader in) {
        return switch (type) {
            case 90 -> new SetWebhook(Webhook.read(in));
            case 91 -> new RemoveWebhook(name(in));
            case 92 -> new ClaimEvents(name(in), in.nonNegative64(), in.nonNegative64());
            default -> throw new MalformedException("unknown command " + type);
        };
    }

    static void write(Query.OfEvents query, WireWriter out) {
        switch (query) {
            case ListWebhooks ignored -> out.u8(90);
            case ListEvents list ->
                out.u8(91).string(list.bucket()).i64(list.after()).i32(list.limit());
            case ListEventLogs list -> out.u8(92).string(list.after()).i32(list.limit());
        }
    }

    static Query readQuery(int type, WireReader in) {
        return switch (type) {
            case 90 -> new ListWebhooks();
            case 91 -> new ListEvents(name(in), position(in), in.i32(1, Query.PAGE_MAX));
            case 92 -> new ListEventLogs(name(in), in.i32(1, Query.PAGE_MAX));
            default -> throw new MalformedException("unknown query " + type);
        };
    }

    static void write(Reply.OfEvents reply, WireWriter out) {
        switch (reply) {
            case WebhookList list -> Lists.write(list.webhooks(), out.u8(90), Webhook::write);
            case EventsClaimed claimed ->
                out.u8(91).bool(claimed.held()).i32(claimed.pending()).i64(claimed.dropped());
            case EventList list ->
                Lists.write(list.events(), out.u8(92), (entry, to) -> entry.event().write(to.i64(entry.position())));
            case EventLogList list -> {
                Lists.write(list.logs(), out.u8(93), EventCodec::writeLog);
                out.string(list.next());
            }
        }
    }

    static Reply readReply(int type, WireReader in) {
        return switch (type) {
            case 90 -> new WebhookList(Lists.read(in, Webhook.COUNT_MAX, Webhook::read));
            case 91 -> new EventsClaimed(in.bool(), in.i32(0, Integer.MAX_VALUE), in.nonNegative64());
            case 92 ->
                new EventList(Lists.read(
                        in, Query.PAGE_MAX, from -> new EventEntry(from.nonNegative64(), ObjectEvent.read(from))));
            case 93 ->
                new EventLogList(
                        Lists.read(in, Query.PAGE_MAX, EventCodec::readLog), in.string(Names.NAME_LENGTH_MAX));
            default -> throw new MalformedException("unknown reply " + type);
        };
    }

    private static void writeLog(EventLogEntry log, WireWriter out) {
        log.creator().write(out.string(log.bucket()));
        out.i32(log.pending()).i64(log.bytes()).i64(log.dropped());
        out.i64(log.oldestMillis()).i64(log.claimant());
    }

    private static EventLogEntry readLog(WireReader in) {
        return new EventLogEntry(
                in.string(Names.NAME_LENGTH_MAX),
                PrincipalId.read(in),
                in.i32(0, Integer.MAX_VALUE),
                in.nonNegative64(),
                in.nonNegative64(),
                in.nonNegative64(),
                in.nonNegative64());
    }

    /** A position has a following one. */
    private static long position(WireReader in) {
        long position = in.nonNegative64();
        if (position == Long.MAX_VALUE) {
            throw new MalformedException("no event has this position");
        }
        return position;
    }

    private static String name(WireReader in) {
        return in.string(Names.WIRE_BYTES_MAX);
    }
}
