package io.bulwark.client.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.error.CancelledException;
import io.bulwark.client.error.NoSpaceException;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.NotPermittedException;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.client.error.QuotaExceededException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.protocol.bucket.ExtentFailure;
import io.bulwark.protocol.bucket.ExtentFailure.Reason;
import io.bulwark.protocol.bucket.PutOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
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

    @Test
    void aPutIsRepeatedOnlyIfNothingOfItCanBeVisible() {
        assertThat(RefusalExceptions.of(new PutOutcome.SessionLost("closed"), PAPERS))
                .isInstanceOf(SessionLostException.class);
        assertThat(RefusalExceptions.of(new PutOutcome.StaleEpoch("epoch 4"), PAPERS))
                .isInstanceOf(StaleEpochException.class);
        assertThat(RefusalExceptions.of(new PutOutcome.Unknown("nobody answers"), PAPERS))
                .isInstanceOf(UnavailableException.class)
                .hasMessage("nobody answers; the object may have been put [bucket papers]");
        assertThat(RefusalExceptions.of(new PutOutcome.GivenUp(), PAPERS)).isInstanceOf(CancelledException.class);
    }

    @Test
    void aQuotaIsNotTheSpaceOfTheDisks() {
        Reply.Failed quota = new Reply.Failed(MetadataError.QUOTA_EXCEEDED, "");
        assertThat(RefusalExceptions.of(new PutOutcome.Refused(quota), PAPERS))
                .isInstanceOf(QuotaExceededException.class);
        ExtentFailure full =
                new ExtentFailure(Reason.NO_SPACE, new BlockId(1, PrincipalId.client(2), 3, 4), "node-0 has no space");
        assertThat(RefusalExceptions.of(new PutOutcome.Failed(full), PAPERS))
                .isExactlyInstanceOf(NoSpaceException.class);
    }

    @Test
    void aPreconditionOfARenameIsAboutItsTarget() {
        Subject source = Subject.key("papers", "moved");
        Subject target = Subject.key("papers", "q?");
        Reply exists = new Reply.Failed(MetadataError.CONDITION_FAILED, "IF_ABSENT, the version is 199");
        assertThatThrownBy(() -> RefusalExceptions.expectStored(exists, source, target))
                .isInstanceOf(PreconditionFailedException.class)
                .hasMessageEndingWith("the version is 199 [bucket papers, key q?]");
        Reply missing = new Reply.Failed(MetadataError.NO_SUCH_OBJECT, "");
        assertThatThrownBy(() -> RefusalExceptions.expectStored(missing, source, target))
                .isInstanceOf(NoSuchKeyException.class)
                .hasMessageEndingWith("[bucket papers, key moved]");
    }

    private static Reply refused(String detail) {
        return new Reply.Failed(MetadataError.NOT_AUTHORISED, detail);
    }
}
