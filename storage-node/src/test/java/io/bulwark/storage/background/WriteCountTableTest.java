package io.bulwark.storage.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.BlockId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class WriteCountTableTest {
    private static final VerificationPace PACE = new VerificationPace(200, 5_000, 1_000, 4);

    private final WriteCountTable table = new WriteCountTable(PACE);

    @Test
    void blocksWithManyVersionsComeFirstThenTheOldest() {
        table.possible(0, block(1), 1, true);
        table.possible(1, block(2), 7, true);
        table.possible(2, block(3), 3, true);
        table.possible(3, block(4), 3, true);
        assertThat(all(1_000)).containsExactly(block(2), block(3), block(4), block(1));
    }

    @Test
    void amongEqualsThoseInTheWriteBackCacheComeFirst() {
        for (int i = 0; i < 10; i++) {
            table.possible(i, block(i), 2, true);
        }
        table.possible(20, block(77), 5, true);
        Set<BlockId> cached = Set.of(block(6), block(8));
        List<BlockId> taken = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            taken.add(table.next(1_000, false, cached::contains).orElseThrow().block());
            table.possible(1_000, taken.getLast(), 0, true);
        }
        assertThat(taken).containsExactly(block(77), block(6), block(8), block(0));
    }

    @Test
    void aBlockThatWasJustWrittenIsLeftAloneButNotForEver() {
        table.possible(0, block(1), 1, true);
        assertThat(table.waitMillis(50)).isEqualTo(150);
        assertThat(next(199)).isEmpty();
        table.possible(199, block(1), 2, true);
        assertThat(next(398)).isEmpty();
        assertThat(next(399)).contains(block(1));
        for (int i = 0; i < 100; i++) {
            table.possible(10_000 + 100 * i, block(2), i + 1, true);
        }
        assertThat(next(10_000 + 100 * 100)).as("rewritten all the time").contains(block(2));
    }

    @Test
    void underPressureTheYoungestAreTakenTooIfThereAreNoOthers() {
        table.possible(0, block(1), 1, true);
        table.possible(500, block(2), 9, true);
        assertThat(pressed(501)).as("old enough").contains(block(1));
        assertThat(pressed(501)).contains(block(2));
        assertThat(pressed(501)).isEmpty();
    }

    @Test
    void underPressureWhatCameToNothingRestsAllTheSameUntilItIsWritten() {
        table.possible(0, block(1), 1, true);
        assertThat(pressed(300)).contains(block(1));
        table.recordAttempt(300, block(1), false);
        assertThat(pressed(1_299)).isEmpty();
        assertThat(pressed(1_300)).contains(block(1));
        table.recordAttempt(1_300, block(1), false);
        assertThat(pressed(1_301)).isEmpty();
        table.possible(1_302, block(1), 2, true);
        assertThat(pressed(1_303)).contains(block(1));
    }

    @Test
    void blocksOfOthersWaitForTheirWordAndAreVerifiedHereIfItDoesNotCome() {
        table.possible(0, block(1), 9, false);
        table.possible(0, block(2), 1, true);
        assertThat(all(4_999)).containsExactly(block(2));
        assertThat(next(5_000)).contains(block(1));
    }

    @Test
    void whatOthersHaveVerifiedIsNoLongerWaitedFor() {
        table.possible(0, block(1), 4, false);
        table.possible(3_000, block(1), 1, false);
        assertThat(next(7_999))
                .as("their word came at 3,000, and what is left is counted from there")
                .isEmpty();
        assertThat(next(8_000)).contains(block(1));
        table.possible(8_001, block(1), 0, false);
        table.recordAttempt(8_002, block(1), true);
        assertThat(next(100_000)).isEmpty();
        assertThat(table.waitMillis(100_000)).isGreaterThan(1_000_000_000L);
    }

    @Test
    void aVerificationThatCameToNothingIsTriedAgainLater() {
        table.possible(0, block(1), 2, true);
        assertThat(next(300)).contains(block(1));
        assertThat(next(300)).as("under way").isEmpty();
        table.possible(350, block(1), 3, true);
        assertThat(next(10_000)).as("still under way").isEmpty();
        table.recordAttempt(10_000, block(1), false);
        assertThat(next(10_999)).isEmpty();
        assertThat(next(11_000)).contains(block(1));
        table.recordAttempt(11_000, block(1), true);
        assertThat(next(11_000)).as("more is left").contains(block(1));
    }

    @Test
    void eachTryThatCameToNothingIsFollowedByALongerPauseAndAThoroughOneUntilTheBlockIsWritten() {
        table.possible(0, block(1), 2, true);
        assertThat(table.next(300, false, _ -> false)).contains(new DueVerification(block(1), false));
        table.recordAttempt(1_000, block(1), false);
        assertThat(next(1_999)).isEmpty();
        assertThat(table.next(2_000, false, _ -> false)).contains(new DueVerification(block(1), true));
        table.recordAttempt(2_000, block(1), false);
        assertThat(next(3_999)).isEmpty();
        assertThat(table.next(4_000, false, _ -> false)).contains(new DueVerification(block(1), true));
        long now = 4_000;
        for (int i = 0; i < 100; i++) {
            table.recordAttempt(now, block(1), false);
            now += 64_000;
            assertThat(next(now)).as("a minute at most").contains(block(1));
        }
        table.recordAttempt(now, block(1), false);
        table.possible(now, block(1), 3, true);
        assertThat(table.next(now + 64_000, false, _ -> false))
                .as("what is new may be complete soon")
                .contains(new DueVerification(block(1), false));
    }

    @Test
    void theTableIsBounded() {
        for (int i = 0; i < WriteCountTable.BLOCKS_MAX + 10; i++) {
            table.possible(0, block(i), 1, true);
        }
        table.possible(0, block(3), 2, true);
        assertThat(next(1_000)).contains(block(3));
        int taken = 1;
        while (next(1_000).isPresent()) {
            taken++;
        }
        assertThat(taken).isEqualTo(WriteCountTable.BLOCKS_MAX);
    }

    @Test
    void whatThereWasNoRoomForIsToBeToldAgainOnceThereIs() {
        for (int i = 0; i < WriteCountTable.BLOCKS_MAX; i++) {
            table.possible(0, block(i), 1, true);
        }
        table.possible(0, block(0), 0, true);
        assertThat(table.forgotten()).as("nothing was").isZero();
        table.possible(0, block(WriteCountTable.BLOCKS_MAX), 1, true);
        table.possible(0, block(WriteCountTable.BLOCKS_MAX + 1), 1, true);
        assertThat(table.forgotten()).as("no room yet").isZero();
        for (int i = 0; i < WriteCountTable.BLOCKS_MAX / 2; i++) {
            table.possible(0, block(i), 0, true);
        }
        assertThat(table.forgotten()).isEqualTo(1);
    }

    @Test
    void whateverHappensEachBlockWithVersionsIsTakenInTheEnd() {
        long seed = Long.getLong("bulwark.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        int[] versions = new int[20];
        long now = 0;
        List<BlockId> inFlight = new ArrayList<>();
        for (int step = 0; step < 5_000; step++) {
            now += random.nextInt(100);
            int i = random.nextInt(versions.length);
            switch (random.nextInt(4)) {
                case 0, 1 -> table.possible(now, block(i), ++versions[i], random.nextBoolean());
                case 2 ->
                    table.next(now, random.nextInt(10) == 0, _ -> random.nextBoolean())
                            .ifPresent(due -> inFlight.add(due.block()));
                default -> {
                    if (!inFlight.isEmpty()) {
                        BlockId block = inFlight.remove(random.nextInt(inFlight.size()));
                        if (random.nextBoolean()) {
                            versions[(int) block.counter()] = 0;
                            table.possible(now, block, 0, true);
                        }
                        table.recordAttempt(now, block, random.nextBoolean());
                    }
                }
            }
        }
        for (BlockId block : inFlight) {
            table.recordAttempt(now, block, false);
        }
        List<BlockId> left = all(now + 1_000_000);
        for (int i = 0; i < versions.length; i++) {
            assertThat(left.contains(block(i))).as("block %d, seed %d", i, seed).isEqualTo(versions[i] > 0);
        }
        assertThat(left).doesNotHaveDuplicates();
    }

    private Optional<BlockId> next(long now) {
        return table.next(now, false, _ -> false).map(DueVerification::block);
    }

    private Optional<BlockId> pressed(long now) {
        return table.next(now, true, _ -> false).map(DueVerification::block);
    }

    private List<BlockId> all(long now) {
        List<BlockId> all = new ArrayList<>();
        for (Optional<BlockId> next = next(now); next.isPresent(); next = next(now)) {
            all.add(next.get());
        }
        return all;
    }

    private static BlockId block(long counter) {
        return BlockId.register(1, counter);
    }
}
