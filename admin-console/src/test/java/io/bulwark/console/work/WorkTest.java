package io.bulwark.console.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.bulwark.client.ClusterStatus;
import io.bulwark.console.ConsoleFixture;
import io.bulwark.console.FakeCluster;
import io.bulwark.console.FakeStatus;
import io.bulwark.console.live.ClusterWatch;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.springframework.test.web.servlet.MockMvc;

@NullMarked
class WorkTest {
    @Test
    void workIsToldPerNodeAndVolume() throws Exception {
        MockMvc console =
                ConsoleFixture.of(new FakeCluster().with(FakeStatus::pasis).client(), "work");
        console.perform(get("/api/v1/work"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.nodes[0].checked").value(1234))
                .andExpect(jsonPath("$.nodes[0].poolBytes").value(7 * 512))
                .andExpect(jsonPath("$.nodes[0].checkedPerSecond").isEmpty())
                .andExpect(jsonPath("$.nodes[3].reachable").value(false))
                .andExpect(jsonPath("$.volumes[0].unverified").value(28))
                .andExpect(jsonPath("$.volumes[0].nodes.length()").value(4))
                .andExpect(jsonPath("$.recoveries.replicas[0].overdue").value(true));
        console.perform(get("/work"))
                .andExpect(content().string(containsString("does not answer")))
                .andExpect(content().string(containsString("overdue")));
        console.perform(get("/work/part")).andExpect(content().string(containsString("Alarm: node-3.")));
    }

    @Test
    void unreachableClusterIsUnavailable() throws Exception {
        MockMvc console = ConsoleFixture.of(
                new FakeCluster().with(FakeStatus::pasis).unreachable().client(), "work");
        console.perform(get("/api/v1/work")).andExpect(status().isServiceUnavailable());
        console.perform(get("/work")).andExpect(status().isServiceUnavailable());
    }

    @Test
    void ratesFollowFromTwoObservations() {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
        AtomicReference<ClusterStatus> told = new AtomicReference<>(FakeStatus.pasis(100, 0));
        WorkWatch work = new WorkWatch(watch(now, told));
        assertThat(work.now().nodes().getFirst().checkedPerSecond()).isNull();
        now.set(Instant.EPOCH.plusSeconds(20));
        told.set(FakeStatus.pasis(150, 0));
        WorkView later = work.now();
        assertThat(later.nodes().getFirst().checkedPerSecond()).isEqualTo(0);
        assertThat(later.nodes().get(3).checkedPerSecond()).isNull();
        assertThat(later.alarms())
                .extracting(WorkView.Alarm::text)
                .anyMatch(text -> text.contains("600 versions now, 400 versions a moment ago"));
    }

    @Test
    void poolTooSmallIsAnAlarm() {
        List<WorkView.Alarm> alarms = Alarms.of(FakeStatus.pasis(0, 2 << 20), Optional.empty());
        assertThat(alarms)
                .filteredOn(alarm -> alarm.text().contains("history-pool to at least 2.0 MiB"))
                .hasSize(4)
                .allMatch(alarm -> alarm.level().equals("bad"));
    }

    @Test
    void fullPoolIsAWarningBehindTheAlarms() {
        List<WorkView.Alarm> alarms = Alarms.of(FakeStatus.pasis(2000, 0), Optional.empty());
        assertThat(alarms.getLast().level()).isEqualTo("warn");
        assertThat(alarms.getLast().text()).contains("98 % of its history pool");
        assertThat(alarms.getFirst().level()).isEqualTo("bad");
    }

    private static ClusterWatch watch(AtomicReference<Instant> now, AtomicReference<ClusterStatus> told) {
        return new ClusterWatch(
                told::get,
                () -> {
                    throw new UnsupportedOperationException("the map is not asked for");
                },
                ((InstantSource) now::get).withZone(ZoneOffset.UTC));
    }
}
