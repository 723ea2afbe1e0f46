package io.bulwark.protocol.pasis;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Theorem 1 of the Agile Store paper: optimistic quorum collection with 0 <= delta <= b returns the value of the most
 * recently completed write while no write is under way; and its bounds, for many n, b and delta.
 */
@NullMarked
class OptimisticReadPaperTest {
    private static final long SEED = Long.getLong("bulwark.seed", System.nanoTime());
    private static final int RUNS = 2_000;

    static {
        System.out.println("OptimisticReadPaperTest: -Dbulwark.seed=" + SEED);
    }

    private final Random random = new Random(SEED);

    @Test
    void theBoundsOfTheorem1Hold() {
        for (int b = 1; b <= 15; b++) {
            for (int n = 4 * b + 1; n <= 64; n++) {
                PasisGroup group = GroupFixture.masking(b, n).pasis();
                int readQuorum = 3 * b + 1;
                assertThat(group.quorum() + readQuorum - n).isGreaterThanOrEqualTo(2 * b + 1);
                assertThat(group.quorum()).as("all that can be waited for").isGreaterThanOrEqualTo(readQuorum);
                assertThat(group.fewestAsked()).isEqualTo(readQuorum - b);
                for (int delta = 0; delta <= b; delta++) {
                    int first = new ReadPlan(List.of(), delta, 1).firstRound(group);
                    assertThat(first).isEqualTo(readQuorum - b + delta);
                    // Responses of S1 that were also part of the write quorum, and the correct ones among them.
                    int shared = group.quorum() + first - n;
                    assertThat(shared).isGreaterThanOrEqualTo(b + 1 + delta);
                    assertThat(shared - b).isGreaterThanOrEqualTo(delta + 1);
                    // The rule of Figure 2: a later version is passed over if delta or fewer responses have it.
                    assertThat(group.minShown(first)).isEqualTo(delta + 1);
                }
                for (int f = 0; f <= b; f++) {
                    assertThat(group.expectedFaults(f))
                            .isEqualTo(Math.min(b, (int) Math.ceil((double) f * (readQuorum - b) / (n - f))));
                }
            }
        }
    }

    @Test
    void noMoreThanDeltaFaultsAreMaskedInTheFirstRound() {
        for (int run = 0; run < RUNS; run++) {
            Scene scene = new Scene(random.nextInt(3), true);
            PasisRead read = scene.read();
            scene.answerFirstRound(read);
            scene.assertReadsTheLastWrite(read);
            assertThat(read.report().secondRound()).isFalse();
        }
    }

    @Test
    void anyFaultsAreMaskedInTheSecondRound() {
        int second = 0;
        for (int run = 0; run < RUNS; run++) {
            Scene scene = new Scene(random.nextInt(3), false);
            PasisRead read = scene.read();
            scene.answerAll(read);
            scene.assertReadsTheLastWrite(read);
            second += read.report().secondRound() ? 1 : 0;
        }
        assertThat(second).isPositive();
    }

    /** A completed write at n - b nodes, of which the correct ones know that it is complete; and up to b faulty nodes. */
    private final class Scene {
        private final int b = 1 + random.nextInt(3);
        private final int n = 4 * b + 1 + random.nextInt(3);
        private final int delta = random.nextInt(b + 1);
        private final GroupFixture group = GroupFixture.masking(b, n);
        private final List<Integer> order =
                new ArrayList<>(IntStream.range(0, n).boxed().toList());
        private final GroupFixture.Version before = group.version(1, 1);
        private final GroupFixture.Version last = group.version(2, 2);
        private final GroupFixture.Version forged = group.version(3, 3);
        private final ReadPlan plan;
        /** True if liars may be silent; then not even the first round ends. */
        private final boolean silence;

        private final Set<Integer> written;
        private final Set<Integer> faulty;
        private final Deque<PasisMessage.Request> requests = new ArrayDeque<>();
        private final Map<Integer, Integer> lies = new HashMap<>();

