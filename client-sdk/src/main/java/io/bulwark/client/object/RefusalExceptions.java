package io.bulwark.client.object;

import io.bulwark.client.error.AlreadyExistsException;
import io.bulwark.client.error.BucketStateException;
import io.bulwark.client.error.BulwarkException;
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
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.protocol.bucket.ExtentFailure;
import io.bulwark.protocol.bucket.SessionCommands;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Reply;

/** RefusalExceptions of the state machine and of the nodes as the exceptions that users see. */
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
            throw new UnavailableException(
                    "the reply of the replicas does not match the request: "
                            + reply.getClass().getSimpleName(),
                    subject);
        }
        return type.cast(reply);
    }

    /** As {@link #expect}, for who looks for a bucket, which takes the right to read also of who wants to write. */
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
            case QUOTA_EXCEEDED -> new NoSpaceException(message, subject);
            case TOO_MANY_SESSIONS, WINDOW_EXCEEDED, TOO_MANY_RANGES, LIMIT_REACHED ->
                new LimitReachedException(message, subject);
            case LOCKED, LOG_EXHAUSTED, HOLDER_SESSION, NO_SUCH_LOG -> new UnavailableException(message, subject);
            case NOT_LOCKABLE -> new InvalidRequestException(message, subject);
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
    static RuntimeException of(ExtentFailure failure, Subject subject) {
        String message = failure.message();
        return switch (failure.reason()) {
            case UNAVAILABLE, STALE_EPOCH -> new UnavailableException(message, subject);
            case TOO_FEW_HOLDERS -> new UnavailableException(message + SALVAGE, subject);
            case FREED -> new ChangedWhileReadingException(message, subject);
            case INCOMPLETE -> new IncompleteObjectException(message, subject);
            case NOT_PERMITTED -> new NotPermittedException(message, subject);
            case NO_SPACE -> new NoSpaceException(message, subject);
            case LIMIT -> new LimitReachedException(message, subject);
            case SESSION_CLOSED -> new SessionLostException(message);
        };
    }
}
