package io.bulwark.console.access;

import io.bulwark.console.http.ProblemWriter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses changes that a browser sends for a page of another origin. Cookies know neither ports nor sibling hosts: a server on
 * another port of this host gets them, and can set the one with the token against forged requests. The header comes from
 * the browser, and no page can forge it; programs do not send it.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 1)
class Origins extends OncePerRequestFilter {
    private static final String SITE = "Sec-Fetch-Site";
    private static final Set<String> FOREIGN = Set.of("cross-site", "same-site");
    private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");

    private final ProblemWriter problems;

    Origins(ProblemWriter problems) {
        this.problems = problems;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String site = request.getHeader(SITE);
        if (site != null && FOREIGN.contains(site) && !READS.contains(request.getMethod())) {
            problems.send(
                    response,
                    HttpStatus.FORBIDDEN,
                    "a page of another origin sent this; the console changes nothing for it");
            return;
        }
        chain.doFilter(request, response);
    }
}
