package io.bulwark.protocol.pasis;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class PendingRequestsTest {
    private static final GroupFixture GROUP = GroupFixture.of(1, 2, 5);
    private static final GroupFixture.Version VERSION = GROUP.version(1, 1);
    private static final long BYTES = call(1).bytes();

    private final PendingRequests room = new PendingRequests(8 * BYTES);

    private static AdmittedRequest call(int client) {
        return new AdmittedRequest(
                PrincipalId.client(client),
                1,
                new PasisMessage.Write(
                        GROUP.pasis().target(0),
                        1,
                        VERSION.timestamp(),
                        VERSION.fragments().getFirst()));
    }

    private int entered(int client) {
        int entered = 0;
        while (room.enter(call(client))) {
            entered++;
        }
        return entered;
    }

    @Test
    void nobodyHoldsMoreThanWhatIsLeft() {
        assertThat(entered(1)).isEqualTo(4);
        assertThat(entered(2)).isEqualTo(2);
        assertThat(entered(3)).isEqualTo(1);
    }

    @Test
    void whatLeavesMakesRoom() {
        assertThat(entered(1)).isEqualTo(4);
        for (int i = 0; i < 4; i++) {
            room.leave(call(1));
        }
        assertThat(entered(2)).isEqualTo(4);
    }

    @Test
    void onlySoManyOfOneSenderWaitForFacts() {
        PendingRequests wide = new PendingRequests(1L << 40);
        for (int i = 0; i < PendingRequests.PARKED_PER_SENDER_MAX; i++) {
            assertThat(wide.park(call(1))).isTrue();
        }
        assertThat(wide.park(call(1))).isFalse();
        assertThat(wide.enter(call(1))).isTrue();
        assertThat(wide.park(call(2))).isTrue();
        wide.unpark(call(1));
        assertThat(wide.park(call(1))).isTrue();
    }
}
