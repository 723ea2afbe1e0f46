package io.bulwark.appliance.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class WriterCountTest {
    private final List<CompletableFuture<Bytes>> asked = new ArrayList<>();
    private long nowNanos;
    private final WriterCount count = new WriterCount(this::ask, () -> nowNanos);

    private CompletableFuture<Bytes> ask(Bytes query) {
        assertThat(Query.decode(query)).isEqualTo(new Query.CountWriters());
        asked.add(new CompletableFuture<>());
        return asked.getLast();
    }

    private void answer(Reply reply) {
        asked.getLast().complete(reply.encoded());
    }

    @Test
    void theReplicasAreAskedWhenSomebodyWantsToKnowAndTheAnswerIsOld() {
        assertThat(asked).isEmpty();
        assertThat(count.getAsInt()).isZero();
        assertThat(count.getAsInt()).isZero();
        assertThat(asked).as("while they are asked they are not asked again").hasSize(1);
        answer(new Reply.Writers(7));
        assertThat(count.getAsInt()).isEqualTo(7);
        nowNanos += WriterCount.AGE_NANOS;
        assertThat(count.getAsInt()).as("nobody waits").isEqualTo(7);
        assertThat(asked).hasSize(2);
        answer(new Reply.Writers(3));
        assertThat(count.getAsInt()).isEqualTo(3);
        nowNanos += WriterCount.AGE_NANOS;
        assertThat(count.getAsInt()).isEqualTo(3);
        answer(new Reply.Writers(0));
        assertThat(count.getAsInt()).as("none is not the same as not known").isEqualTo(1);
    }

    @Test
    void withoutAnAnswerItStaysAsItWas() {
        assertThat(count.getAsInt()).isZero();
        answer(new Reply.Writers(7));
        nowNanos += WriterCount.AGE_NANOS;
        assertThat(count.getAsInt()).isEqualTo(7);
        asked.getLast().completeExceptionally(new IOException("no replica answers"));
        nowNanos += WriterCount.AGE_NANOS;
        assertThat(count.getAsInt()).isEqualTo(7);
        answer(new Reply.Failed(MetadataError.NOT_AUTHORISED, ""));
        assertThat(count.getAsInt()).isEqualTo(7);
        nowNanos += WriterCount.AGE_NANOS;
        assertThat(count.getAsInt()).isEqualTo(7);
        answer(new Reply.Writers(8));
        assertThat(count.getAsInt()).isEqualTo(8);
    }
}
