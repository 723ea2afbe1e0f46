package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.ServerFuzzing;
import io.bulwark.protocol.extent.ExtentMessage.Acknowledged;
import io.bulwark.protocol.extent.ExtentMessage.CheckDepth;
import io.bulwark.protocol.extent.ExtentMessage.Complete;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.Holds;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.extent.ExtentMessage.Store;
import io.bulwark.protocol.extent.ExtentMessage.StoreBlock;
import io.bulwark.protocol.extent.ExtentMessage.Supply;
import io.bulwark.protocol.extent.ExtentMessage.Suspect;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.provider.MethodSource;

/** For any inputs in any order: no exception, no second answer, and no more kept or running than the limits allow. */
@NullMarked
class ExtentServerFuzzTest {
    private static final int VOLUME = 7;
    private static final PrincipalId OWNER = PrincipalId.client(1);
    private static final PrincipalId OTHER = PrincipalId.client(2);
    private static final ProtectionPolicy POLICY = new ProtectionPolicy(1, 2, 4, 512);
    private static final ExtentLimits LIMITS =
            new ExtentLimits(700, 2, 1, 8 << 10, ExtentTiming.standard().withDeadlineMillis(15_000));

    private static final PlacementGroup ANNOUNCED = new PlacementGroup(2, List.of(1, 0, 2, 3)).announced(3, 4);

    private static final ServerFuzzing.Palette PALETTE = new ServerFuzzing.Palette(
            new ExtentCodec(),
            List.of(
                    OWNER,
                    PrincipalId.node(1),
                    PrincipalId.node(0),
                    OTHER,
                    PrincipalId.node(2),
                    PrincipalId.node(3),
                    PrincipalId.replica(0)),
            requests(),
            answers(),
            facts(),
            LIMITS.repairsMax());

    private static Volume volume(long epoch, List<Integer> holders) {
        return volume(new PlacementGroup(epoch, holders));
    }

    private static Volume volume(PlacementGroup group) {
        return new Volume(VOLUME, "v", VolumeKind.OBJECT, POLICY, 0, List.of(group));
    }

    private static BlockId block(long session, long counter) {
        return new BlockId(VOLUME, OWNER, session, counter);
    }

    private static Bytes content(int value) {
        byte[] bytes = new byte[512];
        Arrays.fill(bytes, (byte) value);
        return Bytes.of(bytes);
    }

    private static BlockCode.Encoded encoded(int value) {
        return BlockCode.ofAll(2, 4).encode(content(value));
    }

    private static List<ExtentMessage> requests() {
        List<ExtentMessage> requests = new ArrayList<>();
        for (int value = 1; value <= 2; value++) {
            BlockCode.Encoded encoded = encoded(value);
            Bytes pin = encoded.fpcc().pin();
            for (long counter = 0; counter < 3; counter++) {
                BlockId block = block(1, counter);
                requests.add(new Store(block, 1, 0, encoded.fragments().get(0), encoded.fpcc()));
                requests.add(new ReadPinned(block, 1, 0, pin, true));
                requests.add(new ReadPinned(block, 1, 0, pin, false));
                requests.add(new Complete(block, 1, 0, pin, CheckDepth.FRAGMENT));
                requests.add(new Suspect(block, 1, 0, pin, 0));
                requests.add(new Suspect(block, 1, 0, pin, 1));
            }
            requests.add(new Supply(block(1, 0), 1, 0, encoded.fragments().get(0), encoded.fpcc()));
            requests.add(new Supply(block(1, 4), 1, 0, encoded.fragments().get(0), encoded.fpcc()));
            requests.add(new StoreBlock(block(1, 3), 1, 0, content(value), encoded.fpcc()));
            requests.add(new Store(block(2, 0), 2, 3, encoded.fragments().get(1), encoded.fpcc()));
            requests.add(new StoreBlock(block(2, 1), 2, 3, content(value), encoded.fpcc()));
        }
        return requests;
    }

