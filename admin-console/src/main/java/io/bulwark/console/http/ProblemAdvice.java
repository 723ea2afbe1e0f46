package io.bulwark.console.http;

import io.bulwark.client.error.BulwarkException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Problem details (RFC 9457) for every failure of the API. The property {@code field} names the field or parameter at fault. */
@RestControllerAdvice(annotations = RestController.class)
@Order(Ordered.HIGHEST_PRECEDENCE)
class ProblemAdvice {
    @ExceptionHandler
    ProblemDetail refused(ApiException refusal) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(refusal.status(), refusal.detail());
        if (!refusal.field().isEmpty()) {
            problem.setProperty("field", refusal.field());
        }
        return problem;
    }

    @ExceptionHandler
    ProblemDetail failed(BulwarkException failure) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(Failures.statusOf(failure), String.valueOf(failure.getMessage()));
        failure.volume().ifPresent(volume -> problem.setProperty("volume", volume));
        failure.bucket().ifPresent(bucket -> problem.setProperty("bucket", bucket));
        failure.key().ifPresent(key -> problem.setProperty("key", key));
        failure.node().ifPresent(node -> problem.setProperty("server", node));
        return problem;
    }
}
