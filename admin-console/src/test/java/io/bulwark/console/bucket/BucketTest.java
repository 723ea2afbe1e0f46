package io.bulwark.console.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.hasItem;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.delete;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.patch;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.redirectedUrl;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.bulwark.client.BucketSpec;
import io.bulwark.console.ConsoleFixture;
import io.bulwark.console.FakeStatus;
import io.bulwark.console.MemoryCluster;
import io.bulwark.protocol.metadata.BucketSettings;
import io.bulwark.protocol.metadata.DefaultRetention;
import io.bulwark.protocol.metadata.Versioning;
import io.bulwark.protocol.object.Retention;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.ResultActions;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;

@NullMarked
class BucketTest {
    private static final String BUCKETS = "/api/v1/buckets";

    private static final MemoryCluster CLUSTER = new MemoryCluster();
    private static final MockMvc CONSOLE = ConsoleFixture.of(CLUSTER.client(), "bucket", "object");

    @BeforeEach
    void clear() {
        CLUSTER.clear();
        CLUSTER.report(FakeStatus.pasis());
    }

    private ResultActions create(String json) throws Exception {
        return CONSOLE.perform(
                post(BUCKETS).contentType(MediaType.APPLICATION_JSON).content(json));
    }

    @Test
    void aBucketIsCreatedAndListed() throws Exception {
        create("{\"name\":\"photos\",\"keepVersions\":true,\"quotaBytes\":1000}")
                .andExpect(status().isCreated())
                .andExpect(header().string("Location", BUCKETS + "/photos"))
                .andExpect(jsonPath("$.volume").value("default"))
                .andExpect(jsonPath("$.versioning").value("keep"))
                .andExpect(jsonPath("$.created").value("2026-03-01T12:00:00Z"));
        CONSOLE.perform(get(BUCKETS))
                .andExpect(jsonPath("$.items[0].name").value("photos"))
                .andExpect(jsonPath("$.items[0].quotaBytes").value(1000))
                .andExpect(jsonPath("$.next").isEmpty());
    }

