package io.bulwark.protocol.pasis;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The arithmetic of the thresholds, and of validating timestamps, for many b, m and N. */
@NullMarked
class ThresholdsPropertyTest {
    private static final int N_MAX = 21;

    private interface WithGroup {
        void check(PasisGroup group);
    }

    private static void forAll(WithGroup check) {
        for (int n = 5; n <= N_MAX; n++) {
            for (int b = 1; 4 * b + 1 <= n; b++) {
                for (int m = 1; m <= n - 3 * b; m++) {
                    check.check(GroupFixture.of(b, m, n).pasis());
                }
            }
        }
    }

    @PlantedBug(
            in = PasisGroup.class,
            rule = "a version is repairable at N - 3b nodes",
            replace = "return n() - 3 * b();",
            with = "return n() - 3 * b() - 1;")
    @Test
    void whatIsCompleteShowsInAnyQuorumAndCanBeRead() {
        forAll(group -> {
            int correctHolders = group.quorum() - group.b();
            // Up to b correct holders may be missing among N - b answers.
            assertThat(correctHolders - group.b()).isEqualTo(group.repairable());
            assertThat(group.repairable()).isGreaterThanOrEqualTo(group.m()).isGreaterThanOrEqualTo(group.weakQuorum());
            for (int answered = group.quorum(); answered <= group.n(); answered++) {
                int missing = group.n() - answered;
                assertThat(group.minShown(answered)).isEqualTo(correctHolders - missing);
                // Liars alone never look like a complete version, nor hide one.
                assertThat(group.minShown(answered)).isGreaterThan(group.b());
            }
        });
    }

    @Test
    void exactlyBPlusOneSlotsLeadABlock() {
        forAll(group -> {
            int leading = 0;
            for (int slot = 0; slot < group.n(); slot++) {
                leading += group.isResponsible(slot) ? 1 : 0;
            }
            assertThat(leading).isEqualTo(group.b() + 1);
            assertThat(group.isResponsible(-1)).isFalse();
        });
    }

    @Test
    void whichFragmentsATimestampIsValidatedFromMakesNoDifference() {
        long seed = Long.getLong("bulwark.seed", System.nanoTime());
        System.out.println("ThresholdsPropertyTest seed " + seed);
        Random random = new Random(seed);
        for (int run = 0; run < 200; run++) {
            int b = 1 + random.nextInt(2);
            int n = 4 * b + 1 + random.nextInt(3);
            GroupFixture group = GroupFixture.of(b, 1 + random.nextInt(n - 3 * b), n);
            GroupFixture.Version version = group.version(1 + random.nextInt(9), random.nextInt(100));
            GroupFixture.Version other = group.version(1, 200);
            List<Bytes> mixed = new ArrayList<>(version.fragments());
            boolean poisons = random.nextBoolean();
            int changed = 1 + random.nextInt(n - 1);
            for (int slot = 0; poisons && slot < changed; slot++) {
                mixed.set(slot, other.fragments().get(slot));
            }
            ValidatingTimestamp timestamp = ValidatingTimestamp.of(1, GroupFixture.CLIENT, mixed);
            for (int i = 0; i < 5; i++) {
                Bytes padded = group.pasis().decode(some(mixed, group.pasis().m(), random));
                assertThat(group.pasis().validate(timestamp, padded).isEmpty())
                        .as("seed %s, %s", seed, group)
                        .isEqualTo(poisons);
            }
        }
    }

    private static Map<Integer, Bytes> some(List<Bytes> fragments, int m, Random random) {
        List<Integer> slots = new ArrayList<>();
        for (int slot = 0; slot < fragments.size(); slot++) {
            slots.add(slot);
        }
        Collections.shuffle(slots, random);
        Map<Integer, Bytes> some = new TreeMap<>();
        slots.subList(0, m).forEach(slot -> some.put(slot, fragments.get(slot)));
        return some;
    }

    @Test
    void collectionFollowsTheBPlusFirstGreatestNotice() {
        GroupFixture group = GroupFixture.of(2, 3, 9);
        PeerNotifications notices = new PeerNotifications(group.pasis());
        notices.take(0, group.version(9, 9).timestamp(), false, false);
        notices.take(1, group.version(8, 8).timestamp(), false, false);
        assertThat(notices.collectableVersion()).isEqualTo(ValidatingTimestamp.NONE);
        notices.take(2, group.version(4, 4).timestamp(), false, false);
        assertThat(notices.collectableVersion()).isEqualTo(group.version(4, 4).timestamp());
        notices.take(3, group.version(5, 5).timestamp(), false, false);
        assertThat(notices.collectableVersion()).isEqualTo(group.version(5, 5).timestamp());
        // A node counts once, by the greatest that it has verified.
        notices.take(3, group.version(3, 3).timestamp(), false, false);
        assertThat(notices.collectableVersion()).isEqualTo(group.version(5, 5).timestamp());
        assertThat(notices.confirmed(group.version(5, 5).timestamp(), false)).isFalse();
        notices.take(4, group.version(5, 5).timestamp(), false, false);
        notices.take(5, group.version(5, 5).timestamp(), true, false);
        assertThat(notices.confirmed(group.version(5, 5).timestamp(), false)).isFalse();
        notices.take(6, group.version(5, 5).timestamp(), false, false);
        assertThat(notices.confirmed(group.version(5, 5).timestamp(), false)).isTrue();
    }

    @Test
    void timesAreUnsigned() {
        assertThat(LogicalTime.far(0, LogicalTime.FAR, LogicalTime.FAR)).isFalse();
        assertThat(LogicalTime.far(0, LogicalTime.FAR + 1, LogicalTime.FAR)).isTrue();
        assertThat(LogicalTime.far(5, 1, LogicalTime.FAR)).isFalse();
        assertThat(LogicalTime.far(-5, -1, LogicalTime.FAR)).isFalse();
        assertThat(LogicalTime.far(1, -1, LogicalTime.FAR)).isTrue();
        assertThat(LogicalTime.later(1, -1)).isEqualTo(-1);
    }
}
