package io.bulwark.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests the names of versions and their meaning. */
@NullMarked
class WireVersionsTest {
    @Test
    void eachIsFoundByItsName() {
        WireVersions some = new WireVersions(2, 4);
        assertThat(some.names()).containsExactly("bulwark/4", "bulwark/3", "bulwark/2");
        assertThat(some.named("bulwark/4")).isEqualTo(4);
        assertThat(some.named("bulwark/2")).isEqualTo(2);
        assertThat(some.contains(2)).isTrue();
        assertThat(some.contains(4)).isTrue();
        assertThat(some.contains(1)).isFalse();
        assertThat(some.contains(5)).isFalse();
    }

    @Test
    void whatHasNoNameHereIsTheFirst() {
        for (String name : new String[] {"", "bulwark/1", "bulwark/5", "h2"}) {
            assertThat(new WireVersions(2, 4).named(name)).as(name).isEqualTo(WireVersions.UNNAMED);
        }
    }

    /** This build can speak with a peer that names no version, as long as that is documented. */
    @Test
    void thisBuildSpeaksWithAllBefore() {
        assertThat(WireVersions.HERE.names())
                .containsExactly("bulwark/6", "bulwark/5", "bulwark/4", "bulwark/3", "bulwark/2", "bulwark/1");
    }

    @Test
    void theyAreInOrder() {
        assertThatThrownBy(() -> new WireVersions(0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new WireVersions(3, 2)).isInstanceOf(IllegalArgumentException.class);
    }
}
