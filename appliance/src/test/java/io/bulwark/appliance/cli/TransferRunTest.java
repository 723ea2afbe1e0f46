package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.transfer.TransferPlan;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class TransferRunTest {
    @Test
    void keptObjectsAreReportedWithTheirPlace() {
        TransferPlan plan = new TransferPlan(
                List.of(), 1, List.of(), new TreeMap<>(Map.of("", 2L, "a/b", 1L)), TransferPlan.Findings.NONE);
        assertThat(TransferRun.kept(plan))
                .containsExactly(
                        "not deleted: 2 objects at or below the top of the source, where a file was skipped or could"
                                + " not be read or stored",
                        "not deleted: 1 object at or below a/b, where a file was skipped or could not be read or"
                                + " stored");
    }
}
