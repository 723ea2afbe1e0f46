package io.bulwark.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.FpReadOutcome;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.engine.AlteringServer;
import io.bulwark.simulation.engine.NetworkFaults;
import io.bulwark.simulation.engine.RunningOperation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Lurking writes (thesis 3.3.2): a client has prepared a write at all nodes, is revoked, and its commits go to a node that colludes
 * with it. That one has all the nonces and shows them to readers.
 */
@NullMarked
class FpRevocationClusterTest {
    private static final PrincipalId WRITER = PrincipalId.client(1);
    private static final PrincipalId LURKING = PrincipalId.client(2);
    private static final PrincipalId READER = PrincipalId.client(3);
    private static final int NODES = 4;
    private static final int LIAR = 2;
    private static final long BLOCK = 9;

    private final List<Effect.Send> held = new ArrayList<>();
    private final FpCluster cluster = new FpCluster(
            1, 1, 2, NetworkFaults.calm(), FpLimits.standard(), Map.of(LIAR, server -> new AlteringServer(server) {
                // It never heard of the write, and refuses its writer of course.
                @Override
                protected List<Effect> alter(long nowMillis, Effect effect) {
                    return effect instanceof Effect.Send(var to, var id, FpMessage.Leftover answer)
                            ? List.of(new Effect.Send(
                                    to,
                                    id,
                                    new FpMessage.Leftover(
                                            answer.target(),
                                            answer.version(),
                                            FpMessage.LeftoverState.REFUSED,
                                            answer.latest())))
                            : List.of(effect);
                }
            }));

    private Bytes written() {
        for (PrincipalId client : List.of(WRITER, LURKING, READER)) {
            cluster.open(client, 1);
        }
        Bytes value = cluster.value();
        assertThat(cluster.await(cluster.write(WRITER, 1, BLOCK, value))).isInstanceOf(FpWriteOutcome.Written.class);
        cluster.stoppingWrite(LURKING, 1, BLOCK, (_, send) -> {
            boolean commits = send.message() instanceof FpMessage.Commit;
            if (commits) {
                held.add(send);
            }
            return !commits;
        });
        cluster.simulation.runFor(1_000);
        assertThat(held).isNotEmpty();
        return value;
    }

    private void deliverTo(int node) {
        held.stream()
                .filter(send -> send.to().number() == node)
                .forEach(send -> cluster.simulation.send(LURKING, send.to(), send.requestId(), send.message()));
        cluster.simulation.runFor(500);
    }

    /** Reads while one correct node is slow. For a while only the version that the liar shows is readable. */
    private Bytes read(PrincipalId client, long session) {
        PrincipalId slow = PrincipalId.node(NODES - 1);
        cluster.simulation.crash(slow);
        RunningOperation<FpReadOutcome> read = cluster.read(client, session, BLOCK);
        cluster.simulation.runFor(1_500);
        cluster.simulation.restart(slow);
        return ((FpReadOutcome.Value) cluster.await(read)).block();
    }

    /** Shows that the attack works without revocation. */
    @Test
    void withoutRevocationColludersBringItBackWhenTheyLike() {
        Bytes before = written();
        deliverTo(LIAR);
        assertThat(read(READER, 1)).isNotEqualTo(before);
    }

    @Test
    void whatColludersHoldBackStaysWithoutEffect() {
        Bytes before = written();
        for (int node = 0; node < NODES; node++) {
            if (node != LIAR) {
                cluster.simulation.tell(PrincipalId.node(node), new Fact.Revoked(LURKING));
            }
        }
        cluster.simulation.runFor(20_000);
        for (int node = 0; node < NODES; node++) {
            deliverTo(node);
        }
        for (int i = 0; i < 3; i++) {
            assertThat(read(READER, 1)).isEqualTo(before);
            assertThat(read(READER, 0)).isEqualTo(before);
        }
    }
}
