package io.bulwark.gateway.s3.call;

import io.bulwark.client.error.AlreadyExistsException;
import io.bulwark.client.error.BucketStateException;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.CancelledException;
import io.bulwark.client.error.ChangedWhileReadingException;
import io.bulwark.client.error.DeadlineExceededException;
import io.bulwark.client.error.IncompleteObjectException;
import io.bulwark.client.error.InvalidNameException;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.KeyMissingException;
import io.bulwark.client.error.LimitReachedException;
import io.bulwark.client.error.NoSpaceException;
import io.bulwark.client.error.NoSuchBucketException;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.NoSuchPartException;
import io.bulwark.client.error.NoSuchUploadException;
import io.bulwark.client.error.NotAuthenticException;
import io.bulwark.client.error.NotBelievedException;
import io.bulwark.client.error.NotEmptyException;
import io.bulwark.client.error.NotPermittedException;
import io.bulwark.client.error.ObjectLockedException;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.client.error.QuotaExceededException;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.S3Exception;
import java.util.Optional;

/** The one place where failures of the SDK become error codes of S3. */
public final class SdkFailures {
    private static final String RETRY = "Please try again.";

    private SdkFailures() {}

    /** Returns the refusal for a failure; empty if it is none of the SDK's and so a fault of this gateway. */
    public static Optional<S3Exception> of(Throwable failure) {
        return switch (failure) {
            case S3Exception refusal -> Optional.of(refusal);
            case BulwarkException ofSdk -> Optional.of(translate(ofSdk));
            default -> Optional.empty();
        };
    }

    private static S3Exception translate(BulwarkException failure) {
        String message = String.valueOf(failure.getMessage());
        return switch (failure) {
            case NoSuchBucketException _ -> ErrorCode.NO_SUCH_BUCKET.because("The specified bucket does not exist.");
            case NoSuchKeyException _ -> ErrorCode.NO_SUCH_KEY.because("The specified key does not exist.");
            case NotPermittedException _ -> ErrorCode.ACCESS_DENIED.because("Access Denied: " + message);
            case AlreadyExistsException _ ->
                ErrorCode.BUCKET_ALREADY_EXISTS.because("The requested bucket name is not available.");
            case NotEmptyException _ ->
                ErrorCode.BUCKET_NOT_EMPTY.because("The bucket you tried to delete is not empty.");
            case NoSuchUploadException _ ->
                ErrorCode.NO_SUCH_UPLOAD.because(
                        "The specified upload does not exist. The upload ID may be invalid, or "
                                + "the upload may have been aborted or completed.");
            case NoSuchPartException _ ->
                ErrorCode.INVALID_PART.because("One or more of the specified parts could not be found.");
            case ObjectLockedException _ ->
                ErrorCode.ACCESS_DENIED.because("Access Denied because object protected by object lock.");
            case BucketStateException _ -> ErrorCode.INVALID_BUCKET_STATE.because(message);
            case PreconditionFailedException _ ->
                ErrorCode.PRECONDITION_FAILED.because("At least one of the pre-conditions did not hold.");
            case QuotaExceededException _ -> ErrorCode.QUOTA_EXCEEDED.because(message);
            case NoSpaceException _ -> ErrorCode.STORAGE_FULL.because(message);
            case LimitReachedException _ -> ErrorCode.SLOW_DOWN.because(message);
            case InvalidNameException _, InvalidRequestException _ -> ErrorCode.INVALID_ARGUMENT.because(message);
            case KeyMissingException _ ->
                ErrorCode.INVALID_REQUEST.because("The object was encrypted by a client that keeps the key itself.");
            case ChangedWhileReadingException _ -> ErrorCode.OPERATION_ABORTED.because(message + " " + RETRY);
            case IncompleteObjectException _, NotAuthenticException _ -> ErrorCode.INTERNAL_ERROR.because(message);
            case UnavailableException _, DeadlineExceededException _, CancelledException _, NotBelievedException _ ->
                ErrorCode.SERVICE_UNAVAILABLE.because(message + " " + RETRY);
            default -> ErrorCode.INTERNAL_ERROR.because(message);
        };
    }
}
