package io.bulwark.protocol.ordering.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.ordering.recovery.RecoveryReport.KnownRecovery;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.OwnRecovery;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class RecoveryStatusTest {
    private static final long NOW = -5_000; // clocks begin anywhere
    private static final long WALL = 1_700_000_000_000L;
    private static final long PERIOD = 600_000;

    @Test
    void theStepsAreToldByWhatTheyTookWhateverTheClockShows() {
        OwnRecovery own = new OwnRecovery(NOW - 900, NOW - 880, NOW - 860, 0, 0, 256, 384, 10, 1);
        RecoveryReport report = new RecoveryReport(Phase.REACHING, false, own, List.of());
        assertThat(RecoveryStatus.of(report, PERIOD, 7, NOW, WALL, true).own())
                .isEqualTo(
                        new RecoveryStatus.Steps(900, 20, 40, RecoveryStatus.NEVER, RecoveryStatus.NEVER, 384, 10, 1));
        RecoveryReport none = new RecoveryReport(Phase.NONE, false, OwnRecovery.NONE, List.of());
        assertThat(RecoveryStatus.of(none, PERIOD, 7, NOW, WALL, true).own()).isEqualTo(RecoveryStatus.Steps.NONE);
    }

    @Test
    void aRecoveryIsOverdueAfterAPeriodAndWhatItMayBePutOff() {
        RecoveryStatus status = status(known(0, WALL));
        assertThat(status.isOverdue(known(0, WALL - PERIOD / 4 * 7))).isFalse();
        assertThat(status.isOverdue(known(0, WALL - PERIOD / 4 * 7 - 1))).isTrue();
        assertThat(RecoveryStatus.none(true).isOverdue(known(0, 0))).isFalse();
    }

    @Test
    void theWindowIsThatOfTheReport() {
        assertThat(status(known(0, WALL), known(1, WALL - PERIOD - 50)).windowMillis(2))
                .hasValue(2 * 7 + PERIOD + 50 + 300);
        assertThat(status(known(0, WALL)).windowMillis(2)).isEmpty();
    }

    /** One that came later has a greater number than there are places. */
    @Test
    void replicasAreKnownByTheirNames() {
        RecoveryStatus status = status(known(1, WALL), known(254, WALL));
        WireWriter out = new WireWriter();
        status.write(out);
        assertThat(RecoveryStatus.read(new WireReader(out.toBytes()))).isEqualTo(status);
    }

    @Test
    void whatCannotBeIsMalformed() {
        for (RecoveryStatus wrong : List.of(
                new RecoveryStatus(
                        RecoveryStatus.MILLIS_MAX + 1,
                        0,
                        0,
                        true,
                        Phase.NONE,
                        false,
                        RecoveryStatus.Steps.NONE,
                        List.of()),
                status(known(1, WALL), known(1, WALL)),
                status(known(0, -1)))) {
            WireWriter out = new WireWriter();
            wrong.write(out);
            assertThatThrownBy(() -> RecoveryStatus.read(new WireReader(out.toBytes())))
                    .isInstanceOf(MalformedException.class);
        }
    }

    private static RecoveryStatus status(KnownRecovery... known) {
        return new RecoveryStatus(PERIOD, 7, WALL, true, Phase.NONE, false, RecoveryStatus.Steps.NONE, List.of(known));
    }

    private static KnownRecovery known(int replica, long agreedMillis) {
        return new KnownRecovery(replica, 130, 384, agreedMillis, 300, false, false);
    }
}
