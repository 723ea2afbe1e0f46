package io.bulwark.console.http;

import java.io.Serial;
import org.springframework.http.HttpStatus;

/** Refusal of a request by the console itself, with the status that the client gets. */
public final class ApiException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private final HttpStatus status;
    private final String field;

    private ApiException(HttpStatus status, String field, String message) {
        super(message);
        this.status = status;
        this.field = field;
    }

    /** Refuses a value of a field or parameter. */
    public static ApiException badField(String field, String message) {
        return new ApiException(HttpStatus.BAD_REQUEST, field, message);
    }

    /** Refuses with another status. */
    public static ApiException of(HttpStatus status, String message) {
        return new ApiException(status, "", message);
    }

    /** Refuses an id that names nothing. */
    public static ApiException notFound(String message) {
        return new ApiException(HttpStatus.NOT_FOUND, "", message);
    }

    /** Refuses a change of something that changed after the client had read it. */
    public static ApiException changedMeanwhile(String message) {
        return new ApiException(HttpStatus.PRECONDITION_FAILED, "", message);
    }

    /** Refuses a change that contradicts the present state. */
    public static ApiException conflict(String message) {
        return new ApiException(HttpStatus.CONFLICT, "", message);
    }

    /** Refuses something that this person may not do. */
    public static ApiException forbidden(String message) {
        return new ApiException(HttpStatus.FORBIDDEN, "", message);
    }

    /** Refuses a range that lies outside what it is a range of. */
    public static ApiException unsatisfiableRange(String message) {
        return new ApiException(HttpStatus.REQUESTED_RANGE_NOT_SATISFIABLE, "Range", message);
    }

    public HttpStatus status() {
        return status;
    }

    /** Returns the field or parameter at fault; empty if it is none. */
    public String field() {
        return field;
    }

    /** Returns the message, which is never null. */
    public String detail() {
        return String.valueOf(getMessage());
    }
}
