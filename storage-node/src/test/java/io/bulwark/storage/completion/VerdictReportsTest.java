package io.bulwark.storage.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.driver.EvidenceLog;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Reply;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class VerdictReportsTest {
    private static final Volume VOLUME = new Volume(
            1,
            "v",
            VolumeKind.REGISTER,
            ProtectionPolicy.pasis(1, 2, 5, 4096, Verification.LAZY),
            100,
            List.of(new PlacementGroup(1, List.of(0, 1, 2, 3, 4))));
    private static final BlockId BLOCK = BlockId.register(1, 7);
    private static final PrincipalId CLIENT = PrincipalId.client(9);

    private final ScriptedMetadata metadata = new ScriptedMetadata(VOLUME);
    private Instant now = Instant.ofEpochMilli(1_700_000_000_000L);
    private final EvidenceLog evidence = new EvidenceLog(new SimpleMeterRegistry(), () -> now);
    private final VerdictReports reports = new VerdictReports(metadata, new ControlSession(metadata), evidence, 0);

    @Test
    void whatGoesOnIsReportedAgainBeforeTheReportExpires() throws Exception {
        Command poison = new Command.ReportPoison(CLIENT, BLOCK, 4, "version");
        Command corrupt = new Command.ReportEvidence(2, BLOCK, Verdict.CORRUPT, "bytes");
        findBoth();
        assertThat(metadata.commands).containsExactly(poison, corrupt);
        now = now.plusMillis(Command.REPORT_TTL_MILLIS / 2 - 1);
        findBoth();
        assertThat(metadata.commands).containsExactly(poison, corrupt);
        now = now.plusMillis(1);
        findBoth();
        findBoth();
        assertThat(metadata.commands).containsExactly(poison, corrupt, poison, corrupt);
    }

    /** A report that would suspend a client waits for the logs that rely on its rights. */
    @Test
    void aReportThatMustWaitIsGivenAgain() throws Exception {
        evidence.onEvidence(new Effect.Evidence(CLIENT, BLOCK, Verdict.POISONOUS, "version", 4));
        metadata.reply = new Reply.Failed(MetadataError.LOCKED, "films/a/");
        reports.poll();
        reports.poll();
        int refused = metadata.commands.size();
        assertThat(refused).isGreaterThanOrEqualTo(2);
        metadata.reply = new Reply.Done();
        reports.poll();
        reports.poll();
        assertThat(metadata.commands).hasSize(refused + 1);
    }

    private void findBoth() throws Exception {
        evidence.onEvidence(new Effect.Evidence(CLIENT, BLOCK, Verdict.POISONOUS, "version", 4));
        evidence.onEvidence(new Effect.Evidence(PrincipalId.node(2), BLOCK, Verdict.CORRUPT, "bytes"));
        reports.poll();
    }
}
