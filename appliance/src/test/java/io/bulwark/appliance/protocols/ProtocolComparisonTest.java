package io.bulwark.appliance.protocols;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.cli.BulwarkCommand;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The protocols that {@code bench protocols} compares. */
@NullMarked
class ProtocolComparisonTest {
    /** 4.4.3, with f = 1 and m = 2: (m + f) / m, f + 1 and (m + 2f) / m blocks. */
    private static final Map<ComparedProtocol, Double> SENT = new EnumMap<>(Map.of(
            ComparedProtocol.FP, 1.5,
            ComparedProtocol.ERASURE, 1.5,
            ComparedProtocol.REPLICATION, 2.0,
            ComparedProtocol.M_3F, 2.0));

    @Test
    void eachProtocolSendsWhatTheThesisCounts() throws Exception {
        int count = ComparedProtocol.M_3F.slots(1);
        ComparisonKeys keys = new ComparisonKeys(Bytes.of(new byte[32]), count);
        byte[] content = new byte[ComparedProtocol.BLOCK_BYTES];
        try (ComparisonNodes nodes = ComparisonNodes.start("127.0.0.1", count, keys);
                ComparisonClient client = new ComparisonClient(keys, nodes.addresses())) {
            SENT.forEach((protocol, blocks) -> {
                // FP and PASIS send again where nodes are slow.
                double most = protocol.isBenign() ? 0.1 : 10;
                double sent = client.bytes("out");
                client.write(protocol, 1, 0, Bytes.of(content));
                assertThat((client.bytes("out") - sent) / content.length)
                        .as("blocks written by %s", protocol.text())
                        .isBetween(blocks, blocks + most);
                double received = client.bytes("in");
                client.read(protocol, 1, 0);
                assertThat((client.bytes("in") - received) / content.length)
                        .as("blocks read by %s", protocol.text())
                        .isBetween(1.0, 1 + most);
            });
        }
    }

    @Test
    @Tag("long")
    void aShortRunMeasuresAllProtocols() throws Exception {
        List<String> progress = new ArrayList<>();
        ProtocolComparison.Settings settings = new ProtocolComparison.Settings(1, 0.03, 2, 0);
        List<ProtocolMeasurement> all = new ProtocolComparison(settings, progress::add).run();
        assertThat(progress).first().isEqualTo("Warming up");
        assertThat(all).hasSize(4 * ComparedProtocol.values().length).allSatisfy(each -> {
            assertThat(each.operations()).isPositive();
            assertThat(each.p50Millis()).isPositive();
        });
    }

    @Test
    void wrongOptionsAreRefusedBeforeAnythingStarts() {
        assertThat(BulwarkCommand.run("bench", "protocols", "--faults", "5")).isEqualTo(2);
        assertThat(BulwarkCommand.run("bench", "protocols", "--threads", "1")).isEqualTo(2);
        assertThat(BulwarkCommand.run("bench", "protocols", "--protocol", "fp")).isEqualTo(2);
        assertThat(BulwarkCommand.run("bench", "protocols", "--cap", "fast")).isEqualTo(2);
    }
}
