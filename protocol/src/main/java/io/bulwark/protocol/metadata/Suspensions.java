package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.Grants.Right;
import io.bulwark.protocol.metadata.Reply.PoisonReport;
import io.bulwark.protocol.metadata.Reply.SuspensionEntry;
import io.bulwark.protocol.metadata.Tables.Poisoner;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Writers of poisonous versions (lazy verification paper, 3.3; docs/protocols/access.md, suspension). Once b+1 nodes of one
 * placement group have each found a poisonous version of a client, its sessions are closed. It can open no new one
 * until an operator lifts the suspension. A reported version belongs to a session, and sessions from before a lift no
 * longer count: one number for each client that was ever suspended. Pending reports are {@link NodeReports}.
 */
final class Suspensions {
    private static final PrincipalId LAST = PrincipalId.client(Integer.MAX_VALUE);

    private final Tables tables;
    private final Volumes volumes;
    private final Grants grants;
    private final SessionTable sessions;
    private final Inodes inodes;

    private final EvidenceRecord evidence;
    private final NodeReports<Poisoner> reports;

    Suspensions(
            Tables tables,
            Volumes volumes,
            Grants grants,
            SessionTable sessions,
            Inodes inodes,
            EvidenceRecord evidence) {
        this.tables = tables;
        this.volumes = volumes;
        this.grants = grants;
        this.evidence = evidence;
        this.sessions = sessions;
        this.inodes = inodes;
        reports = new NodeReports<>(tables, tables.poison, tables.poisonOf);
    }

    /**
     * A node says that a client brought it a poisonous version. The report that suspends waits for the logs that rely on
     * the client's rights.
     */
    void report(NodeReport filed, Command.ReportPoison report, LockTable locks) {
        PrincipalId reporter = filed.reporter();
        PrincipalId client = report.client();
        Volume volume = volumes.byId(report.block().volume()).volume();
        CommandRefusal.refuseUnless(
                volume.knows(report.block()), MetadataError.BAD_ARGUMENT, "no group has block " + report.block());
        int number = volume.groupIndex(report.block());
        int f = volume.policyOf(number).f();
        PlacementGroup group = volume.groups().get(number);
        // b bounds the faulty nodes of each group: b+1 nodes of several groups may all be faulty.
        CommandRefusal.refuseUnless(
                mayBePoisoned(volume) && group.slotOf(reporter.number()) >= 0,
                MetadataError.BAD_ARGUMENT,
                reporter + " about " + volume.name() + ", the block's group is " + group.holders());
        CommandRefusal.refuseUnless(
                client.kind() == PrincipalKind.CLIENT && grants.known(client),
                MetadataError.NO_SUCH_PRINCIPAL,
                client.toString());
        boolean own = volume.kind() == VolumeKind.REGISTER
                || (report.block().owner().equals(client) && report.block().session() == report.session());
        CommandRefusal.refuseUnless(
                own && report.session() >= 1 && report.session() <= lastSession(client),
                MetadataError.BAD_ARGUMENT,
                client + " had no session " + report.session() + " for that");
        Poisoner key = new Poisoner(client, volume.id(), number, reporter);
        if (tables.suspended.contains(client)
                || report.session() <= tables.lifted.get(client).orElse(0L)) {
            return;
        }
        boolean enforced = !grants.mayActOnVolume(client, volume.id(), Right.ADMINISTER);
        long others = standing(client, volume, number).stream()
                .filter(each -> !each.reporter().equals(reporter))
                .count();
        if (enforced && others >= f) {
            locks.requireFree(List.of(new Touch.OfPrincipal(client)));
        }
        reports.file(key, filed);
        List<NodeReport> said = standing(client, volume, number);
        if (said.size() > f) {
            suspend(client, enforced, said);
        }
    }

    /** Returns whether fragments need not belong together. A register of whole copies is named by the hash of each. */
    private static boolean mayBePoisoned(Volume volume) {
        return switch (volume.policy().protocol()) {
            case FP, ARCHIVE -> false;
            case PASIS -> true;
            case MASKING -> volume.kind() == VolumeKind.OBJECT;
        };
    }

    private List<NodeReport> standing(PrincipalId client, Volume volume, int group) {
        return reports.standing(
                new Poisoner(client, volume.id(), group, PrincipalId.NOBODY),
                new Poisoner(client, volume.id(), group, LAST));
    }

    private void suspend(PrincipalId client, boolean enforced, List<NodeReport> said) {
        long now = tables.totals().agreedMillis;
        List<PoisonReport> told = said.stream().map(PoisonReport::of).toList();
        long number = evidence.record(said);
        tables.suspended.put(client, new SuspensionEntry(client, now, enforced, number, told));
        withdrawAbout(client);
        if (enforced) {
            sessions.openOf(client).forEach(inodes::close);
        }
    }

    /** Returns whether a client is suspended from writing now. */
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
            throw new CommandRefusal(
                    MetadataError.SUSPENDED,
                    client + " since " + since + ", block " + first.block() + ": " + first.detail() + "; " + nodes);
        }
    }

    /**
     * Lets the client write again, by an operator's command; versions from its sessions until now no longer count
     * against it.
     */
    void lift(PrincipalId client) {
        CommandRefusal.refuseUnless(
                tables.suspended.contains(client), MetadataError.BAD_ARGUMENT, client + " is not suspended");
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

    /** Drops all reports about a revoked client, which no longer count. */
    void forget(PrincipalId revoked) {
        tables.suspended.remove(revoked);
        tables.lifted.remove(revoked);
        withdrawAbout(revoked);
    }

    NodeReports<?> reports() {
        return reports;
    }

    private void withdrawAbout(PrincipalId client) {
        reports.withdraw(
                new Poisoner(client, 0, 0, PrincipalId.NOBODY),
                new Poisoner(client, Integer.MAX_VALUE, Integer.MAX_VALUE, LAST));
    }

    private long lastSession(PrincipalId client) {
        return tables.accounts.find(client).map(account -> account.lastSession).orElse(0L);
    }
}
