package io.bulwark.console.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.delete;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.patch;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.redirectedUrl;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.bulwark.client.BucketSpec;
import io.bulwark.console.ConsoleFixture;
import io.bulwark.console.MemoryCluster;
import io.bulwark.protocol.cluster.VolumeKind;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.ResultActions;

@NullMarked
class VolumeTest {
    private static final String VOLUMES = "/api/v1/volumes";

    private static final MemoryCluster CLUSTER = new MemoryCluster();
    private static final MockMvc CONSOLE = ConsoleFixture.of(CLUSTER.client(), "volume");

    @BeforeEach
    void clear() {
        CLUSTER.clear();
    }

    private ResultActions create(String json) throws Exception {
        return CONSOLE.perform(
                post(VOLUMES).contentType(MediaType.APPLICATION_JSON).content(json));
    }

    @Test
    void adviceComparesAllClasses() throws Exception {
        CONSOLE.perform(get("/api/v1/advice?nodes=40&faults=4&availability=0.9&price=10"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.choices.length()").value(5))
                .andExpect(jsonPath("$.choices[0].text").value("fp f=4 m=5 n=13"))
                .andExpect(jsonPath("$.choices[3].text").value("masking b=4 n=17"))
                .andExpect(jsonPath("$.choices[3].pricePerTbMonth").value(170.0))
                .andExpect(jsonPath("$.choices[4].text").value("archive f=4 m=14 n=40"));
        CONSOLE.perform(get("/api/v1/advice?nodes=15&faults=4&availability=0.9"))
                .andExpect(jsonPath("$.refused.length()").value(4));
        for (String wrong : List.of("nodes=0", "nodes=40&availability=1", "nodes=40&target=0.9", "nodes=4&price=-1")) {
            CONSOLE.perform(get("/api/v1/advice?" + wrong)).andExpect(status().isBadRequest());
        }
    }

    @Test
    void thePageOfAdviceHasTheTableAndThePlot() throws Exception {
        CONSOLE.perform(get("/volumes/-advice?nodes=40&faults=4&availability=0.9"))
                .andExpect(status().isOk())
                .andExpect(content().string(containsString("archive f=4 m=14 n=40")))
                .andExpect(content().string(containsString("<polyline")));
        CONSOLE.perform(get("/volumes/-advice?nodes=0"))
                .andExpect(status().isOk())
                .andExpect(content().string(containsString("there are 1 to")));
    }

    @Test
    void whatIsLeftOutHasTheDefaultsOfTheCommandLine() throws Exception {
        create("{\"name\":\"cold\"}")
                .andExpect(status().isCreated())
                .andExpect(jsonPath("$.kind").value("object"))
                .andExpect(jsonPath("$.protocol").value("fp"))
                .andExpect(jsonPath("$.faults").value(1))
                .andExpect(jsonPath("$.dataFragments").value(2))
                .andExpect(jsonPath("$.fragments").value(4))
                .andExpect(jsonPath("$.blockBytes").value(1 << 20));
        create("{\"name\":\"lazy\",\"protocol\":\"pasis\",\"faults\":2}")
                .andExpect(jsonPath("$.verification").value("lazy"))
                .andExpect(jsonPath("$.dataFragments").value(3))
                .andExpect(jsonPath("$.fragments").value(9));
        create("{\"name\":\"disk\",\"kind\":\"register\",\"blocks\":1024,\"groups\":7}")
                .andExpect(jsonPath("$.blocks").value(1024))
                .andExpect(jsonPath("$.groups").value(7));
        assertThat(CLUSTER.hasVolume("disk", VolumeKind.REGISTER)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{}; name",
                "{\"name\":\"cold\",\"kind\":\"tape\"}; kind",
                "{\"name\":\"cold\",\"blocks\":5}; blocks",
                "{\"name\":\"disk\",\"kind\":\"register\"}; blocks",
                "{\"name\":\"cold\",\"protocol\":\"raid\"}; policy",
                "{\"name\":\"cold\",\"faults\":0}; policy",
                "{\"name\":\"cold\",\"faults\":2147483647}; policy",
                "{\"name\":\"cold\",\"verification\":\"lazy\"}; policy",
                "{\"name\":\"cold\",\"protocol\":\"pasis\",\"verification\":\"none\"}; policy",
                "{\"name\":\"cold\",\"blockBytes\":1}; policy",
                "{\"name\":\"cold\",\"groups\":1025}; groups",
                "{\"name\":\"cold\",\"quotaBytes\":-1}; quotaBytes"
            })
    void wrongRequestsNameTheField(String json, String field) throws Exception {
        create(json)
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.field").value(field));
        assertThat(CLUSTER.hasVolume("cold", VolumeKind.OBJECT)).isFalse();
    }

    @Test
    void aVolumeShowsItsGroupsThoughItsStateIsUnknown() throws Exception {
        CONSOLE.perform(get(VOLUMES + "/default"))
                .andExpect(jsonPath("$.volume.name").value("default"))
                .andExpect(jsonPath("$.state").isEmpty())
                .andExpect(jsonPath("$.groups[2].holders[0]").value(2));
        CONSOLE.perform(get(VOLUMES + "/none")).andExpect(status().isNotFound());
    }

    @Test
    void onlyAnUnusedVolumeIsDeleted() throws Exception {
        CLUSTER.createBucket(BucketSpec.of("photos"));
        CONSOLE.perform(delete(VOLUMES + "/default")).andExpect(status().isConflict());
        CONSOLE.perform(delete(VOLUMES + "/none")).andExpect(status().isNotFound());
        create("{\"name\":\"cold\"}");
        CONSOLE.perform(delete(VOLUMES + "/cold").header("If-Match", "\"other\""))
                .andExpect(status().isPreconditionFailed());
        CONSOLE.perform(delete(VOLUMES + "/cold")).andExpect(status().isNoContent());
        assertThat(CLUSTER.hasVolume("cold", VolumeKind.OBJECT)).isFalse();
    }

    @Test
    void theFaultsOfARegisterVolumeCanBeChanged() throws Exception {
        create("{\"name\":\"disk\",\"kind\":\"register\",\"blocks\":8,\"protocol\":\"masking\",\"fragments\":9}");
        CONSOLE.perform(patch(VOLUMES + "/disk")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"faults\":2}"))
                .andExpect(status().isAccepted())
                .andExpect(jsonPath("$.faults").value(2));
        CONSOLE.perform(patch(VOLUMES + "/disk")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{}"))
                .andExpect(status().isBadRequest());
        CONSOLE.perform(patch(VOLUMES + "/disk")
                        .header("If-Match", "\"other\"")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"faults\":1}"))
                .andExpect(status().isPreconditionFailed());
        CONSOLE.perform(get("/volumes/disk")).andExpect(content().string(containsString("/volumes/disk/faults")));
        CONSOLE.perform(post("/volumes/disk/faults").param("faults", "1")).andExpect(redirectedUrl("/volumes/disk"));
        CONSOLE.perform(get("/volumes/disk")).andExpect(content().string(containsString("masking b=1 n=9")));
    }

    @Test
    void aRegisterVolumeUnderFpGetsOtherNumbers() throws Exception {
        create("{\"name\":\"disk\",\"kind\":\"register\",\"blocks\":8}");
        CONSOLE.perform(patch(VOLUMES + "/disk")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"faults\":2}"))
                .andExpect(status().isAccepted())
                .andExpect(jsonPath("$.fragments").value(7));
        CONSOLE.perform(patch(VOLUMES + "/disk")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"fragments\":9}"))
                .andExpect(status().isAccepted())
                .andExpect(jsonPath("$.dataFragments").value(5));
        CONSOLE.perform(patch(VOLUMES + "/disk")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"faults\":1,\"faultsMax\":2,\"fragments\":9}"))
                .andExpect(status().isBadRequest());
        CONSOLE.perform(get("/volumes/disk")).andExpect(content().string(containsString("/volumes/disk/faults")));
    }

    @Test
    void thePolicyOfAnObjectVolumeCanBeChanged() throws Exception {
        create("{\"name\":\"films\"}");
        CONSOLE.perform(get("/volumes/films")).andExpect(content().string(containsString("/volumes/films/faults")));
        CONSOLE.perform(post("/volumes/films/faults").param("faults", "2")).andExpect(redirectedUrl("/volumes/films"));
        CONSOLE.perform(get("/volumes/films")).andExpect(content().string(containsString("fp f=2 m=3 n=7")));
    }

    @Test
    void thePageExplainsThePolicy() throws Exception {
        CONSOLE.perform(get("/volumes/default"))
                .andExpect(status().isOk())
                .andExpect(content().string(containsString("Any 2 of them give the block back.")))
                .andExpect(content().string(containsString("One byte of data takes 2.00 bytes of disk.")))
                .andExpect(content().string(containsString("Unknown: the cluster did not report its status.")));
    }

    @Test
    void theFormCreatesAVolumeOrShowsTheProblem() throws Exception {
        CONSOLE.perform(post("/volumes").param("name", "cold").param("protection", "pasis-write-time"))
                .andExpect(redirectedUrl("/volumes/cold"));
        CONSOLE.perform(post("/volumes").param("name", "warm").param("faults", "many"))
                .andExpect(status().isBadRequest())
                .andExpect(content().string(containsString("faults is a number of 0 or more")));
        CONSOLE.perform(get("/volumes")).andExpect(content().string(containsString("pasis b=1 m=2 n=5 write-time")));
    }

    @Test
    void thePageDeletesOnlyWhatWasNamed() throws Exception {
        CONSOLE.perform(post("/volumes/default/delete").param("confirmation", "Default"))
                .andExpect(status().isBadRequest());
        assertThat(CLUSTER.hasVolume("default", VolumeKind.OBJECT)).isTrue();
        CONSOLE.perform(post("/volumes/default/delete").param("confirmation", "default"))
                .andExpect(redirectedUrl("/volumes"));
        assertThat(CLUSTER.hasVolume("default", VolumeKind.OBJECT)).isFalse();
    }
}
