package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.protocol.id.PrincipalId;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OutageReportTest {
    private static final String UP = "bulwark up --data /srv/b";

    @Test
    void whereNobodyListensTheApplianceIsToBeStarted() {
        assertThat(outage(Set.of()).total()).isTrue();
        assertThat(outage(Set.of()).explained(false, UP, ""))
                .contains("no appliance runs")
                .contains("`" + UP + "`");
    }

    @Test
    void whereSomeRunItSaysWhichDoNotAndHowManyAreNeeded() {
        OutageReport outage = outage(Set.of(7602, 7603));
        assertThat(outage.total()).isFalse();
        assertThat(outage.explained(true, UP, "silent"))
                .contains("only 2 of 4", "3 are needed", "replica-0 (127.0.0.1:7600)", "replica-1", "bulwark down")
                .doesNotContain("replica-2", "no appliance runs");
        assertThat(outage.explained(false, UP, "silent")).contains("`" + UP + "`", "bulwark replica --config FILE");
    }

    @Test
    void whereEnoughListenItSaysWhatWasSeen() {
        assertThat(outage(Set.of(7600, 7601, 7603)).explained(true, UP, "replica-2 silent"))
                .contains("do not agree: replica-2 silent")
                .doesNotContain("only");
    }

    private static OutageReport outage(Set<Integer> listening) {
        List<ClientConfig.Endpoint> replicas = IntStream.range(7600, 7604)
                .mapToObj(port -> new ClientConfig.Endpoint("127.0.0.1", port))
                .toList();
        ClientConfig config = new ClientConfig(
                PrincipalId.client(0), Path.of("client-0.keys"), new ChannelConfig.InsecureLoopback(), 1, replicas);
        return new OutageReport(config, replica -> listening.contains(replica.port()));
    }
}
