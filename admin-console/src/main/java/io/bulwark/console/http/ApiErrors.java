package io.bulwark.console.http;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Objects;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Gives problem details to requests to the API that ended before a controller, such as those that the firewall refuses. The error
 * page of the server would answer them otherwise, with HTML for a browser.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 1)
class ApiErrors extends OncePerRequestFilter {
    private final ProblemWriter problems;

    ApiErrors(ProblemWriter problems) {
        this.problems = problems;
    }

    @Override
    protected boolean shouldNotFilterErrorDispatch() {
        return false;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        Object asked = request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI);
        if (request.getDispatcherType() != DispatcherType.ERROR
                || asked == null
                || !asked.toString().startsWith("/api/")) {
            chain.doFilter(request, response);
            return;
        }
        HttpStatus known = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) instanceof Integer code
                ? HttpStatus.resolve(code)
                : null;
        HttpStatus status = Objects.requireNonNullElse(known, HttpStatus.INTERNAL_SERVER_ERROR);
        problems.send(
                response,
                status,
                status.is5xxServerError()
                        ? "the console failed; its log says why"
                        : "the request is malformed, and was refused");
    }
}
