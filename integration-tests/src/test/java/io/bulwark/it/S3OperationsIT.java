package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.appliance.transfer.GatewayRun;
import io.bulwark.client.AccessKeySpec;
import io.bulwark.client.AccessKeys;
import io.bulwark.client.Bulwark;
import io.bulwark.protocol.metadata.Rights;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.BucketVersioningStatus;
import software.amazon.awssdk.services.s3.model.CORSRule;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.Delete;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.MetadataDirective;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.ObjectLockRetentionMode;
import software.amazon.awssdk.services.s3.model.ObjectVersion;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.Tag;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/** Operations of the S3 gateway as Amazon's own client sees them, each against a real cluster. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class S3OperationsIT {
    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.shared();

    private static final int PART = 5 << 20;

    private AwsCredentialsProvider owner;
    private S3Client s3;
    private S3Client other;

    @BeforeAll
    void makeKeys() {
        owner = key();
        s3 = client(owner);
        other = client(key());
    }

    @AfterAll
    void close() {
        s3.close();
        other.close();
    }

    private static AwsCredentialsProvider key() {
        Bulwark operator = CLUSTER.client();
        AccessKeys.Issued key =
                operator.accessKeys().create(AccessKeySpec.of("it").withRights(Rights.ALL));
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

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(LiveCluster.SEED).nextBytes(bytes);
        return bytes;
    }

    private void put(String bucket, String key, String content) {
        s3.putObject(request -> request.bucket(bucket).key(key), RequestBody.fromString(content));
    }

    private String get(String bucket, String key) {
        return s3.getObjectAsBytes(request -> request.bucket(bucket).key(key)).asUtf8String();
    }

    private static void assertRefused(int status, String code, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(S3Exception.class, e -> {
            assertThat(e.statusCode()).isEqualTo(status);
            if (!code.isEmpty()) {
                assertThat(e.awsErrorDetails().errorCode()).isEqualTo(code);
            }
        });
    }

    @Test
    void objectsReturnWithTheirMetadataAndRanges() {
        s3.createBucket(request -> request.bucket("it-objects"));
        byte[] content = random(3 << 20);
        s3.putObject(
                request -> request.bucket("it-objects")
                        .key("a/ä b+c")
                        .contentType("text/plain")
                        .cacheControl("no-cache")
                        .metadata(Map.of("one", "1"))
                        .tagging("k=v"),
                RequestBody.fromBytes(content));
        ResponseBytes<GetObjectResponse> whole =
                s3.getObjectAsBytes(request -> request.bucket("it-objects").key("a/ä b+c"));
        assertThat(whole.asByteArrayUnsafe()).isEqualTo(content);
        assertThat(whole.response().metadata()).containsEntry("one", "1");
        assertThat(whole.response().contentType()).isEqualTo("text/plain");
        assertThat(whole.response().cacheControl()).isEqualTo("no-cache");
        assertThat(whole.response().tagCount()).isEqualTo(1);
        byte[] part = s3.getObjectAsBytes(
                        request -> request.bucket("it-objects").key("a/ä b+c").range("bytes=1000000-1000009"))
                .asByteArrayUnsafe();
        assertThat(part).hasSize(10).isEqualTo(Arrays.copyOfRange(content, 1_000_000, 1_000_010));
        assertRefused(
                416,
                "InvalidRange",
                () -> s3.getObjectAsBytes(
                        request -> request.bucket("it-objects").key("a/ä b+c").range("bytes=9999999-")));
        assertRefused(404, "NoSuchKey", () -> get("it-objects", "none"));
        assertRefused(404, "NoSuchBucket", () -> get("it-none", "none"));
        assertRefused(
                403,
                "AccessDenied",
                () -> other.getObjectAsBytes(
                        request -> request.bucket("it-objects").key("a/ä b+c")));
        // Buckets that other doors have made are open to all who have the rights.
        assertThat(other.listBuckets().buckets())
                .extracting(bucket -> bucket.name())
                .doesNotContain("it-objects");
        assertRefused(409, "BucketNotEmpty", () -> s3.deleteBucket(request -> request.bucket("it-objects")));
    }

    @Test
    void conditionsAreJudged() {
        s3.createBucket(request -> request.bucket("it-conditions"));
        put("it-conditions", "a", "1");
        String tag = s3.headObject(request -> request.bucket("it-conditions").key("a"))
                .eTag();
        assertRefused(
                412,
                "PreconditionFailed",
                () -> s3.putObject(
                        request -> request.bucket("it-conditions").key("a").ifNoneMatch("*"),
                        RequestBody.fromString("2")));
        assertRefused(
                412,
                "PreconditionFailed",
                () -> s3.putObject(
                        request -> request.bucket("it-conditions").key("a").ifMatch("\"0\""),
                        RequestBody.fromString("2")));
        s3.putObject(request -> request.bucket("it-conditions").key("a").ifMatch(tag), RequestBody.fromString("2"));
        assertThat(get("it-conditions", "a")).isEqualTo("2");
        assertRefused(
                412,
                "",
                () -> s3.getObjectAsBytes(
                        request -> request.bucket("it-conditions").key("a").ifMatch(tag)));
        String now = s3.headObject(request -> request.bucket("it-conditions").key("a"))
                .eTag();
        assertRefused(
                304,
                "",
                () -> s3.getObjectAsBytes(
                        request -> request.bucket("it-conditions").key("a").ifNoneMatch(now)));
    }

    @Test
    void listsGoPageByPage() {
        s3.createBucket(request -> request.bucket("it-lists"));
        List<String> keys = IntStream.range(0, 25)
                .mapToObj(i -> String.format(Locale.ROOT, "d%d/k%02d", i % 3, i))
                .sorted()
                .toList();
        keys.forEach(key -> put("it-lists", key, "x"));
        List<String> listed = new ArrayList<>();
        s3.listObjectsV2Paginator(request -> request.bucket("it-lists").maxKeys(4))
                .contents()
                .forEach(object -> listed.add(object.key()));
        assertThat(listed).isEqualTo(keys);
        ListObjectsV2Response rolled = s3.listObjectsV2(
                request -> request.bucket("it-lists").delimiter("/").maxKeys(2));
        assertThat(rolled.commonPrefixes())
                .extracting(prefix -> prefix.prefix())
                .containsExactly("d0/", "d1/");
        assertThat(rolled.isTruncated()).isTrue();
        assertThat(s3.listObjects(request ->
                                request.bucket("it-lists").delimiter("/").marker("d0/"))
                        .commonPrefixes())
                .extracting(prefix -> prefix.prefix())
                .containsExactly("d1/", "d2/");
        assertThat(s3.listObjectsV2(request -> request.bucket("it-lists").startAfter("d2/k20"))
                        .contents())
                .extracting(object -> object.key())
                .containsExactly("d2/k23");
        s3.deleteObjects(request -> request.bucket("it-lists")
                .delete(Delete.builder()
                        .objects(keys.stream()
                                .map(key -> ObjectIdentifier.builder().key(key).build())
                                .toList())
                        .build()));
        s3.deleteBucket(request -> request.bucket("it-lists"));
    }

    @Test
    void copiesKeepOrReplaceMetadata() {
        s3.createBucket(request -> request.bucket("it-copies"));
        s3.putObject(
                request -> request.bucket("it-copies")
                        .key("a")
                        .metadata(Map.of("m", "1"))
                        .contentType("text/a"),
                RequestBody.fromString("content"));
        s3.copyObject(request -> request.sourceBucket("it-copies")
                .sourceKey("a")
                .destinationBucket("it-copies")
                .destinationKey("b"));
        assertThat(s3.headObject(request -> request.bucket("it-copies").key("b"))
                        .metadata())
                .containsEntry("m", "1");
        s3.copyObject(request -> request.sourceBucket("it-copies")
                .sourceKey("a")
                .destinationBucket("it-copies")
                .destinationKey("a")
                .metadataDirective(MetadataDirective.REPLACE)
                .metadata(Map.of("n", "2")));
        assertThat(s3.headObject(request -> request.bucket("it-copies").key("a"))
                        .metadata())
                .isEqualTo(Map.of("n", "2"));
        assertThat(get("it-copies", "a")).isEqualTo("content");
        assertRefused(
                400,
                "InvalidRequest",
                () -> s3.copyObject(request -> request.sourceBucket("it-copies")
                        .sourceKey("a")
                        .destinationBucket("it-copies")
                        .destinationKey("a")));
    }

    @Test
    void partsBecomeAnObject() {
        s3.createBucket(request -> request.bucket("it-parts"));
        byte[] content = random(2 * PART + 1000);
        put("it-parts", "source", "0123456789");
        String upload = s3.createMultipartUpload(
                        request -> request.bucket("it-parts").key("whole").metadata(Map.of("m", "1")))
                .uploadId();
        List<CompletedPart> parts = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int number = i + 1;
            String tag = s3.uploadPart(
                            request -> request.bucket("it-parts")
                                    .key("whole")
                                    .uploadId(upload)
                                    .partNumber(number),
                            RequestBody.fromBytes(Arrays.copyOfRange(content, i * PART, (i + 1) * PART)))
                    .eTag();
            parts.add(CompletedPart.builder().partNumber(number).eTag(tag).build());
        }
        String copied = s3.uploadPartCopy(request -> request.sourceBucket("it-parts")
                        .sourceKey("source")
                        .copySourceRange("bytes=2-4")
                        .destinationBucket("it-parts")
                        .destinationKey("whole")
                        .uploadId(upload)
                        .partNumber(3))
                .copyPartResult()
                .eTag();
        parts.add(CompletedPart.builder().partNumber(3).eTag(copied).build());
        assertThat(s3.listParts(request ->
                                request.bucket("it-parts").key("whole").uploadId(upload))
                        .parts())
                .hasSize(3);
        assertThat(s3.listMultipartUploads(request -> request.bucket("it-parts"))
                        .uploads())
                .extracting(one -> one.uploadId())
                .containsExactly(upload);
        String tag = s3.completeMultipartUpload(request -> request.bucket("it-parts")
                        .key("whole")
                        .uploadId(upload)
                        .multipartUpload(all -> all.parts(parts)))
                .eTag();
        assertThat(tag).endsWith("-3\"");
        ResponseBytes<GetObjectResponse> whole =
                s3.getObjectAsBytes(request -> request.bucket("it-parts").key("whole"));
        assertThat(whole.response().contentLength()).isEqualTo(2L * PART + 3);
        assertThat(whole.response().metadata()).containsEntry("m", "1");
        assertThat(new String(whole.asByteArrayUnsafe(), 2 * PART, 3, StandardCharsets.US_ASCII))
                .isEqualTo("234");
        assertThat(Arrays.copyOf(whole.asByteArrayUnsafe(), 2 * PART)).isEqualTo(Arrays.copyOf(content, 2 * PART));
        assertRefused(
                404,
                "NoSuchUpload",
                () -> s3.abortMultipartUpload(
                        request -> request.bucket("it-parts").key("whole").uploadId(upload)));
    }

    @Test
    void versionsMarkersAndLocksAreKept() {
        s3.createBucket(request -> request.bucket("it-versions").objectLockEnabledForBucket(true));
        assertThat(s3.getBucketVersioning(request -> request.bucket("it-versions"))
                        .status())
                .isEqualTo(BucketVersioningStatus.ENABLED);
        put("it-versions", "a", "1");
        String second = s3.putObject(request -> request.bucket("it-versions").key("a"), RequestBody.fromString("2"))
                .versionId();
        String marker = s3.deleteObject(request -> request.bucket("it-versions").key("a"))
                .versionId();
        assertRefused(404, "NoSuchKey", () -> get("it-versions", "a"));
        assertThat(s3.listObjectVersions(request -> request.bucket("it-versions"))
                        .versions())
                .extracting(ObjectVersion::versionId)
                .hasSize(2)
                .startsWith(second);
        s3.deleteObject(request -> request.bucket("it-versions").key("a").versionId(marker));
        assertThat(get("it-versions", "a")).isEqualTo("2");
        Instant until = Instant.now().plus(1, ChronoUnit.DAYS);
        s3.putObjectRetention(request -> request.bucket("it-versions")
                .key("a")
                .retention(all -> all.mode(ObjectLockRetentionMode.GOVERNANCE).retainUntilDate(until)));
        assertRefused(
                403,
                "AccessDenied",
                () -> s3.deleteObject(
                        request -> request.bucket("it-versions").key("a").versionId(second)));
        s3.deleteObject(request ->
                request.bucket("it-versions").key("a").versionId(second).bypassGovernanceRetention(true));
        assertThat(get("it-versions", "a")).isEqualTo("1");
    }

    @Test
    void pagesOfOtherOriginsUsePresignedUrls() throws Exception {
        s3.createBucket(request -> request.bucket("it-cors"));
        put("it-cors", "k", "x");
        s3.putBucketCors(request -> request.bucket("it-cors")
                .corsConfiguration(all -> all.corsRules(CORSRule.builder()
                        .allowedMethods("GET")
                        .allowedOrigins("https://page.example")
                        .build())));
        URI url;
        try (S3Presigner presigner = S3Presigner.builder()
                .endpointOverride(endpoint())
                .region(Region.US_EAST_1)
                .serviceConfiguration(
                        S3Configuration.builder().pathStyleAccessEnabled(true).build())
                .credentialsProvider(owner)
                .build()) {
            url = presigner
                    .presignGetObject(request -> request.signatureDuration(Duration.ofMinutes(5))
                            .getObjectRequest(get -> get.bucket("it-cors").key("k")))
                    .url()
                    .toURI();
        }
        assertThat(send("OPTIONS", url, "https://page.example")).isEqualTo("200 https://page.example");
        assertThat(send("OPTIONS", url, "https://other.example")).isEqualTo("403 ");
        URI unsigned = URI.create(url.toString().replaceFirst("[?].*", ""));
        assertThat(send("OPTIONS", unsigned, "https://page.example")).isEqualTo("200 https://page.example");
        assertThat(send("OPTIONS", unsigned, "https://other.example")).isEqualTo("403 ");
        URI forged = URI.create(
                url.toString().replaceFirst("X-Amz-Signature=[0-9a-f]{64}", "X-Amz-Signature=" + "0".repeat(64)));
        assertThat(send("GET", forged, "https://page.example")).isEqualTo("403 https://page.example");
        assertThat(send("GET", url, "https://page.example")).isEqualTo("200 https://page.example");
    }

    /** Returns the status and the origin that may read the answer. */
    private static String send(String method, URI url, String origin) throws Exception {
        try (HttpClient browser = HttpClient.newHttpClient()) {
            HttpResponse<Void> answer = browser.send(
                    HttpRequest.newBuilder(url)
                            .method(method, HttpRequest.BodyPublishers.noBody())
                            .header("Origin", origin)
                            .header("Access-Control-Request-Method", "GET")
                            .build(),
                    HttpResponse.BodyHandlers.discarding());
            return answer.statusCode() + " "
                    + answer.headers().firstValue("access-control-allow-origin").orElse("");
        }
    }

    @Test
    void policiesAndTagsDecideForOthers() {
        s3.createBucket(request -> request.bucket("it-policies"));
        put("it-policies", "open", "x");
        put("it-policies", "closed", "y");
        s3.putObjectTagging(request -> request.bucket("it-policies")
                .key("open")
                .tagging(all ->
                        all.tagSet(Tag.builder().key("level").value("open").build())));
        s3.putBucketPolicy(request -> request.bucket("it-policies").policy("""
            {"Statement": [{"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject",
             "Resource": "arn:aws:s3:::it-policies/*",
             "Condition": {"StringEquals": {"s3:ExistingObjectTag/level": "open"}}}]}\
            """));
        assertThat(other.getObjectAsBytes(
                                request -> request.bucket("it-policies").key("open"))
                        .asUtf8String())
                .isEqualTo("x");
        assertRefused(
                403,
                "AccessDenied",
                () -> other.getObjectAsBytes(
                        request -> request.bucket("it-policies").key("closed")));
        assertRefused(
                400,
                "MalformedPolicy",
                () -> s3.putBucketPolicy(
                        request -> request.bucket("it-policies").policy("{}")));
        assertRefused(
                501,
                "NotImplemented",
                () -> s3.putBucketWebsite(request -> request.bucket("it-policies")
                        .websiteConfiguration(site -> site.indexDocument(index -> index.suffix("index.html")))));
    }

    @Test
    void moreThanTenThousandPartsAreRefused() {
        s3.createBucket(request -> request.bucket("it-many-parts"));
        String upload = s3.createMultipartUpload(
                        request -> request.bucket("it-many-parts").key("k"))
                .uploadId();
        assertRefused(
                400,
                "InvalidArgument",
                () -> s3.uploadPart(
                        request -> request.bucket("it-many-parts")
                                .key("k")
                                .uploadId(upload)
                                .partNumber(10_001),
                        RequestBody.fromString("x")));
        List<CompletedPart> parts = IntStream.rangeClosed(1, 10_001)
                .mapToObj(number -> CompletedPart.builder()
                        .partNumber(number)
                        .eTag("\"" + "0".repeat(32) + "\"")
                        .build())
                .toList();
        assertRefused(
                400,
                "MalformedXML",
                () -> s3.completeMultipartUpload(request -> request.bucket("it-many-parts")
                        .key("k")
                        .uploadId(upload)
                        .multipartUpload(all -> all.parts(parts))));
        assertThat(s3.listParts(request ->
                                request.bucket("it-many-parts").key("k").uploadId(upload))
                        .parts())
                .isEmpty();
    }

    /** Puts are so much slower than gets that they leave less than gets ask for. The lists need 1,000 objects. */
    @Test
    @org.junit.jupiter.api.Tag("long")
    void theBenchmarkReadsOnlyWhatItHasWritten() throws InterruptedException {
        Bulwark operator = CLUSTER.client();
        operator.createBucket("it-bench");
        try (GatewayRun run = new GatewayRun(operator, "it-bench", endpoint(), 64, 2)) {
            List<GatewayRun.Result> results = run.run(0.6);
            assertThat(run.failures()).isEmpty();
            assertThat(results).allSatisfy(result -> assertThat(result.ratio()).isPositive());
        }
    }
}
