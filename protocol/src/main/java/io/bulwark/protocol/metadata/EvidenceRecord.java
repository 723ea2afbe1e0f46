package io.bulwark.protocol.metadata;

import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Reply.EvidenceEntry;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;

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

    private final TreeMap<Accusation, TreeMap<PrincipalId, Long>> reports = new TreeMap<>();
    private final TreeMap<Long, EvidenceEntry> entries = new TreeMap<>();
    private long lastReport;
    private long lastEntry;

    /** Follows from the rest: the waiting reports of each node, oldest first. */
    private final TreeMap<PrincipalId, TreeMap<Long, Accusation>> waiting = new TreeMap<>();

    /** Follows from the rest: what is in the record already, and under which number. */
    private final TreeMap<Accusation, Long> recorded = new TreeMap<>();

    private record Accusation(int node, BlockId block, Verdict verdict) implements Comparable<Accusation> {
        private static final Comparator<Accusation> ORDER = Comparator.comparingInt(Accusation::node)
                .thenComparing(Accusation::block)
                .thenComparing(Accusation::verdict);

        @Override
        public int compareTo(Accusation other) {
            return ORDER.compare(this, other);
        }
    }

    /**
     * Takes a report.
     *
     * @param needed how many nodes must say the same: f+1
     */
    void report(PrincipalId reporter, Command.ReportEvidence report, int needed, long now) {
        Accusation accusation = new Accusation(report.node(), report.block(), report.verdict());
        if (recorded.containsKey(accusation)) {
            return;
        }
        add(reporter, accusation, ++lastReport);
        NavigableMap<Long, Accusation> own = waitingOf(reporter);
        if (own.size() > REPORTS_MAX) {
            withdraw(reporter, own.firstEntry().getValue());
        }
        List<PrincipalId> reporters = new ArrayList<>(reportersOf(accusation).keySet());
        if (reporters.size() >= needed) {
            reporters.forEach(each -> withdraw(each, accusation));
            record(new EvidenceEntry(
                    ++lastEntry, report.node(), report.block(), report.verdict(), reporters, now, report.detail()));
        }
    }

    /** A page of the record. */
    Reply.EvidenceList list(long after, int limit) {
        List<EvidenceEntry> page = new ArrayList<>();
        long next = after;
        for (EvidenceEntry entry : entries.tailMap(after, false).values()) {
            if (page.size() == limit) {
                return new Reply.EvidenceList(page, next, true);
            }
            page.add(entry);
            next = entry.number();
        }
        return new Reply.EvidenceList(page, next, false);
    }

    private void record(EvidenceEntry entry) {
        entries.put(entry.number(), entry);
        recorded.put(accusationOf(entry), entry.number());
        TreeSet<Long> ofNode = new TreeSet<>();
        recorded.forEach((accusation, number) -> {
            if (accusation.node == entry.node()) {
                ofNode.add(number);
            }
        });
        if (ofNode.size() > ENTRIES_MAX) {
            recorded.remove(accusationOf(remove(ofNode.first())));
        }
    }

    private EvidenceEntry remove(long number) {
        EvidenceEntry removed = entries.remove(number);
        if (removed == null) {
            throw new IllegalStateException("evidence " + number + " is not there");
        }
        return removed;
    }

    private void add(PrincipalId reporter, Accusation accusation, long number) {
        withdraw(reporter, accusation);
        reportersOf(accusation).put(reporter, number);
        waitingOf(reporter).put(number, accusation);
    }

    private void withdraw(PrincipalId reporter, Accusation accusation) {
        NavigableMap<PrincipalId, Long> reporters = reportersOf(accusation);
        Long number = reporters.remove(reporter);
        if (number != null) {
            waitingOf(reporter).remove(number);
        }
        if (reporters.isEmpty()) {
            reports.remove(accusation);
        }
    }

    private NavigableMap<PrincipalId, Long> reportersOf(Accusation accusation) {
        return reports.computeIfAbsent(accusation, _ -> new TreeMap<>());
    }

    private NavigableMap<Long, Accusation> waitingOf(PrincipalId reporter) {
        return waiting.computeIfAbsent(reporter, _ -> new TreeMap<>());
    }

    private static Accusation accusationOf(EvidenceEntry entry) {
        return new Accusation(entry.node(), entry.block(), entry.verdict());
    }

    void write(WireWriter out) {
        out.i64(lastReport).i64(lastEntry).i32(reports.size());
        reports.forEach((accusation, reporters) -> {
            accusation.block.write(out.i32(accusation.node));
            CommandCodec.writeVerdict(accusation.verdict, out);
            out.i32(reporters.size());
            reporters.forEach((reporter, number) -> {
                reporter.write(out);
                out.i64(number);
            });
        });
        out.i32(entries.size());
        entries.values().forEach(entry -> ReplyCodec.writeEvidence(entry, out));
    }

    static EvidenceRecord read(WireReader in) {
        EvidenceRecord evidence = new EvidenceRecord();
        evidence.lastReport = in.nonNegative64();
        evidence.lastEntry = in.nonNegative64();
        Snapshots.times(in, () -> {
            Accusation accusation = new Accusation(in.i32(), BlockId.read(in), CommandCodec.readVerdict(in));
            Snapshots.times(in, () -> evidence.add(PrincipalId.read(in), accusation, in.nonNegative64()));
        });
        Snapshots.times(in, () -> {
            EvidenceEntry entry = ReplyCodec.readEvidence(in);
            evidence.entries.put(entry.number(), entry);
            evidence.recorded.put(accusationOf(entry), entry.number());
        });
        return evidence;
    }
}
