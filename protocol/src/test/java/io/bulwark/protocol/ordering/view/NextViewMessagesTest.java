package io.bulwark.protocol.ordering.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Batches;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepare;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepare;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.ordering.view.NextViewMessages.EarlyMessage;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class NextViewMessagesTest {
    private final NextViewMessages early =
            new NextViewMessages(ReplicaConfig.of(0, 1).withBatches(new Batches(2, 1 << 20, 2)));

    private static PrePrepare proposal(long view, int requests) {
        List<RequestId> ids = LongStream.range(0, requests)
                .mapToObj(call -> new Request(PrincipalId.client(1), call, false, Bytes.EMPTY).id())
                .toList();
        return new PrePrepare(view, 1, new Batch(1, ids));
    }

    @Test
    void onlyProposalsThatCanCountAreKept() {
        Prepare prepare = new Prepare(1, 1, proposal(1, 2).batch().digest());
        early.add(1, proposal(1, 3));
        early.add(2, proposal(1, 2));
        early.add(1, proposal(1, 2));
        early.add(2, prepare);
        assertThat(early.take(1)).containsExactly(new EarlyMessage(1, proposal(1, 2)), new EarlyMessage(2, prepare));
    }

    @PlantedBug(
            in = NextViewMessages.class,
            rule = "early messages are limited",
            replace = "while (said.messages.size() > perPeerMax ||",
            with = "while (false ||")
    @Test
    void onlyTheLatestOfAPeerAreKeptAndNoneOfWhatItSaidUnderAnOldKey() {
        int max = 3 * ReplicaConfig.of(0, 1).logSize();
        for (long number = 1; number <= max + 1; number++) {
            early.add(2, new Prepare(1, number, Batch.NULL_DIGEST));
        }
        early.add(3, new Prepare(1, 1, Batch.NULL_DIGEST));
        early.onKeyChange(3);
        List<EarlyMessage> taken = early.take(1);
        assertThat(taken).hasSize(max).allMatch(each -> each.from() == 2);
        assertThat(taken.getFirst().message().sequence()).isEqualTo(2);
        assertThat(early.take(1)).isEmpty();
    }

    /** Else a liar would have 768 full ones kept, 112 MiB of names. */
    @Test
    void ofProposalsNoMoreAreKeptThanSoManyFullOnesHaveNames() {
        for (int i = 0; i < 100; i++) {
            early.add(1, proposal(1, 2));
        }
        assertThat(early.take(1)).hasSize(64);
        for (int i = 0; i < 100; i++) {
            early.add(1, proposal(5, 1));
        }
        assertThat(early.take(5)).as("half full ones").hasSize(100);
    }
}
