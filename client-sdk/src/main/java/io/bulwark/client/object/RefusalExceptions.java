package io.bulwark.client.object;

import io.bulwark.client.error.AlreadyExistsException;
import io.bulwark.client.error.BucketStateException;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.CancelledException;
import io.bulwark.client.error.ChangedWhileReadingException;
import io.bulwark.client.error.DeleteMarkerException;
import io.bulwark.client.error.IncompleteObjectException;
import io.bulwark.client.error.InvalidNameException;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.LimitReachedException;
import io.bulwark.client.error.NoSpaceException;
import io.bulwark.client.error.NoSuchBucketException;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.NoSuchPartException;
import io.bulwark.client.error.NoSuchUploadException;
import io.bulwark.client.error.NoSuchVolumeException;
import io.bulwark.client.error.NotEmptyException;
import io.bulwark.client.error.NotPermittedException;
import io.bulwark.client.error.ObjectLockedException;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.client.error.QuotaExceededException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.protocol.bucket.ExtentFailure;
import io.bulwark.protocol.bucket.GetFailure;
import io.bulwark.protocol.bucket.PutOutcome;
import io.bulwark.protocol.bucket.SessionCommands;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Reply;

/** Translates refusals of the state machine and of the nodes to exceptions of the SDK: no other class does so for objects. */
public final class RefusalExceptions {
    private static final String SALVAGE =
            "; bring the nodes back, or get the object with --salvage (GetOptions.withSalvage)";

    private RefusalExceptions() {}

    /**
     * The reply, if it is of the type that the request has.
     *
     * @throws BulwarkException if it is a refusal
     */
    public static <T extends Reply> T expect(Class<T> type, Reply reply, Subject subject) {
        if (reply instanceof Reply.Failed failed) {
            throw of(failed, subject);
        }
        if (!type.isInstance(reply)) {
            throw otherReply(reply, subject);
        }
        return type.cast(reply);
    }

    /**
     * Does the same as {@link #expect} for a copy or a rename: a quota or a precondition that refuses it is that of
     * the target.
     */
    public static Reply.ObjectStored expectStored(Reply reply, Subject source, Subject target) {
        boolean ofTarget = reply instanceof Reply.Failed failed
                && (failed.error() == MetadataError.CONDITION_FAILED || failed.error() == MetadataError.QUOTA_EXCEEDED);
        return expect(Reply.ObjectStored.class, reply, ofTarget ? target : source);
    }

    /** Does the same as {@link #expect} for a look-up of a bucket, which takes the right to read even of a writer. */
    public static Reply.BucketList expectBuckets(Reply reply, Subject subject) {
        if (reply instanceof Reply.Failed failed
                && failed.error() == MetadataError.NOT_AUTHORISED
                && failed.detail().endsWith(" read")) {
            throw new NotPermittedException(
                    failed.message() + " anything, so it cannot find the bucket for a read or a write", subject);
        }
        return expect(Reply.BucketList.class, reply, subject);
    }

    static Subject aboutVolume(int volume) {
        return volume == SessionPool.NO_VOLUME ? Subject.NONE : Subject.volume("number " + volume);
    }

    /** Maps the outcome of a put that stored nothing to the exception for the user, or for who repeats the put. */
    static RuntimeException of(PutOutcome outcome, Subject subject) {
        return switch (outcome) {
            case PutOutcome.Stored stored -> throw new IllegalArgumentException("no failure: " + stored);
            case PutOutcome.Refused refused -> of(refused.reply(), subject);
            case PutOutcome.Failed failed -> of(failed.failure(), subject);
            case PutOutcome.SessionLost lost -> new SessionLostException(lost.message());
            case PutOutcome.StaleEpoch stale -> new StaleEpochException(stale.message());
            case PutOutcome.Unknown unknown ->
                new UnavailableException(unknown.message() + "; the object may have been put", subject);
            case PutOutcome.GivenUp ignored -> new CancelledException("the object was aborted", subject);
        };
    }

