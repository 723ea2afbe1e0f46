package io.bulwark.protocol.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class CollapsedSessionsTest {
    private static final PrincipalId ALICE = PrincipalId.client(1);
    private static final PrincipalId BOB = PrincipalId.client(2);

    private final CollapsedSessions collapsed = new CollapsedSessions();

    @Test
    void allThatWasToldIsCoveredAndNothingElse() {
        Random random = new Random(7);
        Set<Long> told = new HashSet<>();
        for (int i = 0; i < 200; i++) {
            long first = random.nextInt(1_000);
            long last = first + random.nextInt(5);
            collapsed.learn(new Fact.Collapsed(ALICE, first, last));
            for (long session = first; session <= last; session++) {
                told.add(session);
            }
            for (long session = 0; session < 1_010; session++) {
                assertThat(collapsed.covers(ALICE, session)).isEqualTo(told.contains(session));
                assertThat(collapsed.covers(BOB, session)).isFalse();
            }
        }
    }

    @Test
    void tooManyOfOneOwnerTakeNobodyElsesPlace() {
        collapsed.learn(new Fact.Collapsed(BOB, 4, 5));
        int many = CollapsedSessions.OF_ONE_OWNER_MAX + 10;
        for (long session = 0; session < many; session++) {
            collapsed.learn(new Fact.Collapsed(ALICE, 2 * session, 2 * session));
        }
        assertThat(collapsed.covers(ALICE, 0)).isFalse();
        assertThat(collapsed.covers(ALICE, 2L * (many - 1))).isTrue();
        assertThat(collapsed.covers(BOB, 4)).isTrue();
    }
}
