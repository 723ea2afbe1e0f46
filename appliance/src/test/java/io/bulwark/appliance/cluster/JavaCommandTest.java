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
                .containsSubsequence("-Xss1m", "-XX:MaxRAM=8g", "-XX:MaxRAMPercentage=25");
        assertThat(JavaCommand.appliance(List.of("-Xmx3g"))).contains("-Xmx3g").doesNotContain("-XX:MaxRAM=8g");
        assertThat(JavaCommand.appliance(List.of("-XX:MaxRAM=4g"))).doesNotContain("-XX:MaxRAM=8g");
    }

    @Test
    void aProcessTakesOverTheCacheOfClassesOrMakesIt() {
        assertThat(JavaCommand.appliance(List.of("-Dbulwark.cache=/app/server.aot")))
                .contains("-XX:AOTCacheOutput=/app/server.aot")
                .doesNotContain("-Dbulwark.cache=/app/server.aot");
        assertThat(JavaCommand.caches(List.of("-Xlog:aot*=off", "-Xmx1g", "-XX:AOTCache=/app/server.aot")))
                .containsExactly("-Xlog:aot*=off", "-XX:AOTCache=/app/server.aot");
        assertThat(JavaCommand.caches(List.of("-Xlog:aot*=off", "-XX:AOTCacheOutput=/app/server.aot")))
                .as("a cache that is not made yet")
                .isEmpty();
    }
}
