package io.bulwark.client.locking;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.locking.LogLimits;
import io.bulwark.protocol.locking.Subtree;
import java.util.List;
import org.junit.jupiter.api.Test;

class LockPolicyTest {
    private static final Subtree YEAR = new Subtree("photos", "2026/");

    private final LockPolicy policy = new LockPolicy();

    private int accessesUntilLock(String key) {
        for (int count = 1; count <= 2 * LockPolicy.THRESHOLD; count++) {
            if (policy.onAccess("photos", key + count).isPresent()) {
                return count;
            }
        }
        return -1;
    }

    @Test
    void aDirectoryIsWorthALockAfterTenAccesses() {
        assertThat(accessesUntilLock("2026/")).isEqualTo(LockPolicy.THRESHOLD);
        assertThat(policy.onAccess("photos", "2026/more")).contains(YEAR);
        assertThat(policy.onAccess("photos", "top")).isEmpty();
    }

    @Test
    void aContendedDirectoryIsNotUntilCountersAreReset() {
        policy.onContended(YEAR);
        assertThat(accessesUntilLock("2026/")).isEqualTo(-1);
        for (int i = 0; i < LockPolicy.RESET_OPERATIONS; i++) {
            policy.onAccess("other", "a/b");
        }
        assertThat(accessesUntilLock("2026/")).isEqualTo(LockPolicy.THRESHOLD);
    }

    @Test
    void manyNeighboursBecomeTheirParent() {
        List<Subtree> held = List.of();
        for (int i = 1; i < LockPolicy.SIBLINGS; i++) {
            held = policy.with(held, new Subtree("photos", "2026/" + i + "/"));
        }
        assertThat(held).hasSize(LockPolicy.SIBLINGS - 1);
        assertThat(policy.with(held, new Subtree("photos", "2026/9/"))).containsExactly(YEAR);
        policy.onContended(YEAR);
        assertThat(policy.with(held, new Subtree("photos", "2026/9/"))).hasSize(LockPolicy.SIBLINGS);
    }

    @Test
    void aLockNamesNoMoreSubtreesThanItMay() {
        List<Subtree> held = List.of();
        for (int i = 0; i <= LogLimits.SUBTREES_MAX; i++) {
            held = policy.with(held, new Subtree("photos", (100 + i) + "/a/"));
        }
        assertThat(held)
                .hasSize(LogLimits.SUBTREES_MAX)
                .contains(new Subtree("photos", (100 + LogLimits.SUBTREES_MAX) + "/a/"));
    }
}
