package io.bulwark.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.error.LimitReachedException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.Volume.Generation;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.kernel.Failure;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of the repetition of operations in another session, epoch or generation of groups. */
class RegisterVolumeTest {
    private static final Subject SUBJECT = Subject.volume("registers");

    @ParameterizedTest
    @EnumSource(
            value = Failure.class,
            names = {"SESSION_CLOSED", "SESSION_UNKNOWN"})
    void onlyAWriteOfWhichNoCommitWasSentIsRepeated(Failure reason) {
        assertThat(RegisterVolume.failure(reason, 3, false, SUBJECT))
                .isInstanceOf(RegisterVolume.SessionClosedException.class);
        assertThat(RegisterVolume.failure(reason, 3, true, SUBJECT))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("may still return this write");
    }

    @Test
    void aWriteThatHasNoRoomIsRepeatedUnlessACommitWasSent() {
        assertThat(RegisterVolume.failure(Failure.LIMIT, 3, false, SUBJECT))
                .isInstanceOf(RegisterVolume.SessionFullException.class)
                .hasMessageContaining("too many unfinished writes");
        assertThat(RegisterVolume.failure(Failure.LIMIT, 3, true, SUBJECT)).isInstanceOf(LimitReachedException.class);
    }

    @Test
    void anOperationBeginsAgainInALaterEpochUnlessACommitWasSent() {
        assertThat(RegisterVolume.failure(Failure.OTHER_EPOCH, 3, false, SUBJECT))
                .isInstanceOf(RegisterVolume.OtherEpochException.class);
        assertThat(RegisterVolume.failure(Failure.OTHER_EPOCH, 3, true, SUBJECT))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("may still return this write");
    }

    private static final ProtectionPolicy POLICY = new ProtectionPolicy(1, 2, 4, 512);

    /** Two older generations of one group each, in these epochs, and a newest one. */
    private static Volume volume(boolean opening, long... epochs) {
        List<PlacementGroup> groups = Arrays.stream(epochs)
                .mapToObj(epoch -> new PlacementGroup(epoch, List.of(0, 1, 2, 3)))
                .toList();
        List<Generation> older = Collections.nCopies(epochs.length - 1, new Generation(POLICY, 1));
        return new Volume(1, "v", VolumeKind.REGISTER, POLICY, 9, groups, older, opening);
    }

    private static List<Integer> generationsRead(int written, int... holding) {
        List<Integer> read = new ArrayList<>();
        RegisterVolume.RegisterRead reader = (now, register) -> {
            assertThat(register.number()).isEqualTo(4);
            read.add(register.generation());
            boolean holds = Arrays.stream(holding).anyMatch(each -> each == register.generation());
            return CompletableFuture.completedFuture(
                    holds ? Optional.of(new byte[] {(byte) register.generation()}) : Optional.empty());
        };
        Optional<byte[]> found = RegisterVolume.newest(volume(false, 1, 1, 1), 4, written, reader)
                .join();
        assertThat(found.map(bytes -> (int) bytes[0]))
                .isEqualTo(Arrays.stream(holding)
                        .filter(each -> each <= written)
                        .boxed()
                        .findFirst());
        return read;
    }

    @PlantedBug(
            in = RegisterVolume.class,
            rule = "a read takes the newest generation that holds the block",
            replace = "newest(now, block, generation - 1, read)",
            with = "newest(now, block, 0, read)")
    @Test
    void aReadTakesTheNewestGenerationThatHoldsTheBlock() {
        assertThat(generationsRead(2, 2, 1)).containsExactly(2);
        assertThat(generationsRead(2, 0)).containsExactly(2, 1, 0);
        assertThat(generationsRead(1, 1, 0)).as("the newest is not in use").containsExactly(1);
        assertThat(generationsRead(2)).containsExactly(2, 1, 0);
    }

    @Test
    void anOperationFollowsTheEpochsOfAllGenerationsThatItMayMeet() {
        Volume now = volume(true, 3, 1, 1);
        assertThat(RegisterVolume.isLater(now, now, 4)).isFalse();
        assertThat(RegisterVolume.isLater(volume(true, 4, 1, 1), now, 4)).isTrue();
        assertThat(RegisterVolume.isLater(volume(false, 3, 2, 1), now, 4))
                .as("the newest generation has opened")
                .isTrue();
        assertThat(RegisterVolume.isLater(volume(true, 3, 1, 2), now, 4)).isFalse();
    }
}
