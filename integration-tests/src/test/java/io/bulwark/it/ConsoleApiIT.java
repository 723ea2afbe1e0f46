package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.it.CheckedApi.Answer;
import io.bulwark.it.CheckedApi.Session;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.transport.identity.Identity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/**
 * The API against the document that it publishes: the tests call every operation, and provoke the documented errors. Operations that
 * would change members of the shared cluster are called so that they are refused. The tests cost some seconds beside the start of the
 * cluster, as each call is a command that the replicas order.
 */
@NullMarked
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ConsoleApiIT {
    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.shared();

    private static final String API = "/api/v1/";
    private static final String STALE = "\"0\"";

    /** Tells the names of this run from those of others on the same cluster. */
    private static final String RUN = Long.toString(System.nanoTime() & 0xfffffffL, 36);

    private static final String BUCKET = "api-" + RUN;
    private static final int JSON_BYTES_MAX = 1 << 20;

    private static CheckedApi api;
    private static String admin;
    private static String viewer;

    @BeforeAll
    static void signIn() throws Exception {
        ConsoleUser user = CLUSTER.console();
        admin = user.token();
        api = new CheckedApi(user);
        try (Session session = api.signIn(user)) {
            viewer = session.send(
                            api.call("POST", API + "account/tokens")
                                    .json(Map.of("label", "viewer " + RUN, "role", "viewer")),
                            201)
                    .json()
                    .get("secret")
                    .asString();
        }
    }

    @AfterAll
    static void close() {
        api.close();
    }

    private static CheckedApi.Call call(String method, String path) {
        return api.call(method, API + path).token(admin);
    }

    private static Answer get(String path) throws IOException, InterruptedException {
        return call("GET", path).gives(200);
    }

    @Test
    @Order(1)
    void theDocumentIsOpenApiOfThisConsole() {
        JsonNode document = api.published().document();
        assertThat(document.get("openapi").asString()).startsWith("3.1");
        assertThat(document.get("info").get("title").asString()).isEqualTo("Bulwark console API");
        assertThat(document.get("info").get("version").asString()).isNotEmpty();
        JsonNode schemes = document.get("components").get("securitySchemes");
        assertThat(schemes.get("token").get("scheme").asString()).isEqualTo("bearer");
        assertThat(schemes.get("session").get("in").asString()).isEqualTo("cookie");
        assertThat(document.get("security").size()).isEqualTo(2);
        Set<String> ids = new TreeSet<>();
        for (String operation : api.published().operations()) {
            JsonNode described = api.published().description(operation);
            assertThat(described.has("summary")).as(operation).isTrue();
            assertThat(ids.add(described.get("operationId").asString()))
                    .as(operation)
                    .isTrue();
            assertThat(described.get("responses").propertyNames())
                    .as(operation)
                    .anyMatch(status -> status.startsWith("2"));
            OpenApiChecks.assertParametersOfPath(operation, described);
        }
        OpenApiChecks.assertReferencesResolve(document, document);
    }

    @Test
    @Order(2)
    void readingNeedsNoMoreThanAViewer() throws Exception {
        for (String path : List.of(
                "status",
                "work",
                "dashboard",
                "history",
                "map",
                "configuration",
                "buckets",
                "volumes",
                "volumes/default",
                "nodes",
                "nodes/node-0",
                "nodes/node-0/drills",
                "groups?limit=2",
                "groups?volume=default",
                "replicas",
                "replicas/replica-0",
                "jobs",
                "account",
                "account/activity",
                "account/tokens",
                "locks",
                "advice?nodes=40&faults=4&availability=0.9",
                "faulty-nodes",
                "faulty-nodes/policy",
                "threat",
                "releases")) {
            api.call("GET", API + path).token(viewer).gives(200);
        }
        api.call("GET", API + "events").token(viewer).streams();
        JsonNode node = get("nodes?limit=1").json();
        assertThat(node.get("items").size()).isEqualTo(1);
        assertThat(get("nodes?limit=1&cursor=" + node.get("next").asString())
                        .json()
                        .get("items")
                        .get(0))
                .isNotEqualTo(node.get("items").get(0));
        JsonNode series = get("history").json().get("available");
        get("history?series=" + series.get(0).asString());
        get("accounts");
        get("access-log");
        get("audit?limit=2");
        get("audit/lines?by=client-0");
        get("faults");
        get("principals?kind=client");
        get("principals/client-1");
        get("principals/client-1/revocation");
        get("suspensions");
    }

    @Test
    @Order(3)
    void objectsGoInAndOut() throws Exception {
        byte[] content = "0123456789".getBytes(StandardCharsets.UTF_8);
        Answer made = call("POST", "buckets").json(Map.of("name", BUCKET)).gives(201);
        assertThat(made.header("Location")).isEqualTo(API + "buckets/" + BUCKET);
        call("POST", "buckets").json(Map.of("name", BUCKET)).gives(409);
        assertThat(get("buckets/" + BUCKET).header("ETag")).isEqualTo(made.header("ETag"));

        String object = "buckets/" + BUCKET + "/object";
        Answer put = call("PUT", object + "?key=a%2Fb&tag=kind%3Dtest")
                .bytes("text/plain", content)
                .gives(201);
        assertThat(put.json().get("tags").get("kind").asString()).isEqualTo("test");
        call("PUT", object + "?key=a%2Fb")
                .header("If-None-Match", "*")
                .bytes("text/plain", content)
                .gives(412);
        call("PUT", object + "?key=a%2Fb&tag=bad")
                .bytes("text/plain", content)
                .gives(400)
                .refuses("tag");
        assertThat(get(object + "?key=a%2Fb").http().body()).isEqualTo(content);
        assertThat(call("GET", object + "?key=a%2Fb")
                        .header("Range", "bytes=2-4")
                        .gives(206)
                        .text())
                .isEqualTo("234");
        call("GET", object + "?key=a%2Fb").header("Range", "bytes=99-").gives(416);
        call("GET", object + "?key=a%2Fb")
                .header("If-None-Match", put.header("ETag"))
                .gives(304);
        copiesAndNames(object);
        assertThat(get("buckets/" + BUCKET + "/objects?delimiter=%2F")
                        .json()
                        .get("prefixes")
                        .get(0)
                        .asString())
                .isEqualTo("a/");
        assertThat(get("buckets/" + BUCKET + "/versions?limit=1")
                        .json()
                        .get("next")
                        .isNull())
                .isFalse();
        archivesAndVerifications();

        call("DELETE", "buckets/" + BUCKET).gives(409);
        call("DELETE", object + "?key=a%2Fb").header("If-Match", "\"99\"").gives(412);
        call("DELETE", object + "?key=a%2Fb")
                .header("If-Match", put.header("ETag"))
                .gives(204);
        call("DELETE", object + "?key=a%2Fb").gives(404);
        call("DELETE", object + "?key=a%2Fd").gives(204);
        call("DELETE", "buckets/" + BUCKET).header("If-Match", STALE).gives(412);
        call("DELETE", "buckets/" + BUCKET).gives(204);
        call("DELETE", "buckets/" + BUCKET).gives(404);
    }

    private void copiesAndNames(String object) throws Exception {
        call("HEAD", object + "?key=a%2Fb").gives(200);
        get(object + "/info?key=a%2Fb");
        assertThat(get(object + "/fragments?key=a%2Fb").json().get("extents").size())
                .isEqualTo(1);
        call("POST", object + "/copy")
                .json(Map.of("key", "a/b", "toKey", "a/c"))
                .gives(201);
        call("POST", object + "/copy")
                .json(Map.of("key", "a/b", "toKey", "a/c", "ifAbsent", true))
                .gives(412);
        call("POST", object + "/copy").json(Map.of("toKey", "a/c")).gives(400).refuses("key");
        call("POST", object + "/rename")
                .json(Map.of("key", "a/c", "toKey", "a/d"))
                .gives(200);
    }

    private void archivesAndVerifications() throws Exception {
        assertThat(get("buckets/" + BUCKET + "/zip?prefix=a").header("Content-Type"))
                .startsWith("application/zip");
        api.call("POST", API + "buckets/" + BUCKET + "/zip")
                .token(viewer)
                .bytes("application/x-www-form-urlencoded", "key=a%2Fb".getBytes(StandardCharsets.UTF_8))
                .gives(200);
        Answer verification = call("POST", "buckets/" + BUCKET + "/verifications")
                .json(Map.of("prefix", "a"))
                .gives(202);
        assertThat(api.ended(admin, verification).get("state").asString()).isEqualToIgnoringCase("succeeded");
        call("GET", "jobs/" + verification.json().get("id").asString() + "/events")
                .streams();
        call("DELETE", "jobs/" + verification.json().get("id").asString()).gives(409);
    }

    @Test
    @Order(3)
    void settingsAndTagsChange() throws Exception {
        String name = "set-" + RUN;
        call("POST", "buckets")
                .json(Map.of("name", name, "retention", Map.of("mode", "governance", "days", 1)))
                .gives(400)
                .refuses("retention");
        call("POST", "buckets").json(Map.of("name", name)).gives(201);
        String settings = "buckets/" + name + "/settings";
        String seen = get(settings).header("ETag");
        String object = "buckets/" + name + "/object";
        call("PUT", object + "?key=a").bytes("text/plain", new byte[3]).gives(201);
        call("PATCH", settings).json(Map.of("versioning", "off")).gives(400).refuses("versioning");
        call("PATCH", settings)
                .json(Map.of("retention", Map.of("mode", "governance", "days", 1)))
                .gives(409);
        Answer changed = call("PATCH", settings)
                .header("If-Match", seen)
                .json(Map.of(
                        "versioning",
                        "keep",
                        "quotaBytes",
                        1 << 20,
                        "objectLock",
                        true,
                        "retention",
                        Map.of("mode", "governance", "years", 1)))
                .gives(200);
        assertThat(get(settings).json()).isEqualTo(changed.json());
        call("PATCH", settings)
                .header("If-Match", seen)
                .json(Map.of("quotaBytes", 0))
                .gives(412);
        call("PATCH", "buckets/none-" + RUN + "/settings")
                .json(Map.of("quotaBytes", 0))
                .gives(404);

        Answer put =
                call("PUT", object + "?key=a").bytes("text/plain", new byte[4]).gives(201);
        assertThat(get("buckets/" + name + "/versions?key=a")
                        .json()
                        .get("items")
                        .get(1)
                        .get("nullVersion")
                        .asBoolean())
                .isTrue();
        JsonNode lock = get(object + "/info?key=a").json().get("lock");
        assertThat(lock.get("mode").asString()).isEqualTo("governance");
        call("PUT", object + "/tags?key=a")
                .header("If-Match", STALE)
                .json(Map.of("tags", Map.of()))
                .gives(412);
        assertThat(call("PUT", object + "/tags?key=a")
                        .header("If-Match", put.header("ETag"))
                        .json(Map.of("tags", Map.of("kind", "boat")))
                        .gives(200)
                        .json()
                        .get("tags")
                        .get("kind")
                        .asString())
                .isEqualTo("boat");
        call("PUT", object + "/tags?key=none").json(Map.of("tags", Map.of())).gives(404);
        String version = put.json().get("version").asString();
        call("DELETE", object + "?key=a&version=" + version).gives(409);
    }

    @Test
    @Order(4)
    void volumesComeAndGo() throws Exception {
        String name = "vol-" + RUN;
        call("POST", "volumes")
                .json(Map.of("name", name, "kind", "tape"))
                .gives(400)
                .refuses("kind");
        call("POST", "volumes")
                .json(Map.of("name", name, "faults", 0))
                .gives(400)
                .refuses("policy");
        call("POST", "volumes")
                .json(Map.of("name", name, "kind", "register", "blocks", Long.MAX_VALUE))
                .gives(400)
                .refuses("blocks");
        call("POST", "volumes").json(Map.of("name", "default")).gives(409);
        Answer made = call("POST", "volumes").json(Map.of("name", name)).gives(201);
        assertThat(get("volumes/" + name).header("ETag")).isEqualTo(made.header("ETag"));
        call("PATCH", "volumes/" + name).json(Map.of()).gives(400).refuses("faults");
        call("PATCH", "volumes/" + name)
                .json(Map.of("faults", 2))
                .header("If-Match", STALE)
                .gives(412);
        call("PATCH", "volumes/" + name).json(Map.of("fragments", 5)).gives(202);
        assertThat(get("volumes/" + name)
                        .json()
                        .get("volume")
                        .get("dataFragments")
                        .asInt())
                .isEqualTo(3);
        Answer refill = call("POST", "volumes/" + name + "/refill").gives(202);
        assertThat(api.ended(admin, refill).get("state").asString()).isEqualToIgnoringCase("succeeded");
        call("POST", "volumes/none/refill").gives(404);
        call("DELETE", "volumes/" + name).header("If-Match", STALE).gives(412);
        call("POST", "buckets")
                .json(Map.of("name", "in-" + name, "volume", name))
                .gives(201);
        call("DELETE", "volumes/" + name).gives(409);
        call("DELETE", "buckets/in-" + name).gives(204);
        call("DELETE", "volumes/" + name).gives(204);
        call("GET", "volumes/" + name).gives(404);
    }

    @Test
    @Order(5)
    void alarmsMoveTheThreatLevel() throws Exception {
        call("POST", "threat/raise").json(Map.of("levels", 99)).gives(400);
        call("POST", "threat/raise")
                .json(Map.of("levels", 2, "reason", "scans"))
                .gives(200);
        assertThat(get("threat").json().get("reason").asString()).isEqualTo("scans");
        call("POST", "threat/lower").json(Map.of("levels", 16)).gives(200);
        assertThat(get("threat").json().get("level").asInt()).isZero();
        call("PUT", "threat/policy")
                .json(Map.of("feeds", List.of("nobody-1"), "calmSeconds", 0))
                .gives(400)
                .refuses("policy");
        call("PUT", "threat/policy")
                .json(Map.of("feeds", List.of(), "calmSeconds", 0))
                .gives(204);
    }

    @Test
    @Order(5)
    void faultyNodesAreTreatedByAPolicy() throws Exception {
        JsonNode policy = get("faulty-nodes/policy").json();
        call("PUT", "faulty-nodes/policy")
                .json(Map.of("removes", true, "windowSeconds", 0, "removalsPerDay", 1))
                .gives(400)
                .refuses("policy");
        call("PUT", "faulty-nodes/policy")
                .json(Map.of("removes", false, "windowSeconds", 60, "removalsPerDay", 2))
                .gives(204);
        assertThat(get("faulty-nodes/policy").json().get("removalsPerDay").asInt())
                .isEqualTo(2);
        call("PUT", "faulty-nodes/policy").json(policy).gives(204);
        call("DELETE", "faulty-nodes/99").gives(400);
    }

    @Test
    @Order(5)
    void membersStayAsTheyAre() throws Exception {
        call("GET", "nodes/node-99").gives(404);
        call("GET", "nodes/node-0/plan?action=drain&volume=default").gives(200);
        call("GET", "nodes/node-0/plan?action=burn").gives(400).refuses("action");
        call("GET", "nodes/node-0/plan?action=replace&by=node-1").gives(409);
        call("POST", "nodes").json(Map.of("node", "replica-0")).gives(400).refuses("node");
        call("POST", "nodes")
                .json(Map.of("node", "node-0"))
                .header("If-Match", STALE)
                .gives(412);
        call("POST", "nodes").json(Map.of("node", "node-99")).gives(404);
        call("POST", "nodes/node-99/replace").json(Map.of("by", "node-0")).gives(404);
        call("POST", "nodes/node-0/replace")
                .json(Map.of("by", "node-0"))
                .gives(400)
                .refuses("by");
        call("POST", "nodes/node-0/replace").json(Map.of("by", "node-1")).gives(409);
        call("POST", "nodes/node-99/drain").gives(404);
        call("POST", "nodes/node-0/drain").header("If-Match", STALE).gives(412);
        call("DELETE", "nodes/node-99").gives(404);
        call("DELETE", "nodes/node-0").header("If-Match", STALE).gives(412);
        call("POST", "nodes/node-99/drills").json(Map.of("drill", "stop")).gives(404);
        call("POST", "nodes/node-0/drills")
                .json(Map.of("drill", "burn"))
                .gives(400)
                .refuses("drill");
        call("DELETE", "groups/nowhere/changes").gives(404);
        call("DELETE", "groups/default/9999/change").gives(404);
        call("DELETE", "groups/default/x/change").gives(400).refuses("group");

        String key = get("principals/replica-0")
                .json()
                .get("principal")
                .get("keys")
                .get(0)
                .asString();
        Map<String, String> fresh = Map.of("replica", "replica-90", "key", key, "address", "127.0.0.1:9");
        call("GET", "replicas/replica-99").gives(404);
        call("GET", "replicas/node-0").gives(400).refuses("replica");
        call("POST", "replicas/replica-99/replace").json(fresh).gives(404);
        call("POST", "replicas/replica-0/replace")
                .json(fresh)
                .header("If-Match", "\"99\"")
                .gives(412);
        call("POST", "replicas/replica-0/replace")
                .json(Map.of("replica", "replica-90"))
                .gives(400)
                .refuses("key");
        call("POST", "replicas")
                .json(Map.of("replicas", List.of(fresh)))
                .gives(400)
                .refuses("replicas");
        call("POST", "replicas")
                .bytes("application/json", "{\"replicas\":[null,null,null]}".getBytes(StandardCharsets.UTF_8))
                .gives(400)
                .refuses("replicas");
        call("POST", "replicas/remove")
                .json(Map.of("replicas", List.of("replica-0")))
                .gives(400)
                .refuses("replicas");
        call("POST", "replicas/remove")
                .json(Map.of("replicas", List.of("replica-0", "replica-1", "replica-2")))
                .gives(409);
        call("POST", "replicas/replica-99/recover").gives(404);
        call("DELETE", "locks?bucket=" + BUCKET + "&prefix=none/").gives(204);
        call("PUT", "releases/none").gives(400).refuses("hash");
        call("DELETE", "releases/" + "0".repeat(64)).gives(404);
    }

    @Test
    @Order(6)
    void principalsGetRightsAndLoseThem() throws Exception {
        String id = "client-" + (10_000 + Math.floorMod(RUN.hashCode(), 50_000));
        call("POST", "principals/invitations")
                .json(Map.of("principal", id, "hours", 0))
                .gives(400)
                .refuses("hours");
        call("POST", "principals/invitations").json(Map.of("principal", id)).gives(201);
        String key = get("principals/client-1")
                .json()
                .get("principal")
                .get("keys")
                .get(0)
                .asString();
        call("POST", "principals")
                .json(Map.of("principal", id, "key", "none"))
                .gives(400)
                .refuses("key");
        call("POST", "principals")
                .json(Map.of("principal", "client-1", "key", key))
                .gives(409);
        call("PUT", "principals/" + id + "/key")
                .json(Map.of("key", key))
                .header("If-Match", STALE)
                .gives(412);
        call("PUT", "principals/client-99999/key").json(Map.of("key", key)).gives(404);

        Map<String, Object> grant =
                Map.of("client", id, "scope", "volume", "name", "default", "rights", List.of("read"));
        Answer granted = call("PUT", "grants").json(grant).gives(200);
        assertThat(get("grants?client=" + id).header("ETag")).isEqualTo(granted.header("ETag"));
        call("PUT", "grants").json(grant).header("If-Match", STALE).gives(412);
        call("PUT", "grants")
                .json(Map.of("client", id, "scope", "volume", "name", "nowhere-" + RUN, "rights", List.of("read")))
                .gives(404);
        call("PUT", "grants")
                .json(Map.of("client", id, "scope", "cluster", "rights", List.of("rule")))
                .gives(400)
                .refuses("rights");
        call("PUT", "grants")
                .bytes(
                        "application/json",
                        ("{\"client\":\"" + id + "\",\"scope\":\"cluster\",\"rights\":[null]}")
                                .getBytes(StandardCharsets.UTF_8))
                .gives(400)
                .refuses("rights");
        call("DELETE", "grants?client=" + id + "&scope=volume&name=default").gives(200);
        call("GET", "grants").gives(400).refuses("client");
        call("GET", "grants?client=client-65534").gives(404);

        String actFor = "principals/" + id + "/act-for/client-1";
        call("PUT", actFor)
                .json(Map.of("rights", List.of("read")))
                .header("If-Match", STALE)
                .gives(412);
        call("DELETE", actFor).header("If-Match", STALE).gives(412);
        call("DELETE", "suspensions/" + id).gives(404);
        call("DELETE", "principals/" + id + "?wait=-1").gives(400).refuses("wait");
        call("DELETE", "principals/" + id).header("If-Match", STALE).gives(412);
        call("DELETE", "principals/replica-0").gives(409);
        Answer revoked = call("DELETE", "principals/" + id).gives(202);
        api.ended(admin, revoked);
        assertThat(get("principals/" + id).json().get("principal").get("state").asString())
                .isEqualTo("revoked");
    }

    @Test
    @Order(6)
    void accessKeysAreMadeRotatedLimitedAndRevoked() throws Exception {
        assertThat(get("gateways").json().get("gateways").get(0).asString()).isEqualTo("client-15");
        call("POST", "access-keys").json(Map.of("rights", "queen")).gives(400).refuses("rights");
        Answer made = call("POST", "access-keys")
                .json(Map.of("name", "api-" + RUN, "rights", "read"))
                .gives(201);
        assertThat(made.json().get("secret").asString()).hasSize(40);
        String key = "access-keys/" + made.json().get("key").get("id").asString();
        assertThat(get("access-keys").text()).contains(RUN).doesNotContain("secret");
        assertThat(get(key).json().get("sealedFor").size()).isEqualTo(2);
        call("GET", "access-keys/none").gives(404);
        api.call("GET", API + "access-keys").token(viewer).gives(403);
        call("POST", key + "/rotation").json(Map.of("hours", -1)).gives(400).refuses("hours");
        call("POST", "access-keys/none/rotation").json(Map.of()).gives(404);
        Answer rotated =
                call("POST", key + "/rotation").json(Map.of("hours", 1)).gives(201);
        assertThat(get(key).json().get("expires").isNull()).isFalse();
        Map<String, Object> limits = Map.of("limits", List.of(Map.of("bucket", "photos", "prefix", "a/")));
        call("PUT", key + "/limits").json(limits).header("If-Match", STALE).gives(412);
        call("PUT", key + "/limits").json(limits).gives(200);
        call("PUT", key + "/limits")
                .json(Map.of("limits", List.of(Map.of("bucket", "no bucket"))))
                .gives(400)
                .refuses("limits");
        call("DELETE", key).header("If-Match", STALE).gives(412);
        call("DELETE", key).gives(204);
        call("DELETE", key).gives(404);
        call("DELETE", "access-keys/" + rotated.json().get("key").get("id").asString())
                .gives(204);
    }

    @Test
    @Order(6)
    void webhooksAreCreatedChangedRotatedAndRemoved() throws Exception {
        String name = "hooks-" + RUN;
        Map<String, String> wanted = Map.of("name", name, "url", "https://hooks.example/s3");
        Answer made = call("POST", "webhooks").json(wanted).gives(201);
        String secret = made.json().get("secret").asString();
        call("POST", "webhooks").json(wanted).gives(409);
        assertThat(get("webhooks").text()).contains("arn:bulwark:sqs:::" + name).doesNotContain(secret);
        api.call("GET", API + "webhooks").token(viewer).gives(403);
        String path = "webhooks/" + name;
        call("GET", "webhooks/none").gives(404);
        Map<String, String> address = Map.of("url", "http://127.0.0.1:9/");
        call("PUT", path).json(address).header("If-Match", STALE).gives(412);
        call("PUT", path).json(address).gives(200);
        assertThat(get(path).text()).contains("127.0.0.1:9");
        call("POST", path + "/rotation").json(Map.of("hours", -1)).gives(400).refuses("hours");
        Answer rotated = call("POST", path + "/rotation").json(Map.of()).gives(201);
        assertThat(rotated.text()).doesNotContain(secret);
        call("DELETE", path).header("If-Match", STALE).gives(412);
        call("DELETE", path).gives(204);
        call("DELETE", path).gives(404);
    }

    @Test
    @Order(7)
    void theRecordIsReadAndVerified() throws Exception {
        call("GET", "faults/99999").gives(404);
        call("GET", "faults/x").gives(400).refuses("number");
        call("GET", "faults/99999/evidence").gives(404);
        call("GET", "audit?by=nobody").gives(400).refuses("by");
        call("POST", "audit/verifications").json(Map.of("head", "x")).gives(400).refuses("head");
        Answer started = call("POST", "audit/verifications").gives(202);
        assertThat(api.ended(admin, started).get("state").asString()).isEqualToIgnoringCase("succeeded");
        String job = started.json().get("id").asString();
        get("audit/verifications/" + job);
        call("GET", "audit/verifications/99999").gives(404);
        get("jobs/" + job);
        call("GET", "jobs/99999").gives(404);
        call("GET", "jobs/99999/events").gives(404);
        call("GET", "history?series=none").gives(400).refuses("series");
        call("GET", "history?since=then").gives(400).refuses("since");
    }

    @Test
    @Order(8)
    void accountsAreMadeAndEnded() throws Exception {
        ConsoleUser user = CLUSTER.console();
        String name = "vera-" + RUN;
        call("POST", "accounts")
                .json(Map.of("name", name, "role", "queen"))
                .gives(400)
                .refuses("role");
        call("POST", "accounts").json(Map.of("name", name, "role", "viewer")).gives(201);
        call("POST", "accounts").json(Map.of("name", name, "role", "viewer")).gives(409);
        call("POST", "accounts/" + name + "/link").gives(201);
        call("POST", "accounts/nobody-" + RUN + "/link").gives(404);
        get("accounts/" + name);
        call("GET", "accounts/nobody-" + RUN).gives(404);
        call("DELETE", "accounts/" + name).header("If-Match", "\"999\"").gives(412);
        call("DELETE", "accounts/" + user.name()).gives(409);
        assertThat(call("DELETE", "accounts/" + name)
                        .gives(200)
                        .json()
                        .get("active")
                        .asBoolean())
                .isFalse();
        call("POST", "accounts/" + name + "/link").gives(409);
        api.call("POST", API + "setup")
                .json(Map.of("token", "none", "name", name, "password", "p"))
                .gives(403);
        api.call("POST", API + "setup").json(Map.of("name", name)).gives(400).refuses("token");

        call("POST", "account/tokens")
                .json(Map.of("label", "x", "role", "viewer"))
                .gives(403);
        try (Session session = api.signIn(user)) {
            Map<String, String> token = Map.of("label", "short " + RUN, "role", "viewer");
            session.sendWithoutCsrf(api.call("POST", API + "account/tokens").json(token), 403);
            session.send(api.call("POST", API + "account/tokens").json(Map.of("label", "x", "role", "queen")), 400)
                    .refuses("role");
            String id = session.send(api.call("POST", API + "account/tokens").json(token), 201)
                    .json()
                    .get("id")
                    .asString();
            session.send(api.call("DELETE", API + "account/tokens/" + id), 204);
            session.send(api.call("DELETE", API + "account/tokens/" + id), 404);
            session.send(
                            api.call("POST", API + "account/password")
                                    .json(Map.of("present", "wrong horse battery", "password", "other horse battery")),
                            400)
                    .refuses("present");
        }
    }

    @Test
    @Order(8)
    void anOwnKeyDoesWhatNoDoorMay() throws Exception {
        PrincipalId guest = PrincipalId.client(60_000 + Math.floorMod(RUN.hashCode(), 5_000));
        call("POST", "principals")
                .json(Map.of("principal", guest.toString(), "key", freshKey(guest)))
                .gives(201);
        String key = "principals/" + guest + "/key";
        call("PUT", key).json(Map.of("key", freshKey(guest))).gives(403);
        OperatorKey operator = OperatorKey.of(CLUSTER, PrincipalId.client(0));
        for (String content : List.of(operator.pem(), operator.container("secret"))) {
            Session session = api.signInWithKey(content, "secret").orElseThrow();
            JsonNode self = session.send(api.call("GET", API + "account"), 200).json();
            assertThat(self.get("means").asString()).isEqualTo("key");
            assertThat(self.get("principal").asString()).isEqualTo("client-0");
            assertThat(self.get("role").asString()).isEqualToIgnoringCase("administrator");
            session.send(api.call("PUT", API + key).json(Map.of("key", freshKey(guest))), 200);
            session.send(api.call("GET", API + "account/tokens"), 404);
            session.send(api.call("POST", API + "account/tokens").json(Map.of("label", "x", "role", "viewer")), 403);
            assertThat(session.send(api.call("GET", API + "audit?limit=1&by=client-0"), 200)
                            .text())
                    .contains(guest.toString());
            session.signOut();
            session.send(api.call("GET", API + "account"), 401);
            session.close();
        }
        call("DELETE", "principals/" + guest).gives(202);
    }

    @Test
    @Order(8)
    void keysWithoutRightsAndThingsThatAreNoKeysAreRefused() throws Exception {
        PrincipalId unused = PrincipalId.client(12);
        OperatorKey operator = OperatorKey.of(CLUSTER, PrincipalId.client(0));
        for (String content : List.of(
                "",
                "no base64",
                Base64.getEncoder().encodeToString("garbage".getBytes(StandardCharsets.UTF_8)),
                operator.container("another"),
                OperatorKey.of(CLUSTER, PrincipalId.node(0)).pem(),
                OperatorKey.of(Identity.generate(PrincipalId.client(0), new SecureRandom()))
                        .pem(),
                OperatorKey.of(CLUSTER, unused).pem())) {
            assertThat(api.signInWithKey(content, "secret")).as(content).isEmpty();
        }
        CLUSTER.grant(unused.number());
        try (Session session =
                api.signInWithKey(OperatorKey.of(CLUSTER, unused).pem(), "").orElseThrow()) {
            assertThat(session.send(api.call("GET", API + "account"), 200)
                            .json()
                            .get("role")
                            .asString())
                    .isEqualToIgnoringCase("operator");
            session.send(api.call("GET", API + "access-keys"), 403);
            session.signOut();
        }
        assertThat(get("access-log").text()).contains("key:client-12").contains("not a client");
    }

    private static String freshKey(PrincipalId principal) {
        return Identity.generate(principal, new SecureRandom()).publicKey().text();
    }

    @Test
    @Order(9)
    void sharedRulesHoldForEveryOperation() throws Exception {
        for (String operation : api.published().operations()) {
            String method = PublishedApi.method(operation);
            String path = PublishedApi.path(operation).replaceAll("\\{[a-z]+}", "none");
            if (path.endsWith("/setup")) {
                continue;
            }
            api.call(method, path).token("bwk_none").gives(401);
            boolean reads = method.equals("GET") || method.equals("HEAD") || path.endsWith("/zip");
            boolean own = path.startsWith(API + "account/");
            boolean closed = path.startsWith(API + "accounts") || path.endsWith("/access-log");
            if (closed || (!reads && !own)) {
                api.call(method, path).token(viewer).gives(403);
            }
            if (method.equals("GET")) {
                api.call(method, path).gives(401);
            }
        }
    }

    @Test
    @Order(10)
    void badBodiesAndRepeatedKeysAreRefused() throws Exception {
        byte[] large = new byte[JSON_BYTES_MAX + 1];
        Arrays.fill(large, (byte) ' ');
        call("POST", "buckets").bytes("application/json", large).gives(413);
        call("POST", "buckets").bytes("text/plain", new byte[1]).gives(415);
        call("POST", "buckets").json(Map.of("name", List.of())).gives(400).refuses("name");
        call("POST", "buckets")
                .json(Map.of("quotaBytes", "much", "name", "x"))
                .gives(400)
                .refuses("quotaBytes");
        call("GET", "buckets").header("Accept", "text/html").gives(406);
        call("GET", "buckets?limit=many").gives(400).refuses("limit");
        call("GET", "buckets?limit=0").gives(400).refuses("limit");
        call("GET", "buckets?cursor=none").gives(400).refuses("cursor");

        String name = "once-" + RUN;
        String key = "key-" + RUN;
        Answer first = call("POST", "buckets")
                .header("Idempotency-Key", key)
                .json(Map.of("name", name))
                .gives(201);
        Answer second = call("POST", "buckets")
                .header("Idempotency-Key", key)
                .json(Map.of("name", name))
                .gives(201);
        assertThat(second.json()).isEqualTo(first.json());
        call("POST", "buckets")
                .header("Idempotency-Key", key)
                .json(Map.of("name", name + "-x"))
                .gives(422);
        call("POST", "buckets")
                .header("Idempotency-Key", "two words")
                .json(Map.of("name", name))
                .gives(400);
        call("DELETE", "buckets/" + name).gives(204);
    }

    /** Last, as it counts the calls of all others. */
    @Test
    @Order(11)
    void everyOperationWasCalled() {
        Set<String> left = new TreeSet<>(api.published().operations());
        left.removeAll(api.called());
        assertThat(left).as("operations that no test above calls").isEmpty();
    }
}
