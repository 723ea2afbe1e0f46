package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Tables.OwnedKey;
import io.bulwark.protocol.wire.WireWriter;
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
 * @param <R> the content kept of a report
 */
final class NodeReports<K extends NodeReports.Key, R> {
    /** Reports of one node that wait for others; the oldest is dropped beyond. */
    static final int REPORTS_MAX = 256;

    private final Tables tables;
    private final Table<K, FiledReport<R>> reports;
    private final Table<OwnedKey, K> ofReporter;

    /** Subject and reporter of a report. */
    interface Key {
        PrincipalId reporter();

        /** Returns whether the report counts because its reporter holds a slot of this group. */
        boolean isOfGroup(Volume volume, int group);
    }

    /** A report, its number and the agreed time when it came. */
    record FiledReport<R>(long number, long agreedMillis, R report) {
        static <R> FieldFormat<FiledReport<R>> form(FieldFormat<R> reports) {
            return new FieldFormat<>(
                    (filed, out) -> write(filed, out, reports),
                    in -> new FiledReport<>(
                            in.nonNegative64(),
                            in.nonNegative64(),
                            reports.reader().apply(in)));
        }

        private static <R> void write(FiledReport<R> filed, WireWriter out, FieldFormat<R> reports) {
            reports.writer().accept(filed.report, out.i64(filed.number).i64(filed.agreedMillis));
        }
    }

    NodeReports(Tables tables, Table<K, FiledReport<R>> reports, Table<OwnedKey, K> ofReporter) {
        this.tables = tables;
        this.reports = reports;
        this.ofReporter = ofReporter;
    }

    /** Keeps a report in the place of an earlier one with this key. */
    void file(K key, R report) {
        withdraw(key);
        Totals totals = tables.totals();
        long number = ++totals.lastReport;
        reports.put(key, new FiledReport<>(number, totals.agreedMillis, report));
        ofReporter.put(new OwnedKey(key.reporter(), number), key);
        List<K> own = of(key.reporter());
        if (own.size() > REPORTS_MAX) {
            withdraw(own.getFirst());
        }
    }

    /** Returns the reports of a range that count, and withdraws those that have expired. */
    List<Table.Entry<K, FiledReport<R>>> standing(K from, K to) {
        long now = tables.totals().agreedMillis;
        List<Table.Entry<K, FiledReport<R>>> standing = new ArrayList<>();
        for (Table.Entry<K, FiledReport<R>> each : reports.list(from, to)) {
            if (now - each.value().agreedMillis < Command.REPORT_TTL_MILLIS) {
                standing.add(each);
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

    /** Withdraws what this one has reported. */
    void withdrawOf(PrincipalId reporter) {
        withdrawOf(reporter, _ -> true);
    }

    /** Withdraws what this one, who held a slot of the group, has reported as such. */
    void withdrawOf(PrincipalId reporter, Volume volume, int group) {
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
