package io.bulwark.client.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.error.NotPermittedException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Reply;
import java.util.List;
import org.junit.jupiter.api.Test;

class RefusalExceptionsTest {
    private static final Subject PAPERS = Subject.bucket("papers");

    /** A put does not read an object, so "may not read" alone would be confusing. */
    @Test
    void whoFindsNoBucketForWantOfARightIsToldThatItIsTheFindingThatTakesIt() {
        assertThatThrownBy(() -> RefusalExceptions.expectBuckets(refused("client-2 may not read"), PAPERS))
                .isInstanceOf(NotPermittedException.class)
                .hasMessageContaining("client-2 may not read anything, so it cannot find the bucket for a read or a")
                .hasMessageContaining("papers");
        assertThatThrownBy(() -> RefusalExceptions.expectBuckets(refused("client-2 may not ask anything"), PAPERS))
                .hasMessageContaining("it was revoked or never registered");
        Reply.BucketList none = new Reply.BucketList(List.of(), "");
        assertThat(RefusalExceptions.expectBuckets(none, PAPERS)).isSameAs(none);
    }

    private static Reply refused(String detail) {
        return new Reply.Failed(MetadataError.NOT_AUTHORISED, detail);
    }
}
