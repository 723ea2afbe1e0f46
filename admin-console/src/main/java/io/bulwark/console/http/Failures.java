package io.bulwark.console.http;

import io.bulwark.client.error.AlreadyExistsException;
import io.bulwark.client.error.BucketStateException;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.CancelledException;
import io.bulwark.client.error.ChangedWhileReadingException;
import io.bulwark.client.error.DeadlineExceededException;
import io.bulwark.client.error.InvalidNameException;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.KeyMissingException;
import io.bulwark.client.error.LimitReachedException;
import io.bulwark.client.error.NoSpaceException;
import io.bulwark.client.error.NoSuchBucketException;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.NoSuchVolumeException;
import io.bulwark.client.error.NotBelievedException;
import io.bulwark.client.error.NotEmptyException;
import io.bulwark.client.error.NotPermittedException;
import io.bulwark.client.error.ObjectLockedException;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.client.error.UnavailableException;
import org.springframework.http.HttpStatus;

/** Failures of the SDK, as HTTP reports them. */
public final class Failures {
    private Failures() {}

    /** Returns the status under which the API reports this failure. */
    public static HttpStatus statusOf(BulwarkException failure) {
        return switch (failure) {
            case NoSuchBucketException _, NoSuchKeyException _, NoSuchVolumeException _ -> HttpStatus.NOT_FOUND;
            case InvalidNameException _, InvalidRequestException _ -> HttpStatus.BAD_REQUEST;
            case AlreadyExistsException _,
                    NotEmptyException _,
                    ChangedWhileReadingException _,
                    BucketStateException _,
                    ObjectLockedException _ -> HttpStatus.CONFLICT;
            case KeyMissingException _ -> HttpStatus.UNPROCESSABLE_CONTENT;
            case NotPermittedException _ -> HttpStatus.FORBIDDEN;
            case PreconditionFailedException _ -> HttpStatus.PRECONDITION_FAILED;
            case LimitReachedException _ -> HttpStatus.TOO_MANY_REQUESTS;
            case NoSpaceException _ -> HttpStatus.INSUFFICIENT_STORAGE;
            case UnavailableException _, DeadlineExceededException _, CancelledException _, NotBelievedException _ ->
                HttpStatus.SERVICE_UNAVAILABLE;
            default -> HttpStatus.INTERNAL_SERVER_ERROR;
        };
    }
}
