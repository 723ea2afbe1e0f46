package io.bulwark.gateway.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.Bucket;
import io.bulwark.client.BucketDocument;
import io.bulwark.client.BucketInfo;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.DeleteOptions;
import io.bulwark.client.DeletedObject;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.Precondition;
import io.bulwark.client.Principals;
import io.bulwark.client.StoredObject;
import io.bulwark.client.Upload;
import io.bulwark.client.Uploads;
import io.bulwark.client.error.AlreadyExistsException;
import io.bulwark.client.error.NoSuchUploadException;
import io.bulwark.client.error.Subject;
import io.bulwark.gateway.s3.access.AccessKey;
import io.bulwark.gateway.s3.request.BodyDigests;
import io.bulwark.gateway.s3.request.Caller;
import io.bulwark.gateway.s3.request.Exchange;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.BucketSettings;
import io.bulwark.protocol.metadata.DefaultRetention;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import io.bulwark.protocol.metadata.Versioning;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.VersionState;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Requests that ask for more caution than an operation has of itself. */
class S3OperationsTest {
    private static final PrincipalId PERSON = PrincipalId.client(5);

    private final Map<String, String> documents = new HashMap<>(Map.of("s3-access", "owner client-5\nacl 4client-5\n"));
    private final TreeMap<String, String> properties = new TreeMap<>(Map.of("etag", "abc"));
    private final List<DeleteOptions> deletions = Collections.synchronizedList(new ArrayList<>());
    private Optional<AccessKey> key = Optional.of(new AccessKey("AAAAAAAAAAAAAAAA", "secret", PERSON, List.of()));
    private final List<String> puts = new ArrayList<>();
    private final List<BucketSpec> created = new ArrayList<>();
    private boolean exists;
    private boolean finished;
    private final TreeMap<String, String> tags = new TreeMap<>();
    private final List<Object> statuses = new ArrayList<>();
    private final List<Object> tagged = new ArrayList<>();
    private int copies;
    private final List<String> opened = new ArrayList<>();
    private final Principals principals = ScriptedAnswers.of(
            Principals.class,
            Map.of(
                    "grants/1",
                    _ -> List.of(new Principals.Grant(new Scope.OfBucket("shared"), new Rights(true, false, false)))));
    private final ByteArrayOutputStream response = new ByteArrayOutputStream();
    private final Map<String, Function<Object[], Object>> settings =
            Map.of("setting/1", arguments -> document((String) arguments[0]), "removeSetting/2", arguments -> {
                documents.remove((String) arguments[0]);
                return null;
            });
    private final Bucket bucket = ScriptedAnswers.of(
            Bucket.class,
            joined(
                    settings,
                    Map.of(
                            "name/0",
                            _ -> "films",
                            "info/0",
                            _ -> info("films", "main", 5),
                            "head/2",
                            _ -> object(),
                            "open/2",
                            _ -> ScriptedAnswers.of(StoredObject.class, Map.of("info/0", _ -> object())),
                            "put/3",
                            arguments -> {
                                puts.add((String) arguments[0]);
                                return object();
                            },
                            "copy/5",
                            _ -> {
                                copies++;
                                return object();
                            },
                            "replaceTags/4",
                            arguments -> {
                                tagged.add(arguments[3]);
                                return null;
                            },
                            "uploads/0",
                            _ -> ScriptedAnswers.of(Uploads.class, Map.of("find/2", _ -> {
                                if (finished) {
                                    throw new NoSuchUploadException("gone", Subject.bucket("films"));
                                }
                                return Upload.named("films", "copy", 3);
                            })),
                            "delete/2",
                            arguments -> {
                                deletions.add((DeleteOptions) arguments[1]);
                                return new DeletedObject(7, false, false);
                            })));
    private final Bulwark door = ScriptedAnswers.of(
            Bulwark.class,
            Map.of(
                    "onBehalfOf/1",
                    _ -> door(),
                    "bucket/1",
                    arguments -> {
                        if (arguments[0] instanceof String name) {
                            opened.add(name);
                        }
                        return bucket;
                    },
                    "createBucket/1",
                    arguments -> {
                        if (exists) {
                            throw new AlreadyExistsException("films", Subject.bucket("films"));
                        }
                        created.add((BucketSpec) arguments[0]);
                        return bucket;
                    },
                    "buckets/0",
                    _ -> List.of(info("films", "main", 5), info("shared", "main", 6), info("private", "main", 6)),
                    "principals/0",
                    _ -> principals));
    private S3Operations operations = new S3Operations(door);

