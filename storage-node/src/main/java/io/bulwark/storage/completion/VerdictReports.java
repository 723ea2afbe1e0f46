package io.bulwark.storage.completion;

import io.bulwark.client.driver.EvidenceLog;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Reply;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the metadata what this node, having fetched from another itself, found corrupt or was told to be damaged. The record names a node after f+1
 * nodes have said the same.
 */
final class VerdictReports {
    private static final int REMEMBERED_MAX = 10_000;
    /** A liar must not keep the metadata busy. */
    private static final int REPORTS_PER_POLL = 20;

    private static final Logger LOG = LoggerFactory.getLogger(VerdictReports.class);

    private record Told(int node, BlockId block) {}

    private final ControlSession session;
    private final EvidenceLog evidence;
    private final int self;
    private final Map<Told, Boolean> told = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Told, Boolean> eldest) {
            return size() > REMEMBERED_MAX;
        }
    };
    private long after;
    private long reported;

    VerdictReports(ControlSession session, EvidenceLog evidence, int self) {
        this.session = session;
        this.evidence = evidence;
        this.self = self;
    }

    long reported() {
        return reported;
    }

    void poll() throws InterruptedException, ExecutionException {
        int reports = 0;
        for (EvidenceLog.Entry entry : evidence.since(after)) {
            Effect.Evidence seen = entry.evidence();
            boolean accuses = (seen.verdict() == Verdict.CORRUPT || seen.verdict() == Verdict.DAMAGED)
                    && seen.about().kind() == PrincipalKind.NODE
                    && seen.about().number() != self;
            if (accuses && !told.containsKey(new Told(seen.about().number(), seen.block()))) {
                if (reports++ == REPORTS_PER_POLL) {
                    return;
                }
                report(seen);
            }
            after = entry.number();
        }
    }

    private void report(Effect.Evidence seen) throws InterruptedException, ExecutionException {
        String detail = seen.detail().length() > 80 ? seen.detail().substring(0, 80) : seen.detail();
        Command command = new Command.ReportEvidence(seen.about().number(), seen.block(), seen.verdict(), detail);
        if (session.submit(command) instanceof Reply.Failed failed) {
            LOG.warn("the metadata refuses the verdict {}: {}", seen, failed.message());
        }
        told.put(new Told(seen.about().number(), seen.block()), true);
        reported++;
    }
}
