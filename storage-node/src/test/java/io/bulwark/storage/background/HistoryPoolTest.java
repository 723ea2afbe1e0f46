package io.bulwark.storage.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.pasis.PasisLimits;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class HistoryPoolTest {
    private static final long MIB = 1 << 20;

    private int clients;

    @Test
    void itIsTheThresholdTimesTheClients() {
        HistoryPool pool = HistoryPool.byClients(1L << 50, 1L << 40, () -> clients);
        for (int each : new int[] {1, 2, 10}) {
            clients = each;
            assertThat(pool.bytes()).isEqualTo(each * (256L * MIB));
        }
        PasisLimits limits = pool.limits(4);
        assertThat(limits.clientBytes()).isEqualTo(64 * MIB);
        assertThat(limits.poolBytes()).isEqualTo(1L << 37);
    }

    @Test
    void whileItIsNotKnownHowManyClientsThereAreItIsAsLargeAsItMayBe() {
        clients = 0;
        assertThat(HistoryPool.byClients(8_000 * MIB, 1L << 40, () -> clients).bytes())
                .isEqualTo(1_000 * MIB);
    }

    @Test
    void itGrowsNoLargerThanAnEighthOfTheDiskOrHalfOfTheHeap() {
        clients = 1_000_000;
        assertThat(HistoryPool.byClients(8_000 * MIB, 1L << 40, () -> clients).bytes())
                .isEqualTo(1_000 * MIB);
        assertThat(HistoryPool.byClients(1L << 50, 700 * MIB, () -> clients).bytes())
                .isEqualTo(350 * MIB);
        clients = 1;
        assertThat(HistoryPool.byClients(800 * MIB, 1L << 40, () -> clients).bytes())
                .as("less than one client's threshold")
                .isEqualTo(100 * MIB);
        assertThat(HistoryPool.byClients(0, 1, () -> clients).limits(8)).isNotNull();
    }

    @Test
    void oneThatWasSetStaysAsItIs() {
        HistoryPool pool = HistoryPool.fixed(100 * MIB, () -> clients);
        for (int each : new int[] {0, 1, 7, 1_000}) {
            clients = each;
            assertThat(pool.bytes()).isEqualTo(100 * MIB);
        }
        assertThat(pool.limits(2).clientBytes()).isEqualTo(50 * MIB);
        assertThat(pool.limits(2).poolBytes()).isEqualTo(50 * MIB);
    }
}
