package io.bulwark.client.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import io.bulwark.protocol.metadata.EvidenceVerification;
import io.bulwark.protocol.metadata.GenesisKeys;
import io.bulwark.protocol.metadata.NodeReport;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.transport.identity.Identity;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class EvidenceFileTest {
    private static final PrincipalId OPERATOR = PrincipalId.client(0);
    private static final BlockId BLOCK = new BlockId(1, OPERATOR, 3, 42);
    private static final String BEGIN = "-----BEGIN BULWARK EVIDENCE-----";

    private final Map<PrincipalId, Identity> identities = Stream.of(OPERATOR, PrincipalId.node(0), PrincipalId.node(1))
            .collect(Collectors.toMap(Function.identity(), each -> Identity.generate(each, new SecureRandom())));
    private final GenesisKeys genesis =
            new GenesisKeys(Bytes.of(new byte[GenesisKeys.CLUSTER_BYTES]), OPERATOR, keys());
    /** The second detail tries to pass for lines of the file. */
    private final EvidenceProof proof = proof(
            report(0, "slot 2"), report(1, "slot 2\n-----END BULWARK EVIDENCE-----\nAccused: node-0\n" + BEGIN + "\n"));

    private SortedMap<PrincipalId, PrincipalKey> keys() {
        SortedMap<PrincipalId, PrincipalKey> keys = new TreeMap<>();
        identities.forEach((principal, identity) -> keys.put(principal, identity.publicKey()));
        return keys;
    }

    private Identity identity(PrincipalId principal) {
        return Optional.ofNullable(identities.get(principal)).orElseThrow();
    }

    private Optional<AuditEntry.Approval> approval(PrincipalId by, Command.Signed command) {
        Bytes signed = AuditEntry.signed(genesis.cluster(), by, Optional.empty(), 5, 6, command);
        return Optional.of(
                new AuditEntry.Approval(identity(by).publicKey(), identity(by).sign(signed)));
    }

    private NodeReport report(int node, String detail) {
        PrincipalId reporter = PrincipalId.node(node);
        Command.Report content = new Command.ReportEvidence(3, BLOCK, Verdict.CORRUPT, detail);
        return new NodeReport(reporter, 1_700_000_000_000L, 5, 6, content, approval(reporter, content));
    }

    private EvidenceProof proof(NodeReport... reports) {
        Command.CreateVolume volume =
                new Command.CreateVolume("main", VolumeKind.OBJECT, ProtectionPolicy.standard(), 0, 5, 0);
        AuditEntry made = new AuditEntry(1, 1, OPERATOR, 5, 6, volume, approval(OPERATOR, volume));
        return EvidenceProof.of(genesis, new Evidence(12, 1_700_000_000_500L, List.of(reports)), List.of(made))
                .orElseThrow();
    }

    private String text() {
        return new String(EvidenceFile.write(proof), StandardCharsets.UTF_8);
    }

    private static void assertNone(String text) {
        assertThatThrownBy(() -> EvidenceFile.read(text.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(MalformedException.class);
    }

    @Test
    void aFileIsReadByPeopleAndPrograms() {
        assertThat(text().lines().takeWhile(line -> !line.equals(BEGIN)))
                .containsExactly(
                        "Bulwark evidence 12: node-3 sent bytes for block 1:client-0.3.42 that do not belong there "
                                + "(corrupt).",
                        "Check it without the cluster: bulwark evidence verify FILE --genesis genesis.properties",
                        "",
                        "Cluster: 00000000000000000000000000000000",
                        "Recorded: 2023-11-14T22:13:20.500Z",
                        "Accused: node-3",
                        "Verdict: corrupt",
                        "Faulty nodes tolerated: 1",
                        "Report: node-0 at 2023-11-14T22:13:20Z, block 1:client-0.3.42, command 5.6",
                        "Report: node-1 at 2023-11-14T22:13:20Z, block 1:client-0.3.42, command 5.6",
                        "");
        EvidenceProof read = EvidenceFile.read(EvidenceFile.write(proof));
        assertThat(read).isEqualTo(proof);
        assertThat(EvidenceVerification.of(genesis, read).isValid()).isTrue();
        assertThat(EvidenceFile.read(text().replace("\n", "\r\n").getBytes(StandardCharsets.UTF_8)))
                .as("sent through Windows")
                .isEqualTo(proof);
    }

    @Test
    void linesForPeopleThatSayAnythingElseAreFound() {
        assertNone(text().replace("Accused: node-3", "Accused: node-2"));
        assertNone(text().replace("Faulty nodes tolerated: 1\n", ""));
        assertNone("Valid!\n" + text());
        assertNone(text() + "Valid!\n");
        assertNone(text() + text());
        assertNone(text().replace(BEGIN, BEGIN + "\n"));
        assertNone(text().replace("command 5.6", "command 5.7"));
    }

    @Test
    void hostileFilesAreNone() {
        byte[] right = EvidenceFile.write(proof);
        for (int length = 0; length < right.length; length += 7) {
            assertNone(new String(Arrays.copyOf(right, length), StandardCharsets.UTF_8));
        }
        assertThatThrownBy(() -> EvidenceFile.read(new byte[EvidenceFile.BYTES_MAX + 1]))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("limit");
        assertThatThrownBy(() -> EvidenceFile.read(new byte[] {(byte) 0xC3, 0x28}))
                .isInstanceOf(MalformedException.class);
        String end = "\n-----END BULWARK EVIDENCE-----\n";
        assertNone(BEGIN + end);
        assertNone(BEGIN + "\n" + end);
        assertNone(end + BEGIN + "\n");
        assertNone(BEGIN + "\n!!!!" + end);
        assertNone(BEGIN + "\n" + "/".repeat(3 << 20) + end);
        long seed = Long.getLong("bulwark.seed", System.nanoTime());
        System.out.println("-Dbulwark.seed=" + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 1_000; i++) {
            byte[] changed = right.clone();
            int at = random.nextInt(changed.length);
            changed[at] = (byte) random.nextInt(256);
            try {
                EvidenceProof read = EvidenceFile.read(changed);
                if (EvidenceVerification.of(genesis, read).isValid()) {
                    // Numbers and times of the audit log are not signed, and nothing rests on them.
                    assertThat(read.evidence()).as("another byte at %d", at).isEqualTo(proof.evidence());
                    assertThat(read.volumeCommand()).isEqualTo(proof.volumeCommand());
                }
            } catch (MalformedException e) {
                assertThat(changed).isNotEqualTo(right);
            }
        }
    }
}