    private static List<ExtentMessage> answers() {
        BlockCode.Encoded encoded = encoded(1);
        List<ExtentMessage> answers = new ArrayList<>();
        for (long counter = 0; counter < 3; counter++) {
            BlockId block = block(1, counter);
            for (int slot = 0; slot < 4; slot++) {
                Bytes fragment = encoded.fragments().get(slot);
                answers.add(new Found(block, 1, encoded.fpcc(), fragment, true));
            }
            answers.add(new NotFound(block, 1, ReadRefusal.NONE));
            answers.add(new NotFound(block, 1, ReadRefusal.FREED));
            answers.add(new Acknowledged(block, 1));
            answers.add(new Holds(block, 1));
        }
        return answers;
    }

    private static List<Fact> facts() {
        Bytes pin = encoded(1).fpcc().pin();
        return List.of(
                new Fact.OfVolume(VOLUME, Optional.of(volume(1, List.of(0, 1, 2, 3)))),
                new Fact.OfSession(VOLUME, OWNER, 1, SessionState.OPEN),
                new Fact.OfGrant(VOLUME, OWNER, true, true),
                new Fact.OfGrant(VOLUME, OTHER, false, false),
                new Fact.OfSession(VOLUME, OWNER, 2, SessionState.OPEN),
                new Fact.OfSession(VOLUME, OWNER, 1, SessionState.CLOSED),
                new Fact.OfSession(VOLUME, OWNER, 2, SessionState.UNKNOWN),
                new Fact.OfPin(block(1, 0), pin),
                new Fact.OfPin(block(1, 1), encoded(2).fpcc().pin()),
                new Fact.Pending(new BlockRange(VOLUME, OWNER, 1, 1, 2)),
                new Fact.Freed(new BlockRange(VOLUME, OWNER, 1, 0, 1)),
                new Fact.Freed(new BlockRange(VOLUME, OWNER, 1, 2, Long.MAX_VALUE - 2)),
                new Fact.ClosedWith(VOLUME, OWNER, 1, List.of(new BlockRange(VOLUME, OWNER, 1, 1, 1))),
                new Fact.ClosedWith(VOLUME, OWNER, 2, List.of()),
                new Fact.OfVolume(VOLUME, Optional.of(volume(2, List.of(3, 1, 2, 0)))),
                new Fact.OfVolume(VOLUME, Optional.of(volume(3, List.of(4, 1, 2, 3)))),
                new Fact.OfVolume(VOLUME, Optional.empty()),
                new Fact.OfVolume(VOLUME, Optional.of(volume(ANNOUNCED))),
                new Fact.OfVolume(VOLUME, Optional.of(volume(ANNOUNCED.opened()))));
    }

    static Stream<byte[]> lives() {
        return Stream.of(
                new byte[0],
                // volume, session, STORE, four ends of the disk, READ_PINNED
                new byte[] {4, 0, 4, 1, 0, 0, 0, 0, 3, 0, 3, 0, 3, 0, 3, 0, 4, 2, 0, 0, 1, 0, 3, 0, 3, 0},
                // STORE before any fact is known, a crash after the store, a tick, a repair of a pinned extent
                new byte[] {0, 0, 0, 0, 4, 0, 4, 1, 3, 0, 3, 0, 7, 1, 2, 20, 4, 0, 4, 7, 3, 0, 3, 0, 6, 1, 0, 1, 0},
                // a SUSPECT of a peer, a damaged fragment, freed, closed
                new byte[] {4, 0, 4, 1, 0, 0, 0, 0, 3, 0, 3, 0, 0, 1, 5, 0, 5, 0, 0, 1, 4, 0, 3, 13, 4, 10, 3, 0, 4, 12
                });
    }

    @MethodSource("lives")
    @FuzzTest
    void aServerAmongEnemies(byte[] bytes) {
        new ServerFuzzing(PALETTE, () -> new ExtentServer(0, LIMITS), (server, disk) -> {
                    long kept = ((ExtentServer) server).unreferencedBytes(OWNER);
                    assertThat(kept).isBetween(0L, LIMITS.unreferencedBytesMax());
                })
                .run(bytes);
    }
}
