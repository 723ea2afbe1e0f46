package io.bulwark.console.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.delete;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.put;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.bulwark.client.Releases;
import io.bulwark.console.ClusterPages;
import io.bulwark.console.LargeCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;

/** Replicas and releases over a simulated cluster. */
@NullMarked
class ReplicaTest {
    private static final String HASH = "ab".repeat(32);

    private final LargeCluster cluster = new LargeCluster(9, 5);
    private final List<String> allowed = new ArrayList<>();
    private final MockMvc console = ClusterPages.of(cluster.client().with(new AllowedReleases()), Optional.empty());

    private final class AllowedReleases implements Releases {
        @Override
        public List<String> allowed() {
            return List.copyOf(allowed);
        }

        @Override
        public void allow(String hash) {
            allowed.add(hash);
        }

        @Override
        public void forget(String hash) {
            allowed.remove(hash);
        }
    }

    @Test
    void aReplicaIsShownWithItsWordApart() throws Exception {
        console.perform(get("/api/v1/replicas/replica-2"))
                .andExpect(status().isOk())
                .andExpect(header().string("ETag", "\"0\""))
                .andExpect(jsonPath("$.status.view").value(5))
                .andExpect(jsonPath("$.behind").value(1));
        console.perform(get("/replicas/2"))
                .andExpect(content().string(containsString("it has executed 998 commands, replica-1 leads in view 5")))
                .andExpect(content().string(containsString("bulwark replica recover 2")));
        console.perform(get("/api/v1/replicas/9")).andExpect(status().isNotFound());
        console.perform(get("/api/v1/replicas/node-1"))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("replica"));
    }

    @Test
    void aChangeThatCannotBeIsRefusedWithItsField() throws Exception {
        console.perform(json("/api/v1/replicas/2/replace", "{\"replica\": \"replica-7\", \"key\": \"no\"}"))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("key"));
        console.perform(json("/api/v1/replicas/2/replace", "{}"))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("replica"));
        console.perform(json("/api/v1/replicas", "{\"replicas\": []}"))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("replicas"));
        console.perform(json(
                        "/api/v1/replicas/remove", "{\"replicas\": [\"replica-0\", \"replica-0\", \"replica-1\"]}"))
                .andExpect(status().isBadRequest());
        console.perform(json(
                        "/api/v1/replicas/remove", "{\"replicas\": [\"replica-0\", \"replica-1\", \"replica-2\"]}"))
                .andExpect(status().isConflict());
        console.perform(json("/api/v1/replicas/remove", "{\"replicas\": [\"replica-0\", \"replica-1\", \"replica-2\"]}")
                        .header("If-Match", "\"4\""))
                .andExpect(status().isPreconditionFailed());
        assertThat(cluster.calls).isEmpty();
    }

    @Test
    void aRecoveryNeedsASupervisorHere() throws Exception {
        console.perform(post("/api/v1/replicas/2/recover"))
                .andExpect(status().isConflict())
                .andExpect(jsonPath("$.detail").value(containsString("bulwark replica recover 2")));
        console.perform(post("/api/v1/replicas/8/recover")).andExpect(status().isNotFound());
    }

    @Test
    void aReleaseIsAllowedAndForgotten() throws Exception {
        console.perform(get("/releases")).andExpect(content().string(containsString("No release is allowed")));
        console.perform(put("/api/v1/releases/" + HASH)).andExpect(status().isNoContent());
        console.perform(get("/api/v1/releases"))
                .andExpect(jsonPath("$.items[0]").value(HASH));
        console.perform(get("/releases/" + HASH + "/removal"))
                .andExpect(content().string(containsString("releases are not checked at all")));
        console.perform(get("/api/v1/configuration"))
                .andExpect(jsonPath("$.cluster.releases[0]").value(HASH))
                .andExpect(jsonPath("$.console.faultPanel").value(false));
        console.perform(get("/configuration")).andExpect(status().isOk());
        console.perform(delete("/api/v1/releases/" + HASH)).andExpect(status().isNoContent());
        console.perform(delete("/api/v1/releases/" + HASH)).andExpect(status().isNotFound());
        console.perform(put("/api/v1/releases/beef"))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("hash"));
    }

    private static MockHttpServletRequestBuilder json(String path, String body) {
        return post(path).contentType(MediaType.APPLICATION_JSON).content(body);
    }
}
