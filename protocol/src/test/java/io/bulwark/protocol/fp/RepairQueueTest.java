package io.bulwark.protocol.fp;

import static io.bulwark.protocol.fp.LocalNodes.CLIENT;
import static io.bulwark.protocol.fp.LocalNodes.SESSION;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Several who want different versions of one block repaired: liars must not keep a node with theirs. */
@NullMarked
class RepairQueueTest {
    private static final PrincipalId READER = PrincipalId.client(42);
    private static final PrincipalId LIAR = PrincipalId.node(0);
    private static final PrincipalId SHOWN = PrincipalId.node(1);
    private static final Timeouts TIMES = new Timeouts(100, 400, 0, 30_000);

    private final LocalNodes nodes = new LocalNodes(1, 2);
    private final RepairQueue repairQueue = new RepairQueue(SHOWN, 20);
    private final List<String> told = new ArrayList<>();
    private final Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
    private final Timestamp later = new Timestamp(6, nodes.encode(2).fpcc());

    /** A version is committed at one node alone, and a later one only a liar and one other node have; to that one the liar swears that it has committed it. */
    private void writtenByAFaultyClient() {
        nodes.write(4, 4, 0, 1, 2, 3);
        List<FpMessage.Prepared> prepares = List.of(
                (FpMessage.Prepared) nodes.one(CLIENT, nodes.fragment(1, 5, 1)),
                (FpMessage.Prepared) nodes.one(CLIENT, nodes.fragment(2, 5, 1)),
                (FpMessage.Prepared) nodes.one(CLIENT, nodes.wholeBlock(3, 5, 1)));
        assertThat(nodes.one(CLIENT, nodes.commit(2, 1, prepares))).isInstanceOf(FpMessage.Committed.class);
        List<HeldVersion.SlotNonce> nonces = new ArrayList<>();
        for (int slot = 0; slot < 2; slot++) {
            FpMessage.Prepared prepared = (FpMessage.Prepared) nodes.one(CLIENT, nodes.fragment(slot, 6, 2));
            nonces.add(new HeldVersion.SlotNonce(slot, prepared.nonce()));
        }
        VersionRecord sworn = new VersionRecord(later, 1, true, null, CLIENT, SESSION, nonces);
        nodes.disk(0).apply(new Mutation.UpdateMeta(sworn.key(nodes.group.block()), sworn.encoded()));
        nodes.restart(0);
        nodes.lost = arrival -> (arrival.from().equals(LIAR) && !arrival.to().equals(SHOWN))
                || (arrival.to().equals(LIAR) && !arrival.from().equals(SHOWN));
    }

    private void assertReadWhile(Runnable attack) {
        ClientOperation<FpReadOutcome> read = nodes.run(READER, FpRead.withWriteBack(nodes.group, SESSION, TIMES));
        long begun = nodes.now;
        while (read.outcome().isEmpty()) {
            nodes.pass(50);
            attack.run();
        }
        FpReadOutcome.Value value = (FpReadOutcome.Value) read.outcome().orElseThrow();
        assertThat(value.timestamp()).isEqualTo(version);
        assertThat(nodes.now - begun).isLessThan(12_000);
    }

    @Test
    void whatALiarShowsToOneNodeAloneKeepsNoReaderWaiting() {
        writtenByAFaultyClient();
        assertReadWhile(() -> {});
    }

    @Test
    void aLiarThatAsksAgainAndAgainForItKeepsNoReaderWaiting() {
        writtenByAFaultyClient();
        FpMessage.AskRepairMac ask = new FpMessage.AskRepairMac(nodes.group.target(1), later);
        nodes.ask(LIAR, ask);
        assertReadWhile(() -> nodes.ask(LIAR, ask));
    }

    @Test
    void whoWantsAnotherVersionThanALiarGetsItsMacInTurn() {
        writtenByAFaultyClient();
        nodes.ask(LIAR, new FpMessage.AskRepairMac(nodes.group.target(1), later));
        nodes.ask(PrincipalId.node(3), new FpMessage.AskRepairMac(nodes.group.target(1), version));
        nodes.pass(6_000);
        assertThat(nodes.answers).singleElement().isInstanceOf(FpMessage.RepairMac.class);
    }