        /** @param bounded whether no more than delta of the first nodes are faulty */
        Scene(int copies, boolean bounded) {
            Collections.shuffle(order, random);
            this.silence = !bounded;
            this.plan = new ReadPlan(order, delta, copies);
            List<Integer> slots = new ArrayList<>(order);
            Collections.shuffle(slots, random);
            this.written = new HashSet<>(slots.subList(0, n - b));
            Collections.shuffle(slots, random);
            Set<Integer> first = new HashSet<>(order.subList(0, 2 * b + 1 + delta));
            this.faulty = new HashSet<>();
            int lying = 0;
            for (int slot : slots) {
                if (faulty.size() < b && !(bounded && first.contains(slot) && lying == delta)) {
                    faulty.add(slot);
                    lying += first.contains(slot) ? 1 : 0;
                }
            }
        }

        PasisRead read() {
            return PasisRead.withWriteBack(group.pasis(), GroupFixture.CLIENT, 1, GroupFixture.TIMES, plan);
        }

        void answerFirstRound(PasisRead read) {
            enqueue(read.start(0));
            assertThat(requests).hasSize(2 * b + 1 + delta);
            answer(read);
        }

        void answerAll(PasisRead read) {
            enqueue(read.start(0));
            answer(read);
            for (long now = 50; read.outcome().isEmpty() && now < 20_000; now += 50) {
                enqueue(read.onTick(now));
                answer(read);
            }
        }

        private void enqueue(List<Effect> effects) {
            requests.addAll(GroupFixture.sent(effects, PasisMessage.Request.class));
        }

        private void answer(PasisRead read) {
            while (read.outcome().isEmpty() && !requests.isEmpty()) {
                PasisMessage.Request request = requests.remove();
                PasisMessage answer = answer(request);
                if (answer != null) {
                    enqueue(read.onMessage(1, GroupFixture.node(request.target().slot()), answer));
                }
            }
        }

        private @Nullable PasisMessage answer(PasisMessage.Request request) {
            int slot = request.target().slot();
            if (faulty.contains(slot)) {
                return lie(request);
            }
            return switch (request) {
                case PasisMessage.Read ask -> {
                    GroupFixture.Version held = written.contains(slot) ? last : before;
                    yield history(ask, held, written.contains(slot), ValidatingTimestamp.NONE, held.block());
                }
                case PasisMessage.ReadFragment ask -> group.fragment(slot, named(ask));
                case PasisMessage.Write ask ->
                    new PasisMessage.Written(ask.target(), ask.timestamp().name());
                default -> null;
            };
        }

        private GroupFixture.Version named(PasisMessage.ReadFragment ask) {
            return ask.version().equals(last.timestamp().name()) ? last : before;
        }

        /** Each liar tells one lie: silence, an old version, a forged one that is verified, a horizon, or another copy. */
        private @Nullable PasisMessage lie(PasisMessage.Request request) {
            int slot = request.target().slot();
            int lie = lies.computeIfAbsent(slot, ignored -> random.nextInt(silence ? 5 : 4));
            if (request instanceof PasisMessage.ReadFragment fetch && lie != 4) {
                return new PasisMessage.Fragment(
                        fetch.target(),
                        fetch.version(),
                        PasisMessage.Held.HELD,
                        before.block(),
                        ValidatingTimestamp.NONE);
            }
            if (!(request instanceof PasisMessage.Read ask)) {
                return null;
            }
            return switch (lie) {
                case 0 -> history(ask, before, true, ValidatingTimestamp.NONE, before.block());
                case 1 -> history(ask, forged, true, ValidatingTimestamp.NONE, forged.block());
                case 2 -> history(ask, forged, true, forged.timestamp(), before.block());
                case 3 -> history(ask, last, true, ValidatingTimestamp.NONE, before.block());
                default -> null;
            };
        }

        private PasisMessage.History history(
                PasisMessage.Read ask,
                GroupFixture.Version version,
                boolean verified,
                ValidatingTimestamp collected,
                Bytes copy) {
            return new PasisMessage.History(
                    ask.target(),
                    ask.before(),
                    ask.before().isNone() ? List.of(new PasisMessage.Entry(version.timestamp(), verified)) : List.of(),
                    false,
                    collected,
                    ask.withFragment() ? copy : null);
        }

        void assertReadsTheLastWrite(PasisRead read) {
            assertThat(read.outcome())
                    .as("b = %s, n = %s, %s, written %s, faulty %s, lies %s", b, n, plan, written, faulty, lies)
                    .contains(new PasisReadOutcome.Value(last.timestamp(), last.block(), last.block()));
        }
    }
}
