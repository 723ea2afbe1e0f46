package io.bulwark.console.accesskey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.not;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.delete;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.put;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.bulwark.client.AccessKeySpec;
import io.bulwark.console.ConsoleFixture;
import io.bulwark.console.FakeCluster;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.AccessKey;
import io.bulwark.protocol.metadata.Gateways;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.RequestBuilder;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;

@NullMarked
class AccessKeyTest {
    private static final String KEYS = "/api/v1/access-keys";
    private static final String FIRST = "BWKFAKE2345678901100";

    private final FakeAccessKeys keys = new FakeAccessKeys();
    private final MockMvc console =
            ConsoleFixture.of(new FakeCluster().with(keys).client(), "accesskey");

    private static MockHttpServletRequestBuilder json(MockHttpServletRequestBuilder request, String body) {
        return request.contentType(MediaType.APPLICATION_JSON).content(body);
    }

    private void badField(RequestBuilder request, String field) throws Exception {
        console.perform(request)
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value(field));
    }

    @Test
    void keyIsMadeAsAskedAndItsSecretIsShownOnce() throws Exception {
        console.perform(json(
                        post(KEYS),
                        "{\"name\":\"backup\",\"person\":\"client-9\",\"rights\":\"read\",\"hours\":2,"
                                + "\"limits\":[{\"bucket\":\"photos\",\"prefix\":\"2026/\"},{\"bucket\":\"films\"}]}"))
                .andExpect(status().isCreated())
                .andExpect(header().string("Location", KEYS + "/" + FIRST))
                .andExpect(header().string("Cache-Control", "no-store"))
                .andExpect(jsonPath("$.secret").value("secret-of-" + FIRST))
                .andExpect(jsonPath("$.key.sealedFor.length()").value(2));
        AccessKeySpec asked = keys.asked.getFirst();
        assertThat(asked.person()).contains(PrincipalId.client(9));
        assertThat(asked.rights()).isEqualTo(AccessKeySpec.READ);
        assertThat(asked.expires()).isPresent();
        assertThat(asked.limits())
                .containsExactly(new AccessKey.Limit("photos", "2026/"), new AccessKey.Limit("films", ""));
        console.perform(get(KEYS))
                .andExpect(jsonPath("$.items.length()").value(1))
                .andExpect(jsonPath("$.items[0].limits[0].prefix").value("2026/"))
                .andExpect(content().string(not(containsString("secret-of"))));
        console.perform(get(KEYS + "/" + FIRST))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.name").value("backup"))
                .andExpect(jsonPath("$.sealedFor[1]").value("client-15"));
    }

    @Test
    void badValuesAreRefusedByField() throws Exception {
        badField(json(post(KEYS), "{\"person\":\"node-1\"}"), "person");
        badField(json(post(KEYS), "{\"rights\":\"all\"}"), "rights");
        badField(json(post(KEYS), "{\"hours\":0}"), "hours");
        badField(json(post(KEYS), "{\"name\":\"" + "n".repeat(65) + "\"}"), "name");
        badField(json(post(KEYS), "{\"limits\":[{\"prefix\":\"a\"}]}"), "limits");
        badField(json(post(KEYS), "{\"limits\":[null]}"), "limits");
        badField(
                json(post(KEYS), "{\"limits\":[" + "{\"bucket\":\"abc\"},".repeat(16) + "{\"bucket\":\"abc\"}]}"),
                "limits");
        assertThat(keys.asked).isEmpty();
        console.perform(get(KEYS + "/none")).andExpect(status().isNotFound());
        console.perform(get(KEYS + "/" + "N".repeat(200))).andExpect(status().isNotFound());
        console.perform(delete(KEYS + "/none")).andExpect(status().isNotFound());
        console.perform(json(post(KEYS + "/none/rotation"), "{}")).andExpect(status().isNotFound());
    }

    @Test
    void withoutGatewayNoKeyIsMade() throws Exception {
        keys.gateways = Gateways.NONE;
        console.perform(json(post(KEYS), "{}"))
                .andExpect(status().isConflict())
                .andExpect(content().string(containsString("bulwark s3 enable")));
        console.perform(get("/access-keys")).andExpect(content().string(containsString("bulwark s3 enable")));
        console.perform(get("/api/v1/gateways"))
                .andExpect(jsonPath("$.gateways.length()").value(0))
                .andExpect(jsonPath("$.anonymous").isEmpty());
    }

    @Test
    void keyIsRotatedLimitedAndRevoked() throws Exception {
        console.perform(json(post(KEYS), "{}")).andExpect(status().isCreated());
        console.perform(json(post(KEYS + "/" + FIRST + "/rotation"), "{\"hours\":3}"))
                .andExpect(status().isCreated())
                .andExpect(jsonPath("$.secret").value("secret-of-BWKFAKE2345678901101"));
        console.perform(get(KEYS + "/" + FIRST)).andExpect(jsonPath("$.expires").value("2026-11-29T15:00:00Z"));
        badField(json(post(KEYS + "/" + FIRST + "/rotation"), "{\"hours\":-1}"), "hours");
        String limits = KEYS + "/" + FIRST + "/limits";
        String tag = Optional.ofNullable(console.perform(get(KEYS + "/" + FIRST))
                        .andReturn()
                        .getResponse()
                        .getHeader("ETag"))
                .orElseThrow();
        console.perform(json(put(limits), "{\"limits\":[{\"bucket\":\"films\"}]}")
                        .header("If-Match", tag))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.limits[0].bucket").value("films"));
        console.perform(json(put(limits), "{\"limits\":[]}").header("If-Match", tag))
                .andExpect(status().isPreconditionFailed());
        console.perform(delete(KEYS + "/" + FIRST).header("If-Match", tag)).andExpect(status().isPreconditionFailed());
        console.perform(delete(KEYS + "/" + FIRST)).andExpect(status().isNoContent());
        assertThat(keys.find(FIRST)).isEmpty();
    }

    @Test
    void pageMakesRotatesAndRevokesKeys() throws Exception {
        console.perform(post("/access-keys")
                        .param("name", "backup")
                        .param("person", "")
                        .param("rights", "write")
                        .param("limits", " photos/a/b \r\n\r\nfilms\n")
                        .param("hours", "0"))
                .andExpect(status().isOk())
                .andExpect(header().string("Cache-Control", "no-store"))
                .andExpect(content().string(containsString("aws_secret_access_key = secret-of-" + FIRST)));
        assertThat(keys.asked.getFirst().limits())
                .isEqualTo(List.of(new AccessKey.Limit("photos", "a/b"), new AccessKey.Limit("films", "")));
        assertThat(keys.asked.getFirst().expires()).isEmpty();
        console.perform(get("/access-keys"))
                .andExpect(content().string(containsString(FIRST)))
                .andExpect(content().string(containsString("photos/a/b")))
                .andExpect(content().string(containsString("as client-20")))
                .andExpect(content().string(not(containsString("secret-of"))));
        console.perform(get("/access-keys/" + FIRST + "/dialog"))
                .andExpect(content().string(containsString("/access-keys/" + FIRST + "/revocation")));
        console.perform(post("/access-keys/" + FIRST + "/rotation").param("hours", "1"))
                .andExpect(content().string(containsString("secret-of-BWKFAKE2345678901101")));
        console.perform(post("/access-keys/" + FIRST + "/revocation"))
                .andExpect(content().string(not(containsString(FIRST))))
                .andExpect(content().string(containsString("BWKFAKE2345678901101")));
    }
}
