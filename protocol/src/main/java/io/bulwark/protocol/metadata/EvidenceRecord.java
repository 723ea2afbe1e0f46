package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.Tables.Accusation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Record of faults (docs/protocols/access.md, evidence). A verdict on a node and a block enters it once f+1 other nodes
 * of the block's group have said the same; single reports are hints ({@link NodeReports}). Suspensions of clients enter
 * it with the reports that caused them ({@link Suspensions}). The reports are kept with their signatures. Entries are
 * bounded per accused principal.
 */
final class EvidenceRecord {
    /** Entries about one principal; the oldest is dropped beyond. */
    static final int ENTRIES_MAX = 64;

    private static final PrincipalId LAST = PrincipalId.client(Integer.MAX_VALUE);

    private final Tables tables;
    private final NodeReports<Tables.Report> reports;

    EvidenceRecord(Tables tables) {
        this.tables = tables;
        reports = new NodeReports<>(tables, tables.reports, tables.reportsOf);
    }

    /**
     * Takes a report about a node.
     *
     * @param needed how many nodes must say the same: f+1
     * @return the number of the entry, if this report makes one
     */
    OptionalLong report(NodeReport report, int needed) {
        Accusation accusation = accusationOf(report.content());
        if (tables.recorded.contains(accusation)) {
            return OptionalLong.empty();
        }
        reports.file(new Tables.Report(accusation, report.reporter()), report);
        Tables.Report first = new Tables.Report(accusation, PrincipalId.NOBODY);
        Tables.Report last = new Tables.Report(accusation, LAST);
        List<NodeReport> standing = reports.standing(first, last);
        if (standing.size() >= needed) {
            reports.withdraw(first, last);
            return OptionalLong.of(record(standing));
        }
        return OptionalLong.empty();
    }

    NodeReports<?> reports() {
        return reports;
    }

    /**
     * A page of the record.
     *
     * @param withClients whether entries about clients are listed, too
     */
    Reply.EvidenceList list(long after, int limit, boolean withClients) {
        List<Reply.EvidenceEntry> page = new ArrayList<>();
        long next = after;
        for (Table.Entry<Long, Evidence> each : tables.evidence.from(after + 1)) {
            if (page.size() == limit) {
                return new Reply.EvidenceList(page, next, true);
            }
            if (isShown(each.value(), withClients)) {
                page.add(each.value().entry());
            }
            next = each.key();
        }
        return new Reply.EvidenceList(page, next, false);
    }

    /** Returns one entry with its reports. */
    Optional<Evidence> find(long number, boolean withClients) {
        return tables.evidence.get(number).filter(each -> isShown(each, withClients));
    }

    private static boolean isShown(Evidence evidence, boolean withClients) {
        return withClients || evidence.about().kind() == PrincipalKind.NODE;
    }

    /** Records what f+1 nodes have reported; returns the number of the entry. */
    long record(List<NodeReport> said) {
        Totals totals = tables.totals();
        Evidence entry = new Evidence(++totals.lastEvidence, totals.agreedMillis, said);
        Accusation accusation = accusationOf(said.getFirst().content());
        // A client may be suspended for the same block again, in a later session.
        tables.recorded.get(accusation).ifPresent(tables.evidence::remove);
        tables.evidence.put(entry.number(), entry);
        tables.recorded.put(accusation, entry.number());
        List<Table.Entry<Accusation, Long>> ofAccused =
                tables.recorded.list(Accusation.firstOf(entry.about()), Accusation.lastOf(entry.about()));
        if (ofAccused.size() > ENTRIES_MAX) {
            Table.Entry<Accusation, Long> oldest =
                    Collections.min(ofAccused, Comparator.comparingLong(Table.Entry::value));
            tables.recorded.remove(oldest.key());
            tables.evidence.remove(oldest.value());
        }
        return entry.number();
    }

    private static Accusation accusationOf(Command.Report report) {
        return new Accusation(report.about(), report.block(), report.verdict());
    }
}
