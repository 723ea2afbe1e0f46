package io.bulwark.appliance.transfer;

import io.bulwark.client.AccessKeySpec;
import io.bulwark.client.AccessKeys;
import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ListOptions;
import io.bulwark.client.bulk.ParallelWork;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.gateway.s3.signature.RequestSigner;
import io.bulwark.protocol.metadata.AccessKey;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.HdrHistogram.Histogram;

/**
 * Puts, gets and lists objects through an S3 gateway and through the SDK, in turns, with a temporary access key. The
 * client signs heads, not bodies, and computes no checksums.
 */
public final class GatewayRun implements AutoCloseable {
    private static final int KEYS_PER_THREAD = 16;
    private static final int LISTED = 1000;
    private static final int TURNS = 6;
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final Bulwark client;
    private final Bucket bucket;
    private final URI endpoint;
    private final int threads;
    private final byte[] content;
    private final AccessKeys.Issued key;
    private final RequestSigner signer;
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpClient http;
    private final List<String> failures = new ArrayList<>();

    /**
     * Makes an access key for the bucket.
     *
     * @param endpoint URL of a gateway
     */
    public GatewayRun(Bulwark client, String bucket, URI endpoint, int sizeBytes, int threads) {
        this.client = client;
        this.bucket = client.bucket(bucket);
        this.endpoint = endpoint;
        this.threads = threads;
        content = new byte[sizeBytes];
        new SplittableRandom(1).nextBytes(content);
        key = client.accessKeys()
                .create(AccessKeySpec.of("bench").withLimits(List.of(new AccessKey.Limit(bucket, ""))));
        signer = new RequestSigner(key.key().id(), key.secret(), endpoint.getRawAuthority());
        http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .executor(executor)
                .connectTimeout(TIMEOUT)
                .build();
    }

    /**
     * One operation through both doors.
     *
     * @param sdkPerSecond bytes through the SDK; for the list, lists
     * @param gatewayPerSecond the same through the gateway
     * @param gatewayMicros latencies
     */
    public record Result(
            String operation,
            double sdkPerSecond,
            double gatewayPerSecond,
            Histogram sdkMicros,
            Histogram gatewayMicros) {
        public double ratio() {
            return gatewayPerSecond / sdkPerSecond;
        }
    }

    /** Sums of the turns of one door. */
    private static final class Side {
        private final Histogram micros = ClosedLoop.noLatencies();
        private double seconds;

        private void add(ClosedLoop loop) {
            micros.add(loop.micros());
            seconds += loop.seconds();
        }
    }

    public List<String> failures() {
        return List.copyOf(failures);
    }

    /** Measures puts, gets and lists for so long each. The first turns of both doors are not counted. */
    public List<Result> run(double seconds) throws InterruptedException {
        Result put = compare("put", content.length, seconds, threads, this::put, this::putThrough);
        Result get = compare("get", content.length, seconds, threads, this::get, this::getThrough);
        fill();
        Result list = compare("list", 1, seconds, 1, (_, _) -> list(), (_, _) -> listThrough());
        return List.of(put, get, list);
    }

    private Result compare(
            String name,
            long bytes,
            double seconds,
            int callers,
            ClosedLoop.Operation sdk,
            ClosedLoop.Operation gateway)
            throws InterruptedException {
        Side direct = new Side();
        Side through = new Side();
        double turnSeconds = seconds / (2 * TURNS);
        for (int turn = 0; turn <= TURNS && failures.isEmpty(); turn++) {
            for (boolean isGateway : new boolean[] {turn % 2 == 0, turn % 2 != 0}) {
                ClosedLoop loop = ClosedLoop.run(callers, turnSeconds, isGateway ? gateway : sdk);
                failures.addAll(loop.failures());
                if (turn > 0) {
                    (isGateway ? through : direct).add(loop);
                }
            }
        }
        return new Result(name, rate(direct, bytes), rate(through, bytes), direct.micros, through.micros);
    }

    private static double rate(Side side, long bytes) {
        return side.micros.getTotalCount() * bytes / side.seconds;
    }

    private static String name(String door, int caller, int round) {
        return door + "/" + caller + "/" + round % KEYS_PER_THREAD;
    }

    private void put(int caller, int round) {
        bucket.put(name("sdk", caller, round), content);
    }

    private void putThrough(int caller, int round) {
        send("PUT", name("gateway", caller, round), HttpRequest.BodyPublishers.ofByteArray(content));
    }

    private void get(int caller, int round) {
        bucket.readTo(name("sdk", caller, round), OutputStream.nullOutputStream());
    }

    private void getThrough(int caller, int round) {
        send("GET", name("gateway", caller, round), HttpRequest.BodyPublishers.noBody());
    }

    private void list() {
        int found = bucket.list(ListOptions.DEFAULT.withPrefix("listed/").withLimit(LISTED))
                .objects()
                .size();
        if (found != LISTED) {
            throw new UnavailableException(found + " of " + LISTED + " keys listed", Subject.NONE);
        }
    }

    private void listThrough() {
        send("GET", "?list-type=2&prefix=listed%2F", HttpRequest.BodyPublishers.noBody());
    }

    private void fill() throws InterruptedException {
        List<Runnable> puts = new ArrayList<>();
        for (int i = 0; i < LISTED; i++) {
            String name = String.format(Locale.ROOT, "listed/%04d", i);
            puts.add(() -> bucket.put(name, new byte[] {1}));
        }
        ParallelWork.run(puts, 16);
    }

    private void send(String method, String what, HttpRequest.BodyPublisher body) {
        String target = "/" + bucket.name() + (what.startsWith("?") ? what : "/" + what);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(endpoint.resolve(target)).method(method, body);
        signer.sign(method, target, Instant.now()).forEach(request::header);
        try {
            HttpResponse<Void> response =
                    http.send(request.timeout(TIMEOUT).build(), HttpResponse.BodyHandlers.discarding());
            if (response.statusCode() != 200) {
                throw new UnavailableException(
                        "the gateway answered " + response.statusCode() + " to " + method + " " + target, Subject.NONE);
            }
        } catch (IOException e) {
            throw new UnavailableException("the gateway at " + endpoint + " failed: " + e, Subject.NONE, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("interrupted", Subject.NONE, e);
        }
    }

    /** Revokes the access key with its person. */
    @Override
    public void close() {
        http.close();
        executor.close();
        client.principals().revoke(key.key().person());
    }
}
