package io.bulwark.storage.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.protocol.completion.RebuildRate;
import io.bulwark.protocol.control.NodeControlMessage.RebuildReport;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The rate of rebuilding under a real clock; how it counts is tested where it is made. */
@NullMarked
class BackgroundTest {
    private static final long RATE = 64 << 10;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Background background =
            new Background(BackgroundPace.of(1 << 30, RATE), VerificationPace.standard(), meters);

    /** No look may begin that would make more: in the time that a test may take a debt of an hour is not paid. */
    @Test
    void whatWasRebuiltHoldsUpScrubbing() throws InterruptedException {
        Thread before = look(Scrubber.MISSED_REGISTERS);
        before.join();
        background.rebuild().charge(0, 3_600 * RATE);
        Thread after = look(Scrubber.MISSED_REGISTERS);
        await().during(Duration.ofMillis(300)).until(after::isAlive);
        assertThat(background.rebuild().open(0)).isFalse();
        after.interrupt();
        after.join();
    }

    @Test
    void whoeverRebuildsTakesOfOneRateAndMetersShowIt() {
        RebuildRate extents = background.rebuild();
        RebuildRate registers = background.rebuild();
        extents.charge(0, 3_600 * RATE);
        assertThat(registers.open(0)).isFalse();
        registers.charge(0, RATE);
        assertThat(meters.get("bulwark.background.rebuilt.bytes")
                        .functionCounter()
                        .count())
                .isEqualTo(3_601.0 * RATE);
        assertThat(meters.get("bulwark.background.rebuild.rate").gauge().value())
                .isEqualTo(RATE);
        assertThat(background.rebuilding()).isEqualTo(new RebuildReport(3_601 * RATE, 3_601 * RATE / 10, RATE));
    }

    @Test
    void whatWasLatelyPassesAfterTenSeconds() {
        SlidingWindow lately = new SlidingWindow(5_900);
        lately.add(5_900, 100);
        lately.add(6_000, 300);
        assertThat(lately.perSecond(14_999)).isEqualTo(40);
        assertThat(lately.perSecond(15_000)).isEqualTo(30);
        assertThat(lately.perSecond(16_000)).isZero();
        lately.add(1_000_000, 70);
        assertThat(lately.perSecond(1_000_000)).isEqualTo(7);
    }

    private Thread look(Scrubber scrubber) {
        return Thread.ofVirtual().start(() -> {
            try {
                background.awaitLook(scrubber, 1);
                background.endLook();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }
}
