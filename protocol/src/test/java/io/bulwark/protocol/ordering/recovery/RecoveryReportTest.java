package io.bulwark.protocol.ordering.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.ordering.recovery.RecoveryReport.KnownRecovery;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.OwnRecovery;
import io.bulwark.protocol.ordering.recovery.RecoveryReport.Phase;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class RecoveryReportTest {
    private static KnownRecovery at(int replica, long agreedMillis, long openMillis) {
        return new KnownRecovery(replica, 1, 256, agreedMillis, openMillis, false, false);
    }

    private static RecoveryReport report(KnownRecovery... known) {
        return new RecoveryReport(Phase.NONE, false, OwnRecovery.NONE, List.of(known));
    }

    @Test
    void theWindowIsTwiceTheOldestKeyAndThePeriodAndTheLongestRecovery() {
        assertThat(report(at(0, 1_000, 30), at(1, 1_200, 70), at(2, 1_100, 50), at(3, 1_300, 10))
                        .windowMillis(4, 500, 600, 1_500))
                .hasValue(2 * 500 + 600 + 70);
    }

    @Test
    void itGrowsWhileARecoveryIsOverdue() {
        assertThat(report(at(0, 1_000, 30), at(1, 1_200, 70), at(2, 1_100, 50), at(3, 1_300, 10))
                        .windowMillis(4, 500, 600, 2_000))
                .hasValue(2 * 500 + 1_000 + 70);
    }

    @Test
    void thereIsNoneBeforeAllHaveRecovered() {
        assertThat(report(at(0, 1_000, 30)).windowMillis(4, 500, 600, 1_500)).isEmpty();
    }
}
