package io.bulwark.console.access;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import org.springframework.security.web.authentication.SavedRequestAwareAuthenticationSuccessHandler;
import org.springframework.security.web.savedrequest.RequestCache;

/**
 * Page after a sign-in: the one that was asked for, else the first. Its address comes from a cookie, which every server on
 * another port of this host can set. So only its path and query count, and nobody is led to another site.
 */
class Landing extends SavedRequestAwareAuthenticationSuccessHandler {
    Landing(RequestCache asked) {
        setRequestCache(asked);
        setRedirectStrategy(Landing::redirect);
    }

    private static void redirect(HttpServletRequest request, HttpServletResponse response, String url)
            throws IOException {
        response.sendRedirect(own(url));
    }

    private static String own(String url) {
        URI asked;
        try {
            asked = URI.create(url);
        } catch (IllegalArgumentException e) {
            return "/";
        }
        String path = asked.getRawPath();
        // Two slashes would begin the name of another host.
        if (path == null || !path.startsWith("/") || path.startsWith("//")) {
            return "/";
        }
        return asked.getRawQuery() == null ? path : path + "?" + asked.getRawQuery();
    }
}
