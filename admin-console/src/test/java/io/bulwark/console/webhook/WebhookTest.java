package io.bulwark.console.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.not;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.delete;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.put;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.bulwark.client.AccessKeys;
import io.bulwark.client.Webhooks;
import io.bulwark.console.ConsoleFixture;
import io.bulwark.console.FakeCluster;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.AccessKey;
import io.bulwark.protocol.metadata.Gateways;
import io.bulwark.protocol.metadata.Webhook;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;

@NullMarked
class WebhookTest {
    private static final String HOOKS = "/api/v1/webhooks";
    private static final String FIRST = "{\"name\":\"thumbnails\",\"url\":\"https://hooks.example/s3\"}";

    private final MemoryWebhooks webhooks = new MemoryWebhooks();
    private final AccessKeys keys = mock();
    private final MockMvc console =
            ConsoleFixture.of(new FakeCluster().with(webhooks).with(keys).client(), "webhook");

    /** Webhooks in memory. */
    private static final class MemoryWebhooks implements Webhooks {
        private final TreeMap<String, Webhook> all = new TreeMap<>();
        private int next;

        @Override
        public List<Webhook> list() {
            return List.copyOf(all.values());
        }

        @Override
        public AccessKeys.Issued create(String name, String url) {
            String id = "BWKFAKE2345678901" + (100 + next);
            next++;
            all.put(name, new Webhook(name, url, id));
            return new AccessKeys.Issued(
                    new AccessKey(id, PrincipalId.client(30), name, List.of(), 0), "secret-of-" + id);
        }

        @Override
        public void change(String name, String url) {
            Webhook old = Objects.requireNonNull(all.get(name));
            all.put(name, new Webhook(name, url, old.accessKey()));
        }

        @Override
        public AccessKeys.Issued rotate(String name, Duration overlap) {
            return create(name, Objects.requireNonNull(all.get(name)).url());
        }

        @Override
        public void remove(String name) {
            all.remove(name);
        }
    }

    @BeforeEach
    void nameGateway() {
        when(keys.gateways())
                .thenReturn(new Gateways(List.of(PrincipalId.client(15)), PrincipalId.NOBODY, PrincipalId.NOBODY));
    }

    private static MockHttpServletRequestBuilder json(MockHttpServletRequestBuilder request, String body) {
        return request.contentType(MediaType.APPLICATION_JSON).content(body);
    }

    @Test
    void secretIsShownOnceAndNeverListed() throws Exception {
        console.perform(json(post(HOOKS), FIRST))
                .andExpect(status().isCreated())
                .andExpect(header().string("Location", HOOKS + "/thumbnails"))
                .andExpect(header().string("Cache-Control", "no-store"))
                .andExpect(jsonPath("$.secret").value("secret-of-BWKFAKE2345678901100"))
                .andExpect(jsonPath("$.webhook.queue").value("arn:bulwark:sqs:::thumbnails"));
        for (String path : List.of(HOOKS, HOOKS + "/thumbnails", "/webhooks", "/webhooks/part")) {
            console.perform(get(path))
                    .andExpect(status().isOk())
                    .andExpect(content().string(containsString("hooks.example")))
                    .andExpect(content().string(not(containsString("secret-of"))));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "file:///etc/passwd",
                "ftp://hooks.example/",
                "http://",
                "http://user:word@hooks.example/",
                "http://hooks.example/#part",
                "http://hooks.example:99999/",
                "http://hooks.example/a b",
                "http://hooks.exämple/"
            })
    void urlThatGatewaysCannotPostToIsRefused(String url) throws Exception {
        console.perform(json(post(HOOKS), "{\"name\":\"thumbnails\",\"url\":\"" + url + "\"}"))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("url"));
        assertThat(webhooks.list()).isEmpty();
    }

    @Test
    void webhookWithoutGatewayOrNameIsRefused() throws Exception {
        console.perform(json(post(HOOKS), "{\"name\":\"No Name\",\"url\":\"http://h/\"}"))
                .andExpect(jsonPath("$.field").value("name"));
        when(keys.gateways()).thenReturn(Gateways.NONE);
        console.perform(json(post(HOOKS), FIRST))
                .andExpect(status().isConflict())
                .andExpect(content().string(containsString("bulwark s3 enable")));
    }

    @Test
    void webhookIsChangedRotatedAndRemoved() throws Exception {
        console.perform(json(post(HOOKS), FIRST)).andExpect(status().isCreated());
        console.perform(json(post(HOOKS), FIRST)).andExpect(status().isConflict());
        String first = HOOKS + "/thumbnails";
        String tag = Objects.requireNonNull(
                console.perform(get(first)).andReturn().getResponse().getHeader("ETag"));
        console.perform(json(put(first), "{\"url\":\"http://other.example/\"}").header("If-Match", tag))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.url").value("http://other.example/"));
        console.perform(delete(first).header("If-Match", tag)).andExpect(status().isPreconditionFailed());
        console.perform(json(post(first + "/rotation"), "{}"))
                .andExpect(status().isCreated())
                .andExpect(jsonPath("$.secret").value("secret-of-BWKFAKE2345678901101"));
        console.perform(json(post(first + "/rotation"), "{\"hours\":-1}"))
                .andExpect(jsonPath("$.field").value("hours"));
        console.perform(json(post(HOOKS + "/none/rotation"), "{}")).andExpect(status().isNotFound());
        console.perform(delete(first)).andExpect(status().isNoContent());
        console.perform(delete(first)).andExpect(status().isNotFound());
    }

    @Test
    void pageDoesTheSame() throws Exception {
        console.perform(get("/webhooks")).andExpect(content().string(containsString("There are no webhooks")));
        console.perform(post("/webhooks").param("name", "thumbnails").param("url", "https://hooks.example/s3"))
                .andExpect(header().string("Cache-Control", "no-store"))
                .andExpect(content().string(containsString("secret: secret-of-BWKFAKE2345678901100")));
        console.perform(get("/webhooks/thumbnails/dialog"))
                .andExpect(content().string(containsString("/webhooks/thumbnails/removal")));
        console.perform(post("/webhooks/thumbnails").param("url", "http://other.example/"))
                .andExpect(content().string(containsString("http://other.example/")));
        console.perform(post("/webhooks/thumbnails/rotation").param("hours", "1"))
                .andExpect(content().string(containsString("secret-of-BWKFAKE2345678901101")));
        console.perform(post("/webhooks/thumbnails/removal"))
                .andExpect(content().string(containsString("There are no webhooks")));
    }
}