    static RuntimeException of(GetFailure failure, Subject subject) {
        return switch (failure) {
            case GetFailure.Extent(var extent) -> of(extent, subject);
            case GetFailure.NoPinList(String message) -> new IncompleteObjectException(message, subject);
            case GetFailure.Changed(var extent) ->
                new ChangedWhileReadingException(
                        "this version was deleted during the read; " + extent.message(), subject);
            case GetFailure.Gone ignored ->
                new ChangedWhileReadingException("this version was deleted during the read", subject);
            case GetFailure.NotFreed(var extent) ->
                new UnavailableException("nodes report a block as freed that was not; " + extent.message(), subject);
            case GetFailure.Refused(Reply.Failed reply) -> of(reply, subject);
            case GetFailure.Refused(Reply reply) -> otherReply(reply, subject);
        };
    }

    private static UnavailableException otherReply(Reply reply, Subject subject) {
        return new UnavailableException(
                "the reply of the replicas does not match the request: "
                        + reply.getClass().getSimpleName(),
                subject);
    }

    static RuntimeException of(Reply.Failed failed, Subject subject) {
        String message =
                failed.message() + (SessionCommands.mayBeExecuted(failed) ? "; it may have been executed before" : "");
        return switch (failed.error()) {
            case NOT_AUTHORISED, BAD_SIGNATURE, SUSPENDED -> new NotPermittedException(message, subject);
            case BAD_NAME, BAD_KEY -> new InvalidNameException(message, subject);
            case MALFORMED, BAD_ARGUMENT, TOO_FEW_NODES, OTHER_VOLUME, WRONG_LAYOUT, NO_SUCH_PRINCIPAL ->
                new InvalidRequestException(message, subject);
            case NO_SUCH_VOLUME -> new NoSuchVolumeException(message, subject);
            case NO_SUCH_BUCKET -> new NoSuchBucketException(message, subject);
            case NO_SUCH_OBJECT, NO_SUCH_VERSION -> new NoSuchKeyException(message, subject);
            case NO_SUCH_UPLOAD -> new NoSuchUploadException(message, subject);
            case NO_SUCH_PART -> new NoSuchPartException(message, subject);
            case IS_DELETE_MARKER -> new DeleteMarkerException(message, subject);
            case OBJECT_LOCKED -> new ObjectLockedException(message, subject);
            case BAD_BUCKET_STATE -> new BucketStateException(message, subject);
            case VOLUME_EXISTS, BUCKET_EXISTS, PRINCIPAL_EXISTS, KEY_USED ->
                new AlreadyExistsException(message, subject);
            case VOLUME_IN_USE, BUCKET_NOT_EMPTY, NODE_IN_USE -> new NotEmptyException(message, subject);
            case CONDITION_FAILED -> new PreconditionFailedException(message, subject);
            case QUOTA_EXCEEDED -> new QuotaExceededException(message, subject);
            case TOO_MANY_SESSIONS, WINDOW_EXCEEDED, TOO_MANY_RANGES, LIMIT_REACHED ->
                new LimitReachedException(message, subject);
            case LOCKED, LOG_EXHAUSTED, HOLDER_SESSION, NO_SUCH_LOG -> new UnavailableException(message, subject);
            case NOT_LOCKABLE, NOT_INLINE -> new InvalidRequestException(message, subject);
            case SESSION_UNKNOWN,
                    SESSION_CLOSED,
                    NUMBER_TOO_OLD,
                    NUMBER_REUSED,
                    WRONG_SESSION,
                    STALE_EPOCH,
                    CHANGE_PENDING,
                    REPLICAS_CHANGING,
                    OTHER_REPLICAS,
                    TOO_MANY_UNCONFIRMED,
                    RANGE_USED,
                    NO_SUCH_PENDING -> new UnavailableException(message, subject);
        };
    }

    /** Maps a failure to store or fetch an extent to the exception for its object. */
    private static BulwarkException of(ExtentFailure failure, Subject subject) {
        String message = failure.message();
        return switch (failure.reason()) {
            case UNAVAILABLE, STALE_EPOCH, SESSION_CLOSED -> new UnavailableException(message, subject);
            case TOO_FEW_HOLDERS -> new UnavailableException(message + SALVAGE, subject);
            case FREED -> new ChangedWhileReadingException(message, subject);
            case INCOMPLETE -> new IncompleteObjectException(message, subject);
            case NOT_PERMITTED -> new NotPermittedException(message, subject);
            case NO_SPACE -> new NoSpaceException(message, subject);
            case LIMIT -> new LimitReachedException(message, subject);
        };
    }
}