    private static Map<String, Function<Object[], Object>> joined(
            Map<String, Function<Object[], Object>> one, Map<String, Function<Object[], Object>> other) {
        Map<String, Function<Object[], Object>> all = new HashMap<>(one);
        all.putAll(other);
        return all;
    }

    private Optional<BucketDocument> document(String name) {
        return Optional.ofNullable(documents.get(name))
                .map(text -> new BucketDocument(name, 1, text.getBytes(StandardCharsets.UTF_8)));
    }

    private Bulwark door() {
        return door;
    }

    private static BucketInfo info(String name, String volume, int creator) {
        BucketSettings settings = new BucketSettings(Versioning.KEEP_ALL, 0, true, DefaultRetention.NONE);
        return new BucketInfo(name, volume, PrincipalId.client(creator), settings, 0, 0, Instant.EPOCH);
    }

    private ObjectInfo object() {
        ObjectAttributes attributes = ObjectAttributes.NONE.withTags(tags).withProperties(properties);
        VersionState state = new VersionState(false, attributes, ObjectLock.NONE);
        return new ObjectInfo("films", "k", 7, 1, Instant.EPOCH, state, List.of());
    }

    private void send(
            String method, String object, Map<String, String> query, Map<String, String> headers, String body) {
        send(method, Optional.of("films"), object, query, headers, body);
    }

