package io.bulwark.storage.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class BackgroundSchedulerTest {
    private static final int KIB = 1 << 10;
    /** Idle after 100 ms, 1,000 KiB per second, a quarter of it while busy, looks count as 10 KiB at least. */
    private static final BackgroundPace PACE =
            new BackgroundPace(100, 100, 1_000 * KIB, 1_000 * KIB, 1_000 * KIB, 4, 10 * KIB);

    private static final VerificationPace VERIFICATION = new VerificationPace(200, 5_000, 1_000, 2);

    private final BackgroundScheduler scheduler = new BackgroundScheduler(PACE, VERIFICATION, 0);

    @Test
    void aNodeIsIdleFromAWhileAfterTheLastRequestOn() {
        assertThat(scheduler.isIdle(99)).isFalse();
        assertThat(scheduler.isIdle(100)).isTrue();
        scheduler.onForeground(150);
        assertThat(scheduler.isIdle(249)).isFalse();
        assertThat(scheduler.isIdle(250)).isTrue();
        // Told late and out of order: the later one counts.
        scheduler.onForeground(120);
        assertThat(scheduler.isIdle(249)).isFalse();
        assertThat(scheduler.isIdle(250)).isTrue();
    }

    @Test
    void whileIdleTheRateIsTheConfiguredOne() {
        assertThat(looks(100_000, 110_000, 50 * KIB, false)).isBetween(195L, 205L);
    }

    @Test
    void whileClientsAreServedItIsAsManyTimesSmaller() {
        assertThat(looks(100_000, 110_000, 50 * KIB, true)).isBetween(48L, 53L);
    }

    @Test
    void pausesBetweenRequestsAreForVerificationAlone() {
        BackgroundPace pace = new BackgroundPace(5, 100, 1_000 * KIB, 1_000 * KIB, 1_000 * KIB, 4, 10 * KIB);
        BackgroundScheduler pausing = new BackgroundScheduler(pace, VERIFICATION, 0);
        int looks = 0;
        for (long now = 0; now < 10_000; now++) {
            if (now % 50 == 0) {
                pausing.onForeground(now);
            }
            assertThat(pausing.isIdle(now)).isEqualTo(now % 50 >= 5);
            if (pausing.open(now, Scrubber.EXTENTS)) {
                pausing.begin(now, Scrubber.EXTENTS, 50 * KIB);
                pausing.end(now);
                looks++;
            }
        }
        assertThat(looks).isBetween(48, 55);
    }

    @Test
    void smallFragmentsCountAsMoreThanTheirBytes() {
        assertThat(looks(100_000, 110_000, 1, false)).isBetween(985L, 1015L);
    }

    @Test
    void withoutARateNothingIsReRead() {
        BackgroundScheduler never = new BackgroundScheduler(BackgroundPace.of(0, 1_000 * KIB), VERIFICATION, 0);
        assertThat(never.open(1_000_000, Scrubber.EXTENTS)).isFalse();
    }

    @Test
    void scrubbersTakeTurnsHoweverOftenOneAsks() {
        Map<Scrubber, Integer> begun = new EnumMap<>(Scrubber.class);
        for (long now = 100_000; now < 120_000; now++) {
            // One asks each millisecond, the others each 20 ms or 50 ms.
            take(now, Scrubber.REGISTERS, begun);
            if (now % 20 == 0) {
                take(now, Scrubber.MISSED_REGISTERS, begun);
            }
            if (now % 50 == 0) {
                take(now, Scrubber.EXTENTS, begun);
            }
        }
        assertThat(begun.getOrDefault(Scrubber.EXTENTS, 0)).isGreaterThan(100);
        assertThat(begun.getOrDefault(Scrubber.MISSED_REGISTERS, 0)).isGreaterThan(100);
        assertThat(begun.getOrDefault(Scrubber.REGISTERS, 0)).isGreaterThan(100);
    }

    @Test
    void whoWantsNothingAnyMoreDoesNotHoldUpTheOthers() {
        scheduler.open(100_000, Scrubber.REGISTERS);
        scheduler.begin(100_000, Scrubber.REGISTERS, 200 * KIB);
        assertThat(scheduler.open(100_010, Scrubber.EXTENTS)).as("nothing left").isFalse();
        assertThat(scheduler.open(100_300, Scrubber.REGISTERS))
                .as("another's turn")
                .isFalse();
        assertThat(scheduler.open(100_600, Scrubber.REGISTERS))
                .as("who is gone")
                .isTrue();
    }

    @Test
    void onlyIdleTimeInWhichSomethingWasUnderWayCountsAsUsed() {
        assertThat(scheduler.open(10_000, Scrubber.REGISTERS)).isTrue();
        assertThat(scheduler.idleUsedMillis()).isZero();
        scheduler.begin(10_000, Scrubber.REGISTERS, KIB);
        scheduler.begin(10_020, Scrubber.EXTENTS, KIB);
        scheduler.end(10_030);
        // Busy from 10,050 to 10,150.
        scheduler.onForeground(10_050);
        scheduler.end(10_200);
        scheduler.open(11_000, Scrubber.REGISTERS);
        assertThat(scheduler.idleUsedMillis()).isEqualTo(50 + 50);
        assertThatIllegalStateException().isThrownBy(() -> scheduler.end(11_000));
    }

    @Test
    void verificationWaitsForIdleTimeUnlessRoomIsShort() {
        scheduler.onForeground(1_000);
        scheduler.possible(1_000, block(1), 2, true);
        scheduler.possible(1_000, block(2), 3, true);
        scheduler.onForeground(1_150);
        assertThat(scheduler.verificationWaitMillis(1_150)).isEqualTo(100);
        assertThat(next(1_249, false)).isEmpty();
        assertThat(next(1_249, true)).as("pressed").contains(block(2));
        assertThat(next(1_250, false)).as("idle").contains(block(1));
        scheduler.verified(1_260, block(1), true);
        assertThat(scheduler.idleUsedMillis()).isEqualTo(10);
        scheduler.verified(1_260, block(2), true);
        assertThat(scheduler.idleUsedMillis()).isEqualTo(10);
    }

    @Test
    void whereAWriteIsOnItsWayTheNodeIsNotIdle() {
        PrincipalId client = PrincipalId.client(0);
        scheduler.possible(500, block(9), 1, true);
        scheduler.writeBegins(1_000, client, block(1));
        scheduler.writeBegins(1_100, client, block(2));
        scheduler.writeBegins(1_150, PrincipalId.client(1), block(1));
        scheduler.writeCame(1_500, client, block(2));
        scheduler.writeCame(1_600, client, block(1));
        assertThat(scheduler.isIdle(1_900)).as("another client's write").isFalse();
        scheduler.writeCame(2_000, PrincipalId.client(1), block(1));
        assertThat(scheduler.isIdle(2_099)).isFalse();
        assertThat(scheduler.isIdle(2_100)).isTrue();
        assertThat(scheduler.verificationWaitMillis(2_000)).isEqualTo(100);
    }

    @Test
    void aWriteThatDoesNotComeIsNotWaitedForForEver() {
        scheduler.possible(500, block(9), 1, true);
        scheduler.open(10_000, Scrubber.REGISTERS);
        scheduler.begin(10_000, Scrubber.REGISTERS, KIB);
        scheduler.writeBegins(10_000, PrincipalId.client(0), block(1));
        scheduler.writeBegins(10_400, PrincipalId.client(0), block(1));
        assertThat(scheduler.verificationWaitMillis(10_500)).isEqualTo(IdleTime.EXPECTED_MILLIS);
        long over = 10_400 + IdleTime.EXPECTED_MILLIS + 100;
        assertThat(scheduler.isIdle(over - 1)).isFalse();
        assertThat(scheduler.isIdle(over)).isTrue();
        scheduler.end(over + 30);
        assertThat(scheduler.idleUsedMillis()).isEqualTo(30);
    }

    @Test
    void whoAnnouncedAWriteInVainIsNotBelievedForAWhile() {
        PrincipalId client = PrincipalId.client(0);
        scheduler.writeBegins(10_000, client, block(1));
        scheduler.writeBegins(10_900, client, block(2));
        long unkept = 10_000 + IdleTime.EXPECTED_MILLIS;
        assertThat(scheduler.isIdle(unkept + 100))
                .as("nor is its other write waited for")
                .isTrue();
        scheduler.writeBegins(20_000, client, block(1));
        assertThat(scheduler.isIdle(20_100)).isTrue();
        scheduler.writeBegins(21_000, PrincipalId.client(1), block(1));
        assertThat(scheduler.isIdle(21_100)).as("another client").isFalse();
        scheduler.writeCame(21_100, PrincipalId.client(1), block(1));
        scheduler.writeBegins(unkept + IdleTime.UNKEPT_MILLIS, client, block(1));
        assertThat(scheduler.isIdle(unkept + IdleTime.UNKEPT_MILLIS + 100)).isFalse();
    }

    @Test
    void onlySoManyWritesAreWaitedFor() {
        PrincipalId client = PrincipalId.client(0);
        for (int i = 0; i <= IdleTime.EXPECTED_MAX; i++) {
            scheduler.writeBegins(1_000, client, block(i));
        }
        for (int i = 1; i <= IdleTime.EXPECTED_MAX; i++) {
            scheduler.writeCame(1_000, client, block(i));
        }
        assertThat(scheduler.isIdle(1_100)).as("the first one is forgotten").isTrue();
    }

    @Test
    void onlySoManyAreVerifiedAtOnce() {
        for (int i = 0; i < 3; i++) {
            scheduler.possible(1_000, block(i), 1, true);
        }
        assertThat(next(2_000, true)).isPresent();
        assertThat(next(2_000, true)).isPresent();
        assertThat(next(2_000, true)).isEmpty();
        assertThat(scheduler.verificationWaitMillis(2_000)).isGreaterThan(1_000_000);
        scheduler.verified(2_001, block(0), false);
        assertThat(next(2_001, false)).contains(block(2));
    }

    private Optional<BlockId> next(long now, boolean pressed) {
        return scheduler.nextVerification(now, pressed, _ -> false).map(DueVerification::block);
    }

    private static BlockId block(long counter) {
        return BlockId.register(1, counter);
    }

    private void take(long now, Scrubber scrubber, Map<Scrubber, Integer> begun) {
        if (scheduler.open(now, scrubber)) {
            scheduler.begin(now, scrubber, 20 * KIB);
            scheduler.end(now);
            begun.merge(scrubber, 1, Integer::sum);
        }
    }

    private long looks(long from, long to, int bytes, boolean busy) {
        long looks = 0;
        for (long now = from; now < to; now += 5) {
            if (busy) {
                scheduler.onForeground(now);
            }
            while (scheduler.open(now, Scrubber.REGISTERS)) {
                scheduler.begin(now, Scrubber.REGISTERS, bytes);
                scheduler.end(now);
                looks++;
            }
        }
        return looks;
    }
}
