package io.bulwark.client.bulk;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.ObjectInfo;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.object.VersionState;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class BucketVerifierTest {
    private static final PrincipalId OWNER = PrincipalId.client(0);

    @Test
    void aBlockIsNamedByTheObjectThatItIsOf() {
        BucketVerifier.Holders holders = new BucketVerifier.Holders();
        holders.add(object("boat.jpg", new BlockRange(1, OWNER, 7, 10, 3), new BlockRange(1, OWNER, 9, 0, 1)));
        holders.add(object("cat.jpg", new BlockRange(1, OWNER, 7, 13, 1)));
        assertThat(holders.of(block(7, 10))).isEqualTo("object boat.jpg, ");
        assertThat(holders.of(block(7, 12))).isEqualTo("object boat.jpg, ");
        assertThat(holders.of(block(7, 13))).isEqualTo("object cat.jpg, ");
        assertThat(holders.of(block(9, 0))).isEqualTo("object boat.jpg, ");
        assertThat(holders.of(block(7, 9))).isEmpty();
        assertThat(holders.of(block(7, 14))).isEmpty();
        assertThat(holders.of(block(8, 0))).isEmpty();
    }

    private static BlockId block(long session, long counter) {
        return new BlockId(1, OWNER, session, counter);
    }

    private static ObjectInfo object(String key, BlockRange... blocks) {
        return new ObjectInfo("photos", key, 1, 1, Instant.EPOCH, VersionState.ofMarker(true), List.of(blocks));
    }
}
