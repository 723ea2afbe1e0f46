package io.bulwark.gateway.s3.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.protocol.id.PrincipalId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LargeDocumentsTest {
    private static final PrincipalId HOSTILE = PrincipalId.client(8);
    private static final PrincipalId OTHER = PrincipalId.client(9);

    private final LargeDocuments documents = new LargeDocuments(4, Duration.ZERO);

    private void isRefused(PrincipalId person) {
        assertThatThrownBy(() -> documents.enter(person))
                .isInstanceOfSatisfying(
                        S3Exception.class, refusal -> assertThat(refusal.code()).isEqualTo("SlowDown"));
    }

    @Test
    void onePersonHasAtMostHalfOfThePlaces() {
        documents.enter(HOSTILE);
        documents.enter(HOSTILE);
        isRefused(HOSTILE);
        documents.enter(OTHER);
        documents.enter(OTHER);
        isRefused(PrincipalId.client(10));
        documents.leave(HOSTILE);
        documents.enter(PrincipalId.client(10));
    }
}
