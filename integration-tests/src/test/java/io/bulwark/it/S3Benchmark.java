package io.bulwark.it;

import io.bulwark.client.AccessKeySpec;
import io.bulwark.client.AccessKeys;
import io.bulwark.client.Bucket;
import io.bulwark.protocol.metadata.Rights;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/**
 * Objects through the S3 gateway against the same objects through the SDK, in turns, and lists of keys. Amazon's client
 * takes a part of the same processors for its signatures and checksums; one that only sends presigned requests shows the
 * gateway without that. On demand, {@code -Dtest=S3Benchmark}. docs/benchmarks.md has its output.
 */
@NullMarked
class S3Benchmark {
    private static final int ROUNDS = Integer.getInteger("bulwark.bench.rounds", 5);
    private static final int OBJECTS = Integer.getInteger("bulwark.bench.objects", 48);
    private static final int AT_ONCE = 4;
    private static final int BYTES = 1 << 20;
    private static final int KEYS = 1000;
    private static final int LISTS = 50;
    private static final String BUCKET = "bench";

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.shared();

    private final byte[] content = new byte[BYTES];

    /** Seconds of each round of one kind. */
    private record Series(String name, List<Double> seconds) {
        double median() {
            double[] sorted = seconds.stream().mapToDouble(one -> one).sorted().toArray();
            return sorted[sorted.length / 2];
        }

        double mebibytesPerSecond() {
            return OBJECTS * (double) BYTES / (1 << 20) / median();
        }
    }

    @Test
    void oneMebibyteAndAThousandKeys() throws Exception {
        new Random(LiveCluster.SEED).nextBytes(content);
        Bucket bucket = CLUSTER.client().createBucket(BUCKET);
        AwsCredentialsProvider key = key();
        try (S3Client s3 = client(key);
                S3Presigner presigner = presigner(key);
                ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
            Series sdkPut = new Series("put, SDK", new ArrayList<>());
            Series s3Put = new Series("put, S3", new ArrayList<>());
            Series sdkGet = new Series("get, SDK", new ArrayList<>());
            Series s3Get = new Series("get, S3", new ArrayList<>());
            Series plainPut = new Series("put, S3, presigned", new ArrayList<>());
            Series plainGet = new Series("get, S3, presigned", new ArrayList<>());
            List<URL> puts = new ArrayList<>();
            List<URL> gets = new ArrayList<>();
            for (int i = 0; i < OBJECTS; i++) {
                puts.add(putUrl(presigner, "plain/" + i));
                gets.add(getUrl(presigner, "plain/" + i));
            }
            for (int round = 0; round <= ROUNDS; round++) {
                boolean counts = round > 0; // The first warms all up.
                measure(threads, sdkPut, counts, i -> bucket.put("sdk/" + i, content));
                measure(
                        threads,
                        s3Put,
                        counts,
                        i -> s3.putObject(
                                request -> request.bucket(BUCKET).key("s3/" + i), RequestBody.fromBytes(content)));
                measure(threads, sdkGet, counts, i -> check(bucket.getBytes("sdk/" + i)));
                measure(
                        threads,
                        s3Get,
                        counts,
                        i -> check(s3.getObjectAsBytes(
                                        request -> request.bucket(BUCKET).key("s3/" + i))
                                .asByteArrayUnsafe()));
                measure(threads, plainPut, counts, i -> put(puts.get(i)));
                measure(threads, plainGet, counts, i -> check(get(gets.get(i))));
            }
            System.out.println("| | MiB/s | Ratio |\n|---|---|---|");
            print(sdkPut, sdkPut);
            print(s3Put, sdkPut);
            print(plainPut, sdkPut);
            print(sdkGet, sdkGet);
            print(s3Get, sdkGet);
            print(plainGet, sdkGet);
            lists(threads, bucket, s3);
        }
    }

    private void check(byte[] read) {
        if (!Arrays.equals(read, content)) {
            throw new IllegalStateException("other content");
        }
    }

