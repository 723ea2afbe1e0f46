package io.bulwark.gateway.s3.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.error.NoSpaceException;
import io.bulwark.client.error.QuotaExceededException;
import io.bulwark.client.error.Subject;
import io.bulwark.gateway.s3.request.S3Exception;
import org.junit.jupiter.api.Test;

class SdkFailuresTest {
    /** The message names the bucket, whatever word that is. */
    @Test
    void aFullDiskIsNoQuota() {
        assertThat(SdkFailures.of(new NoSpaceException("node-0 has no space", Subject.bucket("quotas"))))
                .map(S3Exception::code)
                .contains("InsufficientStorage");
        assertThat(SdkFailures.of(new QuotaExceededException("the limit is reached", Subject.bucket("b"))))
                .map(S3Exception::code)
                .contains("QuotaExceeded");
    }
}
