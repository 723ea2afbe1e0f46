package io.bulwark.console.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.startsWith;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.delete;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.head;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.put;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.redirectedUrl;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.bulwark.client.BucketSpec;
import io.bulwark.client.PutOptions;
import io.bulwark.client.encryption.ObjectEncryption;
import io.bulwark.console.ConsoleFixture;
import io.bulwark.console.MemoryBucket;
import io.bulwark.console.MemoryCluster;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.MediaType;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.ResultActions;

@NullMarked
class ObjectTest {
    private static final String BUCKET = "/api/v1/buckets/photos";
    private static final byte[] CONTENT = "0123456789".getBytes(StandardCharsets.UTF_8);

    private static final MemoryCluster CLUSTER = new MemoryCluster();
    private static final MockMvc CONSOLE = ConsoleFixture.of(CLUSTER.client(), "bucket", "object");

    @SuppressWarnings("NullAway.Init")
    private MemoryBucket photos;

    @BeforeEach
    void clear() {
        CLUSTER.clear();
        photos = CLUSTER.createBucket(BucketSpec.of("photos").keepingVersions());
    }

    /** The address as a client writes it: the key is encoded once. */
    private static URI object(String key) {
        return URI.create(BUCKET + "/object?key=" + encoded(key));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private ResultActions json(String path, String body) throws Exception {
        return CONSOLE.perform(
                post(BUCKET + path).contentType(MediaType.APPLICATION_JSON).content(body));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026/boat.jpg", "/", "//", "../../etc/passwd", "a%2Fb", "a%2e%2e%2fb", "100%", "a b", "a+b", "a;b=c",
                "a\\b", "a?b#c&key=d", "a,b", "日本/ü", "\uD83D\uDEA2", "<script>alert(1)</script>", "\"'", "{bucket}",
                        "*", "."
            })
    void anyKeyIsStoredReadListedAndDeleted(String key) throws Exception {
        CONSOLE.perform(put(object(key)).content(CONTENT)).andExpect(status().isCreated());
        assertThat(photos.keys()).containsExactly(key);
        CONSOLE.perform(get(object(key))).andExpect(content().bytes(CONTENT));
        CONSOLE.perform(get(BUCKET + "/objects"))
                .andExpect(jsonPath("$.items[0].key").value(key));
        CONSOLE.perform(get(URI.create("/buckets/photos/object?key=" + encoded(key))))
                .andExpect(status().isOk())
                .andExpect(content().string(not(containsString("<script>alert"))));
        CONSOLE.perform(get(URI.create("/buckets/photos?prefix=" + encoded(key.substring(0, 1)))))
                .andExpect(status().isOk());
        CONSOLE.perform(get(URI.create(BUCKET + "/zip?key=" + encoded(key)))).andExpect(status().isOk());
        json("/object/copy", "{\"key\":" + quoted(key) + ",\"toKey\":" + quoted("copy of " + key) + "}")
                .andExpect(status().isCreated());
        CONSOLE.perform(delete(object(key))).andExpect(status().isNoContent());
        assertThat(photos.keys()).containsExactly("copy of " + key);
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "%00", "a%0Ab", "%7F"})
    void keysThatNoObjectHasAreRefused(String encoded) throws Exception {
        URI address = URI.create(BUCKET + "/object?key=" + encoded);
        CONSOLE.perform(put(address).content(CONTENT)).andExpect(status().isBadRequest());
        CONSOLE.perform(get(address)).andExpect(status().isBadRequest());
        CONSOLE.perform(put(object("x".repeat(1025))).content(CONTENT)).andExpect(status().isBadRequest());
        CONSOLE.perform(get(BUCKET + "/object")).andExpect(status().isBadRequest());
    }

    @Test
    void anUploadKeepsTypeAndTags() throws Exception {
        CONSOLE.perform(put(URI.create(BUCKET + "/object?key=boat&tag=who%3Dme%3D1&tag=a%3D"))
                        .contentType("image/jpeg")
                        .content(CONTENT))
                .andExpect(status().isCreated())
                .andExpect(header().string("ETag", "\"1\""))
                .andExpect(jsonPath("$.bytes").value(10));
        CONSOLE.perform(get(BUCKET + "/object/info").queryParam("key", "boat"))
                .andExpect(header().string("ETag", "\"1\""))
                .andExpect(jsonPath("$.contentType").value("image/jpeg"))
                .andExpect(jsonPath("$.tags.who").value("me=1"))
                .andExpect(jsonPath("$.tags.a").value(""));
        CONSOLE.perform(put(URI.create(BUCKET + "/object?key=boat&tag=x")).content(CONTENT))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("tag"));
    }

    @Test
    void anUploadIsStoredOnlyUnderItsConditions() throws Exception {
        CONSOLE.perform(put(object("a")).content(CONTENT).header("If-Match", "*"))
                .andExpect(status().isNotFound());
        CONSOLE.perform(put(object("a")).content(CONTENT).header("If-None-Match", "*"))
                .andExpect(status().isCreated());
        CONSOLE.perform(put(object("a")).content(CONTENT).header("If-None-Match", "*"))
                .andExpect(status().isPreconditionFailed());
        CONSOLE.perform(put(object("a")).content(CONTENT).header("If-Match", "\"7\""))
                .andExpect(status().isPreconditionFailed());
        CONSOLE.perform(put(object("a")).content(CONTENT).header("If-Match", "W/\"1\""))
                .andExpect(status().isPreconditionFailed());
        CONSOLE.perform(put(object("a")).content(CONTENT).header("If-Match", "\"1\""))
                .andExpect(status().isCreated());
        CONSOLE.perform(put(object("a")).content(CONTENT).header("If-Match", "*"))
                .andExpect(status().isCreated());
        CONSOLE.perform(put(object("a")).content(CONTENT).header("If-None-Match", "\"1\""))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("If-None-Match"));
        assertThat(photos.versions("a")).hasSize(3);
    }

    @Test
    void aBodyThatIsShorterThanAnnouncedLeavesNothing() throws Exception {
        CONSOLE.perform(put(object("a")).content(CONTENT).with(request -> {
                    var shortened =
                            new MockHttpServletRequest(request.getServletContext(), "PUT", request.getRequestURI()) {
                                @Override
                                public long getContentLengthLong() {
                                    return 11;
                                }
                            };
                    shortened.setContent(CONTENT);
                    shortened.setParameter("key", "a");
                    return shortened;
                }))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.detail").value("the body broke off after 10 of 11 bytes"));
        assertThat(photos.keys()).isEmpty();
        assertThat(photos.aborts()).isEqualTo(1);
    }

    @Test
    void aPageInABucketCannotRunAsTheConsole() throws Exception {
        photos.put(
                "x/evil\"\u202E.html",
                "<script>alert(1)</script>".getBytes(StandardCharsets.UTF_8),
                PutOptions.DEFAULT.withContentType("text/html"));
        CONSOLE.perform(get(object("x/evil\"\u202E.html")))
                .andExpect(header().string("Content-Disposition", startsWith("attachment; filename=\"evil__.html\"")))
                .andExpect(header().string("Content-Security-Policy", containsString("sandbox")))
                .andExpect(header().string("X-Content-Type-Options", "nosniff"))
                .andExpect(content().contentType("text/html"));
        CONSOLE.perform(get(object("x/evil\"\u202E.html")).header("Sec-Fetch-Dest", "script"))
                .andExpect(status().isForbidden());
        photos.put("odd", CONTENT, PutOptions.DEFAULT.withContentType("no type"));
        CONSOLE.perform(get(object("odd"))).andExpect(content().contentType("application/octet-stream"));
    }

    @Test
    void aRangeIsAnsweredInPart() throws Exception {
        photos.put("a", CONTENT);
        CONSOLE.perform(get(object("a")).header("Range", "bytes=2-4"))
                .andExpect(status().isPartialContent())
                .andExpect(header().string("Content-Range", "bytes 2-4/10"))
                .andExpect(header().longValue("Content-Length", 3))
                .andExpect(content().string("234"));
        CONSOLE.perform(get(object("a")).header("Range", "bytes=10-"))
                .andExpect(status().isRequestedRangeNotSatisfiable())
                .andExpect(header().string("Content-Range", "bytes */10"));
        CONSOLE.perform(get(object("a")).header("Range", "bytes=2-4").header("If-Range", "\"9\""))
                .andExpect(status().isOk())
                .andExpect(content().bytes(CONTENT));
        CONSOLE.perform(get(object("a")).header("Range", "bytes=2-4").header("If-Range", "\"1\""))
                .andExpect(status().isPartialContent());
        CONSOLE.perform(head(object("a")))
                .andExpect(status().isOk())
                .andExpect(header().longValue("Content-Length", 10))
                .andExpect(content().string(""));
    }

    @Test
    void aKnownVersionIsNotSentAgain() throws Exception {
        photos.put("a", CONTENT);
        CONSOLE.perform(get(object("a")).header("If-None-Match", "\"5\", W/\"1\""))
                .andExpect(status().isNotModified())
                .andExpect(content().string(""));
        CONSOLE.perform(get(object("a")).header("If-None-Match", "\"2\"")).andExpect(status().isOk());
        CONSOLE.perform(get(object("a")).header("If-Match", "\"2\"")).andExpect(status().isPreconditionFailed());
    }

    @Test
    void aReadThatFailsAtOnceIsAProblem() throws Exception {
        photos.put("a", CONTENT);
        photos.failAfter("a", 0);
        CONSOLE.perform(get(object("a")))
                .andExpect(status().isServiceUnavailable())
                .andExpect(header().doesNotExist("Content-Length"))
                .andExpect(jsonPath("$.key").value("a"));
    }

    @Test
    void aReadThatFailsLaterCutsTheConnection() {
        photos.put("a", CONTENT);
        photos.failAfter("a", 4);
        assertThatThrownBy(() -> CONSOLE.perform(get(object("a"))))
                .isInstanceOf(BrokenDownload.class)
                .hasMessageContaining("too few nodes answer");
    }

    @Test
    void anEncryptedObjectComesOnlyAsStored() throws Exception {
        photos.put("secret", CONTENT, PutOptions.DEFAULT.withProperties(Map.of(ObjectEncryption.PROPERTY, "x")));
        CONSOLE.perform(get(object("secret"))).andExpect(status().is(422));
        CONSOLE.perform(get(URI.create(object("secret") + "&asStored=true")))
                .andExpect(content().bytes(CONTENT));
        CONSOLE.perform(get(BUCKET + "/zip").queryParam("prefix", "")).andExpect(status().isBadRequest());
        CONSOLE.perform(get(BUCKET + "/zip").queryParam("prefix", "").queryParam("asStored", "true"))
                .andExpect(status().isOk());
    }

    @Test
    void aListingHasFoldersAndPages() throws Exception {
        for (String key : List.of("a/1", "a/2", "b", "c/1", "d")) {
            photos.put(key, CONTENT);
        }
        CONSOLE.perform(get(BUCKET + "/objects").queryParam("delimiter", "/").queryParam("limit", "2"))
                .andExpect(jsonPath("$.prefixes[0]").value("a/"))
                .andExpect(jsonPath("$.items[0].key").value("b"))
                .andExpect(jsonPath("$.next").value("b"));
        CONSOLE.perform(get(BUCKET + "/objects").queryParam("delimiter", "/").queryParam("cursor", "b"))
                .andExpect(jsonPath("$.prefixes[0]").value("c/"))
                .andExpect(jsonPath("$.items[0].key").value("d"))
                .andExpect(jsonPath("$.next").isEmpty());
        CONSOLE.perform(get(BUCKET + "/objects").queryParam("limit", "0"))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("limit"));
        CONSOLE.perform(get("/api/v1/buckets/none/objects")).andExpect(status().isNotFound());
    }

    @Test
    void tagsAreReplacedOnTheVersionThatTheClientSaw() throws Exception {
        photos.put("a", CONTENT, PutOptions.DEFAULT.withTags(new TreeMap<>(Map.of("old", "1"))));
        String address = BUCKET + "/object/tags";
        CONSOLE.perform(put(address)
                        .queryParam("key", "a")
                        .contentType(MediaType.APPLICATION_JSON)
                        .header("If-Match", "\"99\"")
                        .content("{\"tags\":{}}"))
                .andExpect(status().isPreconditionFailed());
        CONSOLE.perform(put(address)
                        .queryParam("key", "a")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"tags\":{\"kind\":\"boat\"}}"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.tags.kind").value("boat"))
                .andExpect(jsonPath("$.tags.old").doesNotExist());
        CONSOLE.perform(put(address)
                        .queryParam("key", "a")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"tags\":{\"kind\":null}}"))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("tags"));
        CONSOLE.perform(post("/buckets/photos/object/tags")
                        .param("key", "a")
                        .param("version", "0")
                        .param("tags", "who=me=1\r\n\r\nx="))
                .andExpect(status().is3xxRedirection());
        assertThat(photos.head("a").tags()).isEqualTo(Map.of("who", "me=1", "x", ""));
        CONSOLE.perform(get("/buckets/photos/object").queryParam("key", "a"))
                .andExpect(content().string(containsString("who=me=1\nx=</textarea>")));
    }

    @Test
    void versionsArePagedAndDeletedOneByOne() throws Exception {
        photos.put("a", CONTENT);
        photos.put("a", CONTENT);
        photos.put("ab", CONTENT);
        photos.delete("a");
        CONSOLE.perform(get(BUCKET + "/versions").queryParam("key", "a").queryParam("limit", "2"))
                .andExpect(jsonPath("$.items[0].deleteMarker").value(true))
                .andExpect(jsonPath("$.items[0].latest").value(true))
                .andExpect(jsonPath("$.items[1].version").value(2))
                .andExpect(jsonPath("$.next").value("2.YQ"));
        CONSOLE.perform(get(BUCKET + "/versions").queryParam("key", "a").queryParam("cursor", "2.YQ"))
                .andExpect(jsonPath("$.items.length()").value(1))
                .andExpect(jsonPath("$.items[0].version").value(1));
        CONSOLE.perform(get(BUCKET + "/versions").queryParam("prefix", "a"))
                .andExpect(jsonPath("$.items.length()").value(4));
        CONSOLE.perform(get(BUCKET + "/versions").queryParam("cursor", "nonsense"))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("cursor"));
        CONSOLE.perform(get("/buckets/photos/object").queryParam("key", "a"))
                .andExpect(content().string(containsString("The object was deleted.")));
        CONSOLE.perform(delete(URI.create(object("a") + "&version=4"))).andExpect(status().isNoContent());
        assertThat(photos.keys()).containsExactly("a", "ab");
        CONSOLE.perform(delete(object("a")).header("If-Match", "\"1\"")).andExpect(status().isPreconditionFailed());
        CONSOLE.perform(delete(object("a")).header("If-Match", "no tag")).andExpect(status().isPreconditionFailed());
        CONSOLE.perform(delete(URI.create(object("ab") + "&version=3")).header("If-Match", "\"1\""))
                .andExpect(status().isPreconditionFailed());
        CONSOLE.perform(delete(URI.create(object("a") + "&version=-1"))).andExpect(status().isBadRequest());
        CONSOLE.perform(delete(URI.create(object("a") + "&version=99"))).andExpect(status().isNotFound());
    }

    @Test
    void objectsAreCopiedAndRenamed() throws Exception {
        CLUSTER.createBucket(BucketSpec.of("archive"));
        photos.put("a", CONTENT);
        json("/object/copy", "{\"key\":\"a\",\"toBucket\":\"archive\",\"toKey\":\"b\"}")
                .andExpect(status().isCreated())
                .andExpect(jsonPath("$.bucket").value("archive"));
        json("/object/rename", "{\"key\":\"a\",\"toKey\":\"c\",\"ifAbsent\":true}")
                .andExpect(status().isOk());
        assertThat(photos.keys()).containsExactly("c");
        assertThat(CLUSTER.bucket("archive").keys()).containsExactly("b");
        json("/object/copy", "{\"key\":\"c\",\"toBucket\":\"archive\",\"toKey\":\"b\",\"ifAbsent\":true}")
                .andExpect(status().isPreconditionFailed());
        json("/object/copy", "{\"key\":\"c\"}").andExpect(jsonPath("$.field").value("toKey"));
        json("/object/copy", "{\"key\":\"c\",\"toKey\":\"d\",\"toBucket\":\"none\"}")
                .andExpect(status().isNotFound());
        json("/object/rename", "{\"key\":\"none\",\"toKey\":\"d\"}").andExpect(status().isNotFound());
    }

    @Test
    void anArchiveHasSafeDistinctPaths() throws Exception {
        photos.put("x/../../evil", "1".getBytes(StandardCharsets.UTF_8));
        photos.put("x/__/__/evil", "2".getBytes(StandardCharsets.UTF_8));
        photos.put("x/big", new byte[300_000]);
        photos.put("y,z", "3".getBytes(StandardCharsets.UTF_8));
        byte[] archive = CONSOLE.perform(get(BUCKET + "/zip")
                        .queryParam("prefix", "x/")
                        .queryParam("key", "y,z")
                        .queryParam("base", "x/"))
                .andExpect(header().string("Content-Disposition", startsWith("attachment; filename=\"x.zip\"")))
                .andExpect(content().contentType("application/zip"))
                .andReturn()
                .getResponse()
                .getContentAsByteArray();
        Map<String, Integer> entries = new LinkedHashMap<>();
        try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(archive))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                entries.put(entry.getName(), zip.readAllBytes().length);
            }
        }
        assertThat(entries)
                .containsExactly(
                        Map.entry("y,z", 1),
                        Map.entry("__/__/evil", 1),
                        Map.entry("__/__/evil~2", 1),
                        Map.entry("big", 300_000));
        assertThat(archive.length).isGreaterThan(300_000);
    }

    @Test
    void anArchiveOfNothingIsRefused() throws Exception {
        CONSOLE.perform(get(BUCKET + "/zip")).andExpect(status().isNotFound());
        CONSOLE.perform(get(BUCKET + "/zip").queryParam("prefix", "x")).andExpect(status().isNotFound());
        CONSOLE.perform(get(BUCKET + "/zip").queryParam("key", "x")).andExpect(status().isNotFound());
    }

    @Test
    void anArchiveThatFailsBeforeItsFirstBytesIsAProblem() throws Exception {
        photos.put("a", CONTENT);
        photos.failAfter("a", 4);
        CONSOLE.perform(get(BUCKET + "/zip").queryParam("prefix", ""))
                .andExpect(status().isServiceUnavailable())
                .andExpect(content().contentType(MediaType.APPLICATION_PROBLEM_JSON));
        CONSOLE.perform(post("/buckets/photos/zip").param("prefix", ""))
                .andExpect(status().isServiceUnavailable())
                .andExpect(header().doesNotExist("Content-Disposition"))
                .andExpect(content().string(containsString("too few nodes answer")));
        CONSOLE.perform(post("/buckets/photos/zip"))
                .andExpect(status().isNotFound())
                .andExpect(content().string(containsString("no object was chosen")));
    }

    @Test
    void anObjectThatFailsBreaksTheArchive() {
        photos.put("a", new byte[100_000]);
        photos.put("b", CONTENT);
        photos.failAfter("b", 4);
        assertThatThrownBy(() -> CONSOLE.perform(get(BUCKET + "/zip").queryParam("prefix", "")))
                .isInstanceOf(BrokenDownload.class);
    }

    @Test
    void theFragmentMapIsReadInParts() throws Exception {
        photos.put("a", CONTENT);
        CONSOLE.perform(get(BUCKET + "/object/fragments").queryParam("key", "a").queryParam("limit", "2"))
                .andExpect(jsonPath("$.extentCount").value(3))
                .andExpect(jsonPath("$.extents[0].good").value(3))
                .andExpect(jsonPath("$.extents[0].slots[2].node").value(3))
                .andExpect(jsonPath("$.extents[0].slots[2].state").value("corrupt"))
                .andExpect(jsonPath("$.next").value("2"));
        CONSOLE.perform(get(BUCKET + "/object/fragments").queryParam("key", "a").queryParam("cursor", "2"))
                .andExpect(jsonPath("$.extents[0].index").value(2))
                .andExpect(jsonPath("$.next").isEmpty());
        CONSOLE.perform(get(BUCKET + "/object/fragments").queryParam("key", "a").queryParam("limit", "65"))
                .andExpect(status().isBadRequest());
        CONSOLE.perform(get(BUCKET + "/object/fragments").queryParam("key", "a").queryParam("cursor", "-1"))
                .andExpect(status().isBadRequest());
        CONSOLE.perform(get("/buckets/photos/object/fragments").queryParam("key", "a"))
                .andExpect(content().string(containsString("node-3")))
                .andExpect(content().string(containsString("sent bytes that are not its fragment")));
    }

    @Test
    void thePagesChangeOnlyWhatWasNamed() throws Exception {
        photos.put("x/a b", CONTENT);
        CONSOLE.perform(post("/buckets/photos/object/delete")
                        .param("key", "x/a b")
                        .param("confirmation", "a"))
                .andExpect(status().isBadRequest());
        CONSOLE.perform(post("/buckets/photos/object/copy")
                        .param("key", "x/a b")
                        .param("toBucket", "photos")
                        .param("toKey", "x/ü&c"))
                .andExpect(redirectedUrl("/buckets/photos/object?key=x%2F%C3%BC%26c"));
        CONSOLE.perform(post("/buckets/photos/object/delete")
                        .param("key", "x/a b")
                        .param("confirmation", "a b"))
                .andExpect(redirectedUrl("/buckets/photos?prefix=x%2F"));
        assertThat(photos.keys()).containsExactly("x/ü&c");
    }

    @Test
    void aSearchFindsNamesThatBeginSo() throws Exception {
        photos.put("x/boat", CONTENT);
        photos.put("x/car", CONTENT);
        CONSOLE.perform(get("/buckets/photos").queryParam("prefix", "x/").queryParam("find", "bo"))
                .andExpect(content().string(containsString(">boat<")))
                .andExpect(content().string(not(containsString(">car<"))));
    }
}
