package io.bulwark.console;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/** Pages may load nothing from elsewhere nor be framed; requests under another host name (DNS rebinding) are refused. */
@Component
class ResponseHeaders extends OncePerRequestFilter {
    private static final int MISDIRECTED_REQUEST = 421;
    private static final Set<String> LOOPBACK_NAMES = Set.of("127.0.0.1", "localhost", "[::1]", "::1");

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (!LOOPBACK_NAMES.contains(request.getServerName())) {
            response.sendError(MISDIRECTED_REQUEST, "ask for 127.0.0.1 or localhost");
            return;
        }
        response.setHeader("Content-Security-Policy", "default-src 'self'; img-src data:; frame-ancestors 'none'");
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Referrer-Policy", "no-referrer");
        chain.doFilter(request, response);
    }
}
