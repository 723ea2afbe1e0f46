package io.bulwark.console.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.not;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.delete;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.bulwark.console.ClusterPages;
import io.bulwark.console.FaultPanel;
import io.bulwark.console.LargeCluster;
import io.bulwark.protocol.cluster.PlacementGroup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;

/** Nodes, placement groups and drills over a simulated cluster of 100 nodes. */
@NullMarked
class NodeTest {
    private final LargeCluster cluster = new LargeCluster(99, 100_000);
    private final MockMvc console = ClusterPages.of(cluster.client(), Optional.of(new Panel()));

    /** Runs node-1 alone. */
    private final class Panel implements FaultPanel {
        @Override
        public Set<Integer> nodes() {
            return Set.of(1);
        }

        @Override
        public Set<Drill> drills(int node) {
            return EnumSet.of(Drill.STOP, Drill.FLIP);
        }

        @Override
        public String apply(int node, Drill drill) throws IOException {
            if (drill == Drill.FLIP) {
                throw new IOException("no fragments");
            }
            cluster.silent.add(node);
            return "node-1 is stopped.";
        }
    }

    @Test
    void aListComesInParts() throws Exception {
        console.perform(get("/api/v1/nodes?limit=60"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.items.length()").value(60))
                .andExpect(jsonPath("$.next").value("59"))
                .andExpect(jsonPath("$.items[3].slots.length()").value(4));
        console.perform(get("/api/v1/nodes?limit=60&cursor=59"))
                .andExpect(jsonPath("$.items.length()").value(40))
                .andExpect(jsonPath("$.next").doesNotExist());
        for (String wrong : List.of("limit=0", "limit=1001")) {
            console.perform(get("/api/v1/nodes?" + wrong))
                    .andExpect(status().isBadRequest())
                    .andExpect(jsonPath("$.field").value("limit"));
        }
        console.perform(get("/api/v1/nodes?cursor=x"))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("cursor"));
    }

    @Test
    void aNodeHasAnEntityTagAndAnUnknownOneIsNotFound() throws Exception {
        console.perform(get("/api/v1/nodes/node-7"))
                .andExpect(status().isOk())
                .andExpect(header().string("ETag", "\"1\""))
                .andExpect(jsonPath("$.status.number").value(7));
        console.perform(get("/api/v1/nodes/500")).andExpect(status().isNotFound());
        console.perform(get("/api/v1/nodes/replica-1"))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("node"));
        console.perform(get("/nodes/500")).andExpect(status().isNotFound());
    }

