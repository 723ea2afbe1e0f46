package io.bulwark.protocol.ordering.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.driver.JournalApplication;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.log.Outbox;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Checkpoint;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests which CHECKPOINT messages count, and for what (4.3). f = 1, K = 2, L = 4. */
@NullMarked
class CheckpointsTest {
    private static final Bytes OTHER = Hashes.sha256(Bytes.of((byte) 7));

    private final ReplicaConfig config = ReplicaConfig.of(3, 1).withLog(2, 4);
    private final JournalApplication application = new JournalApplication();
    private final Outbox outbox = new Outbox(config);
    private final Checkpoints checkpoints = new Checkpoints(config, application, outbox, 0);

    /** Takes a checkpoint of the own state that is durable. */
    private Bytes own(long sequence) {
        checkpoints.take(sequence, Bytes.EMPTY);
        application.makeDurable(sequence);
        checkpoints.onDurable(sequence);
        return application.checkpoints().getLast().digest();
    }

    private void said(long sequence, Bytes digest, int... from) {
        for (int peer : from) {
            checkpoints.onCheckpoint(peer, new Checkpoint(sequence, digest));
        }
    }

    @PlantedBug(
            in = Checkpoints.class,
            rule = "2f + 1 CHECKPOINTs make a checkpoint stable",
            replace = "+ 1 >= config.quorum()",
            with = "+ 2 >= config.quorum()")
    @Test
    void twoFPlusOneMakeACheckpointStableTheOwnAmongThem() {
        said(2, OTHER, 0, 1, 2);
        assertThat(checkpoints.newlyStable()).as("without the own one").isNull();
        Bytes digest = own(2);
        said(2, digest, 0);
        assertThat(checkpoints.newlyStable()).as("f others").isNull();
        said(2, digest, 0);
        assertThat(checkpoints.newlyStable()).as("one of them twice").isNull();
        said(2, digest, 1);
        assertThat(checkpoints.newlyStable()).isEqualTo(new Numbered(2, digest));
        assertThat(checkpoints.newlyStable()).isNull();
        said(2, OTHER, 0, 1);
        assertThat(checkpoints.missing(2))
                .as("below the stable one nothing is taken")
                .isNull();
    }

    @PlantedBug(
            in = Checkpoints.class,
            rule = "f + 1 replicas must have a state before it is fetched",
            replace = ">= config.weakQuorum()) {",
            with = ">= config.weakQuorum() - 1) {")
    @Test
    void fPlusOneHaveWhatIsMissingHere() {
        said(4, OTHER, 0);
        assertThat(checkpoints.missing(2)).isNull();
        said(4, OTHER, 1);
        assertThat(checkpoints.missing(2)).isEqualTo(new Numbered(4, OTHER));
        assertThat(checkpoints.missing(4))
                .as("executed here, and not taken yet")
                .isNull();
        own(4);
        assertThat(checkpoints.missing(4)).as("another one than the own").isEqualTo(new Numbered(4, OTHER));
    }

    @PlantedBug(
            in = Checkpoints.class,
            rule = "CHECKPOINTs under an old key do not count",
            replace = "claims.get(peer).clear();",
            with = "")
    @Test
    void aNewKeyUndoesWhatAPeerSaid() {
        said(4, OTHER, 0, 1);
        checkpoints.onKeyChange(1);
        assertThat(checkpoints.missing(2)).isNull();
    }

    @Test
    void onlyNumbersOfCheckpointsAreTakenAndOnlySoManyOfAPeer() {
        said(3, OTHER, 0, 1);
        assertThat(checkpoints.missing(0)).isNull();
        said(4, OTHER, 0, 1);
        for (long sequence = 6; sequence < 40; sequence += 2) {
            said(sequence, OTHER, 0);
        }
        assertThat(checkpoints.missing(0)).as("the oldest of a peer go").isNull();
        assertThat(List.of(checkpoints.last())).containsExactly(0L);
    }
}
