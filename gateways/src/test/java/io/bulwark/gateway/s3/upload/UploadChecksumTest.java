package io.bulwark.gateway.s3.upload;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.gateway.s3.body.ChecksumAlgorithm;
import io.bulwark.gateway.s3.request.S3Exception;
import java.util.Set;
import org.junit.jupiter.api.Test;

class UploadChecksumTest {
    @Test
    void partsHaveTheAnnouncedAlgorithm() {
        UploadChecksum ofParts = new UploadChecksum(ChecksumAlgorithm.SHA256, true);
        ofParts.requirePart(Set.of("SHA256"));
        assertThatThrownBy(() -> ofParts.requirePart(Set.of())).isInstanceOf(S3Exception.class);
        assertThatThrownBy(() -> ofParts.requirePart(Set.of("CRC32"))).isInstanceOf(S3Exception.class);
        UploadChecksum ofAll = new UploadChecksum(ChecksumAlgorithm.CRC32, false);
        ofAll.requirePart(Set.of("CRC32"));
        ofAll.requirePart(Set.of());
        assertThatThrownBy(() -> ofAll.requirePart(Set.of("SHA256"))).isInstanceOf(S3Exception.class);
    }
}
