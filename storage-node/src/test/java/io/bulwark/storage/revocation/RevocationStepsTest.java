package io.bulwark.storage.revocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.WaitingOperator;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.control.NodeControlMessage.RevocationReply;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * The operator's five answers of each node are two steps after all were done once. The rounds of each step begin after
 * the step before has ended everywhere. This holds also where questions are repeated or late, others ask, answers are
 * lost and nodes restart.
 */
@NullMarked
class RevocationStepsTest {
    private static final PrincipalId REVOKED = PrincipalId.client(20);
    private static final PrincipalId OPERATOR = PrincipalId.client(30);
    private static final PrincipalId OTHER = PrincipalId.client(31);
    private static final int NODES = 4;
    private static final ClusterMap MAP = new ClusterMap(
            1,
            List.of(),
            List.of(new Volume(
                    3,
                    "disk",
                    VolumeKind.REGISTER,
                    new ProtectionPolicy(1, 2, NODES, ProtectionPolicy.BLOCK_BYTES_MIN),
                    100,
                    List.of(new PlacementGroup(
                            1, IntStream.range(0, NODES).boxed().toList())))));

    private record Round(long begun, long over) {}

    private final class Node {
        private final Random random;
        final List<Round> over = new ArrayList<>();
        private RevocationRounds rounds;
        private RevocationWatch server;
        private long begun = -1;
        private long due = -1;
        private long knows;
        private boolean repeated;

        Node(Random random) {
            this.random = random;
            this.rounds = new RevocationRounds(_ -> told(), () -> now, (_, _, _) -> {});
            this.server = rounds.watch();
            this.knows = random.nextLong(2_000);
        }

        void startAnew() {
            rounds = new RevocationRounds(_ -> told(), () -> now, (_, _, _) -> {});
            server = rounds.watch();
            due = -1;
            knows = now + random.nextLong(1_000);
        }

        private void told() {
            server.begins(REVOKED);
            repeated = false;
            begun = now;
            due = now + (random.nextInt(3) == 0 ? slowMillis : random.nextLong(1_500));
        }

        void proceed() {
            if (now >= knows && !rounds.knows(REVOKED)) {
                rounds.learn(List.of(REVOKED));
            }
            if (due >= 0 && now >= due) {
                over.add(new Round(begun, now));
                due = -1;
                server.refuses(REVOKED, 0);
            }
        }

        Message answer(PrincipalId who) {
            return rounds.answer(who, REVOKED);
        }
    }

    private long now;
    private long slowMillis = 1_500;

    private void pass(Random random, List<Node> nodes, int millisMax) {
        for (long until = now + random.nextInt(millisMax); now < until; now += 10) {
            nodes.forEach(Node::proceed);
        }
    }

    private SortedMap<PrincipalId, Message> ask(Random random, List<Node> nodes, Set<PrincipalId> asked) {
        SortedMap<PrincipalId, Message> answers = new TreeMap<>();
        for (PrincipalId id : asked) {
            Node node = nodes.get(id.number());
            if (random.nextInt(40) == 0) {
                node.startAnew();
            }
            if (random.nextInt(3) == 0) {
                node.answer(OTHER);
            }
            pass(random, nodes, 100);
            boolean lost = random.nextInt(8) == 0;
            Message answer = node.answer(OPERATOR);
            if (!lost) {
                answers.put(id, answer);
            }
            // The same question again: nobody waits for the answer to the repetition.
            for (int again = random.nextInt(3); again > 0; again--) {
                pass(random, nodes, 700);
                Message second = node.answer(OPERATOR);
                if (lost && random.nextBoolean()) {
                    answers.putIfAbsent(id, second);
                }
            }
        }
        pass(random, nodes, 200);
        return answers;
    }

    /**
     * Asks the nodes, and asks each node that has answered that it is done once more. Such a node begins its next round
     * while others still run theirs.
     */
    private SortedMap<PrincipalId, Message> askAgain(List<Node> nodes, Set<PrincipalId> asked) {
        SortedMap<PrincipalId, Message> answers = new TreeMap<>();
        for (PrincipalId id : asked) {
            Node node = nodes.get(id.number());
            Message answer = node.answer(OPERATOR);
            node.repeated = answer.equals(new RevocationReply(REVOKED, true, 0));
            answers.put(id, answer);
        }
        for (long until = now + 1_500; now < until; now += 10) {
            nodes.forEach(Node::proceed);
            nodes.stream().filter(node -> node.repeated).forEach(node -> node.answer(OPERATOR));
        }
        return answers;
    }

    /** Returns the time by which each node has completed a round that began no earlier. */
    private static long ended(List<Node> nodes, long begun) {
        return nodes.stream()
                .mapToLong(node -> node.over.stream()
                        .filter(round -> round.begun() >= begun)
                        .mapToLong(Round::over)
                        .min()
                        .orElse(Long.MAX_VALUE))
                .max()
                .orElseThrow();
    }

    private interface Asking {
        SortedMap<PrincipalId, Message> ask(Random random, List<Node> nodes, Set<PrincipalId> asked);
    }

    private void assertTwoSteps(int seeds, Asking asking) {
        long first = Long.getLong("bulwark.seed", 1);
        for (long seed = first; seed < first + seeds; seed++) {
            Random random = new Random(seed);
            now = 0;
            List<Node> nodes =
                    IntStream.range(0, NODES).mapToObj(_ -> new Node(random)).toList();
            WaitingOperator.await(MAP, REVOKED, asked -> asking.ask(random, nodes, asked));
            long once = ended(nodes, 0);
            long second = ended(nodes, once);
            assertThat(ended(nodes, second))
                    .as("-Dbulwark.seed=%d: done at %d and %d", seed, once, second)
                    .isLessThanOrEqualTo(now);
        }
    }

    @Test
    void theyAreTwoStepsAfterAllWereDoneOnce() {
        assertTwoSteps(300, this::ask);
    }

    /** Four of each would not be. */
    @Test
    void theyAreAlsoWhereEachQuestionBeginsARoundTooEarly() {
        slowMillis = 6_000;
        assertTwoSteps(100, (_, nodes, asked) -> askAgain(nodes, asked));
    }
}
