package io.bulwark.storage.revocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.BlockId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests the log of a node about the blocks that rounds wait for. */
@NullMarked
class UnsettledVersionsTest {
    private long now = 1_000;
    private final List<String> lines = new ArrayList<>();
    private final UnsettledVersions awaited =
            new UnsettledVersions((block, timestamp, _) -> lines.add(block.counter() + "@" + timestamp), () -> now);

    private void waits(long block, long timestamp) {
        awaited.waitsFor(BlockId.register(3, block), timestamp, List.of());
    }

    @Test
    void whatIsNotSettledSoonIsNamedOnceInAWhile() {
        waits(7, 5);
        waits(7, 6);
        now += 9_999;
        waits(7, 5);
        assertThat(lines).isEmpty();
        now++;
        waits(7, 5);
        waits(7, 5);
        assertThat(lines).containsExactly("7@5");
        waits(7, 6);
        assertThat(lines).containsExactly("7@5", "7@6");
        now += 599_999;
        waits(7, 5);
        assertThat(lines).hasSize(2);
        now++;
        waits(7, 5);
        assertThat(lines).containsExactly("7@5", "7@6", "7@5");
    }

    @Test
    void ofManyAFewAreNamedAndTheOthersLater() {
        for (int round = 0; round < 5; round++) {
            for (long block = 0; block < 50; block++) {
                waits(block, 5);
            }
            assertThat(lines).hasSize(Math.min(50, 20 * round));
            now += 60_000;
        }
        assertThat(lines).doesNotHaveDuplicates();
    }

    @Test
    void moreThanItRemembersAreNamedToo() {
        for (int round = 0; round < 3; round++) {
            for (long block = 0; block < 2_000; block++) {
                waits(block, 5);
            }
            now += 60_000;
        }
        assertThat(lines).hasSize(60);
    }
}
