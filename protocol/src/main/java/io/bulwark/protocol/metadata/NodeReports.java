package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Tables.OwnedKey;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Reports of nodes that wait for the same report of others. At most f of a group's nodes are faulty at a time, so
 * reports count together only if they are all valid at one time. A report is withdrawn when its reporter loses the slot
 * that made it count or is revoked, and it expires. Reports are bounded per reporter, so that a liar displaces only its
 * own.
 *
 * @param <K> names the subject and the reporter
 */
final class NodeReports<K extends NodeReports.Key> implements Withdrawable {
    /** Reports of one node that wait for others; the oldest is dropped beyond. */
    static final int REPORTS_MAX = 256;

    private final Tables tables;
    private final Table<K, FiledReport> reports;
    private final Table<OwnedKey, K> ofReporter;

    /** Subject and reporter of a report. */
    interface Key {
        PrincipalId reporter();

        /** Returns whether the report counts because its reporter holds a slot of this group. */
        boolean isOfGroup(Volume volume, int group);
    }

    /** A report and its number. */
    record FiledReport(long number, NodeReport report) {
        static final FieldFormat<FiledReport> FORM = new FieldFormat<>(
                (filed, out) -> filed.report.write(out.i64(filed.number)),
                in -> new FiledReport(in.nonNegative64(), NodeReport.read(in)));
    }

    NodeReports(Tables tables, Table<K, FiledReport> reports, Table<OwnedKey, K> ofReporter) {
        this.tables = tables;
        this.reports = reports;
        this.ofReporter = ofReporter;
    }

    /** Keeps a report in the place of an earlier one with this key. */
    void file(K key, NodeReport report) {
        withdraw(key);
        Totals totals = tables.totals();
        long number = ++totals.lastReport;
        reports.put(key, new FiledReport(number, report));
        ofReporter.put(new OwnedKey(key.reporter(), number), key);
        List<K> own = of(key.reporter());
        if (own.size() > REPORTS_MAX) {
            withdraw(own.getFirst());
        }
    }

    /** Returns the reports of a range that count, and withdraws those that have expired. */
    List<NodeReport> standing(K from, K to) {
        long now = tables.totals().agreedMillis;
        List<NodeReport> standing = new ArrayList<>();
        for (Table.Entry<K, FiledReport> each : reports.list(from, to)) {
            NodeReport report = each.value().report;
            if (now - report.agreedMillis() < Command.REPORT_TTL_MILLIS) {
                standing.add(report);
            } else {
                withdraw(each.key());
            }
        }
        return standing;
    }

    /** Withdraws those of a range. */
    void withdraw(K from, K to) {
        reports.list(from, to).forEach(each -> withdraw(each.key()));
    }

    @Override
    public void withdrawOf(PrincipalId reporter) {
        withdrawOf(reporter, ignored -> true);
    }

    @Override
    public void withdrawOf(PrincipalId reporter, Volume volume, int group) {
        withdrawOf(reporter, key -> key.isOfGroup(volume, group));
    }

    private void withdrawOf(PrincipalId reporter, Predicate<K> which) {
        of(reporter).stream().filter(which).forEach(this::withdraw);
    }

    private void withdraw(K key) {
        reports.get(key).ifPresent(filed -> {
            reports.remove(key);
            ofReporter.remove(new OwnedKey(key.reporter(), filed.number));
        });
    }

    private List<K> of(PrincipalId reporter) {
        return ofReporter.list(new OwnedKey(reporter, 0), new OwnedKey(reporter, Long.MAX_VALUE)).stream()
                .map(Table.Entry::value)
                .toList();
    }
}
