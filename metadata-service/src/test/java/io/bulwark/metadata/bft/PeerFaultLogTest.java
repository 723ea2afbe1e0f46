package io.bulwark.metadata.bft;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class PeerFaultLogTest {
    private final List<String> lines = new ArrayList<>();
    private final PeerFaultLog complaints = new PeerFaultLog(4, lines::add);

    @Test
    void whoLiesAllTheTimeHasOneLineInTenSecondsAndSilencesNobodyElse() {
        for (int lie = 0; lie < 10_000; lie++) {
            complaints.add(lie, 1, "1 lies");
        }
        complaints.add(9_999, 2, "2 lies");
        assertThat(lines).containsExactly("1 lies", "2 lies");
        complaints.add(10_000, 1, "1 lies");
        assertThat(lines).last().isEqualTo("1 lies (and 9999 earlier faults)");
        complaints.add(20_000, 1, "1 lies");
        assertThat(lines).last().isEqualTo("1 lies");
    }
}
