package io.bulwark.console.http;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/** Reads JSON bodies of at most {@value #BYTES_MAX} bytes into memory, and refuses longer ones. Uploads are streamed instead. */
@Component
@Order(JsonBodies.ORDER)
class JsonBodies extends OncePerRequestFilter {
    /** After those of Spring Security, so that only people who signed in occupy memory. */
    static final int ORDER = 10;

    static final int BYTES_MAX = 1 << 20;

    private static final Pattern UPLOAD = Pattern.compile("/api/v1/buckets/[^/]+/object");

    private final ProblemWriter problems;

    JsonBodies(ProblemWriter problems) {
        this.problems = problems;
    }

    /** The body of an upload is an object, whatever its type: it has any length, and is streamed. */
    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return request.getMethod().equals("PUT")
                && UPLOAD.matcher(request.getRequestURI()).matches();
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String type = String.valueOf(request.getContentType()).toLowerCase(Locale.ROOT);
        if (!type.startsWith("application/") || !type.contains("json")) {
            chain.doFilter(request, response);
            return;
        }
        byte[] body = request.getContentLengthLong() > BYTES_MAX
                ? new byte[BYTES_MAX + 1]
                : request.getInputStream().readNBytes(BYTES_MAX + 1);
        if (body.length > BYTES_MAX) {
            problems.send(response, HttpStatus.CONTENT_TOO_LARGE, "a JSON body has at most " + BYTES_MAX + " bytes");
            return;
        }
        chain.doFilter(new ReadRequest(request, body), response);
    }

    /** A request whose body was read. */
    static final class ReadRequest extends HttpServletRequestWrapper {
        private final byte[] body;

        ReadRequest(HttpServletRequest request, byte[] body) {
            super(request);
            this.body = body;
        }

        byte[] body() {
            return body.clone();
        }

        @Override
        public ServletInputStream getInputStream() {
            return new MemoryStream(body);
        }

        @Override
        public BufferedReader getReader() {
            return new BufferedReader(new InputStreamReader(new ByteArrayInputStream(body), StandardCharsets.UTF_8));
        }
    }

    private static final class MemoryStream extends ServletInputStream {
        private final ByteArrayInputStream in;

        MemoryStream(byte[] body) {
            in = new ByteArrayInputStream(body);
        }

        @Override
        public int read() {
            return in.read();
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            return in.read(into, offset, length);
        }

        @Override
        public boolean isFinished() {
            return in.available() == 0;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setReadListener(ReadListener listener) {
            throw new UnsupportedOperationException("the body was read");
        }
    }
}
