package io.bulwark.storage.node;

import static io.bulwark.storage.node.NoteServer.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bulwark.client.survey.Survey;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.storage.node.Nodes.Client;
import io.bulwark.storage.node.Note.Verb;
import io.bulwark.transport.TransportSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class StorageNodeTest {
    private static final int VOLUME = 1;
    private static final Question GRANT_OF_ALICE = new Question.OfGrant(VOLUME, Nodes.ALICE);

    @TempDir
    Path directory;

    private Nodes nodes;

    @BeforeEach
    void open() {
        nodes = new Nodes(directory);
    }

    @AfterEach
    void close() {
        nodes.close();
    }

    @Test
    void whatWasAcknowledgedIsThereAfterARestart() throws IOException {
        StorageNode node = nodes.start(0);
        Client alice = nodes.connect(Nodes.ALICE, node);
        List<CompletableFuture<Message>> puts = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            puts.add(alice.ask(new Note(Verb.PUT, block(i), text("note " + i))));
        }
        puts.forEach(put -> assertThat(NoteServer.text(put.join())).isEqualTo("DURABLE"));
        node.close();
        Client again = nodes.connect(Nodes.ALICE, nodes.start(0));
        for (int i = 0; i < 100; i++) {
            assertThat(again.answer(get(i))).isEqualTo("note " + i);
        }
        assertThat(again.answer(get(100))).isEqualTo("missing");
    }

    @Test
    void eachServerSeesTheRecordsOfItsOwnShardOnly() throws IOException {
        Client alice = nodes.connect(Nodes.ALICE, nodes.start(0));
        for (int session = 0; session < 9; session++) {
            for (int i = 0; i < 4; i++) {
                BlockId block = new BlockId(VOLUME, Nodes.ALICE, session, i);
                assertThat(alice.answer(new Note(Verb.PUT, block, Bytes.EMPTY))).isEqualTo("DURABLE");
            }
        }
        List<Integer> counts = new ArrayList<>();
        for (int session = 0; session < 9; session++) {
            BlockId block = new BlockId(VOLUME, Nodes.ALICE, session, 77);
            counts.add(Integer.parseInt(alice.answer(new Note(Verb.COUNT, block, Bytes.EMPTY))));
        }
        assertThat(counts).allMatch(count -> count > 0 && count % 4 == 0);
        assertThat(counts.stream().distinct().count()).isGreaterThan(1);
        assertThat(counts).allMatch(count -> count < 36);
    }

    @Test
    void oneQuestionAnswersAllWhoWaitAndIsRemembered() throws IOException {
        StorageNode node = nodes.start(0);
        Client alice = nodes.connect(Nodes.ALICE, node);
        CompletableFuture<Message> first = alice.ask(new Note(Verb.ASK, block(1), Bytes.EMPTY));
        CompletableFuture<Message> second = alice.ask(new Note(Verb.ASK, block(2), Bytes.EMPTY));
        await().until(() -> nodes.questionsAsked.get() == 1 && node.status().requests() == 2);
        assertThat(first).isNotDone();
        answer(new Fact.OfGrant(VOLUME, Nodes.ALICE, true, true));
        assertThat(NoteServer.text(first.join())).isEqualTo("OfGrant");
        assertThat(NoteServer.text(second.join())).isEqualTo("OfGrant");
        assertThat(alice.answer(new Note(Verb.ASK, block(3), Bytes.EMPTY))).isEqualTo("OfGrant");
        assertThat(nodes.questionsAsked).hasValue(1);
        await().until(() -> node.status().requests() == 0 && node.status().requestBytes() == 0);
        await().until(() -> node.status().requestsServed() == 3);
    }

    /** Else it would go on trying to reach it for as long as it runs. */
    @Test
    void aNodeThatTheMapHasNoMoreIsLeftAlone() throws IOException {
        StorageNode stays = nodes.start(0);
        StorageNode goes = nodes.start(1);
        var _ = stays.run(new Survey(
                Set.of(PrincipalId.node(1)),
                new Note(Verb.COUNT, block(1), Bytes.EMPTY),
                _ -> true,
                TimeUnit.MINUTES.toMillis(2)));
        await().until(() -> goes.status().connections() == 1);
        nodes.remove(1);
        await().until(() -> goes.status().connections() == 0);
    }

    @Test
    void replicasThatDoNotAnswerHoldNothingForEver() throws IOException {
        StorageNode node = nodes.start(0);
        Client alice = nodes.connect(Nodes.ALICE, node);
        CompletableFuture<Message> asked = alice.ask(new Note(Verb.ASK, block(1), Bytes.EMPTY));
        await().until(() -> nodes.questionsAsked.get() == 1);
        nodes.question(GRANT_OF_ALICE).completeExceptionally(new IOException("no replicas"));
        await().until(() -> node.status().requests() == 0);
        assertThat(asked).isNotDone();
        // The server still remembers who asked; a fact that comes unasked answers.
        node.tell(new Fact.OfGrant(VOLUME, Nodes.ALICE, true, false));
        assertThat(NoteServer.text(asked.join())).isEqualTo("OfGrant");
    }

    @Test
    void aServerRunsOperationsAmongThePeersAndItself() throws IOException {
        StorageNode first = nodes.start(0);
        StorageNode second = nodes.start(1);
        nodes.connect(Nodes.ALICE, second).answer(new Note(Verb.PUT, block(1), text("from the second")));
        Client alice = nodes.connect(Nodes.ALICE, first);
        alice.answer(new Note(Verb.PUT, block(1), text("from the first")));
        assertThat(alice.answer(new Note(Verb.RUN, block(1), text("1")))).isEqualTo("node-1 says from the second");
        assertThat(alice.answer(new Note(Verb.RUN, block(1), text("0")))).isEqualTo("node-0 says from the first");
        assertThat(alice.answer(new Note(Verb.RUN, block(1), text("7")))).isEqualTo("no answer");
    }

    @Test
    void backgroundWorkAsksTheNodeItself() throws IOException {
        List<String> seen = new ArrayList<>();
        BackgroundWork work = new BackgroundWork() {
            @Override
            public void start(NodeAccess node) {
                seen.add(NoteServer.text(node.ask(new Note(Verb.PUT, block(1), text("mine")), 5_000)
                        .join()));
                seen.add(NoteServer.text(node.ask(get(1), 5_000).join()));
                assertThatThrownBy(() -> node.ask(new Note(Verb.THROW, block(1), Bytes.EMPTY), 50)
                                .join())
                        .isInstanceOf(RuntimeException.class);
            }

            @Override
            public void stop() {
                seen.add("stopped");
            }
        };
        StorageNode node = nodes.start(0, work);
        node.close();
        assertThat(seen).containsExactly("DURABLE", "mine", "stopped");
    }

    @Test
    void aFloodIsBoundedAndLeavesRoomForOthers() throws IOException {
        StorageNode node = nodes.start(0);
        Bytes large = Bytes.of(new byte[1 << 20]);
        long credit = TransportSettings.defaults().inboundMaxBytes();
        // Nobody answers the question, so each of these requests stays in processing. The connection's credit runs out
        // first.
        flood(nodes.connect(Nodes.MALLORY, node), large);
        await().until(() -> node.status().requestBytes() >= credit - large.length());
        assertThat(node.status().requestBytes()).isLessThanOrEqualTo(credit + 2L * large.length());
        assertThat(node.status().requestsShed()).isZero();
        // With more connections, the share of one principal runs out.
        for (int more = 0; more < 3; more++) {
            flood(nodes.connect(Nodes.MALLORY, node), large);
        }
        await().until(() -> node.status().requestsShed() > 0);
        assertThat(node.status().requestBytes()).isLessThanOrEqualTo(NodeConfig.REQUEST_BYTES_MIN / 2);
        Client alice = nodes.connect(Nodes.ALICE, node);
        assertThat(alice.answer(new Note(Verb.PUT, block(1), large))).isEqualTo("DURABLE");
        nodes.question(new Question.OfGrant(VOLUME, Nodes.MALLORY))
                .complete(new Fact.OfGrant(VOLUME, Nodes.MALLORY, false, false));
        // The requests that waited in the connections for credit arrive only now, and are refused on arrival.
        await().until(() -> node.status().requestBytes() == 0 && node.status().requests() == 0);
    }

    @Test
    void whatIsNoRequestEndsTheConnection() throws IOException {
        StorageNode node = nodes.start(0);
        Client mallory = nodes.connect(Nodes.MALLORY, node);
        var _ = mallory.ask(new Note(Verb.ANSWER, block(1), Bytes.EMPTY));
        await().until(() -> mallory.disconnections() == 1);
        assertThat(nodes.meters.counter("bulwark.node.unexpected").count()).isEqualTo(1);
    }

    @Test
    void aBrokenInvariantLosesOneInputOnly() throws IOException {
        StorageNode node = nodes.start(0);
        Client alice = nodes.connect(Nodes.ALICE, node);
        var _ = alice.ask(new Note(Verb.THROW, block(1), Bytes.EMPTY));
        assertThat(alice.answer(new Note(Verb.PUT, block(1), text("on")))).isEqualTo("DURABLE");
        assertThat(nodes.meters.counter("bulwark.node.broken.invariants").count())
                .isEqualTo(1);
        await().until(() -> node.status().requests() == 0);
    }

    @Test
    void evidenceIsCountedAndShown() throws IOException {
        StorageNode node = nodes.start(0);
        Client mallory = nodes.connect(Nodes.MALLORY, node);
        for (int i = 0; i < 3; i++) {
            assertThat(mallory.answer(new Note(Verb.ACCUSE, block(i), Bytes.EMPTY)))
                    .isEqualTo("noted");
        }
        NodeStatus status = node.status();
        assertThat(status.evidenceCounts()).isEqualTo(Map.of(Nodes.MALLORY, Map.of(Verdict.CORRUPT, 3L)));
        assertThat(status.evidence())
                .extracting(entry -> entry.evidence().block())
                .containsExactly(block(0), block(1), block(2));
        assertThat(status.connections()).isEqualTo(1);
    }

    @Test
    void closingFinishesWhatIsInProcessing() throws IOException {
        StorageNode node = nodes.start(0);
        Client alice = nodes.connect(Nodes.ALICE, node);
        List<CompletableFuture<Message>> puts = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            puts.add(alice.ask(new Note(Verb.PUT, block(i), Bytes.of(new byte[100_000]))));
        }
        puts.getFirst().join();
        int inProcessing = node.status().requests();
        node.close();
        await().until(() -> puts.stream().filter(CompletableFuture::isDone).count() >= inProcessing);
        assertThatThrownBy(() -> node.store()
                        .load(RecordKey.of(RecordKind.EXTENT, block(1)))
                        .join())
                .hasMessageContaining("closed");
    }

    private static void flood(Client client, Bytes large) {
        for (int i = 0; i < 40; i++) {
            var _ = client.ask(new Note(Verb.ASK, block(i), large));
        }
    }

    private void answer(Fact.OfGrant fact) {
        nodes.question(new Question.OfGrant(fact.volume(), fact.principal())).complete(fact);
    }

    private static BlockId block(long counter) {
        return new BlockId(VOLUME, Nodes.ALICE, counter % 5, counter);
    }

    private static Note get(long counter) {
        return new Note(Verb.GET, block(counter), Bytes.EMPTY);
    }
}
