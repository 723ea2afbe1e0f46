package io.bulwark.console.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.not;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.bulwark.console.ClusterPages;
import io.bulwark.console.LargeCluster;
import io.bulwark.console.live.ChangeLog;
import io.bulwark.console.live.ClusterWatch;
import io.bulwark.console.live.History;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.test.web.servlet.MockMvc;

/** The dashboard is never green when the cluster is not. */
@NullMarked
class DashboardTest {
    private final LargeCluster cluster = new LargeCluster(99, 100_000);
    private final HandClock clock = new HandClock();
    private final ClusterWatch watch = new ClusterWatch(cluster::status, cluster::map, clock);
    private final Dashboard dashboard = new Dashboard(watch, new History(), new ChangeLog(), clock);

    private static final class HandClock extends Clock {
        private Instant now = Instant.parse("2026-11-29T12:00:00Z");

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    }

    @Test
    void allFaultsCanBeTakenWhileAllAnswer() {
        DashboardView view = dashboard.view();
        assertThat(view.level()).isEqualTo(Redundancy.Level.GOOD);
        assertThat(view.margins())
                .extracting(Redundancy.Margin::sentence)
                .contains("Volume default can take the one fault that its policy covers.");
        assertThat(view.activities()).isEmpty();
    }

    @Test
    void aSilentHolderIsAtRiskAndNamedWithWhatToDo() {
        cluster.silent.add(4);
        DashboardView view = dashboard.view();
        assertThat(view.level()).isEqualTo(Redundancy.Level.BAD);
        assertThat(view.margins().getFirst().sentence()).isEqualTo("Volume default can take no further fault of 1.");
        assertThat(view.activities())
                .extracting(Redundancy.Activity::sentence)
                .contains("node-4 does not answer (no connection). Start it again, or replace it by another node.");
        assertThat(view.capacity()).isNotNull();
    }

    @Test
    void aSilentSpareReducesNoVolumeButIsNotGreen() {
        cluster.silent.add(99);
        assertThat(dashboard.view().level()).isEqualTo(Redundancy.Level.WARN);
    }

    @Test
    void moreFaultsThanThePolicyCoversAreCounted() {
        cluster.silent.add(4);
        cluster.silent.add(5);
        cluster.silent.add(6);
        assertThat(dashboard.view().margins().getFirst().sentence())
                .isEqualTo("Volume default has 2 more faults than the 1 that the policy covers: some data may be"
                        + " unavailable.");
        cluster.silentReplicas.add(3);
        clock.now = clock.now.plus(Duration.ofSeconds(20));
        assertThat(dashboard.view().margins())
                .extracting(Redundancy.Margin::sentence)
                .contains("The metadata replicas can take no further fault of 1. replica-3 does not answer.");
    }

    @Test
    void announcedAndUnconfirmedEpochsAreInProgress() {
        cluster.set(3, cluster.group(3).announced(0, 99).sealed(1));
        cluster.set(5, cluster.group(5).announced(1, 99).opened());
        assertThat(dashboard.view().activities())
                .extracting(Redundancy.Activity::sentence)
                .contains(
                        "Group 3 of volume default moves the slot of node-3 to node-99; 1 of 4 holders have sealed"
                                + " epoch 1.",
                        "Group 5 of volume default waits for node-5, node-99 (rebuilds), node-7, node-8 to confirm"
                                + " epoch 2.");
    }

    @Test
    void anOutageMakesTheStateUnknownWhateverWasKnown() {
        assertThat(dashboard.view().level()).isEqualTo(Redundancy.Level.GOOD);
        Instant known = clock.now;
        cluster.unreachable = true;
        clock.now = clock.now.plus(Duration.ofSeconds(20));
        Instant since = clock.now;
        dashboard.view();
        clock.now = clock.now.plus(Duration.ofMinutes(5));
        DashboardView view = dashboard.view();
        assertThat(view.level()).isEqualTo(Redundancy.Level.UNKNOWN);
        assertThat(view.at()).isEqualTo(known);
        assertThat(view.outage()).isEqualTo(new DashboardView.Outage("only 1 of 4 replicas answers", since));
        assertThat(view.load().commandsPerSecond()).isNull();
    }

    @Test
    void thePagesSayTheSame() throws Exception {
        MockMvc console = ClusterPages.of(cluster.client(), Optional.empty());
        console.perform(get("/"))
                .andExpect(status().isOk())
                .andExpect(content().string(containsString("100,000 objects")))
                .andExpect(content().string(containsString(">protected<")));
        for (String page : new String[] {"/topology", "/nodes", "/groups", "/replicas", "/replicas/1", "/jobs"}) {
            console.perform(get(page)).andExpect(status().isOk());
        }
        console.perform(get("/api/v1/map"))
                .andExpect(jsonPath("$.groups.length()").value(99));
        console.perform(get("/api/v1/replicas"))
                .andExpect(jsonPath("$.leader").value(1))
                .andExpect(jsonPath("$.applied").value(999))
                .andExpect(jsonPath("$.replicas[3].behind").value(2))
                .andExpect(jsonPath("$.replicas[1].leads").value(true));
    }

    @Test
    void aClusterThatNeverAnsweredIsUnknown() throws Exception {
        cluster.unreachable = true;
        MockMvc console = ClusterPages.of(cluster.client(), Optional.empty());
        console.perform(get("/"))
                .andExpect(status().isOk())
                .andExpect(content().string(containsString("The cluster does not answer.")))
                .andExpect(content().string(not(containsString(">protected<"))));
        console.perform(get("/api/v1/dashboard"))
                .andExpect(status().isServiceUnavailable())
                .andExpect(jsonPath("$.outage.since").exists());
        console.perform(get("/api/v1/nodes"))
                .andExpect(status().isServiceUnavailable())
                .andExpect(jsonPath("$.since").exists());
        console.perform(get("/nodes")).andExpect(status().isServiceUnavailable());
    }

    /** Figures for docs/benchmarks.md: prints the time of a page and of its part for 100 nodes and 100,000 objects. */
    @Test
    @EnabledIfSystemProperty(named = "bulwark.bench", matches = "true")
    void theDashboardOfAHundredNodesIsMeasured() throws Exception {
        MockMvc console = ClusterPages.of(cluster.client(), Optional.empty());
        int requests = 300;
        for (String path : new String[] {"/", "/dashboard/part", "/api/v1/dashboard", "/topology"}) {
            for (int i = 0; i < 50; i++) {
                console.perform(get(path)).andExpect(status().isOk());
            }
            long started = System.nanoTime();
            for (int i = 0; i < requests; i++) {
                console.perform(get(path)).andExpect(status().isOk());
            }
            System.out.printf(Locale.ROOT, "%s: %.2f ms each%n", path, (System.nanoTime() - started) / 1e6 / requests);
        }
    }
}
