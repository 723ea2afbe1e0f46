package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.control.ApplianceStatus;
import io.bulwark.appliance.control.ControlReply;
import io.bulwark.appliance.control.ControlSocket;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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
                List.of(
                        member("node-0", true, ""),
                        member("node-1", false, ""),
                        member("node-2", false, "with exit code 137; see LOG")),
                null,
                "too few answer");
        Map<String, Object> body = JsonMapper.builder().build().convertValue(status, new TypeReference<>() {});
        try (ControlSocket _ = ControlSocket.serve(directory, _ -> ControlReply.ok(body))) {
            CommandOutput output = CommandOutput.of("status", "--data", directory.toString());
            assertThat(output.exitCode()).isEqualTo(CommandFailure.UNAVAILABLE);
            assertThat(output.out())
                    .containsPattern("node-0 +there +yes")
                    .containsPattern("node-1 +there +stopped")
                    .containsPattern("node-2 +there +ended by itself")
                    .contains("node-2 has ended by itself with exit code 137; see LOG.");
        }
    }

    private static ApplianceStatus.Member member(String name, boolean runs, String ended) {
        return new ApplianceStatus.Member(name, "there", runs, ended, false, null, null, "");
    }
}