    @Test
    void aListIsReadPageByPage() throws Exception {
        for (String name : new String[] {"bbb", "aaa", "ccc"}) {
            CLUSTER.createBucket(BucketSpec.of(name));
        }
        CONSOLE.perform(get(BUCKETS).queryParam("limit", "2"))
                .andExpect(jsonPath("$.items[1].name").value("bbb"))
                .andExpect(jsonPath("$.next").value("bbb"));
        CONSOLE.perform(get(BUCKETS).queryParam("limit", "2").queryParam("cursor", "bbb"))
                .andExpect(jsonPath("$.items.length()").value(1))
                .andExpect(jsonPath("$.items[0].name").value("ccc"));
        CONSOLE.perform(get(BUCKETS).queryParam("limit", "1001"))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("limit"));
    }

    @Test
    void wrongRequestsNameTheField() throws Exception {
        create("{}")
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("name"));
        create("{\"name\":\"photos\",\"quotaBytes\":-1}")
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("quotaBytes"));
        create("{\"name\":\"photos\",\"volume\":\"none\"}").andExpect(status().isNotFound());
        create("{\"name\":\"photos\"}").andExpect(status().isCreated());
        create("{\"name\":\"photos\"}").andExpect(status().isConflict());
        CONSOLE.perform(get(BUCKETS + "/paintings")).andExpect(status().isNotFound());
    }

    @Test
    void onlyAnEmptyBucketAsTheClientSawItIsDeleted() throws Exception {
        CLUSTER.createBucket(BucketSpec.of("photos"));
        String before = tag();
        CLUSTER.bucket("photos").put("boat.jpg", new byte[10]);
        CONSOLE.perform(delete(BUCKETS + "/photos")).andExpect(status().isConflict());
        CONSOLE.perform(delete(BUCKETS + "/photos").header("If-Match", before))
                .andExpect(status().isPreconditionFailed());
        CLUSTER.bucket("photos").delete("boat.jpg");
        CONSOLE.perform(delete(BUCKETS + "/photos").header("If-Match", tag())).andExpect(status().isNoContent());
        assertThat(CLUSTER.hasBucket("photos")).isFalse();
    }

    private String tag() throws Exception {
        String tag = CONSOLE.perform(get(BUCKETS + "/photos"))
                .andReturn()
                .getResponse()
                .getHeader("ETag");
        assertThat(tag).isNotNull();
        return String.valueOf(tag);
    }

    @Test
    void anUnreachableClusterIsReportedAsSuch() throws Exception {
        CLUSTER.disconnect();
        CONSOLE.perform(get(BUCKETS))
                .andExpect(status().isServiceUnavailable())
                .andExpect(jsonPath("$.detail").value(containsString("only 1 of 4 replicas answers")));
        CONSOLE.perform(get("/buckets"))
                .andExpect(status().isServiceUnavailable())
                .andExpect(content().string(containsString("only 1 of 4 replicas answers")));
    }

    @Test
    void thePageWithoutBucketsTeachesTheNextStep() throws Exception {
        CONSOLE.perform(get("/buckets")).andExpect(content().string(containsString("bulwark mb photos")));
    }

    @Test
    void theFormCreatesABucketOrShowsTheProblem() throws Exception {
        CONSOLE.perform(post("/buckets").param("name", "photos").param("volume", "default"))
                .andExpect(redirectedUrl("/buckets/photos"));
        CONSOLE.perform(post("/buckets").param("name", "photos").param("volume", "default"))
                .andExpect(status().isConflict())
                .andExpect(content().string(containsString("a bucket of this name exists")))
                .andExpect(content().string(containsString("value=\"photos\"")));
        CONSOLE.perform(post("/buckets")
                        .param("name", "more")
                        .param("volume", "default")
                        .param("quotaBytes", "x"))
                .andExpect(status().isBadRequest())
                .andExpect(content().string(containsString("is no size such as")));
    }

    private ResultActions change(String json, String ifMatch) throws Exception {
        return CONSOLE.perform(patch(BUCKETS + "/photos/settings")
                .contentType(MediaType.APPLICATION_JSON)
                .header("If-Match", ifMatch)
                .content(json));
    }

    @Test
    void settingsChangeAsTheClientSawThem() throws Exception {
        create("{\"name\":\"photos\",\"objectLock\":true,\"retention\":{\"mode\":\"governance\",\"days\":30}}")
                .andExpect(jsonPath("$.versioning").value("keep"))
                .andExpect(jsonPath("$.objectLock").value(true));
        String seen = String.valueOf(CONSOLE.perform(get(BUCKETS + "/photos/settings"))
                .andExpect(jsonPath("$.retention.days").value(30))
                .andExpect(jsonPath("$.retention.years").isEmpty())
                .andReturn()
                .getResponse()
                .getHeader("ETag"));
        CLUSTER.bucket("photos").put("boat.jpg", new byte[10]);
        change("{\"quotaBytes\":1000,\"retention\":{\"mode\":\"compliance\",\"years\":1}}", seen)
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.quotaBytes").value(1000))
                .andExpect(jsonPath("$.versioning").value("keep"))
                .andExpect(jsonPath("$.retention.mode").value("compliance"))
                .andExpect(jsonPath("$.retention.years").value(1));
        change("{\"quotaBytes\":0}", seen).andExpect(status().isPreconditionFailed());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
        {}                                                         | versioning
        {"versioning":"off"}                                       | versioning
        {"quotaBytes":-1}                                          | quotaBytes
        {"objectLock":false}                                       | objectLock
        {"retention":{"mode":"eternal","days":1}}                  | retention
        {"retention":{"mode":"none","days":1}}                     | retention
        {"retention":{"mode":"governance"}}                        | retention
        {"retention":{"mode":"governance","days":1,"years":1}}     | retention
        {"retention":{"mode":"compliance","days":36501}}           | retention
        {"retention":{"days":3}}                                   | retention
        """)
    void wrongSettingsNameTheField(String json, String field) throws Exception {
        create("{\"name\":\"photos\",\"objectLock\":true}");
        change(json, "*")
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value(field));
    }

    @Test
    void thePageChangesOnlyWhatDiffers() throws Exception {
        CLUSTER.createBucket(BucketSpec.of("photos").withQuota(3L << 30));
        CONSOLE.perform(get("/buckets/photos/settings"))
                .andExpect(status().isOk())
                .andExpect(content().string(containsString("value=\"3 GiB\"")));
        String seen = String.valueOf(CONSOLE.perform(get(BUCKETS + "/photos/settings"))
                .andReturn()
                .getResponse()
                .getHeader("ETag"));
        CONSOLE.perform(post("/buckets/photos/settings")
                        .param("tag", seen)
                        .param("versioning", "keep")
                        .param("quotaBytes", "1.5 TiB")
                        .param("objectLock", "true")
                        .param("retention", "governance")
                        .param("retentionDays", "7"))
                .andExpect(redirectedUrl("/buckets/photos/settings"));
        assertThat(CLUSTER.bucket("photos").info().settings())
                .isEqualTo(new BucketSettings(
                        Versioning.KEEP_ALL,
                        (3L << 40) / 2,
                        true,
                        new DefaultRetention(Retention.Mode.GOVERNANCE, 7, false)));
        CONSOLE.perform(post("/buckets/photos/settings").param("tag", seen).param("quotaBytes", ""))
                .andExpect(status().isPreconditionFailed())
                .andExpect(content().string(containsString("has changed since you looked at it")));
        CONSOLE.perform(post("/buckets/photos/settings").param("tag", "*").param("quotaBytes", "much"))
                .andExpect(status().isBadRequest())
                .andExpect(content().string(containsString("is no size such as")));
    }

    @Test
    void thePageDeletesOnlyWhatWasNamed() throws Exception {
        CLUSTER.createBucket(BucketSpec.of("photos"));
        CONSOLE.perform(post("/buckets/photos/delete").param("confirmation", "photo"))
                .andExpect(status().isBadRequest());
        assertThat(CLUSTER.hasBucket("photos")).isTrue();
        CONSOLE.perform(post("/buckets/photos/delete").param("confirmation", "photos"))
                .andExpect(redirectedUrl("/buckets"));
        assertThat(CLUSTER.hasBucket("photos")).isFalse();
    }

    @Test
    void aVerificationReadsAllObjects() throws Exception {
        CLUSTER.createBucket(BucketSpec.of("photos"));
        CLUSTER.bucket("photos").put("a", new byte[10]);
        CLUSTER.bucket("photos").put("b", new byte[20]);
        String job = verify("{}");
        awaitEnd(job)
                .andExpect(jsonPath("$.state").value("SUCCEEDED"))
                .andExpect(jsonPath("$.done").value(30))
                .andExpect(jsonPath("$.startedBy").value("alice"))
                .andExpect(jsonPath("$.unit").value("BYTES"))
                .andExpect(jsonPath("$.lines", hasItem("Read 2 of 2 objects (30 B): all are intact.")))
                .andExpect(jsonPath("$.lines", hasItem("node-3 does not answer: its fragments are not verified.")));
    }

    @Test
    void aVerificationNamesTheUnreadableObject() throws Exception {
        CLUSTER.createBucket(BucketSpec.of("photos"));
        CLUSTER.bucket("photos").put("a", new byte[10]);
        CLUSTER.bucket("photos").put("b", new byte[20]);
        CLUSTER.bucket("photos").failAfter("b", 5);
        awaitEnd(verify("{\"prefix\":\"b\"}"))
                .andExpect(jsonPath("$.state").value("FAILED"))
                .andExpect(jsonPath("$.lines", hasItem(containsString("unreadable: b: too few nodes answer"))));
        awaitEnd(verify("{\"key\":\"a\"}")).andExpect(jsonPath("$.state").value("SUCCEEDED"));
    }

    @Test
    void aVerificationOfNothingIsRefused() throws Exception {
        CLUSTER.createBucket(BucketSpec.of("photos"));
        CONSOLE.perform(verification("{\"key\":\"none\"}")).andExpect(status().isNotFound());
        CONSOLE.perform(verification("{\"key\":\"a\",\"prefix\":\"b\"}"))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("prefix"));
    }

    private String verify(String json) throws Exception {
        String location = CONSOLE.perform(verification(json))
                .andExpect(status().isAccepted())
                .andReturn()
                .getResponse()
                .getHeader("Location");
        assertThat(location).isNotNull();
        return String.valueOf(location);
    }

    private static MockHttpServletRequestBuilder verification(String json) {
        return post(BUCKETS + "/photos/verifications")
                .contentType(MediaType.APPLICATION_JSON)
                .content(json);
    }

    private ResultActions awaitEnd(String job) throws Exception {
        while (true) {
            ResultActions found = CONSOLE.perform(get(job));
            if (!found.andReturn().getResponse().getContentAsString().contains("RUNNING")) {
                return found;
            }
            Thread.sleep(10);
        }
    }
}
