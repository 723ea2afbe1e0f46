package io.bulwark.metadata.bft;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.bulwark.metadata.ReplicaStatus;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.Phase;
import io.bulwark.protocol.ordering.driver.Application;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.replica.Replica;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** Reports of a replica that waits for others, for pages, or for estimates. */
@NullMarked
@Isolated("it reads what all replicas log")
class StatusReporterTest {
    /** A state machine without a state. */
    private static final class Nothing implements Application {
        @Override
        public Bytes execute(PrincipalId client, Bytes operation, long agreedMillis) {
            return Bytes.EMPTY;
        }

        @Override
        public Bytes query(PrincipalId client, Bytes query) {
            return Bytes.EMPTY;
        }

        @Override
        public Bytes checkpoint(long sequence, Bytes engineState) {
            return Bytes.EMPTY;
        }

        @Override
        public void discard(long sequence) {}

        @Override
        public List<Numbered> checkpoints() {
            return List.of(new Numbered(0, Bytes.of(new byte[32])));
        }

        @Override
        public Bytes engineState() {
            return Bytes.EMPTY;
        }
    }

    private static final class Deaf implements PeerMessenger.Receiver {
        @Override
        public void onKeyChange(int peer) {}

        @Override
        public void onMessage(long now, int from, ReplicaMessage message) {}

        @Override
        public void onElsewhere(long now, PrincipalId replica, long other) {}
    }

    private static final Configuration CONFIGURATION = Configuration.fixed(1);

    private final Replica replica = new Replica(ReplicaConfig.of(0, 1), new Nothing(), List.of());
    private final PeerMessenger mail = new PeerMessenger(CONFIGURATION, 0, (_, _) -> {}, new Deaf(), null);
    private final StatusReporter report = new StatusReporter(0, CONFIGURATION, replica, mail, Optional.empty());

    private String waiting(long nowMillis, long pages) {
        hear(nowMillis, 1);
        hear(nowMillis, 3);
        return report.take(nowMillis, pages, 0, true).waiting();
    }

    private void hear(long nowMillis, int from) {
        mail.onMessage(nowMillis, from, new ReplicaMessage.Checkpoint(0, Bytes.EMPTY));
    }

    private String waiting(long nowMillis) {
        return report.take(nowMillis, 0, 0, true).waiting();
    }

    @PlantedBug(
            in = PeerMessenger.class,
            rule = "one peer that is heard often does not stand for many",
            replace = "latest[latest.length - others]",
            with = "latest[latest.length - 1]")
    @Test
    void whoHearsTooFewOthersSaysSo() {
        assertThat(waiting(1_000)).isEmpty();
        assertThat(waiting(10_900)).isEmpty();
        assertThat(waiting(11_000)).contains("has not heard from 2 others for 10 s");
        hear(12_000, 1);
        assertThat(waiting(13_000)).contains("has not heard from 2 others for 12 s");
        hear(14_000, 2);
        assertThat(waiting(14_000)).isEmpty();
        for (long now = 15_000; now < 22_000; now += 1_000) {
            hear(now, 1);
            hear(now, 1);
        }
        assertThat(waiting(23_900)).isEmpty();
        assertThat(waiting(24_500)).contains("has not heard from 2 others for 10 s");
    }

    /** One that was removed, and has lost all that it knew, takes itself for a member that begins. */
    @Test
    void whoHasHeardTooFewOthersTakesNoPart() {
        assertThat(report.take(1_000, 0, 0, false).phase()).isEqualTo(Phase.FOLLOWING);
        hear(1_100, 1);
        hear(1_200, 1);
        assertThat(report.isAmongOthers()).isFalse();
        assertThat(report.take(1_300, 0, 0, false).phase()).isEqualTo(Phase.FOLLOWING);
        hear(1_400, 2);
        assertThat(report.isAmongOthers()).isTrue();
        assertThat(report.take(1_500, 0, 0, false).phase()).isEqualTo(Phase.RUNNING);
    }

    @Test
    void thatItWaitsIsSaidOnceNoPageHasComeForLong() {
        assertThat(waiting(1_000, 0)).isEmpty();
        replica.onStateDamaged(1_000);
        assertThat(replica.isFetching()).isTrue();
        assertThat(waiting(2_000, 0)).isEmpty();
        assertThat(waiting(11_900, 0)).isEmpty();
        assertThat(waiting(13_000, 0)).contains("has received no page for 11 s");
    }

    /** If more than f have forgotten, too few are left to tell them where their logs begin. */
    @Test
    void whoHasForgottenAndHearsNoEstimatesSaysSo() {
        Replica forgetful = new Replica(
                ReplicaConfig.of(0, 1),
                new Nothing(),
                List.of(),
                StartReason.FORGOTTEN,
                Signing.NONE,
                new SplittableRandom(1));
        StatusReporter own = new StatusReporter(0, CONFIGURATION, forgetful, mail, Optional.empty());
        forgetful.drain(1_000);
        forgetful.onDurable(1_000, 1);
        forgetful.onTick(1_000);
        Logger logger = (Logger) LoggerFactory.getLogger(StatusReporter.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        try {
            for (long now = 1_000; now < 40_000; now += 1_000) {
                hear(now, 1);
                hear(now, 3);
                ReplicaStatus status = own.take(now, 0, 0, false);
                assertThat(status.phase()).isEqualTo(Phase.FOLLOWING);
                if (now < 11_000) {
                    assertThat(status.waiting()).isEmpty();
                } else {
                    assertThat(status.waiting())
                            .contains("has had no estimate from 2f others for " + (now - 1_000) / 1_000 + " s")
                            .contains("the group stalls");
                }
            }
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list).allMatch(event -> event.getLevel() == Level.ERROR);
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .satisfiesExactly(
                        each -> assertThat(each).contains("replica-0 recovers", "for 10 s"),
                        each -> assertThat(each).contains("for 20 s"),
                        each -> assertThat(each).contains("for 30 s"));
    }

    @Test
    void nothingIsSaidWhilePagesCome() {
        replica.onStateDamaged(1_000);
        for (long page = 0; page < 10; page++) {
            assertThat(waiting(1_000 + 8_000 * page, page)).isEmpty();
        }
        assertThat(waiting(90_000, 9)).contains("has received no page for 17 s");
        assertThat(waiting(91_000, 10)).isEmpty();
    }
}