    @Test
    void aPlanSaysInFiguresWhatWillHappen() throws Exception {
        console.perform(get("/api/v1/nodes/7/plan?action=replace&by=99"))
                .andExpect(status().isOk())
                .andExpect(header().string("ETag", "\"1\""))
                .andExpect(jsonPath("$.moves.length()").value(4))
                .andExpect(jsonPath("$.bytes").value(4L << 30))
                .andExpect(jsonPath("$.risks[0].faultsLeft").value(0))
                .andExpect(jsonPath("$.estimatedMillis").value(128_000))
                .andExpect(jsonPath("$.sentences[2]")
                        .value("Groups 4, 5, 6, 7 of volume default will be able to take 0 faults for about 2"
                                + " min 8 s."));
        console.perform(get("/nodes/7/plan?action=replace&by=node-99"))
                .andExpect(status().isOk())
                .andExpect(content().string(containsString("Type node-7 to confirm")))
                .andExpect(content().string(containsString("name=\"version\" value=\"1\"")));
        console.perform(get("/api/v1/nodes/7/plan?action=paint"))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("action"));
        console.perform(get("/api/v1/nodes/7/plan?action=replace&by=7"))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("by"));
        console.perform(get("/api/v1/nodes/7/plan?action=replace&by=8")).andExpect(status().isConflict());
        console.perform(get("/api/v1/nodes/7/plan?action=drain&volume=none"))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("volume"));
    }

    @Test
    void aReplacementRunsAsAJob() throws Exception {
        console.perform(post("/api/v1/nodes/7/replace")
                        .header("If-Match", "\"1\"")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"by\": \"node-99\"}"))
                .andExpect(status().isAccepted())
                .andExpect(header().string("Location", "/api/v1/jobs/1"));
        await().untilAsserted(() -> console.perform(get("/api/v1/jobs/1"))
                .andExpect(jsonPath("$.state").value("SUCCEEDED"))
                .andExpect(jsonPath("$.done").value(8))
                .andExpect(jsonPath("$.startedBy").value("alice")));
        assertThat(cluster.calls).containsExactly("change 4 7 99", "change 5 7 99", "change 6 7 99", "change 7 7 99");
        console.perform(post("/api/v1/nodes/8/drain").header("If-Match", "\"1\""))
                .andExpect(status().isPreconditionFailed());
        console.perform(get("/jobs/1")).andExpect(content().string(containsString("4 slots are moved and rebuilt.")));
    }

    @Test
    void aPageAsksForTheNameOfWhatItDrainsOrRemoves() throws Exception {
        console.perform(post("/nodes/7/move")
                        .param("action", "drain")
                        .param("version", "1")
                        .param("name", "node-8"))
                .andExpect(status().isBadRequest());
        console.perform(post("/nodes/99/remove").param("version", "1").param("name", "no"))
                .andExpect(status().isBadRequest());
        console.perform(post("/nodes/99/remove").param("version", "1").param("name", "node-99"))
                .andExpect(status().isOk())
                .andExpect(header().string("HX-Redirect", "/nodes"));
        console.perform(delete("/api/v1/nodes/300")).andExpect(status().isNotFound());
        assertThat(cluster.calls).containsExactly("remove 99");
    }

    @Test
    void anAddressIsCheckedBeforeTheClusterIsAsked() throws Exception {
        for (String wrong : List.of("", "host", "host:0", "host:99999", "a b:1", "::1:7")) {
            console.perform(post("/api/v1/nodes")
                            .contentType(MediaType.APPLICATION_JSON)
                            .content("{\"node\": \"node-99\", \"address\": \"" + wrong + "\", \"spare\": true}"))
                    .andExpect(status().isBadRequest())
                    .andExpect(jsonPath("$.field").value("address"));
        }
        console.perform(post("/api/v1/nodes")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"node\": \"node-99\", \"address\": \"[::1]:7415\", \"spare\": true}"))
                .andExpect(status().isNoContent());
        assertThat(cluster.calls).hasSize(1);
    }

    @Test
    void anAnnouncedChangeIsShownFirstAndCanBeAborted() throws Exception {
        PlacementGroup group = cluster.group(40);
        cluster.set(40, group.announced(0, 99).sealed(1));
        console.perform(get("/groups"))
                .andExpect(status().isOk())
                .andExpect(content().string(containsString("node-40 to node-99, sealed by 1 of 4")));
        console.perform(delete("/api/v1/groups/default/41/change")).andExpect(status().isConflict());
        console.perform(delete("/api/v1/groups/default/900/change")).andExpect(status().isNotFound());
        console.perform(delete("/api/v1/groups/none/changes")).andExpect(status().isNotFound());
        console.perform(delete("/api/v1/groups/default/changes"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.groups[0]").value(40));
        console.perform(get("/api/v1/groups?limit=10&cursor=95"))
                .andExpect(jsonPath("$.items.length()").value(4))
                .andExpect(jsonPath("$.next").doesNotExist());
    }

    @Test
    void onlyNodesOfTheEmbeddedApplianceHaveDrills() throws Exception {
        console.perform(get("/nodes/1")).andExpect(content().string(containsString("Drill: give this node a fault")));
        console.perform(get("/nodes/2")).andExpect(content().string(not(containsString("Drill"))));
        console.perform(get("/nodes/1/drills")).andExpect(content().string(containsString("value=\"flip\"")));
        console.perform(drill(2, "stop")).andExpect(status().isNotFound());
        console.perform(drill(1, "melt"))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value("drill"));
        console.perform(drill(1, "start")).andExpect(status().isConflict());
        console.perform(drill(1, "flip"))
                .andExpect(status().isConflict())
                .andExpect(jsonPath("$.detail").value("no fragments"));
        console.perform(drill(1, "stop"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.message").value("node-1 is stopped."));
        assertThat(Path.of("target", "fixture", "access.log"))
                .content()
                .as("the console's own record, as no command is")
                .contains("\"event\":\"drill-given\",\"name\":\"alice\"", ": node-1\"");
    }

    private static MockHttpServletRequestBuilder drill(int node, String drill) {
        return post("/api/v1/nodes/" + node + "/drills")
                .contentType(MediaType.APPLICATION_JSON)
                .content("{\"drill\": \"" + drill + "\"}");
    }
}
