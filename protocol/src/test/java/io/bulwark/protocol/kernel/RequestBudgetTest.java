package io.bulwark.protocol.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class RequestBudgetTest {
    private static final long BYTES = 2_048;

    private final RequestBudget room = new RequestBudget(8 * BYTES);

    private record Request(PrincipalId from, long bytes) implements PendingRequest {}

    private static Request call(int client) {
        return new Request(PrincipalId.client(client), BYTES);
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
        RequestBudget wide = new RequestBudget(1L << 40);
        for (int i = 0; i < RequestBudget.PARKED_PER_SENDER_MAX; i++) {
            assertThat(wide.park(call(1))).isTrue();
        }
        assertThat(wide.park(call(1))).isFalse();
        assertThat(wide.enter(call(1))).isTrue();
        assertThat(wide.park(call(2))).isTrue();
        wide.unpark(call(1));
        assertThat(wide.park(call(1))).isTrue();
    }
}
