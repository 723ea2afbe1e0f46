package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import org.junit.jupiter.api.Test;

class StorageQuotaTest {
    private static final PrincipalId OWNER = PrincipalId.client(1);

    private final StorageQuota quota = new StorageQuota(100);

    private static BlockId block(long counter) {
        return new BlockId(1, OWNER, 1, counter);
    }

    @Test
    void upToTheLimitAndNoByteMore() {
        assertThat(quota.charge(block(1), 60)).isTrue();
        assertThat(quota.charge(block(2), 41)).isFalse();
        assertThat(quota.charge(block(2), 40)).isTrue();
        assertThat(quota.charge(block(3), 1)).isFalse();
        quota.release(block(1), 60);
        assertThat(quota.of(OWNER)).isEqualTo(40);
        quota.release(block(2), 40);
        assertThat(quota.of(OWNER)).isZero();
    }

    /** The count after a start runs beside what is stored, referenced and freed. */
    @Test
    void nothingIsCountedTwiceNorReleasedUncounted() {
        quota.charge(block(5), 10);
        quota.release(block(7), 20);
        assertThat(quota.of(OWNER)).as("7 was not counted").isEqualTo(10);
        quota.count(block(1), 30);
        quota.count(block(3), 5);
        quota.release(block(3), 5);
        assertThat(quota.of(OWNER)).isEqualTo(40);
        quota.count(block(5), 10);
        quota.count(block(7), 20);
        assertThat(quota.of(OWNER)).isEqualTo(40);
        quota.endCount();
        quota.release(block(1), 30);
        quota.release(block(9), 3);
        assertThat(quota.of(OWNER)).isEqualTo(7);
    }

    @Test
    void whatIsChargedBeforeTheCountComesToItIsReleased() {
        quota.charge(block(5), 10);
        quota.charge(block(6), 10);
        quota.release(block(5), 10);
        assertThat(quota.of(OWNER)).isEqualTo(10);
    }
}
