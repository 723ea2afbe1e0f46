package io.bulwark.storage.completion;

import io.bulwark.client.driver.EvidenceLog;
import io.bulwark.client.object.Metadata;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports verdicts to the metadata: corrupt fragments that this node has fetched from another itself, damage that the
 * other admitted, and clients that sent poisonous versions. The record names a node after f+1 nodes have reported the
 * same; a client is suspended after b+1.
 */
final class VerdictReports {
    private static final int REMEMBERED_MAX = 10_000;
    /** A liar must not keep the metadata busy. */
    private static final int REPORTS_PER_POLL = 20;

    private static final int DETAIL_LENGTH = 80;
    /** Interval of repeated reports of a lasting fault: half the time for which a report counts. */
    private static final Duration REPEAT = Duration.ofMillis(Command.REPORT_TTL_MILLIS / 2);

    private static final Logger LOG = LoggerFactory.getLogger(VerdictReports.class);

    /** Report that is sent once, and repeated only for a much later finding. */
    private sealed interface SentReport {
        record OfNode(int node, BlockId block) implements SentReport, Comparable<OfNode> {
            private static final Comparator<OfNode> ORDER =
                    Comparator.comparingInt(OfNode::node).thenComparing(OfNode::block);

            @Override
            public int compareTo(OfNode other) {
                return ORDER.compare(this, other);
            }
        }

        /** More of the same session changes nothing, but in another placement group, where others count. */
        record OfClient(PrincipalId client, long session, int volume, int group)
                implements SentReport, Comparable<OfClient> {
            private static final Comparator<OfClient> ORDER = Comparator.comparing(OfClient::client)
                    .thenComparingLong(OfClient::session)
                    .thenComparingInt(OfClient::volume)
                    .thenComparingInt(OfClient::group);

            @Override
            public int compareTo(OfClient other) {
                return ORDER.compare(this, other);
            }
        }
    }

    private final Metadata metadata;
    private final ControlSession session;
    private final EvidenceLog evidence;
    private final int self;
    private final Map<SentReport, Instant> told = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<SentReport, Instant> eldest) {
            return size() > REMEMBERED_MAX;
        }
    };
    private final Map<Integer, Volume> volumes = new HashMap<>();
    private long after;
    private long afterPoisonous;
    private long reported;

    VerdictReports(Metadata metadata, ControlSession session, EvidenceLog evidence, int self) {
        this.metadata = metadata;
        this.session = session;
        this.evidence = evidence;
        this.self = self;
    }

    long reported() {
        return reported;
    }

    /** Reports clients first: reports about nodes, which liars may inflate, do not delay them. */
    void poll() throws InterruptedException, ExecutionException {
        afterPoisonous = report(evidence.poisonousSince(afterPoisonous), afterPoisonous);
        after = report(evidence.since(after), after);
    }

    /** Reports some; the number of the last entry that is done with. */
    private long report(List<EvidenceLog.Entry> entries, long done) throws InterruptedException, ExecutionException {
        int reports = 0;
        long last = done;
        for (EvidenceLog.Entry entry : entries) {
            Effect.Evidence seen = entry.evidence();
            Optional<SentReport> report = toTell(seen).filter(each -> !isTold(each, entry.at()));
            if (report.isPresent()) {
                if (reports++ == REPORTS_PER_POLL) {
                    break;
                }
                Optional<MetadataError> refused = report(report.get(), seen);
                if (refused.filter(MetadataError.LOCKED::equals).isPresent()) {
                    // It waits for logs that rely on the client's rights, and is given again with the next poll.
                    break;
                }
                // A bad signature: the node's key is being exchanged, and the replicas will know it soon.
                if (refused.filter(MetadataError.BAD_SIGNATURE::equals).isEmpty()) {
                    told.put(report.get(), entry.at());
                }
            }
            last = entry.number();
        }
        return last;
    }

    private boolean isTold(SentReport what, Instant found) {
        Instant before = told.get(what);
        return before != null && found.isBefore(before.plus(REPEAT));
    }

    private Optional<SentReport> toTell(Effect.Evidence seen) throws InterruptedException, ExecutionException {
        PrincipalId about = seen.about();
        return switch (seen.verdict()) {
            case CORRUPT, DAMAGED ->
                about.kind() == PrincipalKind.NODE && about.number() != self
                        ? Optional.of(new SentReport.OfNode(about.number(), seen.block()))
                        : Optional.empty();
            // Without a session it is a reader's finding, of a version that somebody named.
            case POISONOUS ->
                seen.session() == 0
                        ? Optional.empty()
                        : volume(seen.block())
                                .map(volume -> new SentReport.OfClient(
                                        about, seen.session(), volume.id(), volume.groupIndex(seen.block())));
            case OTHER_VERSION, BEHIND, SLOW, MISBEHAVED -> Optional.empty();
        };
    }

    /** The group of a block never changes. */
    private Optional<Volume> volume(BlockId block) throws InterruptedException, ExecutionException {
        Volume before = volumes.get(block.volume());
        if ((before == null || !before.knows(block))
                && metadata.query(new Query.GetMap()).get() instanceof Reply.Map(ClusterMap map)) {
            map.volumes().forEach(volume -> volumes.put(volume.id(), volume));
            volumes.keySet().removeIf(known -> map.volume(known).isEmpty());
        }
        return Optional.ofNullable(volumes.get(block.volume())).filter(volume -> volume.knows(block));
    }

    /** Sends a report; returns the reason if it is refused. */
    private Optional<MetadataError> report(SentReport what, Effect.Evidence seen)
            throws InterruptedException, ExecutionException {
        String detail = seen.detail().substring(0, Math.min(seen.detail().length(), DETAIL_LENGTH));
        Command command = switch (what) {
            case SentReport.OfNode of -> new Command.ReportEvidence(of.node(), seen.block(), seen.verdict(), detail);
            case SentReport.OfClient of -> new Command.ReportPoison(of.client(), seen.block(), of.session(), detail);
        };
        reported++;
        if (session.submit(command) instanceof Reply.Failed failed) {
            LOG.warn("the metadata service refused the verdict {}: {}", seen, failed.message());
            return Optional.of(failed.error());
        }
        return Optional.empty();
    }
}
