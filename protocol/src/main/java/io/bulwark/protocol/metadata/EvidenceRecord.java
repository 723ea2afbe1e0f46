package io.bulwark.protocol.metadata;

import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Reply.EvidenceEntry;
import io.bulwark.protocol.metadata.Tables.Accusation;
import io.bulwark.protocol.metadata.Tables.Owned;
import io.bulwark.protocol.metadata.Tables.Report;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * What nodes say of each other (PROTOCOLS section 4, verdicts). A verdict on a node and a block enters the record once
 * f+1 other nodes have said the same; single reports are hints. Memory is bounded per reporter and per accused node, so
 * that a liar displaces only its own reports.
 */
final class EvidenceRecord {
    /** Reports of one node that wait for others; the oldest is dropped beyond. */
    static final int REPORTS_MAX = 256;

    /** Entries about one node; the oldest is dropped beyond. */
    static final int ENTRIES_MAX = 256;

    private static final PrincipalId LAST = PrincipalId.client(Integer.MAX_VALUE);

    private final Tables tables;

    EvidenceRecord(Tables tables) {
        this.tables = tables;
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
        add(reporter, accusation, ++tables.totals().lastReport);
        List<Table.Entry<Owned, Accusation>> own =
                tables.waiting.list(new Owned(reporter, 0), new Owned(reporter, Long.MAX_VALUE));
        if (own.size() > REPORTS_MAX) {
            withdraw(reporter, own.getFirst().value());
        }
        List<PrincipalId> reporters =
                tables.reports.list(new Report(accusation, PrincipalId.NOBODY), new Report(accusation, LAST)).stream()
                        .map(each -> each.key().reporter())
                        .toList();
        if (reporters.size() >= needed) {
            reporters.forEach(each -> withdraw(each, accusation));
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

    void add(PrincipalId reporter, Accusation accusation, long number) {
        withdraw(reporter, accusation);
        tables.reports.put(new Report(accusation, reporter), number);
        tables.waiting.put(new Owned(reporter, number), accusation);
    }

    private void withdraw(PrincipalId reporter, Accusation accusation) {
        Report report = new Report(accusation, reporter);
        tables.reports.get(report).ifPresent(number -> {
            tables.reports.remove(report);
            tables.waiting.remove(new Owned(reporter, number));
        });
    }

    private static Accusation firstOf(int node) {
        return new Accusation(node, BlockId.register(0, 0), Verdict.values()[0]);
    }

    private static Accusation accusationOf(EvidenceEntry entry) {
        return new Accusation(entry.node(), entry.block(), entry.verdict());
    }
}
