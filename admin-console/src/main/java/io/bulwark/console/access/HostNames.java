package io.bulwark.console.access;

import io.bulwark.console.ConsoleSettings;
import io.bulwark.console.http.ProblemWriter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses requests under another host name than the console's: a page of another site whose name was pointed to this address
 * (DNS rebinding) gets nothing.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class HostNames extends OncePerRequestFilter {
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "[::1]", "::1");

    private final Set<String> names;
    private final ProblemWriter problems;

    HostNames(ConsoleSettings settings, ProblemWriter problems) {
        this.names = new TreeSet<>(LOOPBACK);
        settings.web().url().map(URI::getHost).ifPresent(host -> names.add(host.toLowerCase(Locale.ROOT)));
        if (!settings.listen().getAddress().isAnyLocalAddress()) {
            names.add(settings.listen().getAddress().getHostAddress());
        }
        this.problems = problems;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String name = String.valueOf(request.getServerName()).toLowerCase(Locale.ROOT);
        if (names.contains(name)) {
            chain.doFilter(request, response);
            return;
        }
        problems.send(
                response,
                HttpStatus.MISDIRECTED_REQUEST,
                "this console answers under the host names " + String.join(", ", names)
                        + "; the key `url` of its configuration adds one");
    }
}
