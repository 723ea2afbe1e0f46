package io.bulwark.console.http;

import io.bulwark.client.error.BulwarkException;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.bind.MissingServletRequestParameterException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import tools.jackson.core.JacksonException;

/** Problem details (RFC 9457) for every failure of the API. The property {@code field} names the field or parameter at fault. */
@RestControllerAdvice(annotations = RestController.class)
@Order(Ordered.HIGHEST_PRECEDENCE)
class ProblemAdvice {
    @ExceptionHandler
    ProblemDetail refused(ApiException refusal) {
        return problem(refusal);
    }

    private static ProblemDetail problem(ApiException refusal) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(refusal.status(), refusal.detail());
        if (!refusal.field().isEmpty()) {
            problem.setProperty("field", refusal.field());
        }
        return problem;
    }

    @ExceptionHandler
    ProblemDetail mistyped(MethodArgumentTypeMismatchException mismatch) {
        Class<?> type = mismatch.getRequiredType();
        boolean number =
                type != null && (type == int.class || type == long.class || Number.class.isAssignableFrom(type));
        return badField(mismatch.getName(), number ? "a whole number is wanted" : "the value has another form");
    }

    @ExceptionHandler
    ProblemDetail missing(MissingServletRequestParameterException missing) {
        return badField(missing.getParameterName(), "the parameter is missing");
    }

    @ExceptionHandler
    ProblemDetail unreadable(HttpMessageNotReadableException unreadable) {
        if (unreadable.getCause() instanceof JacksonException cause
                && !cause.getPath().isEmpty()) {
            return badField(path(cause), "the field has another form than this");
        }
        return ProblemDetail.forStatusAndDetail(
                HttpStatus.BAD_REQUEST, "the body is missing, or is not the JSON of this operation");
    }

    /** Tomcat decodes parameters when the first of them is read. */
    @ExceptionHandler
    ProblemDetail undecodable(InvalidParameterException undecodable) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, "a parameter is not percent-encoded UTF-8");
    }

    private static ProblemDetail badField(String field, String detail) {
        return problem(ApiException.badField(field, field + ": " + detail));
    }

    /** Returns the name of a field with those that contain it; elements of lists have no name. */
    private static String path(JacksonException cause) {
        return cause.getPath().stream()
                .map(JacksonException.Reference::getPropertyName)
                .filter(Objects::nonNull)
                .collect(Collectors.joining("."));
    }

    @ExceptionHandler
    ProblemDetail failed(BulwarkException failure) {
        ProblemDetail problem =
                ProblemDetail.forStatusAndDetail(Failures.statusOf(failure), String.valueOf(failure.getMessage()));
        failure.volume().ifPresent(volume -> problem.setProperty("volume", volume));
        failure.bucket().ifPresent(bucket -> problem.setProperty("bucket", bucket));
        failure.key().ifPresent(key -> problem.setProperty("key", key));
        failure.node().ifPresent(node -> problem.setProperty("server", node));
        return problem;
    }
}