    private static void print(Series series, Series base) {
        System.out.printf(
                Locale.ROOT,
                "| %s | %.1f | %.2f |%n",
                series.name(),
                series.mebibytesPerSecond(),
                series.mebibytesPerSecond() / base.mebibytesPerSecond());
    }

    private static void lists(ExecutorService threads, Bucket bucket, S3Client s3) throws Exception {
        all(threads, KEYS, i -> bucket.put(String.format(Locale.ROOT, "keys/%04d", i), new byte[] {1}));
        double[] millis = new double[LISTS];
        for (int i = 0; i < 2 * LISTS; i++) {
            long start = System.nanoTime();
            int found = s3.listObjectsV2(request -> request.bucket(BUCKET).prefix("keys/"))
                    .contents()
                    .size();
            if (found != KEYS) {
                throw new IllegalStateException(found + " keys");
            }
            millis[i % LISTS] = (System.nanoTime() - start) / 1e6;
        }
        Arrays.sort(millis);
        System.out.printf(
                Locale.ROOT,
                "list of %d keys: median %.0f ms, p90 %.0f ms%n",
                KEYS,
                millis[LISTS / 2],
                millis[LISTS * 9 / 10]);
    }

    private static void measure(ExecutorService threads, Series series, boolean counts, IntConsumer action)
            throws Exception {
        long start = System.nanoTime();
        all(threads, OBJECTS, action);
        if (counts) {
            series.seconds().add((System.nanoTime() - start) / 1e9);
        }
    }

    private static void all(ExecutorService threads, int count, IntConsumer action) throws Exception {
        List<Future<?>> running = new ArrayList<>();
        for (int i : IntStream.range(0, count).toArray()) {
            running.add(threads.submit(() -> action.accept(i)));
        }
        for (Future<?> one : running) {
            one.get();
        }
    }

    private void put(URL url) {
        try {
            HttpURLConnection connection = (HttpURLConnection) url.openConnection();
            connection.setRequestMethod("PUT");
            connection.setDoOutput(true);
            connection.setFixedLengthStreamingMode(BYTES);
            try (OutputStream out = connection.getOutputStream()) {
                out.write(content);
            }
            try (InputStream answer = connection.getInputStream()) {
                answer.transferTo(OutputStream.nullOutputStream());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] get(URL url) {
        try (InputStream answer = url.openStream()) {
            byte[] read = answer.readNBytes(BYTES);
            return answer.read() < 0 ? read : new byte[0];
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static URL putUrl(S3Presigner presigner, String name) {
        return presigner
                .presignPutObject(request -> request.signatureDuration(Duration.ofHours(1))
                        .putObjectRequest(put -> put.bucket(BUCKET).key(name)))
                .url();
    }

    private static URL getUrl(S3Presigner presigner, String name) {
        return presigner
                .presignGetObject(request -> request.signatureDuration(Duration.ofHours(1))
                        .getObjectRequest(get -> get.bucket(BUCKET).key(name)))
                .url();
    }

    private static AwsCredentialsProvider key() {
        AccessKeys.Issued key =
                CLUSTER.client().accessKeys().create(AccessKeySpec.of("bench").withRights(Rights.ALL));
        return StaticCredentialsProvider.create(
                AwsBasicCredentials.create(key.key().id(), key.secret()));
    }

    private static URI endpoint() {
        return URI.create("http://127.0.0.1:" + CLUSTER.plan().s3Address().getPort());
    }

    private static S3Client client(AwsCredentialsProvider key) {
        return S3Client.builder()
                .endpointOverride(endpoint())
                .region(Region.US_EAST_1)
                .forcePathStyle(true)
                .httpClient(UrlConnectionHttpClient.create())
                .credentialsProvider(key)
                .build();
    }

    private static S3Presigner presigner(AwsCredentialsProvider key) {
        return S3Presigner.builder()
                .endpointOverride(endpoint())
                .region(Region.US_EAST_1)
                .serviceConfiguration(
                        S3Configuration.builder().pathStyleAccessEnabled(true).build())
                .credentialsProvider(key)
                .build();
    }
}
