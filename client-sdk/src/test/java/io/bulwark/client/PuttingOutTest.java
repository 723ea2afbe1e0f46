package io.bulwark.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** What an operator is told who waits until a client is put out. */
@NullMarked
class PuttingOutTest {
    private static final PrincipalId REVOKED = PrincipalId.client(20);

    private static String problem(Map<PrincipalId, Long> undecided, List<PrincipalId> silent) {
        return PuttingOut.problem(REVOKED, new Principals.RevocationProgress(5, 2, undecided, silent));
    }

    @Test
    void whoSaysThatSomethingIsUndecidedIsNamed() {
        assertThat(problem(Map.of(PrincipalId.node(3), 7L, PrincipalId.node(1), 1L), List.of()))
                .contains("are not decided yet at node-1 (1), node-3 (7);")
                .doesNotContain("has not confirmed");
    }

    @Test
    void whoIsSilentIsNamed() {
        assertThat(problem(Map.of(), List.of(PrincipalId.node(4))))
                .contains("node-4 has not confirmed it yet;")
                .doesNotContain("not decided");
    }
}
