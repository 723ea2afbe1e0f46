package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.ConfigurationStart;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.message.ReplicaClient;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.OwnCommand;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Commands that replicas have ordered for themselves. */
@NullMarked
class OwnCommandsTest {
    private final long seed = new Random().nextLong();

    private TestCluster cluster() {
        return new TestCluster(1, seed, config -> config.withLog(8, 16));
    }

    private static void submit(TestCluster cluster, int replica, Bytes operation) {
        assertThat(cluster.replica(replica).submit(cluster.nowMillis, operation))
                .isTrue();
    }

    private void assertExecutedOnce(TestCluster cluster, int submitter, int commands) {
        for (TestCluster.Node node : cluster.nodes) {
            if (node.replica != null) {
                assertThat(node.application.journal()).as("seed %d", seed).hasSize(commands);
                assertThat(node.application.executions).as("seed %d", seed).isEqualTo(commands);
                assertThat(node.application.clients.values())
                        .as("seed %d", seed)
                        .containsOnly(PrincipalId.replica(submitter));
            }
        }
    }

    @Test
    void commandsOfAReplicaAreExecutedOnceInItsName() {
        TestCluster cluster = cluster();
        cluster.run(100);
        for (int i = 0; i < 20; i++) {
            submit(cluster, 2, TestCluster.operation(i));
        }
        cluster.run(10_000);
        assertExecutedOnce(cluster, 2, 20);
    }

    @Test
    void theNameIsThatOfThePlaceInTheConfiguration() {
        List<Member> members = new ArrayList<>();
        for (int number : new int[] {9, 3, 0, 7}) {
            members.add(new Member(PrincipalId.replica(number), Bytes.EMPTY, ""));
        }
        ConfigurationStart term = ConfigurationStart.first(new Configuration(0, members));
        TestCluster cluster = new TestCluster(1, seed, config -> config.withLog(8, 16));
        for (int place = 0; place < 4; place++) {
            cluster.advance(place, term, StartReason.NORMAL);
        }
        submit(cluster, 1, TestCluster.operation(5));
        cluster.run(3_000);
        assertExecutedOnce(cluster, 3, 1);
    }

    @Test
    void commandsAreExecutedThoughMessagesAreLostAndThePrimaryStops() {
        TestCluster cluster = cluster();
        cluster.loss = 0.3;
        cluster.run(100);
        for (int i = 0; i < 10; i++) {
            submit(cluster, 1, TestCluster.operation(i));
        }
        cluster.crash(0);
        cluster.run(60_000);
        for (TestCluster.Node node : cluster.nodes.subList(1, 4)) {
            assertThat(node.application.journal()).as("seed %d", seed).hasSize(10);
        }
    }

    @Test
    void whatWaitsAlreadyIsNotOrderedTwice() {
        LoneReplica lone = new LoneReplica(0, StartReason.NORMAL);
        assertThat(lone.replica.submit(lone.nowMillis, TestCluster.operation(1)))
                .isTrue();
        assertThat(lone.replica.submit(lone.nowMillis, TestCluster.operation(1)))
                .isFalse();
        assertThat(lone.replica.submit(lone.nowMillis, TestCluster.operation(2)))
                .isTrue();
        lone.pass(LoneReplica.TICK_MILLIS);
        assertThat(lone.said(OwnCommand.class)).hasSize(6).containsOnly(command(lone, 1), command(lone, 2));
    }

    private static OwnCommand command(LoneReplica lone, long number) {
        return lone.said(OwnCommand.class).stream()
                .filter(each -> each.operation().equals(TestCluster.operation(number)))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theSameCommandAfterItsExecutionIsOrderedAgain() {
        TestCluster cluster = cluster();
        cluster.run(100);
        submit(cluster, 2, TestCluster.operation(1));
        cluster.run(1_000);
        submit(cluster, 2, TestCluster.operation(1));
        cluster.run(1_000);
        for (TestCluster.Node node : cluster.nodes) {
            assertThat(node.application.executions).as("seed %d", seed).isEqualTo(2);
        }
    }

    @Test
    void ownCommandsThatWaitAreBounded() {
        LoneReplica lone = new LoneReplica(0, StartReason.NORMAL);
        int taken = 0;
        for (int i = 0; i < 1_000; i++) {
            taken += lone.replica.submit(lone.nowMillis, TestCluster.operation(i)) ? 1 : 0;
        }
        assertThat(taken).isEqualTo(64);
    }

    @Test
    void aReplicaThatFillsItsQuotaWithCommandsCanStillRecover() {
        TestCluster cluster = new TestCluster(
                1,
                seed,
                config -> config.withLog(8, 16)
                        .withRoom(new ReplicaConfig.Quotas(16, 1 << 20, 16_384, 512, 32 << 20))
                        .withRecoveries(new ReplicaConfig.Recoveries(4_000, 1_000, 5_000)));
        cluster.run(100);
        // Each other replica has commands of its own from the intruder: none ever becomes ready.
        for (int round = 0; round < 40; round++) {
            for (int to = 0; to < 3; to++) {
                cluster.send(3, to, new OwnCommand(round, TestCluster.operation(100L * round + to)));
            }
        }
        cluster.run(100);
        cluster.crash(3);
        cluster.start(3, StartReason.RECOVERING);
        cluster.run(20_000);
        assertThat(cluster.replica(3).recoveries(cluster.nowMillis).own().recoveredMillis())
                .as("seed %d", seed)
                .isPositive();
    }

    @Test
    void commandsOfOneReplicaLeaveTheQuotaOfAnotherAlone() {
        TestCluster cluster = cluster();
        cluster.run(100);
        for (int call = 0; call < 2_000; call++) {
            for (int to = 0; to < 3; to++) {
                cluster.send(3, to, new OwnCommand(call, TestCluster.operation(10_000L * call + to)));
            }
        }
        cluster.run(100);
        submit(cluster, 1, TestCluster.operation(7));
        cluster.run(2_000);
        assertThat(cluster.nodes.getFirst().application.clients)
                .as("seed %d", seed)
                .containsEntry(TestCluster.operation(7), PrincipalId.replica(1));
    }

    @Test
    void aConnectionOfAReplicaAsAClientIsGoodForNothing() {
        LoneReplica lone = new LoneReplica(0, StartReason.NORMAL);
        lone.replica.onRequest(
                lone.nowMillis, new Request(ReplicaClient.ofCommands(2), 1, false, TestCluster.operation(1)));
        lone.pass(LoneReplica.TICK_MILLIS);
        assertThat(lone.effects(ReplicaEffect.Refuse.class)).hasSize(1);
        assertThat(lone.said(ReplicaMessage.RequestEcho.class)).isEmpty();
    }

    @Test
    void aDecidedCommandOfAPlaceThatThereIsNotChangesNothing() {
        LoneReplica lone = new LoneReplica(0, StartReason.NORMAL);
        Request request = new Request(ReplicaClient.ofCommands(40), 1, false, TestCluster.operation(1));
        lone.execute(1, request);
        lone.pass(LoneReplica.TICK_MILLIS);
        assertThat(lone.replica.executed()).isEqualTo(1);
        assertThat(lone.application.executions).isZero();
    }
}
