package io.bulwark.appliance.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class JavaCommandTest {
    /** The later of two heaps counts. */
    @Test
    void whatIsAddedComesBehindAndInWords() {
        List<String> command = JavaCommand.java(256, "  -Xmx1g \n -Xss1m ");
        assertThat(command).containsSubsequence("-Xmx256m", "-Xmx1g", "-Xss1m").doesNotContain("");
        assertThat(JavaCommand.java(256, "")).doesNotContain("");
    }

    @Test
    void anApplianceHasABoundOnItsHeapUnlessItIsGivenOne() {
        assertThat(JavaCommand.appliance(List.of("-Xss1m")))
                .containsSubsequence("-Xss1m", "-XX:MaxRAM=16g", "-XX:MaxRAMPercentage=25");
        assertThat(JavaCommand.appliance(List.of("-Xmx3g"))).contains("-Xmx3g").doesNotContain("-XX:MaxRAM=16g");
        assertThat(JavaCommand.appliance(List.of("-XX:MaxRAM=8g"))).doesNotContain("-XX:MaxRAM=16g");
    }
}
