package io.bulwark.metadata.bft;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.metadata.ReplicaConfig;
import io.bulwark.metadata.ReplicaDirectory;
import io.bulwark.metadata.ordering.StateMachine;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.ConfigurationStart;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Collections;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Evidence of earlier promises when the log of promises is gone. */
@NullMarked
class IncarnationStoreTest {
    @TempDir
    private Path directory = Path.of("");

    private static final class Nothing implements StateMachine {
        @Override
        public Bytes execute(PrincipalId client, Bytes command, long agreedMillis) {
            return Bytes.EMPTY;
        }

        @Override
        public Bytes query(PrincipalId client, Bytes query) {
            return Bytes.EMPTY;
        }
    }

    private static final class Deaf implements IncarnationStore.Listener {
        @Override
        public void onDurable(long upTo) {}

        @Override
        public void onCheckpointDurable(long sequence) {}

        @Override
        public void onFailure(Exception failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** In configuration 1, which begins with this checkpoint. */
    private IncarnationStore open(long sequence) throws IOException {
        Configuration next = Configuration.fixed(1).replacing(2, new Member(PrincipalId.replica(4), Bytes.EMPTY, ""));
        ReplicaConfig config = ReplicaConfig.of(
                0, Collections.nCopies(4, new InetSocketAddress(InetAddress.getLoopbackAddress(), 1)), directory);
        return IncarnationStore.open(
                config,
                new ConfigurationStart(next, new Numbered(sequence, Bytes.EMPTY)),
                _ -> new Nothing(),
                new Deaf());
    }

    @Test
    void aStateBeyondTheBeginningOfAConfigurationShowsThatSomethingWasPromisedInIt() throws Exception {
        try (IncarnationStore store = open(128)) {
            store.application().checkpoint(256, Bytes.EMPTY);
        }
        assertThat(new ReplicaDirectory(directory).hasBegun(1)).isFalse();
        try (IncarnationStore store = open(256)) {
            assertThat(store.log().start()).isEqualTo(StartReason.NORMAL);
        }
        try (IncarnationStore store = open(128)) {
            assertThat(store.application().last()).isEqualTo(256);
            assertThat(store.log().start()).isEqualTo(StartReason.FORGOTTEN);
        }
    }
}
