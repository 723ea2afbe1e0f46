package io.bulwark.protocol.fp;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests repair at crowded nodes (docs/protocols/revocation.md, crowded blocks). Of seven nodes, 3 and 4 are silent
 * liars. They took part in an earlier write, of which node 0 alone has the COMMIT. Nodes 5 and 6 have prepared nothing
 * of it, and may have no room for proven versions.
 */
@NullMarked
class FpContendedRepairTest {
    private static final PrincipalId READER = PrincipalId.client(42);
    private static final Timeouts TIMES = new Timeouts(100, 400, 0, 120_000);
    private static final long SESSION = LocalNodes.SESSION;

    private final LocalNodes nodes = new LocalNodes(2, 3);

    private Timestamp writtenAtOneNode() {
        Timestamp version = nodes.write(5, 1, 0);
        nodes.cutOff.addAll(List.of(3, 4));
        return version;
    }

    /** As many as it takes under REPAIR, which READ has proven there once, and does not find any more. */
    private void crowd(int node, long ts) {
        for (int seed = 50; seed < 50 + LocalNodes.LIMITS.stagedPerBlock(); seed++) {
            Timestamp version = new Timestamp(ts, nodes.encode(seed).fpcc());
            nodes.putOnDisk(node, new VersionRecord(version, 1, true, null, PrepareTag.REPAIR, 0, List.of()));
        }
        nodes.restart(node);
    }

    private ClientOperation<FpReadOutcome> read() {
        ClientOperation<FpReadOutcome> read = nodes.run(READER, FpRead.withWriteBack(nodes.group, SESSION, TIMES));
        nodes.pass(12_000);
        return read;
    }

    private static Timestamp found(ClientOperation<FpReadOutcome> read) {
        return ((FpReadOutcome.Value) read.outcome().orElseThrow()).timestamp();
    }

    @ParameterizedTest
    @ValueSource(longs = {4, 9})
    void whereTheRoomOfOneNodeIsTakenAReaderGetsWhatOneNodeHasCommitted(long ts) {
        crowd(5, ts);
        Timestamp version = writtenAtOneNode();
        assertThat(found(read())).isEqualTo(version);
        assertThat(nodes.latest(5)).isEqualTo(version);
        assertThat(nodes.latest(6)).isEqualTo(version);
    }

    /** Each of the two also reports to the other that the version is proven, so both exceed their room. */
    @ParameterizedTest
    @ValueSource(longs = {4, 9})
    void whereTheRoomOfTwoIsTakenAReaderGetsItToo(long ts) {
        crowd(5, ts);
        crowd(6, ts);
        Timestamp version = writtenAtOneNode();
        assertThat(found(read())).isEqualTo(version);
        assertThat(nodes.latest(5)).isEqualTo(version);
        assertThat(nodes.latest(6)).isEqualTo(version);
    }

    /**
     * Six have the version from their writer, and two of them know its nonces: these alone make no node exceed its
     * room.
     */
    @Test
    void whatFewHaveProvenTakesNoRoomBeyond() {
        crowd(5, 9);
        nodes.cutOff.addAll(List.of(3, 4));
        Timestamp version = new Timestamp(9, nodes.encode(1).fpcc());
        nodes.prepare(3, 9, 1);
        for (int asker : List.of(1, 2)) {
            nodes.ask(PrincipalId.node(asker), new FpMessage.AskRepairMac(nodes.group.target(5), version));
        }
        nodes.pass(12_000);
        assertThat(nodes.versionsOnDisk(5)).isEqualTo(LocalNodes.LIMITS.stagedPerBlock());
        nodes.answers.clear();
        nodes.ask(PrincipalId.node(0), new FpMessage.AskRepairMac(nodes.group.target(5), version));
        assertThat(nodes.answers)
                .as("three have proven it: one of them is correct")
                .contains(new FpMessage.Proven(nodes.group.target(5), version.version()));
    }
}
