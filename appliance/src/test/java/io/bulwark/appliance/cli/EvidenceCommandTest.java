package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.config.GenesisFile;
import io.bulwark.client.evidence.EvidenceFile;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.AuditEntry;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Evidence;
import io.bulwark.protocol.metadata.EvidenceProof;
import io.bulwark.protocol.metadata.NodeReport;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.identity.Identity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code evidence verify}, which needs no cluster; the other commands meet one in integration tests. */
@NullMarked
class EvidenceCommandTest {
    private static final PrincipalId OPERATOR = PrincipalId.client(0);

    private final Map<PrincipalId, Identity> identities = new TreeMap<>();

    @TempDir
    Path directory = Path.of("");

    private GenesisFile genesis = genesis();

    private GenesisFile genesis() {
        TreeMap<PrincipalId, PrincipalKey> keys = new TreeMap<>();
        for (PrincipalId principal : List.of(
                OPERATOR,
                PrincipalId.node(0),
                PrincipalId.node(1),
                PrincipalId.replica(0),
                PrincipalId.replica(1),
                PrincipalId.replica(2),
                PrincipalId.replica(3))) {
            Identity identity = Identity.generate(principal, new SecureRandom());
            identities.put(principal, identity);
            keys.put(principal, identity.publicKey());
        }
        return new GenesisFile("c1".repeat(16), OPERATOR, keys);
    }

    @BeforeEach
    void files() throws IOException {
        EvidenceProof proof = proof(report(0), report(1));
        genesis.store(path("genesis.properties"));
        Files.write(path("evidence.txt"), EvidenceFile.write(proof));
    }

    private Path path(String name) {
        return directory.resolve(name);
    }

    private EvidenceProof proof(NodeReport... reports) {
        Evidence evidence = new Evidence(12, 1_700_000_000_500L, List.of(reports));
        Command.CreateVolume volume =
                new Command.CreateVolume("main", VolumeKind.OBJECT, ProtectionPolicy.standard(), 0, 5, 0);
        AuditEntry made = new AuditEntry(1, 1, OPERATOR, 5, 6, volume, Optional.of(approval(OPERATOR, volume)));
        return EvidenceProof.of(genesis.genesisKeys(), evidence, List.of(made)).orElseThrow();
    }

    private AuditEntry.Approval approval(PrincipalId by, Command.Signed command) {
        Identity identity = Optional.ofNullable(identities.get(by)).orElseThrow();
        Bytes signed = AuditEntry.signed(genesis.genesisKeys().cluster(), by, Optional.empty(), 5, 6, command);
        return new AuditEntry.Approval(identity.publicKey(), identity.sign(signed));
    }

    /** The detail tries to move the cursor of a terminal. */
    private NodeReport report(int node) {
        PrincipalId reporter = PrincipalId.node(node);
        Command.Report content =
                new Command.ReportEvidence(3, BlockId.register(1, 7), Verdict.CORRUPT, "slot 2\u001b[1A");
        return new NodeReport(reporter, 1_700_000_000_000L, 5, 6, content, Optional.of(approval(reporter, content)));
    }

    private CommandOutput verify(String file, String... more) {
        String[] arguments = {
            "evidence",
            "verify",
            path(file).toString(),
            "--genesis",
            path("genesis.properties").toString()
        };
        String[] all = java.util.Arrays.copyOf(arguments, arguments.length + more.length);
        System.arraycopy(more, 0, all, arguments.length, more.length);
        return CommandOutput.of(all);
    }

    @Test
    void aRightFileIsExplainedStepByStep() {
        CommandOutput output = verify("evidence.txt");
        assertThat(output.exitCode()).as(output.err()).isZero();
        assertThat(output.out())
                .startsWith("Fault 12: node-3 sent bytes for block 1:7 that do not belong there (corrupt).")
                .contains(" 1. OK     The file is of cluster c1c1")
                .contains(
                        "OK     node-0 has signed: node-3 corrupt, block 1:7, \"slot 2\\u001b[1A\". Its key stands in")
                .contains("VALID. At least one of node-0, node-1 saw this itself and told the truth")
                .contains("The proof does not show:")
                .doesNotContain("\u001b");
        assertThat(output.out().lines()).allMatch(line -> line.length() <= 100);
        JsonNode json =
                JsonMapper.shared().readTree(verify("evidence.txt", "--json").out());
        assertThat(json.get("valid").asBoolean()).isTrue();
        assertThat(json.get("about").asString()).isEqualTo("node-3");
        assertThat(json.get("reports")).hasSize(2);
        assertThat(json.get("steps")).allMatch(step -> step.get("holds").asBoolean());
        assertThat(verify("evidence.txt", "--faults", "2").exitCode()).isEqualTo(CommandFailure.FAILED);
        assertThat(verify("evidence.txt", "--faults", "0").exitCode()).isEqualTo(CommandFailure.USAGE);
    }

    @Test
    void aFileThatProvesNothingEndsWithOne() throws IOException {
        EvidenceProof proof = proof(report(0), report(0));
        Files.write(path("twice.txt"), EvidenceFile.write(proof));
        CommandOutput twice = verify("twice.txt");
        assertThat(twice.exitCode()).isEqualTo(CommandFailure.FAILED);
        assertThat(twice.out())
                .contains(" 4. WRONG  node-0 reports twice; only different nodes count.")
                .contains("NOT VALID: step 4 is wrong, so the file proves nothing.")
                .doesNotContain("\nVALID");
        assertThat(verify("twice.txt", "--json").out()).contains("\"valid\" : false");

        String text = Files.readString(path("evidence.txt"));
        Files.writeString(path("changed.txt"), text.replace("Accused: node-3", "Accused: node-2"));
        CommandOutput changed = verify("changed.txt");
        assertThat(changed.exitCode()).isEqualTo(CommandFailure.FAILED);
        assertThat(changed.out()).startsWith("NOT VALID: this is no whole and unchanged file");
        JsonNode json =
                JsonMapper.shared().readTree(verify("changed.txt", "--json").out());
        assertThat(json.get("valid").asBoolean()).isFalse();

        genesis = genesis();
        Files.delete(path("genesis.properties"));
        genesis.store(path("genesis.properties"));
        CommandOutput others = verify("evidence.txt");
        assertThat(others.exitCode()).isEqualTo(CommandFailure.FAILED);
        assertThat(others.out()).contains("Audit entry 1 made the volume and is not signed by an operator.");
    }

    @Test
    void filesThatAreNotThereAreWrongArguments() throws IOException {
        assertThat(verify("nothing.txt").exitCode()).isEqualTo(CommandFailure.USAGE);
        Files.delete(path("genesis.properties"));
        assertThat(verify("evidence.txt").exitCode()).isEqualTo(CommandFailure.USAGE);
        CommandOutput none = CommandOutput.of(
                "evidence",
                "verify",
                path("evidence.txt").toString(),
                "--data",
                path("nowhere").toString());
        assertThat(none.exitCode()).isEqualTo(CommandFailure.CONFIG);
        assertThat(none.err()).contains("name it with --genesis");
        assertThat(CommandOutput.of("evidence").exitCode()).isEqualTo(CommandFailure.USAGE);
        assertThat(CommandOutput.of("evidence", "list", "--after", "-1").exitCode())
                .isEqualTo(CommandFailure.USAGE);
    }
}
