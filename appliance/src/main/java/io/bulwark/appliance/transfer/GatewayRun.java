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
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Puts, gets and lists objects through an S3 gateway and through the SDK, in turns, with a temporary access key. The
 * client signs heads, not bodies, computes no checksums, and does little else, so that the gateway is what is measured.
 */
public final class GatewayRun implements AutoCloseable {
    private static final int KEYS_PER_THREAD = 16;
    private static final int LISTED = 1000;
    private static final int TURNS = 6;
    private static final int TIMEOUT_MILLIS = 60_000;

    private static final byte[] NO_BODY = {};

    private final Bulwark client;
    private final Bucket bucket;
    private final URI endpoint;
    private final int threads;
    private final byte[] content;
    private final AccessKeys.Issued key;
    private final RequestSigner signer;
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
        fillRead();
        Result get = compare("get", content.length, seconds, threads, this::get, this::getThrough);
        fillListed();
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
        send("PUT", name("gateway", caller, round), content);
    }

    private void get(int caller, int round) {
        bucket.readTo(name("read", caller, round), OutputStream.nullOutputStream());
    }

    private void getThrough(int caller, int round) {
        send("GET", name("read", caller, round), NO_BODY);
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
        send("GET", "?list-type=2&prefix=listed%2F", NO_BODY);
    }

    /** Both doors read the same objects; slow puts before may not have left that many. */
    private void fillRead() throws InterruptedException {
        List<String> names = new ArrayList<>();
        for (int caller = 0; caller < threads; caller++) {
            for (int round = 0; round < KEYS_PER_THREAD; round++) {
                names.add(name("read", caller, round));
            }
        }
        fill(names, content, threads);
    }

    private void fillListed() throws InterruptedException {
        List<String> names = IntStream.range(0, LISTED)
                .mapToObj(i -> String.format(Locale.ROOT, "listed/%04d", i))
                .toList();
        fill(names, new byte[] {1}, 16);
    }

    private void fill(List<String> names, byte[] bytes, int atOnce) throws InterruptedException {
        List<Runnable> puts = new ArrayList<>();
        names.forEach(name -> puts.add(() -> bucket.put(name, bytes)));
        ParallelWork.run(puts, atOnce);
    }

    private void send(String method, String what, byte[] body) {
        String target = "/" + bucket.name() + (what.startsWith("?") ? what : "/" + what);
        try {
            HttpURLConnection request =
                    (HttpURLConnection) endpoint.resolve(target).toURL().openConnection();
            request.setRequestMethod(method);
            request.setConnectTimeout(TIMEOUT_MILLIS);
            request.setReadTimeout(TIMEOUT_MILLIS);
            signer.sign(method, target, Instant.now()).forEach(request::setRequestProperty);
            if (body.length > 0) {
                request.setDoOutput(true);
                request.setFixedLengthStreamingMode(body.length);
                try (OutputStream out = request.getOutputStream()) {
                    out.write(body);
                }
            }
            if (request.getResponseCode() != 200) {
                throw new UnavailableException(
                        "the gateway answered " + request.getResponseCode() + " to " + method + " " + target,
                        Subject.NONE);
            }
            // Only after its end does the connection serve the next request.
            try (InputStream answer = request.getInputStream()) {
                answer.transferTo(OutputStream.nullOutputStream());
            }
        } catch (IOException e) {
            throw new UnavailableException("the gateway at " + endpoint + " failed: " + e, Subject.NONE, e);
        }
    }

    /** Revokes the access key with its person. */
    @Override
    public void close() {
        client.principals().revoke(key.key().person());
    }
}
