package io.bulwark.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class WireVersionsTest {
    @Test
    void theNewestVersionIsOfferedFirst() {
        assertThat(new WireVersions(2, 4).names()).containsExactly("bulwark/4", "bulwark/3", "bulwark/2");
    }

    /** Nothing was released, so there is one version. */
    @Test
    void thisBuildSpeaksOneVersion() {
        assertThat(WireVersions.HERE.names()).containsExactly("bulwark/1");
    }

    @Test
    void versionsOutOfOrderAreRefused() {
        assertThatThrownBy(() -> new WireVersions(0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new WireVersions(3, 2)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new WireVersions(1, 100)).isInstanceOf(IllegalArgumentException.class);
    }
}
