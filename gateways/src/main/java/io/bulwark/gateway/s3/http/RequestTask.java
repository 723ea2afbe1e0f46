package io.bulwark.gateway.s3.http;

import io.bulwark.gateway.s3.body.BodyReader;
import io.bulwark.gateway.s3.body.VerifiedBody;
import io.bulwark.gateway.s3.form.FormReader;
import io.bulwark.gateway.s3.form.FormUpload;
import io.bulwark.gateway.s3.request.Addressing;
import io.bulwark.gateway.s3.request.ErrorDocument;
import io.bulwark.gateway.s3.request.RequestHead;
import io.bulwark.gateway.s3.request.RequestTarget;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.gateway.s3.signature.Authentication;
import io.bulwark.protocol.id.PrincipalId;
import io.netty.handler.codec.http.HttpRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Verifies one request and has it answered, on a virtual thread. */
final class RequestTask implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(RequestTask.class);
    private static final Set<String> METHODS = Set.of("GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS");
    private static final int CAUSES_MAX = 16;

    private final ServerContext server;
    private final HttpRequest request;
    private final RequestBody wire;
    private final Responder responder;
    private final Runnable finished;
    private final long begunNanos = System.nanoTime();
    private @Nullable HttpExchange exchange;
    private @Nullable VerifiedBody body;

    /**
     * Creates a task.
     *
     * @param finished is called at the end, whatever happened
     */
    RequestTask(ServerContext server, HttpRequest request, RequestBody wire, Responder responder, Runnable finished) {
        this.server = server;
        this.request = request;
        this.wire = wire;
        this.responder = responder;
        this.finished = finished;
    }

    @Override
    public void run() {
        try {
            answer();
        } catch (Throwable e) {
            LOG.error("request {} failed", responder.ids().requestId(), e);
            responder.endConnection();
        } finally {
            wire.discard();
            HttpExchange known = exchange;
            server.meters()
                    .count(
                            known == null ? S3Meters.NO_OPERATION : known.operation(),
                            responder.isComplete() ? responder.status() : 0,
                            System.nanoTime() - begunNanos,
                            wire.receivedBytes(),
                            responder.sentBytes());
            finished.run();
        }
    }

    private void answer() {
        try {
            HttpExchange verified = verify();
            exchange = verified;
            handle(verified);
            if (!responder.hasBegun()) {
                throw new IllegalStateException("the operation gave no response");
            }
        } catch (RuntimeException e) {
            HttpExchange known = exchange;
            if (known == null || !known.isSigned()) {
                responder.refuseStranger();
            }
            S3Exception refusal = meaningOf(e);
            refuse(known == null ? refusal.withHeaders(crossOriginHeaders()) : refusal);
        }
    }

    private void handle(HttpExchange verified) {
        // All without a signature share one part.
        PrincipalId sender = verified.isSigned() ? verified.caller().person() : PrincipalId.NOBODY;
        if (!server.tryEnterOf(sender)) {
            // The rest of the body would be awaited in a place of all senders.
            responder.endConnection();
            throw new S3Exception(503, "SlowDown", "Please reduce your request rate.");
        }
        try {
            server.operations().handle(verified);
        } finally {
            server.leaveOf(sender);
        }
    }

    /** Returns what lets a page of another origin see why its request was refused; nothing if its claim is none. */
    private Map<String, String> crossOriginHeaders() {
        if (!request.headers().contains("origin")) {
            return Map.of();
        }
        try {
            RequestHead head = head();
            Addressing.Place place = server.addressing()
                    .find(head.single("host").orElse(""), head.target().path());
            if (place.bucket().isEmpty()) {
                return Map.of();
            }
            return server.operations()
                    .crossOriginHeaders(
                            server.authenticator().claimedCaller(head),
                            place.bucket().get(),
                            head.single("origin").orElse(""),
                            head.method());
        } catch (S3Exception _) {
            return Map.of();
        }
    }

    private S3Exception meaningOf(RuntimeException e) {
        // An operation whose body is refused fails of that, in whatever way the SDK tells it.
        VerifiedBody known = body;
        if (known != null && known.failure().isPresent()) {
            S3Exception refusal = known.failure().get();
            return e instanceof S3Exception told ? refusal.withHeaders(told.headers()) : refusal;
        }
        Throwable cause = e;
        for (int i = 0; i < CAUSES_MAX && cause != null; i++) {
            if (cause instanceof S3Exception refusal) {
                return refusal;
            }
            cause = cause.getCause();
        }
        Optional<S3Exception> translated = server.operations().refusalOf(e);
        if (translated.isPresent()) {
            return translated.get();
        }
        if (responder.hasBegun()) {
            LOG.debug("request {} ended within its response", responder.ids().requestId(), e);
        } else {
            LOG.error(
                    "request {} failed: {} {}",
                    responder.ids().requestId(),
                    request.method(),
                    // The query may carry a signature that is valid for days.
                    pathOf(request.uri()),
                    e);
        }
        return new S3Exception(500, "InternalError", "We encountered an internal error. Please try again.");
    }

    private void refuse(S3Exception refusal) {
        if (responder.hasBegun()) {
            // The client must not take what it has for the whole.
            if (!responder.isComplete()) {
                responder.abort();
            }
            return;
        }
        LOG.debug("refused request {}: {} {}", responder.ids().requestId(), refusal.code(), refusal.getMessage());
        respondWith(refusal);
    }

    private void respondWith(S3Exception refusal) {
        byte[] document = ErrorDocument.encode(
                refusal,
                pathOf(request.uri()),
                responder.ids().requestId(),
                responder.ids().hostId());
        TreeMap<String, String> headers = new TreeMap<>(refusal.headers());
        headers.put("Content-Type", "application/xml");
        try (OutputStream out = responder.respond(refusal.status(), headers, OptionalLong.of(document.length))) {
            out.write(document);
        } catch (IOException e) {
            LOG.debug("request {} was not answered", responder.ids().requestId(), e);
        }
    }

    private static String pathOf(String uri) {
        int mark = uri.indexOf('?');
        return mark < 0 ? uri : uri.substring(0, mark);
    }

    private HttpExchange verify() {
        RequestHead head = head();
        String host = head.single("host")
                .orElseThrow(() -> new S3Exception(400, "InvalidRequest", "The request has no Host header."));
        Addressing.Place place = server.addressing().find(host, head.target().path());
        OptionalLong wireLength = wireLength(head);
        if (isForm(head, place)) {
            return verifyForm(head, place);
        }
        // Browsers ask for permission without a signature.
        Authentication sender = head.method().equals("OPTIONS")
                ? server.authenticator().preflight(head)
                : server.authenticator().authenticate(head);
        OptionalLong length = BodyReader.contentLength(sender, wireLength);
        requireLength(sender.head(), place);
        VerifiedBody opened = BodyReader.open(sender, wire, length);
        body = opened;
        return new HttpExchange(
                BodyReader.withoutFraming(sender.head()),
                place,
                sender.sender(),
                new HttpExchange.Content(opened, length, Optional.empty()),
                responder);
    }

    private static boolean isForm(RequestHead head, Addressing.Place place) {
        return head.method().equals("POST")
                && place.bucket().isPresent()
                && place.key().isEmpty()
                && head.target().query().isEmpty()
                && !head.headers().containsKey("authorization")
                && head.single("content-type").filter(FormReader::isForm).isPresent();
    }

    private HttpExchange verifyForm(RequestHead head, Addressing.Place place) {
        if (!server.tryAwaitFields()) {
            throw new S3Exception(503, "SlowDown", "Please reduce your request rate.");
        }
        FormUpload upload;
        try {
            upload = FormUpload.open(
                    head, place.bucket().orElseThrow(), wire, server.authenticator(), InstantSource.system());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            server.endFields();
        }
        body = upload.file();
        return new HttpExchange(
                upload.head(),
                new Addressing.Place(place.bucket(), Optional.of(upload.key())),
                upload::caller,
                new HttpExchange.Content(upload.file(), OptionalLong.empty(), Optional.of(upload.fields())),
                responder);
    }

    private RequestHead head() {
        String method = request.method().name();
        if (!METHODS.contains(method)) {
            throw new S3Exception(
                    405, "MethodNotAllowed", "The specified method is not allowed against this resource.");
        }
        TreeMap<String, List<String>> headers = new TreeMap<>();
        for (Map.Entry<String, String> header : request.headers()) {
            headers.computeIfAbsent(header.getKey().toLowerCase(Locale.ROOT), _ -> new ArrayList<>())
                    .add(header.getValue());
        }
        RequestHead head = new RequestHead(method, RequestTarget.parse(request.uri()), headers);
        head.requireUnambiguous();
        return head;
    }

    private static OptionalLong wireLength(RequestHead head) {
        // The decoder has checked it.
        Optional<String> length = head.single("content-length");
        if (length.isPresent()) {
            return OptionalLong.of(Long.parseLong(length.get()));
        }
        return OptionalLong.empty();
    }

    /** A PUT of an object without its length could be one that a client or proxy has cut. */
    private static void requireLength(RequestHead head, Addressing.Place place) {
        Map<String, List<String>> headers = head.headers();
        if (head.method().equals("PUT")
                && place.key().isPresent()
                && !headers.containsKey("content-length")
                && !headers.containsKey("transfer-encoding")
                && !headers.containsKey("x-amz-copy-source")) {
            throw new S3Exception(411, "MissingContentLength", "You must provide the Content-Length HTTP header.");
        }
    }
}
