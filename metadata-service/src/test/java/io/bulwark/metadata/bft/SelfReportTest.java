package io.bulwark.metadata.bft;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.replica.Application;
import io.bulwark.protocol.ordering.replica.Replica;
import io.bulwark.protocol.ordering.replica.ReplicaConfig;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** When a replica that fetches a state says that it waits for pages. */
@NullMarked
class SelfReportTest {
    /** A state machine without a state. */
    private static final class Nothing implements Application {
        @Override
        public Bytes execute(PrincipalId client, Bytes operation, long agreedMillis) {
            return Bytes.EMPTY;
        }

        @Override
        public Bytes query(PrincipalId client, Bytes query) {
            return Bytes.EMPTY;
        }

        @Override
        public Bytes checkpoint(long sequence, Bytes engineState) {
            return Bytes.EMPTY;
        }

        @Override
        public void discard(long sequence) {}

        @Override
        public List<Numbered> checkpoints() {
            return List.of(new Numbered(0, Bytes.of(new byte[32])));
        }

        @Override
        public Bytes engineState() {
            return Bytes.EMPTY;
        }
    }

    private static final class Deaf implements PeerMail.Receiver {
        @Override
        public void onKeyChange(int peer) {}

        @Override
        public void onMessage(long now, int from, ReplicaMessage message) {}
    }

    private final Replica replica = new Replica(ReplicaConfig.of(0, 1), new Nothing(), List.of());
    private final SelfReport report =
            new SelfReport(0, 4, replica, new PeerMail(0, (_, _) -> {}, new Deaf(), null), Optional.empty());

    private String waiting(long nowMillis, long pages) {
        return report.take(nowMillis, pages, true, "").waiting();
    }

    @Test
    void thatItWaitsIsSaidOnceNoPageHasComeForLong() {
        assertThat(waiting(1_000, 0)).isEmpty();
        replica.onStateDamaged(1_000);
        assertThat(replica.isFetching()).isTrue();
        assertThat(waiting(2_000, 0)).isEmpty();
        assertThat(waiting(11_900, 0)).isEmpty();
        assertThat(waiting(13_000, 0)).contains("no page has come for 11 s");
    }

    @Test
    void nothingIsSaidWhilePagesCome() {
        replica.onStateDamaged(1_000);
        for (long page = 0; page < 10; page++) {
            assertThat(waiting(1_000 + 8_000 * page, page)).isEmpty();
        }
        assertThat(waiting(90_000, 9)).contains("no page has come for 17 s");
        assertThat(waiting(91_000, 10)).isEmpty();
    }
}
