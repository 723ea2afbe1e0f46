package io.bulwark.console.http;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.Principal;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.ContentCachingResponseWrapper;

/**
 * Answers a {@code POST} that a person repeats with the same {@code Idempotency-Key} as it was answered first, for an hour.
 * Another request under the key is refused (422), and one while the first is in progress too (409). A failure of the server is
 * not kept, so that it can be tried again. Memory is bounded: the oldest answers are forgotten first.
 */
@Component
@Order(JsonBodies.ORDER + 1)
class IdempotencyKeys extends OncePerRequestFilter {
    static final String HEADER = "Idempotency-Key";
    static final int ENTRIES_MAX = 1000;
    static final int ANSWER_BYTES_MAX = 16 << 10;
    static final Duration KEPT = Duration.ofHours(1);
    private static final Pattern KEY = Pattern.compile("[\\x21-\\x7e]{1,128}");

    /** Headers of an answer that belong to it. */
    private static final List<String> HEADERS = List.of("Location", "ETag");

    private final ProblemWriter problems;
    private final Clock clock;
    private final Map<PersonsKey, KeptRequest> entries = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<PersonsKey, KeptRequest> eldest) {
            return size() > ENTRIES_MAX;
        }
    };

    private record PersonsKey(String person, String key) implements Comparable<PersonsKey> {
        private static final Comparator<PersonsKey> ORDER =
                Comparator.comparing(PersonsKey::person).thenComparing(PersonsKey::key);

        @Override
        public int compareTo(PersonsKey other) {
            return ORDER.compare(this, other);
        }
    }

    /** @param answer null while the first request is in progress */
    private record KeptRequest(
            Instant at, String request, @Nullable Answer answer) {}

    /** @param body null if it is too long to keep */
    @SuppressWarnings("ArrayRecordComponent") // Never compared, and never shared.
    private record Answer(int status, @Nullable String type, Map<String, String> headers, byte @Nullable [] body) {}

    @Autowired
    IdempotencyKeys(ProblemWriter problems) {
        this(problems, Clock.systemUTC());
    }

    IdempotencyKeys(ProblemWriter problems, Clock clock) {
        this.problems = problems;
        this.clock = clock;
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        // An archive changes nothing, and is too long to be kept.
        return !request.getMethod().equals("POST")
                || request.getHeader(HEADER) == null
                || request.getRequestURI().endsWith("/zip");
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        Principal person = request.getUserPrincipal();
        if (person == null) {
            chain.doFilter(request, response);
            return;
        }
        String header = String.valueOf(request.getHeader(HEADER));
        if (!KEY.matcher(header).matches()) {
            problems.send(
                    response, HttpStatus.BAD_REQUEST, HEADER + " has 1 to 128 printable characters without spaces");
            return;
        }
        PersonsKey key = new PersonsKey(person.getName(), header);
        String fingerprint = fingerprint(request);
        KeptRequest known = begin(key, fingerprint);
        if (known != null) {
            repeat(known, fingerprint, response);
            return;
        }
        ContentCachingResponseWrapper caching = new ContentCachingResponseWrapper(response);
        boolean kept = false;
        try {
            chain.doFilter(request, caching);
            if (!request.isAsyncStarted() && caching.getStatus() < 500) {
                end(key, fingerprint, answer(caching));
                kept = true;
            }
        } finally {
            if (!kept) {
                forget(key);
            }
            caching.copyBodyToResponse();
        }
    }

    /** Returns the entry of an earlier request; null if there is none, and this one begins. */
    private synchronized @Nullable KeptRequest begin(PersonsKey key, String fingerprint) {
        Instant now = clock.instant();
        KeptRequest known = entries.get(key);
        if (known != null && now.isBefore(known.at.plus(KEPT))) {
            return known;
        }
        entries.remove(key);
        entries.put(key, new KeptRequest(now, fingerprint, null));
        return null;
    }

    private synchronized void end(PersonsKey key, String fingerprint, Answer answer) {
        entries.replace(key, new KeptRequest(clock.instant(), fingerprint, answer));
    }

    private synchronized void forget(PersonsKey key) {
        entries.remove(key);
    }

    private void repeat(KeptRequest known, String fingerprint, HttpServletResponse response) throws IOException {
        Answer answer = known.answer;
        if (!known.request.equals(fingerprint)) {
            problems.send(
                    response,
                    HttpStatus.UNPROCESSABLE_CONTENT,
                    "this " + HEADER + " was used for another request; choose a new one");
        } else if (answer == null) {
            problems.send(response, HttpStatus.CONFLICT, "the first request with this " + HEADER + " is in progress");
        } else if (answer.body == null) {
            problems.send(response, HttpStatus.CONFLICT, "the request was done; its answer was too long to be kept");
        } else {
            response.setStatus(answer.status);
            if (answer.type != null) {
                response.setContentType(answer.type);
            }
            answer.headers.forEach(response::setHeader);
            response.getOutputStream().write(answer.body);
        }
    }

    private static Answer answer(ContentCachingResponseWrapper caching) {
        Map<String, String> headers = new TreeMap<>();
        for (String name : HEADERS) {
            String value = caching.getHeader(name);
            if (value != null) {
                headers.put(name, value);
            }
        }
        boolean tooLong = caching.getContentSize() > ANSWER_BYTES_MAX;
        return new Answer(
                caching.getStatus(),
                caching.getContentType(),
                headers,
                tooLong ? null : caching.getContentAsByteArray());
    }

    /** Uploads are no JSON and are not read twice: of them the address and the length count. */
    private static String fingerprint(HttpServletRequest request) {
        try {
            MessageDigest hash = MessageDigest.getInstance("SHA-256");
            String line = request.getRequestURI() + "?" + request.getQueryString() + "\n" + request.getContentType()
                    + "\n" + request.getContentLengthLong() + "\n";
            hash.update(line.getBytes(StandardCharsets.UTF_8));
            if (request instanceof JsonBodies.ReadRequest read) {
                hash.update(read.body());
            }
            return HexFormat.of().formatHex(hash.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
