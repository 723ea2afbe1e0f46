package io.bulwark.protocol.ordering.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.wire.Bytes;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests how long a vouch stays valid after its request has been removed. */
@NullMarked
class EvictedEchoesTest {
    private final EvictedEchoes displaced = new EvictedEchoes();
    private final RequestId id = idOf(PrincipalId.client(1));

    private static RequestId idOf(PrincipalId client) {
        return new Request(client, 1, false, Bytes.of((byte) 1)).id();
    }

    /** It may come to the primary late; it is good for one number more, and for half a minute. */
    @Test
    void whatWasVouchedForIsGoodForOneNumberMoreAfterItsExecution() {
        displaced.onExecuted(0, id, 7, true);
        assertThat(displaced.contains(id)).isTrue();
        assertThat(displaced.bytes(id)).isEqualTo(7);
        displaced.onExecuted(0, id, 7, false);
        assertThat(displaced.contains(id)).isFalse();
        displaced.onExecuted(100, id, 7, true);
        displaced.expire(100);
        assertThat(displaced.contains(id)).isTrue();
        displaced.expire(101);
        assertThat(displaced.contains(id)).isFalse();
    }

    @Test
    void whatLostItsRoomIsGoodForOneNumberMoreAfterItsExecutionToo() {
        displaced.add(0, id, 7);
        displaced.onExecuted(0, id, 7, false);
        assertThat(displaced.contains(id)).isTrue();
    }

    @Test
    void aRecoveryIsNotGoodForANumberMore() {
        displaced.onExecuted(0, id, 7, false);
        assertThat(displaced.contains(id)).as("nobody vouched here").isFalse();
        RequestId recovery = idOf(PrincipalId.replica(2));
        displaced.onExecuted(0, recovery, 7, true);
        assertThat(displaced.contains(recovery)).isFalse();
    }
}
