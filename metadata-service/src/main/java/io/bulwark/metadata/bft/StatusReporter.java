package io.bulwark.metadata.bft;

import io.bulwark.metadata.RecoveryProgress;
import io.bulwark.metadata.ReplicaStatus;
import io.bulwark.protocol.effect.DistantPast;
import io.bulwark.protocol.ordering.Phase;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Recoveries;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.recovery.RecoveryReport;
import io.bulwark.protocol.ordering.replica.Replica;
import java.util.Comparator;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Status report of a replica's life about itself. Used by the thread that orders. */
final class StatusReporter {
    private static final Logger LOG = LoggerFactory.getLogger(StatusReporter.class);

    /**
     * Delay and interval of the alarm that a replica waits for others, who may be too few. A correct page silences it
     * for as long: a liar that sends one now and then, and no other, keeps it silent.
     */
    private static final long ALARM_MILLIS = 10_000;

    private final int self;
    private final Configuration configuration;
    private final Replica replica;
    private final PeerMessenger mail;
    private final Optional<Recoveries> recoveries;
    /** Time since which it fetches a state and no page of it came; 0 if it does not. */
    private long fetchingSinceMillis;

    /** Time of the first report. */
    private long begunMillis;

    private long view;

    private long fetchedPages;
    private long alarmedMillis = DistantPast.MILLIS;

    /**
     * Creates the report of a life in a configuration.
     *
     * @param self the number in the name of this replica
     * @param recoveries empty if the group has no identities, so that nobody recovers
     */
    StatusReporter(
            int self,
            Configuration configuration,
            Replica replica,
            PeerMessenger mail,
            Optional<Recoveries> recoveries) {
        this.self = self;
        this.configuration = configuration;
        this.replica = replica;
        this.mail = mail;
        this.recoveries = recoveries;
    }

    /**
     * Returns the current status.
     *
     * @param fetched number of pages that have arrived of a state being fetched, if any
     * @param logs number of logs of holders here
     * @param damaged whether state was damaged
     */
    ReplicaStatus take(long nowMillis, long fetched, int logs, boolean damaged) {
        begunMillis = begunMillis == 0 ? nowMillis : begunMillis;
        RecoveryReport report = replica.recoveries(nowMillis);
        boolean estimates = report.phase() == RecoveryReport.Phase.ESTIMATING;
        if (replica.isActive() && replica.view() != view) {
            view = replica.view();
            LOG.info("replica-{} is in view {}, whose primary is replica-{}", self, view, primary(view));
        }
        if (!replica.isFetching()) {
            fetchingSinceMillis = 0;
        } else if (fetchingSinceMillis == 0 || fetched != fetchedPages) {
            fetchingSinceMillis = nowMillis;
        }
        fetchedPages = fetched;
        String waiting = waiting(nowMillis, estimates, report.own().startedMillis());
        boolean votes =
                isAmongOthers() && replica.isActive() && !replica.isFetching() && !estimates && !report.forgotten();
        return new ReplicaStatus(
                self,
                votes ? Phase.RUNNING : Phase.FOLLOWING,
                primary(replica.view()),
                replica.view(),
                replica.lag(),
                logs,
                damaged,
                "",
                waiting,
                recoveries.map(settings -> new RecoveryProgress(
                        named(report), mail.oldestKeyMillis(nowMillis), mail.refused(), nowMillis, settings)));
    }

    /**
     * Returns whether 2f others have communicated with it in its configuration. Until then it may be a removed member
     * that has not been told: it takes no part, and answers no query.
     */
    boolean isAmongOthers() {
        return mail.hasHeard(2 * configuration.faulty());
    }

    private int primary(long ofView) {
        return nameOf((int) (ofView % configuration.members().size()));
    }

    private int nameOf(int place) {
        return configuration.members().get(place).replica().number();
    }

    /** Returns the report with the names of the others instead of their places. */
    private RecoveryReport named(RecoveryReport report) {
        return new RecoveryReport(
                report.phase(),
                report.forgotten(),
                report.own(),
                report.known().stream()
                        .map(known -> new RecoveryReport.KnownRecovery(
                                nameOf(known.replica()),
                                known.sequence(),
                                known.point(),
                                known.agreedMillis(),
                                known.openMillis(),
                                known.open(),
                                known.slow()))
                        .sorted(Comparator.comparingInt(RecoveryReport.KnownRecovery::replica))
                        .toList());
    }

    private String waiting(long nowMillis, boolean estimates, long estimatesSinceMillis) {
        int needed = 2 * configuration.faulty();
        long aloneSinceMillis = Math.max(begunMillis, mail.heardMillis(needed));
        boolean alone = nowMillis - aloneSinceMillis >= ALARM_MILLIS;
        long sinceMillis = alone ? aloneSinceMillis : estimates ? estimatesSinceMillis : fetchingSinceMillis;
        if (sinceMillis <= 0 || nowMillis - sinceMillis < ALARM_MILLIS) {
            return "";
        }
        long seconds = (nowMillis - sinceMillis) / 1_000;
        String waiting;
        if (alone) {
            waiting = "has not heard from " + needed + " others for " + seconds
                    + " s: the network is cut, they are down, or it is no longer a member (`bulwark replica list`)";
        } else if (estimates) {
            waiting = "recovers and has had no estimate from 2f others for " + seconds
                    + " s; if more than f replicas have forgotten their promises, the group stalls";
        } else {
            waiting = "fetches the state of the others and has received no page for " + seconds
                    + " s; if no replica has some of its pages, the fetch cannot finish; if that affects more than f "
                    + "replicas, the group stalls";
        }
        if (nowMillis - alarmedMillis >= ALARM_MILLIS) {
            alarmedMillis = nowMillis;
            LOG.error("replica-{} {}", self, waiting);
        }
        return waiting;
    }
}
