package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.Grants.Right;
import io.bulwark.protocol.metadata.Reply.PoisonReport;
import io.bulwark.protocol.metadata.Reply.SuspensionEntry;
import io.bulwark.protocol.metadata.Tables.Owned;
import io.bulwark.protocol.metadata.Tables.Poisoner;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Writers of poisonous versions (lazy verification paper, 3.3; PROTOCOLS section 3, suspension): once b+1 nodes of one placement group have each
 * found a poisonous version of a client's, the client has no sessions any more, and opens none, until an operator lifts that. What a report
 * is of lies in a session, and sessions from before a lift count for nothing any more: one number for each client that was ever
 * suspended. Reports are bounded per reporter, so that a liar displaces only its own.
 */
final class Suspensions {
    /** Reports of one node that wait for others; the oldest is dropped beyond. */
    static final int REPORTS_MAX = 256;

    private static final PrincipalId LAST = PrincipalId.client(Integer.MAX_VALUE);

    private final Tables tables;
    private final Volumes volumes;
    private final Grants grants;
    private final Sessions sessions;
    private final Inodes inodes;

    /** A report that waits for others. */
    record Waiting(long number, PoisonReport report) {
        void write(WireWriter out) {
            ReplyCodec.writePoison(report, out.i64(number));
        }

        static Waiting read(WireReader in) {
            return new Waiting(in.nonNegative64(), ReplyCodec.readPoison(in));
        }
    }

    Suspensions(Tables tables, Volumes volumes, Grants grants, Sessions sessions, Inodes inodes) {
        this.tables = tables;
        this.volumes = volumes;
        this.grants = grants;
        this.sessions = sessions;
        this.inodes = inodes;
    }

    /** A node says that a client brought it a poisonous version. */
    void report(PrincipalId reporter, Command.ReportPoison report) {
        PrincipalId client = report.client();
        Volume volume = volumes.byId(report.block().volume()).volume();
        int number = volume.groupIndex(report.block());
        PlacementGroup group = volume.groups().get(number);
        // b bounds the faulty nodes of each group: b+1 nodes of several groups may all be faulty.
        Refusal.unless(
                volume.policy().protocol() == Protocol.PASIS && group.slotOf(reporter.number()) >= 0,
                MetadataError.BAD_ARGUMENT,
                reporter + " about " + volume.name() + ", the block's group is " + group.holders());
        Refusal.unless(
                client.kind() == PrincipalKind.CLIENT && grants.known(client),
                MetadataError.NO_SUCH_PRINCIPAL,
                client.toString());
        boolean own = volume.kind() == VolumeKind.REGISTER
                || (report.block().owner().equals(client) && report.block().session() == report.session());
        Refusal.unless(
                own && report.session() >= 1 && report.session() <= lastSession(client),
                MetadataError.BAD_ARGUMENT,
                client + " has had no session " + report.session() + " for that");
        Poisoner key = new Poisoner(client, volume.id(), number, reporter);
        if (tables.suspended.contains(client)
                || report.session() <= tables.lifted.get(client).orElse(0L)
                || tables.poison.contains(key)) {
            return;
        }
        keep(key, new PoisonReport(reporter, report.block(), report.session(), report.detail()));
        List<PoisonReport> said = new ArrayList<>();
        for (Table.Entry<Poisoner, Waiting> each : tables.poison.list(
                new Poisoner(client, volume.id(), number, PrincipalId.NOBODY),
                new Poisoner(client, volume.id(), number, LAST))) {
            said.add(each.value().report());
        }
        if (said.size() > volume.policy().f()) {
            suspend(client, !grants.onVolume(client, volume.id(), Right.ADMINISTER), said);
        }
    }

    private void keep(Poisoner key, PoisonReport report) {
        PrincipalId reporter = key.reporter();
        long number = ++tables.totals().lastReport;
        tables.poison.put(key, new Waiting(number, report));
        tables.poisonOf.put(new Owned(reporter, number), key);
        List<Table.Entry<Owned, Poisoner>> own =
                tables.poisonOf.list(new Owned(reporter, 0), new Owned(reporter, Long.MAX_VALUE));
        if (own.size() > REPORTS_MAX) {
            withdraw(own.getFirst().value());
        }
    }

    private void suspend(PrincipalId client, boolean enforced, List<PoisonReport> reports) {
        long now = tables.totals().agreedMillis;
        tables.suspended.put(client, new SuspensionEntry(client, now, enforced, reports));
        withdrawAbout(client);
        if (enforced) {
            sessions.openOf(client).forEach(inodes::close);
        }
    }

    /** Whether a client may write nothing now. */
    boolean suspended(PrincipalId client) {
        return tables.suspended.get(client).filter(SuspensionEntry::enforced).isPresent();
    }

    /** Refuses one who is suspended, with the reason. */
    void requireNone(PrincipalId client) {
        if (suspended(client)) {
            SuspensionEntry entry = tables.suspended.get(client).orElseThrow();
            PoisonReport first = entry.reports().getFirst();
            String nodes = entry.reports().stream()
                    .map(report -> report.reporter().toString())
                    .collect(Collectors.joining(", "));
            String since = Instant.ofEpochMilli(entry.sinceMillis()).toString();
            throw new Refusal(
                    MetadataError.SUSPENDED,
                    client + " since " + since + ", block " + first.block() + ": " + first.detail() + "; " + nodes);
        }
    }

    /** An operator lets the client write again; what it wrote in sessions until now is held against it no more. */
    void lift(PrincipalId client) {
        Refusal.unless(tables.suspended.contains(client), MetadataError.BAD_ARGUMENT, client + " is not suspended");
        tables.suspended.remove(client);
        withdrawAbout(client);
        tables.lifted.put(client, lastSession(client));
    }

    /** A page. */
    Reply.SuspensionList list(Query.ListSuspensions list) {
        List<SuspensionEntry> page = new ArrayList<>();
        int reports = 0;
        for (Table.Entry<PrincipalId, SuspensionEntry> entry : tables.suspended.from(list.after())) {
            if (entry.key().equals(list.after())) {
                continue;
            }
            if (page.size() == list.limit() || reports >= Query.PAGE_MAX) {
                return new Reply.SuspensionList(page, page.getLast().client());
            }
            page.add(entry.value());
            reports += entry.value().reports().size();
        }
        return new Reply.SuspensionList(page, PrincipalId.NOBODY);
    }

    /** It is revoked: neither what is said of it nor what it says counts. */
    void forget(PrincipalId revoked) {
        tables.suspended.remove(revoked);
        tables.lifted.remove(revoked);
        withdrawAbout(revoked);
        tables.poisonOf
                .list(new Owned(revoked, 0), new Owned(revoked, Long.MAX_VALUE))
                .forEach(own -> withdraw(own.value()));
    }

    private void withdrawAbout(PrincipalId client) {
        tables.poison
                .list(
                        new Poisoner(client, 0, 0, PrincipalId.NOBODY),
                        new Poisoner(client, Integer.MAX_VALUE, Integer.MAX_VALUE, LAST))
                .forEach(each -> withdraw(each.key()));
    }

    private void withdraw(Poisoner key) {
        tables.poison.get(key).ifPresent(waiting -> {
            tables.poison.remove(key);
            tables.poisonOf.remove(new Owned(key.reporter(), waiting.number()));
        });
    }

    private long lastSession(PrincipalId client) {
        return tables.accounts.find(client).map(account -> account.lastSession).orElse(0L);
    }
}