    private void join(PrincipalId asker, String name) {
        repairQueue.join(asker, false, _ -> told.add(name));
    }

    private boolean queue(PrincipalId asker, Timestamp wanted, String name) {
        return repairQueue.queue(asker, wanted, false, _ -> told.add(name));
    }

    @Test
    void whoWantsTheSameGetsOneRepairAndWhoWantsAnotherTheNext() {
        join(READER, "running");
        queue(READER, version, "first");
        queue(PrincipalId.client(43), later, "second");
        queue(SHOWN, version, "first too");
        repairQueue.over(1);
        assertThat(told).containsExactly("running");
        assertThat(repairQueue.beginNext()).isEqualTo(version);
        repairQueue.over(2);
        assertThat(told).containsExactly("running", "first", "first too");
        repairQueue.joinAll(later);
        assertThat(repairQueue.hasNextRepair()).isFalse();
        repairQueue.over(3);
        assertThat(told).endsWith("second");
    }

    @Test
    void manyClientsDoNotKeepAPeerWaiting() {
        for (int client = 50; client < 60; client++) {
            Timestamp fake = new Timestamp(client, version.fpcc());
            queue(PrincipalId.client(client), fake, "client");
        }
        queue(PrincipalId.node(3), version, "peer");
        queue(PrincipalId.node(3), later, "peer too");
        for (int i = 0; i < 4; i++) {
            repairQueue.beginNext();
            repairQueue.over(1);
        }
        assertThat(told).containsExactly("peer", "client", "peer too", "client");
    }

    @Test
    void anAskerHasFewWaitingAndTheNodeItselfTheRest() {
        assertThat(queue(LIAR, version, "")).isTrue();
        assertThat(queue(LIAR, later, "")).isTrue();
        assertThat(queue(LIAR, Timestamp.NONE, "")).isFalse();
        assertThat(queue(SHOWN, Timestamp.NONE, "")).isTrue();
        assertThat(queue(LIAR, version, "")).as("the same again").isTrue();
        for (int i = 0; i < 5; i++) {
            assertThat(repairQueue.hasRoom(LIAR)).isTrue();
            join(LIAR, "");
        }
        assertThat(repairQueue.hasRoom(LIAR)).isFalse();
        assertThat(repairQueue.hasRoom(READER)).isTrue();
        for (int i = 0; i < 11; i++) {
            assertThat(repairQueue.hasRoom(SHOWN)).isTrue();
            join(SHOWN, "");
        }
        assertThat(repairQueue.hasRoom(SHOWN)).isFalse();
        repairQueue.over(1);
        assertThat(repairQueue.hasRoom(LIAR)).isTrue();
    }

    /** Requests that wait for the end of a revocation take no room of repair requests. */
    @Test
    void whoWaitsForTheEndAloneIsToldAndNotCounted() {
        for (int i = 0; i < 30; i++) {
            repairQueue.runWhenOver(_ -> told.add("over"));
        }
        assertThat(repairQueue.hasRoom(READER)).isTrue();
        repairQueue.over(1);
        assertThat(told).hasSize(30);
        repairQueue.over(2);
        assertThat(told).hasSize(30);
    }

    @Test
    void whatIsOverwrittenIsNotRepairedForWhoAsksForIt() {
        nodes.write(5, 1, 0, 1, 2);
        Timestamp latest = nodes.write(6, 2, 0, 1, 2);
        nodes.cutOff.addAll(List.of(0, 2, 3));
        assertThat(nodes.ask(READER, new FpMessage.Repair(nodes.group.target(1), version)))
                .containsExactly(new FpMessage.RepairAnswer(nodes.group.target(1), latest));
        assertThat(nodes.ask(READER, new FpMessage.Repair(nodes.group.target(1), latest)))
                .isEmpty();
    }
}
