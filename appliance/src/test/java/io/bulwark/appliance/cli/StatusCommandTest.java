package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.control.ApplianceStatus;
import io.bulwark.appliance.control.ControlReply;
import io.bulwark.appliance.control.ControlSocket;
import io.bulwark.client.ClusterStatus;
import io.bulwark.console.StatusView;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

@NullMarked
class StatusCommandTest {
    @TempDir
    Path directory = Path.of("");

    @Test
    void whoEndedByItselfIsToldFromWhoWasStopped() throws IOException {
        ApplianceStatus status = new ApplianceStatus(
                directory.toString(),
                "",
                "",
                List.of(
                        member("node-0", true, ""),
                        member("node-1", false, ""),
                        member("node-2", false, "with exit code 137; see LOG")),
                null,
                "too few answer",
                "");
        Map<String, Object> body = JsonMapper.builder().build().convertValue(status, new TypeReference<>() {});
        try (ControlSocket _ = ControlSocket.serve(directory, _ -> ControlReply.ok(body))) {
            CommandOutput output = CommandOutput.of("status", "--data", directory.toString());
            assertThat(output.exitCode()).isEqualTo(CommandFailure.UNAVAILABLE);
            assertThat(output.out())
                    .containsPattern("node-0 +there +yes")
                    .containsPattern("node-1 +there +stopped")
                    .containsPattern("node-2 +there +terminated")
                    .contains("node-2 terminated unexpectedly with exit code 137; see LOG.");
        }
    }

    @Test
    void theFaultsThatTheReplicasCanTakeFollowFromHowManyTheyAreNow() throws IOException {
        assertThat(textOf(4)).contains("Faults that the replicas can tolerate now: 1 of 1.");
        assertThat(textOf(7)).contains("Faults that the replicas can tolerate now: 2 of 2.");
        assertThat(textOf(7, 1, 5)).contains("Faults that the replicas can tolerate now: 0 of 2.");
        assertThat(textOf(4, 0, 1)).contains("Faults that the replicas can tolerate now: 0 of 1, 1 over the limit.");
    }

    @Test
    void aNodeThatRebuildsShowsHowFarAndHowFast() throws IOException {
        ClusterStatus.Rebuild rebuild = new ClusterStatus.Rebuild(3L << 30, 16 << 20, 32 << 20, 1 << 30);
        ClusterStatus.Background none = new ClusterStatus.Background(0, 0, 0, 0);
        assertThat(textOf(List.of(new ClusterStatus.NodeStatus(
                        2,
                        "there",
                        true,
                        "repairing",
                        0,
                        0,
                        9,
                        4,
                        none,
                        0,
                        0,
                        List.of(),
                        Optional.of(rebuild),
                        Map.of()))))
                .containsPattern("REBUILDING +REBUILT +REMAINING +RATE +RATE LIMIT +TIME LEFT")
                .containsPattern("node-2 +3.0 GiB +1.0 GiB +16.0 MiB/s +32.0 MiB/s +1 min 4 s");
        assertThat(textOf(List.of(new ClusterStatus.NodeStatus(
                        2, "there", true, "ok", 0, 0, 0, 0, none, 0, 0, List.of(), Optional.empty(), Map.of()))))
                .doesNotContain("REBUILDING");
    }

    /** @param failed of these the one does not answer, the next does not agree */
    private String textOf(int replicas, Integer... failed) throws IOException {
        List<Integer> bad = List.of(failed);
        List<ClusterStatus.ReplicaStatus> all = new ArrayList<>();
        for (int i = 0; i < replicas; i++) {
            int at = bad.indexOf(i);
            all.add(new ClusterStatus.ReplicaStatus(i, "there", at != 0, 1, at < 0, Optional.empty()));
        }
        return textOf(List.of(), all);
    }

    private String textOf(List<ClusterStatus.NodeStatus> nodes) throws IOException {
        return textOf(nodes, List.of());
    }

    private String textOf(List<ClusterStatus.NodeStatus> nodes, List<ClusterStatus.ReplicaStatus> replicas)
            throws IOException {
        ClusterStatus.Recoveries none =
                new ClusterStatus.Recoveries(Duration.ZERO, Duration.ZERO, Optional.empty(), List.of());
        StatusView view = StatusView.of(new ClusterStatus(nodes, replicas, List.of(), List.of(), List.of(), none));
        ApplianceStatus status = new ApplianceStatus(directory.toString(), "", "", List.of(), view, "", "");
        Map<String, Object> body = JsonMapper.builder().build().convertValue(status, new TypeReference<>() {});
        try (ControlSocket _ = ControlSocket.serve(directory, _ -> ControlReply.ok(body))) {
            return CommandOutput.of("status", "--data", directory.toString()).out();
        }
    }

    private static ApplianceStatus.Member member(String name, boolean runs, String ended) {
        return new ApplianceStatus.Member(name, "there", runs, ended, false, null, null, "");
    }
}
