package io.bulwark.protocol.fp;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.wire.Bytes;
import org.junit.jupiter.api.Test;

class FpGroupTest {
    @Test
    void aBlockIsPaddedToMFragmentsAndReadWithoutThePadding() {
        for (int m = 2; m <= 3; m++) {
            FpGroup group = new LocalNodes(1, m).group;
            Bytes block = SampleMessages.filled(group.policy().blockBytes(), 7);
            Bytes padded = group.padded(block);
            assertThat(padded.length()).isEqualTo(m * group.fragmentBytes());
            assertThat(group.trimmed(padded)).isEqualTo(block);
        }
    }
}
