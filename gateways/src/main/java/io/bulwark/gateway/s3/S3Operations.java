package io.bulwark.gateway.s3;

import io.bulwark.client.Bulwark;
import io.bulwark.client.error.NotPermittedException;
import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.call.LargeDocuments;
import io.bulwark.gateway.s3.call.SdkFailures;
import io.bulwark.gateway.s3.cors.CorsExchange;
import io.bulwark.gateway.s3.cors.CorsRules;
import io.bulwark.gateway.s3.permission.Action;
import io.bulwark.gateway.s3.request.Caller;
import io.bulwark.gateway.s3.request.Exchange;
import io.bulwark.gateway.s3.request.Operations;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.gateway.s3.setting.BucketSettings;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/** All operations of S3 that this gateway has, done with the rights of whoever sends the request. Thread-safe. */
public final class S3Operations implements Operations {
    /** A preflight is not signed, and each of its headers is compared with each pattern of a rule. */
    private static final int PREFLIGHT_HEADERS_MAX = 100;

    private final Bulwark door;
    private final BucketSettings settings = new BucketSettings(Action.names());
    private final LargeDocuments documents = LargeDocuments.ofHeap();

    /** @param door client of the gateway, which may act for the persons who send requests */
    public S3Operations(Bulwark door) {
        this.door = door;
    }

    /** Returns the names of all operations, in their order. */
    public static SortedSet<String> names() {
        return Route.names();
    }

    @Override
    public void handle(Exchange exchange) {
        NavigableMap<String, String> cors = new TreeMap<>();
        try {
            if (exchange.method().equals("OPTIONS")) {
                preflight(exchange);
                return;
            }
            Route route = Route.of(exchange);
            exchange.setOperation(route.operation());
            corsHeaders(exchange).ifPresent(cors::putAll);
            Exchange answering = cors.isEmpty() ? exchange : new CorsExchange(exchange, cors);
            try (Call call = call(answering)) {
                if (call.exchange().bucket().isPresent() && !route.operation().equals("CreateBucket")) {
                    call.requireOwner("x-amz-expected-bucket-owner");
                }
                route.handler().accept(call);
            }
        } catch (RuntimeException e) {
            throw SdkFailures.of(e).map(refusal -> refusal.withHeaders(cors)).orElseThrow(() -> e);
        }
    }

    @Override
    public Optional<S3Exception> refusalOf(RuntimeException failure) {
        return SdkFailures.of(failure);
    }

    private Call call(Exchange exchange) {
        return new Call(exchange, door.onBehalfOf(exchange.caller().person()), settings, documents);
    }

    /** Returns the headers that a browser needs to show the answer to another origin. */
    private Optional<SortedMap<String, String>> corsHeaders(Exchange exchange) {
        Optional<String> origin = exchange.header("origin");
        if (origin.isEmpty() || exchange.bucket().isEmpty()) {
            return Optional.empty();
        }
        String method = exchange.header("access-control-request-method").orElse(exchange.method());
        return Optional.of(
                crossOriginHeaders(exchange.caller(), exchange.bucket().get(), origin.get(), method));
    }

    @Override
    public SortedMap<String, String> crossOriginHeaders(Caller caller, String bucket, String origin, String method) {
        try {
            Bulwark view = door.onBehalfOf(caller.person());
            return settings.rules(settings.known(view, bucket))
                    .cors()
                    .flatMap(rules -> rules.headersFor(origin, method, List.of()))
                    .orElseGet(Collections::emptySortedMap);
        } catch (RuntimeException e) {
            if (SdkFailures.of(e).isEmpty()) {
                throw e;
            }
            // The operation fails itself, in its own way.
            return Collections.emptySortedMap();
        }
    }

    /** Returns the rules for other origins. Browsers do not sign a preflight, so that it must need no rights. */
    private Optional<CorsRules> corsRules(Call call) {
        try {
            return settings.cors(door, call.bucketName());
        } catch (NotPermittedException _) {
            // The gateway does not act for the creator of the bucket.
            return call.rules().cors();
        }
    }

    /** Answers the question of a browser whether it may send a request. */
    private void preflight(Exchange exchange) {
        exchange.setOperation("PreflightRequest");
        Optional<String> origin = exchange.header("origin");
        Optional<String> method = exchange.header("access-control-request-method");
        if (origin.isEmpty() || method.isEmpty() || exchange.bucket().isEmpty()) {
            throw new S3Exception(
                    400, "BadRequest", "Insufficient information. Origin and Access-Control-Request-Method needed.");
        }
        List<String> headers = exchange.headers("access-control-request-headers").stream()
                .flatMap(header -> Arrays.stream(header.split(",", -1)))
                .map(name -> name.strip().toLowerCase(Locale.ROOT))
                .filter(name -> !name.isEmpty())
                .distinct()
                .toList();
        if (headers.size() > PREFLIGHT_HEADERS_MAX) {
            throw new S3Exception(
                    400, "BadRequest", "A preflight names at most " + PREFLIGHT_HEADERS_MAX + " headers here.");
        }
        try (Call call = call(exchange)) {
            SortedMap<String, String> answer = corsRules(call)
                    .flatMap(rules -> rules.headersFor(origin.get(), method.get(), headers))
                    .orElseThrow(() ->
                            new S3Exception(403, "AccessForbidden", "CORSResponse: This CORS request is not allowed."));
            call.respond(200, answer);
        }
    }
}
