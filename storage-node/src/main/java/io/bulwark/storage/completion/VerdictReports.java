package io.bulwark.storage.completion;

import io.bulwark.client.driver.EvidenceLog;
import io.bulwark.client.object.Metadata;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Reply;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
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
    /** Another session may do better. */
    private static final Set<MetadataError> OF_THE_SESSION = EnumSet.of(
            MetadataError.SESSION_UNKNOWN,
            MetadataError.SESSION_CLOSED,
            MetadataError.NUMBER_TOO_OLD,
            MetadataError.NUMBER_REUSED,
            MetadataError.WINDOW_EXCEEDED);

    private record Told(int node, BlockId block) {}

    private final Metadata metadata;
    private final EvidenceLog evidence;
    private final int self;
    private final Map<Told, Boolean> told = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Told, Boolean> eldest) {
            return size() > REMEMBERED_MAX;
        }
    };
    private Metadata.@Nullable Session session;
    private long after;
    private long reported;

    VerdictReports(Metadata metadata, EvidenceLog evidence, int self) {
        this.metadata = metadata;
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
        Metadata.Session open = session;
        if (open == null) {
            open = metadata.open(0).get();
            session = open;
        }
        String detail = seen.detail().length() > 80 ? seen.detail().substring(0, 80) : seen.detail();
        Command command = new Command.ReportEvidence(seen.about().number(), seen.block(), seen.verdict(), detail);
        Reply reply;
        try {
            reply = open.submit(command).get();
        } catch (ExecutionException e) {
            session = null;
            throw e;
        }
        if (reply instanceof Reply.Failed failed) {
            if (OF_THE_SESSION.contains(failed.error())) {
                session = null;
                throw new ExecutionException(new IllegalStateException("a verdict was refused: " + failed.message()));
            }
            LOG.warn("the metadata refuses the verdict {}: {}", seen, failed.message());
        }
        told.put(new Told(seen.about().number(), seen.block()), true);
        reported++;
    }
}
