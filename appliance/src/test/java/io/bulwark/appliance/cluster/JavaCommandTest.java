package io.bulwark.appliance.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    void aProcessThatHasServedMarksTheCacheThatItMakes(@TempDir Path directory) {
        String flag = "-XX:AOTCacheOutput=" + directory.resolve("server.aot.");
        JavaCommand.keepCache(List.of("-Xmx1g", flag + 7));
        assertThat(directory.resolve("server.aot.7.served")).exists();
        JavaCommand.keepCache(List.of(flag + 7, flag + "new"));
        assertThat(directory.resolve("server.aot.new.served"))
                .as("the last counts")
                .exists();
        JavaCommand.keepCache(List.of("-XX:AOTCache=" + directory.resolve("server.aot")));
        assertThat(directory.resolve("server.aot.served")).doesNotExist();
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
