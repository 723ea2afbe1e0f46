package io.bulwark.protocol.metadata;

import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;

/**
 * Recorded fault of a node or a client: the reports of f+1 nodes of one placement group. About a node they name the
 * same block; about a client each names the block of the poisonous version that its reporter found.
 *
 * @param number counted from 1 in the order in which f+1 was reached
 * @param agreedMillis when f+1 was reached
 * @param reports in the order of their reporters; all about one principal, with one verdict
 */
public record Evidence(long number, long agreedMillis, List<NodeReport> reports) {
    /** No policy tolerates as many faulty nodes. */
    public static final int REPORTS_MAX = 255;

    public Evidence {
        reports = List.copyOf(reports);
        if (reports.isEmpty() || reports.size() > REPORTS_MAX) {
            throw new IllegalArgumentException(reports.size() + " reports");
        }
        Command.Report first = reports.getFirst().content();
        for (NodeReport report : reports) {
            if (!report.content().about().equals(first.about())
                    || report.content().verdict() != first.verdict()
                    || report.content().block().volume() != first.block().volume()) {
                throw new IllegalArgumentException("reports of different faults");
            }
        }
    }

    /** Returns the accused node or client. */
    public PrincipalId about() {
        return first().about();
    }

    public Verdict verdict() {
        return first().verdict();
    }

    /** Returns the block; of reports about a client, that of the first one. */
    public BlockId block() {
        return first().block();
    }

    /** Returns the line of a list. */
    Reply.EvidenceEntry entry() {
        return new Reply.EvidenceEntry(
                number,
                about(),
                block(),
                verdict(),
                reports.stream().map(NodeReport::reporter).toList(),
                agreedMillis,
                first().detail());
    }

    void write(WireWriter out) {
        Lists.write(reports, out.i64(number).i64(agreedMillis), (report, to) -> report.write(to));
    }

    static Evidence read(WireReader in) {
        long number = in.nonNegative64();
        long agreedMillis = in.nonNegative64();
        List<NodeReport> reports = Lists.read(in, REPORTS_MAX, NodeReport::read);
        try {
            return new Evidence(number, agreedMillis, reports);
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }

    private Command.Report first() {
        return reports.getFirst().content();
    }
}
