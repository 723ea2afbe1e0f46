package io.bulwark.appliance.up;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class StartupWaitTest {
    private final CountDownLatch ended = new CountDownLatch(1);
    private final List<String> said = new ArrayList<>();
    private final StartupWait waiting = new StartupWait(
            new StartupListener() {
                @Override
                public void tell(String line) {
                    throw new AssertionError(line);
                }

                @Override
                public void awaits(String line) {
                    said.add(line);
                }
            },
            ended);

    @Test
    void whoIsAwaitedAndWhyIsSaidEachTime() throws Exception {
        int[] left = {2};
        waiting.until(
                () -> left[0] == 0 ? new TreeMap<>() : new TreeMap<>(Map.of("node-1", left[0]-- + " left")), () -> "");
        assertThat(said).containsExactly("waiting for node-1 (2 left)", "waiting for node-1 (1 left)");
        assertThat(waiting.now()).isEmpty();
    }

    @Test
    void ofManyTheFirstAreNamed() {
        Map<String, String> many = new TreeMap<>();
        for (int i = 0; i < 9; i++) {
            many.put("node-" + i, "silent");
        }
        assertThat(StartupWait.text(many))
                .startsWith("waiting for node-0 (silent), ")
                .endsWith("node-2 (silent) and 6 more");
    }

    @Test
    void nothingIsAwaitedAfterTheEnd() {
        ended.countDown();
        assertThatThrownBy(() -> waiting.until(TreeMap::new, () -> "")).isInstanceOf(StartAbandonedException.class);
    }
}
