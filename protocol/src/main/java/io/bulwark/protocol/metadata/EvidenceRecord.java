package io.bulwark.protocol.metadata;

import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Reply.EvidenceEntry;
import io.bulwark.protocol.metadata.Tables.Accusation;
import io.bulwark.protocol.metadata.Tables.Report;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * Verdicts of nodes on each other (docs/protocols/access.md, verdicts). A verdict on a node and a block enters the record
 * once f+1 other nodes of the block's group have said the same. Single reports are hints ({@link NodeReports}). Entries
 * are bounded per accused node.
 */
final class EvidenceRecord {
    /** Entries about one node; the oldest is dropped beyond. */
    static final int ENTRIES_MAX = 256;

    private static final PrincipalId LAST = PrincipalId.client(Integer.MAX_VALUE);

    private final Tables tables;
    private final NodeReports<Report, Boolean> reports;

    EvidenceRecord(Tables tables) {
        this.tables = tables;
        reports = new NodeReports<>(tables, tables.reports, tables.reportsOf);
    }

    /**
     * Takes a report.
     *
     * @param needed how many nodes must say the same: f+1
     */
    void report(PrincipalId reporter, Command.ReportEvidence report, int needed, long now) {
        Accusation accusation = new Accusation(report.node(), report.block(), report.verdict());
        if (tables.recorded.contains(accusation)) {
            return;
        }
        reports.file(new Report(accusation, reporter), true);
        Report first = new Report(accusation, PrincipalId.NOBODY);
        Report last = new Report(accusation, LAST);
        List<PrincipalId> reporters = reports.standing(first, last).stream()
                .map(each -> each.key().reporter())
                .toList();
        if (reporters.size() >= needed) {
            reports.withdraw(first, last);
            record(new EvidenceEntry(
                    ++tables.totals().lastEvidence,
                    report.node(),
                    report.block(),
                    report.verdict(),
                    reporters,
                    now,
                    report.detail()));
        }
    }

    NodeReports<?, ?> reports() {
        return reports;
    }

    /** A page of the record. */
    Reply.EvidenceList list(long after, int limit) {
        List<EvidenceEntry> page = new ArrayList<>();
        long next = after;
        for (Table.Entry<Long, EvidenceEntry> record : tables.evidence.from(after + 1)) {
            EvidenceEntry entry = record.value();
            if (page.size() == limit) {
                return new Reply.EvidenceList(page, next, true);
            }
            page.add(entry);
            next = entry.number();
        }
        return new Reply.EvidenceList(page, next, false);
    }

    void record(EvidenceEntry entry) {
        tables.evidence.put(entry.number(), entry);
        tables.recorded.put(accusationOf(entry), entry.number());
        List<Table.Entry<Accusation, Long>> ofNode =
                tables.recorded.list(firstOf(entry.node()), firstOf(entry.node() + 1));
        if (ofNode.size() > ENTRIES_MAX) {
            Table.Entry<Accusation, Long> oldest =
                    Collections.min(ofNode, Comparator.comparingLong(Table.Entry::value));
            tables.recorded.remove(oldest.key());
            tables.evidence.remove(oldest.value());
        }
    }

    private static Accusation firstOf(int node) {
        return new Accusation(node, BlockId.register(0, 0), Verdict.values()[0]);
    }

    private static Accusation accusationOf(EvidenceEntry entry) {
        return new Accusation(entry.node(), entry.block(), entry.verdict());
    }
}