    private void send(
            String method,
            Optional<String> place,
            String object,
            Map<String, String> query,
            Map<String, String> headers,
            String body) {
        Caller caller = new Caller(key.isPresent() ? PERSON : PrincipalId.client(9), key);
        Map<String, Function<Object[], Object>> answers = new HashMap<>();
        answers.put("method/0", _ -> method);
        answers.put("bucket/0", _ -> place);
        answers.put("key/0", _ -> Optional.of(object).filter(name -> !name.isEmpty()));
        answers.put("digests/0", _ -> new BodyDigests(new byte[16], new TreeMap<>()));
        answers.put("query/0", _ -> new TreeMap<>(query));
        answers.put("form/0", _ -> Optional.empty());
        answers.put("caller/0", _ -> caller);
        answers.put("setOperation/1", _ -> null);
        answers.put("headerNames/0", _ -> List.copyOf(headers.keySet()));
        answers.put(
                "headers/1",
                arguments -> Optional.ofNullable(headers.get((String) arguments[0])).stream()
                        .toList());
        answers.put("contentLength/0", _ -> OptionalLong.of(body.length()));
        answers.put("body/0", _ -> new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8)));
        answers.put("respond/3", arguments -> {
            statuses.add(arguments[0]);
            return response;
        });
        operations.handle(ScriptedAnswers.of(Exchange.class, answers));
    }

    private static void assertRefused(String code, ThrowingCallable request) {
        assertThatThrownBy(request)
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void aDeletionWithAnEntityTagIsOfThatVersion() {
        assertRefused("PreconditionFailed", () -> send("DELETE", "k", Map.of(), Map.of("if-match", "\"other\""), ""));
        assertRefused("NotImplemented", () -> send("DELETE", "k", Map.of(), Map.of("x-amz-if-match-size", "1"), ""));
        assertThat(deletions).isEmpty();
        send("DELETE", "k", Map.of(), Map.of("if-match", "\"abc\""), "");
        assertThat(deletions)
                .singleElement()
                .satisfies(options -> assertThat(options.precondition()).isEqualTo(Precondition.ifVersion(7)));
    }

    @Test
    void eachOfManyDeletionsHasItsCondition() {
        send(
                "POST",
                "",
                Map.of("delete", ""),
                Map.of(),
                "<Delete><Object><Key>k</Key><ETag>other</ETag></Object></Delete>");
        assertThat(deletions).isEmpty();
        assertThat(response.toString(StandardCharsets.UTF_8)).contains("<Code>PreconditionFailed</Code>");
        assertRefused(
                "NotImplemented",
                () -> send(
                        "POST",
                        "",
                        Map.of("delete", ""),
                        Map.of(),
                        "<Delete><Object><Key>k</Key><Size>1</Size></Object></Delete>"));
    }

    @Test
    void aBucketIsNeverThereWithoutItsAccessRules() {
        send("PUT", "", Map.of(), Map.of("x-amz-acl", "public-read"), "");
        BucketDocument access = created.getFirst().setting().orElseThrow();
        assertThat(access.name()).isEqualTo("s3-access");
        assertThat(new String(access.content(), StandardCharsets.UTF_8))
                .isEqualTo("owner client-5\nacl 0* 4client-5\n");
    }

    @Test
    void weakTagsAreComparedWeakly() {
        properties.put("etag", "abc");
        send("GET", "k", Map.of(), Map.of("if-none-match", "\"x\", W/\"abc\""), "");
        assertThat(statuses).containsExactly(304);
        assertRefused("PreconditionFailed", () -> send("GET", "k", Map.of(), Map.of("if-match", "W/\"abc\""), ""));
        assertRefused(
                "PreconditionFailed", () -> send("PUT", "k", Map.of(), Map.of("if-none-match", "W/\"abc\""), "x"));
    }

    @Test
    void aPolicyThatCannotBeReadDeniesAndCanBeRemoved() {
        documents.put("s3-policy", "{}");
        documents.put("s3-cors", "<");
        documents.put("s3-lifecycle", "<");
        assertRefused("AccessDenied", () -> send("GET", "k", Map.of(), Map.of(), ""));
        send("DELETE", "", Map.of("policy", ""), Map.of(), "");
        send("DELETE", "", Map.of("cors", ""), Map.of(), "");
        send("DELETE", "", Map.of("lifecycle", ""), Map.of(), "");
        assertThat(documents).containsOnlyKeys("s3-access");
    }

    @Test
    void actionsThatNoPolicyDecidesAreRefused() {
        for (String action : List.of("CreateBucket", "ListAllMyBuckets")) {
            String policy = "{\"Statement\":{\"Effect\":\"Deny\",\"Principal\":\"*\",\"Action\":\"s3:" + action
                    + "\",\"Resource\":\"*\"}}";
            assertRefused("MalformedPolicy", () -> send("PUT", "", Map.of("policy", ""), Map.of(), policy));
        }
    }

    @Test
    void aBucketMadeElsewhereIsNotLockedByItsPolicy() {
        documents.clear();
        deny("*", "");
        assertRefused("AccessDenied", () -> send("GET", "k", Map.of(), Map.of(), ""));
        key = Optional.empty();
        assertRefused("AccessDenied", () -> send("DELETE", "", Map.of("policy", ""), Map.of(), ""));
        key = Optional.of(new AccessKey("AAAAAAAAAAAAAAAA", "secret", PERSON, List.of()));
        send("DELETE", "", Map.of("policy", ""), Map.of(), "");
        assertThat(documents).isEmpty();
    }

    @Test
    void anyRegionWillDo() {
        String document = "<CreateBucketConfiguration><LocationConstraint>eu-central-1</LocationConstraint>"
                + "</CreateBucketConfiguration>";
        send("PUT", "", Map.of(), Map.of(), document);
        assertThat(created).hasSize(1);
        assertRefused(
                "IllegalLocationConstraintException",
                () -> send("PUT", "", Map.of(), Map.of(), document.replace("eu", "eu/west")));
        send("GET", "", Map.of("location", ""), Map.of(), "");
        assertThat(response.toString(StandardCharsets.UTF_8))
                .contains("LocationConstraint")
                .doesNotContain("eu-");
    }

    @Test
    void onlyCreationsWithS3AreRepeated() {
        exists = true;
        send("PUT", "", Map.of(), Map.of(), "");
        documents.clear();
        assertRefused("BucketAlreadyOwnedByYou", () -> send("PUT", "", Map.of(), Map.of(), ""));
    }

    @Test
    void aDeletionOfNoVersionIsNotOneOfTheLatest() {
        assertRefused("InvalidArgument", () -> send("DELETE", "k", Map.of("versionId", ""), Map.of(), ""));
        assertThat(deletions).isEmpty();
    }

    @Test
    void aBucketOfAnotherOwnerThanExpectedIsRefused() {
        assertRefused(
                "AccessDenied",
                () -> send("DELETE", "k", Map.of(), Map.of("x-amz-expected-bucket-owner", "client-6"), ""));
        assertThat(deletions).isEmpty();
        send("DELETE", "k", Map.of(), Map.of("x-amz-expected-bucket-owner", "client-5"), "");
        assertThat(deletions).hasSize(1);
    }

    @Test
    void whatCannotBeDoneOrReturnedIsNotStored() {
        assertRefused("NotImplemented", () -> send("PUT", "k", Map.of(), Map.of("x-amz-write-offset-bytes", "1"), "x"));
        assertRefused("InvalidArgument", () -> send("PUT", "k", Map.of(), Map.of("x-amz-meta-a", "b\r\nc: d"), "x"));
        assertRefused("InvalidArgument", () -> send("PUT", "k", Map.of(), Map.of("content-type", "a\nb"), "x"));
    }

    @Test
    void aPreflightOfManyHeadersIsRefused() {
        String many =
                IntStream.rangeClosed(0, 100).mapToObj(number -> "x-" + number).collect(Collectors.joining(","));
        assertRefused(
                "BadRequest",
                () -> send(
                        "OPTIONS",
                        "k",
                        Map.of(),
                        Map.of(
                                "origin",
                                "https://page.example",
                                "access-control-request-method",
                                "PUT",
                                "access-control-request-headers",
                                many),
                        ""));
    }

    @Test
    void preflightsOfOneBucketAskTheReplicasOnce() {
        List<Object> asked = new ArrayList<>();
        byte[] rules =
                ("<CORSConfiguration><CORSRule><AllowedMethod>PUT</AllowedMethod><AllowedOrigin>*</AllowedOrigin>"
                                + "</CORSRule></CORSConfiguration>")
                        .getBytes(StandardCharsets.UTF_8);
        operations = new S3Operations(ScriptedAnswers.of(
                Bulwark.class, Map.of("onBehalfOf/1", _ -> door, "setting/2", arguments -> {
                    asked.add(arguments[0]);
                    return Optional.of(new BucketDocument("cors", 1, rules));
                })));
        for (int i = 0; i < 3; i++) {
            send(
                    "OPTIONS",
                    "k",
                    Map.of(),
                    Map.of("origin", "https://page.example", "access-control-request-method", "PUT"),
                    "");
        }
        assertThat(asked).containsExactly("films");
    }

    @Test
    void aLargeDocumentGivesItsPlaceBack() {
        String large = "<Delete>" + "<Object><Key>k</Key></Object>".repeat(1000) + " ".repeat(64 << 10) + "</Delete>";
        // More often than there are places for one person.
        for (int i = 0; i < 40; i++) {
            send("POST", "", Map.of("delete", ""), Map.of(), large);
            assertRefused("MalformedXML", () -> send("POST", "", Map.of("delete", ""), Map.of(), large + "<"));
        }
        assertThat(deletions).hasSize(40_000);
    }

    @Test
    void aPartOfAnEncryptedObjectIsNotCopied() {
        properties.put("bulwark-encryption", "wrapped");
        assertRefused(
                "InvalidRequest",
                () -> send(
                        "PUT",
                        "copy",
                        Map.of("uploadId", "3", "partNumber", "1"),
                        Map.of("x-amz-copy-source", "films/k"),
                        ""));
    }

    @Test
    void theListAsksOnlyAboutBucketsThatThePersonMayRead() {
        documents.clear();
        send("GET", Optional.empty(), "", Map.of(), Map.of(), "");
        assertThat(response.toString(StandardCharsets.UTF_8))
                .contains("<Name>films</Name>", "<Name>shared</Name>")
                .doesNotContain("private");
        assertThat(opened).containsExactly("shared");
    }

    @Test
    void aDeniedActionIsNoPartOfAPut() {
        for (Map.Entry<String, Map<String, String>> denied : Map.of(
                        "PutObjectAcl", Map.of("x-amz-acl", "public-read"),
                        "PutObjectTagging", Map.of("x-amz-tagging", "a=b"),
                        "PutObjectLegalHold", Map.of("x-amz-object-lock-legal-hold", "ON"),
                        "PutObjectRetention",
                                Map.of(
                                        "x-amz-object-lock-mode",
                                        "COMPLIANCE",
                                        "x-amz-object-lock-retain-until-date",
                                        "2100-01-01T00:00:00Z"))
                .entrySet()) {
            documents.put(
                    "s3-policy",
                    "{\"Statement\":{\"Effect\":\"Deny\",\"Principal\":\"*\",\"Action\":\"s3:" + denied.getKey()
                            + "\",\"Resource\":\"*\"}}");
            operations = new S3Operations(door);
            assertRefused("AccessDenied", () -> send("PUT", "k", Map.of(), denied.getValue(), "x"));
        }
    }

    @Test
    void whoPutsWithoutASignatureMayNameAList() {
        documents.put("s3-access", "owner client-5\nacl 0* 1* 4client-5\n");
        key = Optional.empty();
        send("PUT", "k", Map.of(), Map.of("x-amz-acl", "public-read"), "");
        assertThat(puts).containsExactly("k");
        documents.put("s3-access", "owner client-5\nacl 0* 4client-5\n");
        operations = new S3Operations(door);
        assertRefused("AccessDenied", () -> send("PUT", "k", Map.of(), Map.of("x-amz-acl", "public-read"), ""));
    }

    @Test
    void aPolicySeesTheVersionsInsideADocumentAndOfASource() {
        documents.put(
                "s3-policy",
                "{\"Statement\":[{\"Effect\":\"Deny\",\"Principal\":\"*\",\"Action\":\"s3:*\",\"Resource\":\"*\","
                        + "\"Condition\":{\"StringEquals\":{\"s3:VersionId\":\"7\"}}}]}");
        assertRefused("AccessDenied", () -> send("DELETE", "k", Map.of("versionId", "7"), Map.of(), ""));
        send(
                "POST",
                "",
                Map.of("delete", ""),
                Map.of(),
                "<Delete><Object><Key>k</Key><VersionId>7</VersionId></Object></Delete>");
        assertThat(response.toString(StandardCharsets.UTF_8)).contains("<Code>AccessDenied</Code>");
        assertRefused(
                "AccessDenied",
                () -> send("PUT", "copy", Map.of(), Map.of("x-amz-copy-source", "films/k?versionId=7"), ""));
        assertThat(deletions).isEmpty();
    }

    private void deny(String action, String condition) {
        documents.put(
                "s3-policy",
                "{\"Statement\":[{\"Effect\":\"Deny\",\"Principal\":\"*\",\"Action\":\"s3:" + action
                        + "\",\"Resource\":\"*\"" + (condition.isEmpty() ? "" : ",\"Condition\":" + condition) + "}]}");
        operations = new S3Operations(door);
    }

    @Test
    void aListThatCannotBeReadIsTheOwnersAlone() {
        tags.put("bulwark-s3-acl", "x");
        send("GET", "k", Map.of("acl", ""), Map.of(), "");
        assertThat(response.toString(StandardCharsets.UTF_8)).contains("<ID>client-5</ID>", "FULL_CONTROL");
        key = Optional.empty();
        assertRefused("AccessDenied", () -> send("GET", "k", Map.of("acl", ""), Map.of(), ""));
    }

    @Test
    void aPolicySeesTheTagsInADocument() {
        String document = "<Tagging><TagSet><Tag><Key>grade</Key><Value>secret</Value></Tag></TagSet></Tagging>";
        deny("PutObjectTagging", "{\"StringEquals\":{\"s3:RequestObjectTag/grade\":\"secret\"}}");
        assertRefused("AccessDenied", () -> send("PUT", "k", Map.of("tagging", ""), Map.of(), document));
        deny("PutObjectTagging", "{\"StringNotEquals\":{\"s3:RequestObjectTag/grade\":\"open\"}}");
        assertRefused(
                "AccessDenied",
                () -> send("PUT", "k", Map.of("tagging", ""), Map.of("x-amz-tagging", "grade=open"), document));
        assertThat(tagged).isEmpty();
        send("PUT", "k", Map.of("tagging", ""), Map.of(), document.replace("secret", "open"));
        assertThat(tagged).containsExactly(Map.of("grade", "open"));
    }

    @Test
    void aPolicySeesTheLocksInADocument() {
        deny("PutObjectRetention", "{\"StringEquals\":{\"s3:object-lock-mode\":\"COMPLIANCE\"}}");
        assertRefused(
                "AccessDenied",
                () -> send(
                        "PUT",
                        "k",
                        Map.of("retention", ""),
                        Map.of("x-amz-object-lock-mode", "GOVERNANCE"),
                        "<Retention><Mode>COMPLIANCE</Mode><RetainUntilDate>2100-01-01T00:00:00Z</RetainUntilDate>"
                                + "</Retention>"));
        deny("PutObjectLegalHold", "{\"StringEquals\":{\"s3:object-lock-legal-hold\":\"OFF\"}}");
        assertRefused(
                "AccessDenied",
                () -> send(
                        "PUT", "k", Map.of("legal-hold", ""), Map.of(), "<LegalHold><Status>OFF</Status></LegalHold>"));
    }

    @Test
    void tagsTravelOnlyIfTheyMayBeReadAndSet() {
        tags.put("grade", "secret");
        Map<String, String> copy = Map.of("x-amz-copy-source", "films/k");
        for (String denied : List.of("GetObjectTagging", "PutObjectTagging")) {
            deny(denied, "");
            assertRefused("AccessDenied", () -> send("PUT", "copy", Map.of(), copy, ""));
            send(
                    "PUT",
                    "copy",
                    Map.of(),
                    Map.of("x-amz-copy-source", "films/k", "x-amz-tagging-directive", "REPLACE"),
                    "");
        }
        deny("PutObject", "{\"StringEquals\":{\"s3:RequestObjectTag/grade\":\"secret\"}}");
        assertRefused("AccessDenied", () -> send("PUT", "copy", Map.of(), copy, ""));
        assertRefused(
                "AccessDenied",
                () -> send(
                        "PUT",
                        "copy",
                        Map.of(),
                        Map.of("x-amz-copy-source", "films/k", "x-amz-tagging", "grade=open"),
                        ""));
        assertThat(copies).isEqualTo(2);
    }

    @Test
    void aConditionThatNamesNoTagIsRefused() {
        for (String value : List.of("", " ", "\"abc\",", "*, \"abc\"")) {
            for (String name : List.of("if-match", "if-none-match")) {
                assertRefused("InvalidArgument", () -> send("PUT", "k", Map.of(), Map.of(name, value), "x"));
                assertRefused("InvalidArgument", () -> send("GET", "k", Map.of(), Map.of(name, value), ""));
                Map<String, String> copy = Map.of("x-amz-copy-source", "films/k", "x-amz-copy-source-" + name, value);
                assertRefused("InvalidArgument", () -> send("PUT", "copy", Map.of(), copy, ""));
            }
            assertRefused("InvalidArgument", () -> send("DELETE", "k", Map.of(), Map.of("if-match", value), ""));
        }
        String date = "Sun, 06 Nov 1994 08:49:37 GMT";
        assertRefused("NotImplemented", () -> send("PUT", "k", Map.of(), Map.of("if-unmodified-since", date), "x"));
        assertThat(puts).isEmpty();
        assertThat(deletions).isEmpty();
    }

    @Test
    void aPolicySeesTheSourceOfACopyWhicheverVersionIsNamed() {
        deny("PutObject", "{\"StringEquals\":{\"s3:x-amz-copy-source\":\"films/k\"}}");
        for (String source : List.of("films/k", "/films/k", "films/%6b", "films/k?versionId=null")) {
            assertRefused("AccessDenied", () -> send("PUT", "copy", Map.of(), Map.of("x-amz-copy-source", source), ""));
        }
        assertThat(copies).isZero();
    }

    @Test
    void anUploadIsCompletedAgainWithTheSamePartsOnly() {
        String part = "0123456789abcdef0123456789abcdef";
        properties.put("etag", "4662bdea8654776d486072ff7074945e-1");
        properties.put("s3-upload", "3");
        Map<String, String> upload = Map.of("uploadId", "3");
        finished = true;
        send("POST", "k", upload, Map.of(), completion(1, part));
        assertThat(response.toString(StandardCharsets.UTF_8)).contains("4662bdea8654776d486072ff7074945e-1");
        send("POST", "k", upload, Map.of("if-none-match", "*"), completion(1, part));
        assertRefused("InvalidPart", () -> send("POST", "k", upload, Map.of(), completion(1, part.replace('0', '1'))));
        assertRefused("InvalidPartOrder", () -> send("POST", "k", upload, Map.of(), completion(0, part)));
        assertRefused("NoSuchUpload", () -> send("POST", "k", Map.of("uploadId", "4"), Map.of(), completion(1, part)));
    }

    private static String completion(int number, String tag) {
        return "<CompleteMultipartUpload><Part><PartNumber>" + number + "</PartNumber><ETag>" + tag
                + "</ETag></Part></CompleteMultipartUpload>";
    }

    @Test
    void aPartWithoutAnUploadIsNoObject() {
        assertRefused("InvalidArgument", () -> send("PUT", "k", Map.of("partNumber", "1"), Map.of(), "x"));
        assertThat(puts).isEmpty();
    }

    @Test
    void anAclIsNamedOnce() {
        String document = "<AccessControlPolicy><AccessControlList/></AccessControlPolicy>";
        assertRefused(
                "InvalidRequest", () -> send("PUT", "k", Map.of("acl", ""), Map.of("x-amz-acl", "private"), document));
    }

    @Test
    void parametersOfListsThatAreTooLongAreNamed() {
        String longKey = "k".repeat(1025);
        for (String name : List.of("prefix", "marker")) {
            assertRefused("InvalidArgument", () -> send("GET", "", Map.of(name, longKey), Map.of(), ""));
        }
        assertThatThrownBy(() -> send("GET", "", Map.of("delimiter", "/".repeat(65)), Map.of(), ""))
                .hasMessageContaining("delimiter has at most 64 bytes in UTF-8, this has 65");
    }
}
