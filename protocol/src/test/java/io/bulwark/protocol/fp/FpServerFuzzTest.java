package io.bulwark.protocol.fp;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.ServerFuzzing;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.wire.Bytes;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.provider.MethodSource;

/** For any inputs in any order: no exception, no second answer, and no more staged or running than the limits allow. */
@NullMarked
class FpServerFuzzTest {
    private static final LocalNodes NODES = new LocalNodes(1, 2);
    private static final List<FpMessage> REQUESTS = new ArrayList<>();
    private static final List<FpMessage> ANSWERS = new ArrayList<>();

    static {
        Timestamp first = NODES.write(5, 1, 0, 1, 2);
        List<FpMessage.Prepared> prepares = NODES.prepare(3, 9, 2);
        Target target = NODES.group.target(0);
        REQUESTS.add(NODES.fragment(0, 5, 1));
        REQUESTS.add(NODES.commit(0, 1, NODES.prepare(3, 5, 1)));
        REQUESTS.add(NODES.fragment(0, 9, 2));
        REQUESTS.add(NODES.commit(0, 2, prepares));
        for (long ts : new long[] {1, 2, 3, -1, Long.MAX_VALUE}) {
            REQUESTS.add(NODES.fragment(0, ts, 3));
        }
        REQUESTS.add(NODES.wholeBlock(0, 11, 4));
        REQUESTS.add(new FpMessage.FindTimestamp(target, true));
        REQUESTS.add(new FpMessage.Read(target, first.version()));
        REQUESTS.add(new FpMessage.Repair(target, first));
        REQUESTS.add(new FpMessage.AskRepairMac(target, first));
        REQUESTS.add(new FpMessage.AskLeftover(target, LocalNodes.CLIENT, LocalNodes.SESSION, first));
        for (int slot = 1; slot < 4; slot++) {
            Target peer = NODES.group.target(slot);
            PrincipalId node = PrincipalId.node(0);
            ANSWERS.addAll(NODES.ask(node, new FpMessage.FindTimestamp(peer, true)));
            ANSWERS.addAll(NODES.ask(node, new FpMessage.Read(peer, first.version())));
            ANSWERS.addAll(NODES.ask(node, new FpMessage.AskRepairMac(peer, first)));
            ANSWERS.addAll(
                    NODES.ask(node, new FpMessage.AskLeftover(peer, LocalNodes.CLIENT, LocalNodes.SESSION, first)));
        }
    }

    private static final ServerFuzzing.Palette PALETTE = new ServerFuzzing.Palette(
            new FpCodec(),
            List.of(
                    LocalNodes.CLIENT,
                    PrincipalId.node(1),
                    PrincipalId.node(2),
                    PrincipalId.node(3),
                    LocalNodes.OTHER,
                    PrincipalId.node(0),
                    PrincipalId.replica(0)),
            REQUESTS,
            ANSWERS,
            facts(),
            1_000);

    private static Volume volume(long epoch, List<Integer> holders) {
        PlacementGroup placement = new PlacementGroup(epoch, holders);
        return new Volume(
                LocalNodes.VOLUME, "disk", VolumeKind.REGISTER, NODES.group.policy(), 100, List.of(placement));
    }

    private static List<Fact> facts() {
        int volume = LocalNodes.VOLUME;
        PrincipalId client = LocalNodes.CLIENT;
        return List.of(
                new Fact.OfVolume(volume, Optional.of(volume(1, List.of(0, 1, 2, 3)))),
                new Fact.OfSession(volume, client, LocalNodes.SESSION, SessionState.OPEN),
                new Fact.OfGrant(volume, client, true, true),
                new Fact.OfGrant(volume, LocalNodes.OTHER, false, false),
                new Fact.OfSession(volume, client, LocalNodes.SESSION, SessionState.UNKNOWN),
                new Fact.OfSession(volume, client, LocalNodes.SESSION, SessionState.CLOSED),
                new Fact.ClosedWith(volume, client, LocalNodes.SESSION, List.of()),
                new Fact.OfVolume(volume, Optional.of(volume(2, List.of(3, 1, 2, 0)))),
                new Fact.OfVolume(volume, Optional.of(volume(3, List.of(4, 1, 2, 3)))),
                new Fact.OfVolume(volume, Optional.empty()));
    }

    static Stream<byte[]> lives() {
        byte[] ends = {3, 0, 3, 0, 3, 0, 3, 0, 3, 0};
        return Stream.of(
                new byte[0],
                life(new byte[] {4, 0, 0, 0, 0, 0}, ends, new byte[] {4, 1}, ends, new byte[] {0, 0, 1, 0}, ends),
                life(
                        new byte[] {4, 0, 4, 2, 0, 0, 10, 0},
                        ends,
                        new byte[] {0, 0, 12, 0},
                        ends,
                        new byte[] {6, 1, 0, 0, 0, 6, 2, 0, 4, 0, 6, 3, 0, 8, 0},
                        ends,
                        new byte[] {5, 0}),
                life(new byte[] {4, 0, 0, 0, 0, 0}, ends, new byte[] {4, 1}, ends, new byte[] {4, 5}, ends),
                life(new byte[] {4, 0, 0, 0, 0, 0}, ends, new byte[] {4, 1}, ends, new byte[] {7, 9, 2, 100}, ends));
    }

    private static byte[] life(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    @MethodSource("lives")
    @FuzzTest
    void aServerAmongEnemies(byte[] bytes) {
        new ServerFuzzing(
                        PALETTE, () -> new FpServer(NODES.keysOf(0), LocalNodes.LIMITS), (_, disk) -> checkStaged(disk))
                .run(bytes);
    }

    private static void checkStaged(Map<Bytes, ServerFuzzing.OnDisk> disk) {
        int inAll = 0;
        Map<BlockId, Integer> perBlock = new HashMap<>();
        for (Map.Entry<Bytes, ServerFuzzing.OnDisk> entry : disk.entrySet()) {
            RecordKey key = RecordKey.decode(entry.getKey());
            if (key.kind() == RecordKind.REGISTER_VERSION
                    && VersionRecord.decode(entry.getValue().meta()).isChargedTo(LocalNodes.CLIENT)) {
                inAll++;
                perBlock.merge(key.block(), 1, Integer::sum);
            }
        }
        assertThat(inAll).isLessThanOrEqualTo(LocalNodes.LIMITS.allPerClient());
        assertThat(perBlock.values())
                .allSatisfy(staged -> assertThat(staged).isLessThanOrEqualTo(LocalNodes.LIMITS.allPerBlock()));
    }
}
