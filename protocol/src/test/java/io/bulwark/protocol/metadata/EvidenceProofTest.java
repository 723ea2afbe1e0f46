package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.EvidenceVerification.Outcome;
import io.bulwark.protocol.metadata.EvidenceVerification.Step;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Recorded faults of a cluster with keys, and their proofs. Alice is the first operator; f = b = 1. */
@NullMarked
class EvidenceProofTest {
    private static final Bytes CLUSTER = MetadataFixture.filled(GenesisKeys.CLUSTER_BYTES, 0xC1);
    private static final PrincipalId CAROL = PrincipalId.client(20);
    private static final PrincipalId WRITER = PrincipalId.client(7);
    private static final ProtectionPolicy LAZY = ProtectionPolicy.pasis(1, 2, 5, 4096, Verification.LAZY);

    private final Map<PrincipalId, Signer> signers = new HashMap<>();
    private final Map<PrincipalId, User> users = new HashMap<>();
    private final Map<PrincipalId, Long> numbers = new HashMap<>();
    private final MetadataFixture rig = new MetadataFixture();
    private final GenesisKeys genesis;
    private final Volume main;

    EvidenceProofTest() {
        TreeMap<PrincipalId, PrincipalKey> keys = new TreeMap<>();
        keys.put(ALICE, signer(ALICE).key());
        for (int node = 0; node < 5; node++) {
            keys.put(node(node), signer(node(node)).key());
        }
        genesis = new GenesisKeys(CLUSTER, ALICE, keys);
        rig.machine = new MetadataStateMachine(
                new Genesis(MetadataFixture.genesis(5).nodes(), List.of(Genesis.Grant.all(ALICE)), genesis));
        run(ALICE, new Command.CreateVolume("lazy", VolumeKind.REGISTER, LAZY, 1000, 1, 0));
        run(ALICE, MetadataFixture.objectVolume("main"));
        main = rig.map().volumes().getLast();
    }

    private static PrincipalId node(int number) {
        return PrincipalId.node(number);
    }

    private Signer signer(PrincipalId principal) {
        return signers.computeIfAbsent(principal, _ -> Signer.fresh());
    }

    private Submission.InSession submission(PrincipalId by, Command command) {
        User user = users.computeIfAbsent(by, each -> rig.user(each, 0));
        long number = numbers.merge(by, 1L, Long::sum);
        return new Submission.InSession(user.session, number, number, command);
    }

    private Reply run(PrincipalId by, Command command) {
        return rig.submit(by, submission(by, command).signed(CLUSTER, by, signer(by)::sign));
    }

    private void done(PrincipalId by, Command command) {
        assertThat(run(by, command)).isEqualTo(new Reply.Done());
    }

    /** A block of the group of nodes 0 to 3. */
    private BlockId block(long session) {
        long counter = 0;
        while (main.groupIndex(new BlockId(main.id(), ALICE, session, counter)) != 0) {
            counter++;
        }
        return new BlockId(main.id(), ALICE, session, counter);
    }

    private Command.Report corrupt(int node) {
        return new Command.ReportEvidence(node, block(7), Verdict.CORRUPT, "slot 2");
    }

    private List<Reply.EvidenceEntry> listed(PrincipalId asker) {
        return ((Reply.EvidenceList) rig.ask(asker, new Query.ListEvidence(0, 1000))).entries();
    }

    private Evidence recorded(long number) {
        return ((Reply.EvidenceFound) rig.ask(ALICE, new Query.FindEvidence(number)))
                .evidence()
                .orElseThrow();
    }

    private List<AuditEntry> log() {
        return ((Reply.AuditList) rig.ask(ALICE, new Query.ListAudit(0, 1000))).entries();
    }

    /** The proof of a recorded fault, as a reader of its file gets it. */
    private EvidenceProof proof(long number) {
        List<AuditEntry> log = log().stream().filter(EvidenceProof::isUseful).toList();
        return EvidenceProof.decode(
                EvidenceProof.of(genesis, recorded(number), log).orElseThrow().encoded());
    }

    private void assertValid(EvidenceProof proof) {
        Outcome outcome = EvidenceVerification.of(genesis, proof);
        assertThat(outcome.isValid()).as(outcome.toString()).isTrue();
        assertThat(outcome.steps())
                .hasSizeGreaterThan(proof.evidence().reports().size());
    }

    private void assertWrong(EvidenceProof proof, String reason) {
        assertWrong(genesis, proof, reason);
    }

    private static void assertWrong(GenesisKeys genesis, EvidenceProof proof, String reason) {
        Outcome outcome = EvidenceVerification.of(genesis, proof);
        assertThat(outcome.isValid()).isFalse();
        assertThat(outcome.steps().getLast().text()).contains(reason);
        assertThat(outcome.steps()).filteredOn(step -> !step.holds()).hasSize(1);
    }

    private static EvidenceProof with(EvidenceProof proof, List<NodeReport> reports) {
        Evidence evidence = new Evidence(proof.evidence().number(), 5, reports);
        return new EvidenceProof(proof.cluster(), evidence, proof.keys(), proof.volume());
    }

    /** A report that nobody has executed. */
    private NodeReport forged(PrincipalId reporter, Signer signer, Command.Report content) {
        Bytes signed = AuditEntry.signed(CLUSTER, reporter, Optional.empty(), 1, 99, content);
        return new NodeReport(
                reporter, 1, 1, 99, content, Optional.of(new AuditEntry.Approval(signer.key(), signer.sign(signed))));
    }

    @PlantedBug(
            in = MetadataStateMachine.class,
            rule = "a report is signed where nodes have keys",
            replace = "approval.isPresent() || !genesis.mustSign(),",
            with = "!approval.isPresent() || genesis.mustSign(),")
    @PlantedBug(
            in = Registry.class,
            rule = "the reporter has made the signature of a report",
            replace = "if (key.verifies(signed, signature)) {",
            with = "if (key.verifies(signed, signature) || command instanceof Command.Report) {")
    @Test
    void aReportWithoutItsReportersSignatureIsRefused() {
        Submission.InSession unsigned = submission(node(0), corrupt(3));
        assertFailed(rig.submit(node(0), unsigned), MetadataError.BAD_SIGNATURE);
        for (Submission.InSession wrong : List.of(
                submission(node(0), corrupt(3)).signed(CLUSTER, node(0), signer(node(1))::sign),
                submission(node(0), corrupt(3)).signed(CLUSTER, node(1), signer(node(0))::sign),
                submission(node(0), corrupt(3))
                        .signed(MetadataFixture.filled(16, 0xC2), node(0), signer(node(0))::sign))) {
            assertFailed(rig.submit(node(0), wrong), MetadataError.BAD_SIGNATURE);
        }
        done(node(1), corrupt(3));
        assertThat(listed(ALICE)).isEmpty();
        done(node(0), corrupt(3));
        assertThat(listed(ALICE)).hasSize(1);
    }

    @Test
    void theRecordKeepsTheReportsAsTheyWereSigned() {
        done(node(1), corrupt(3));
        long first = rig.nowMillis;
        done(node(0), corrupt(3));
        rig.machine = MetadataStateMachine.restore(
                rig.machine.snapshot(), new io.bulwark.protocol.state.TreeMapState(), genesis);
        Evidence evidence = recorded(1);
        assertThat(evidence.agreedMillis()).isEqualTo(rig.nowMillis);
        assertThat(evidence.reports()).extracting(NodeReport::reporter).containsExactly(node(0), node(1));
        NodeReport report = evidence.reports().getLast();
        assertThat(report.agreedMillis()).isEqualTo(first);
        assertThat(report.content()).isEqualTo(corrupt(3));
        assertThat(report.sessionNumber()).isEqualTo(1);
        assertThat(report.approval().orElseThrow().key())
                .isEqualTo(signer(node(1)).key());
        assertThat(report.isSigned(CLUSTER)).isTrue();
        assertThat(rig.ask(ALICE, new Query.FindEvidence(2))).isEqualTo(new Reply.EvidenceFound(Optional.empty()));
    }

    @Test
    void aFaultIsProvenFromTheGenesisAlone() {
        done(node(0), corrupt(3));
        done(node(1), corrupt(3));
        EvidenceProof proof = proof(1);
        assertThat(proof.keys()).isEmpty();
        assertThat(proof.faulty()).hasValue(1);
        assertValid(proof);
        assertThat(proof.volumeCommand().orElseThrow().name()).isEqualTo("main");
        Outcome outcome = EvidenceVerification.of(genesis, proof);
        assertThat(outcome.claim()).startsWith("node-3 sent bytes for block");
        assertThat(outcome.proven()).startsWith("At least one of node-0, node-1 saw this");
        assertThat(outcome.steps()).extracting(Step::text).anyMatch(text -> text.contains("slot 2"));
    }

    @Test
    void aClientsSuspensionIsProvenToo() {
        done(ALICE, new Command.AddPrincipal(WRITER, signer(WRITER).key()));
        done(ALICE, new Command.SetGrant(WRITER, new Scope.OfVolume("lazy"), new Rights(true, true, false)));
        suspend(1);
        assertThat(listed(ALICE)).extracting(Reply.EvidenceEntry::about).containsExactly(WRITER);
        assertThat(listed(node(4))).hasSize(1);
        assertThat(listed(WRITER)).as("other clients' faults are for operators").isEmpty();
        assertThat(rig.ask(WRITER, new Query.FindEvidence(1))).isEqualTo(new Reply.EvidenceFound(Optional.empty()));
        assertValid(proof(1));
        assertThat(EvidenceVerification.of(genesis, proof(1)).claim()).startsWith("client-7 wrote fragments");
        Reply.SuspensionList list =
                (Reply.SuspensionList) rig.ask(ALICE, new Query.ListSuspensions(PrincipalId.NOBODY, 10));
        assertThat(list.entries()).extracting(Reply.SuspensionEntry::evidence).containsExactly(1L);
        done(ALICE, new Command.LiftSuspension(WRITER));
        assertValid(proof(1));
    }

    @PlantedBug(
            in = EvidenceRecord.class,
            rule = "an entry that another replaces is dropped",
            replace = "tables.recorded.get(accusation).ifPresent(tables.evidence::remove);",
            with = "")
    @Test
    void aClientSuspendedAgainForTheSameBlockHasOneEntry() {
        done(ALICE, new Command.AddPrincipal(WRITER, signer(WRITER).key()));
        done(ALICE, new Command.SetGrant(WRITER, new Scope.OfVolume("lazy"), new Rights(true, true, false)));
        suspend(1);
        done(ALICE, new Command.LiftSuspension(WRITER));
        suspend(2);
        assertThat(listed(ALICE)).extracting(Reply.EvidenceEntry::number).containsExactly(2L);
        assertValid(proof(2));
    }

    private void suspend(long session) {
        rig.user(WRITER, 1);
        Command poison = new Command.ReportPoison(WRITER, BlockId.register(1, 7), session, "version 1/abcd");
        done(node(2), poison);
        done(node(3), poison);
    }

    @Test
    void aKeyThatAnOperatorRegisteredIsProven() {
        done(ALICE, new Command.AddPrincipal(CAROL, signer(CAROL).key()));
        done(ALICE, new Command.SetGrant(CAROL, new Scope.All(), new Rights(true, true, true)));
        signers.put(node(0), Signer.fresh());
        done(CAROL, new Command.RotateKey(node(0), List.of(signer(node(0)).key())));
        Signer old = signer(node(1));
        Signer fresh = Signer.fresh();
        done(node(1), new Command.RotateKey(node(1), List.of(fresh.key(), old.key())));
        signers.put(node(1), fresh);
        done(node(0), corrupt(3));
        done(node(1), corrupt(3));
        EvidenceProof proof = proof(1);
        assertThat(proof.keys()).hasSize(4);
        assertValid(proof);
        for (AuditEntry left : proof.keys()) {
            List<AuditEntry> others = new ArrayList<>(proof.keys());
            others.remove(left);
            EvidenceProof less = new EvidenceProof(CLUSTER, proof.evidence(), others, proof.volume());
            assertThat(EvidenceVerification.of(genesis, less).isValid()).isFalse();
        }
        List<AuditEntry> turned = new ArrayList<>(proof.keys());
        Collections.reverse(turned);
        assertThat(EvidenceVerification.of(
                                genesis, new EvidenceProof(CLUSTER, proof.evidence(), turned, proof.volume()))
                        .isValid())
                .isFalse();
        done(ALICE, new Command.RevokePrincipal(node(0)));
        assertValid(proof(1));
    }

    @PlantedBug(
            in = EvidenceVerification.class,
            rule = "the key of an invitation signs no reports",
            replace = "!(entry.command() instanceof Command.InvitePrincipal),",
            with = "entry.command() instanceof Command.Signed,")
    @Test
    void aKeyThatAnInvitedNodeChoseIsProvenAndTheInvitationIsNamed() {
        done(ALICE, new Command.RevokePrincipal(node(1)));
        PrincipalId joined = node(4);
        Signer token = Signer.fresh();
        done(ALICE, new Command.InvitePrincipal(node(9), token.key(), rig.nowMillis + 3_600_000));
        Signer own = Signer.fresh();
        signers.put(node(9), token);
        done(node(9), new Command.RotateKey(node(9), List.of(own.key())));
        signers.put(node(9), own);
        NodeReport report = forged(node(9), own, corrupt(3));
        Evidence evidence = new Evidence(1, 5, List.of(forged(joined, signer(joined), corrupt(3)), report));
        EvidenceProof proof = EvidenceProof.of(genesis, evidence, log()).orElseThrow();
        assertThat(proof.keys()).hasSize(2);
        assertValid(proof);
        assertThat(EvidenceVerification.of(genesis, proof).open())
                .anyMatch(limit -> limit.contains("the invitation of node-9"));
        NodeReport invited = forged(node(9), token, corrupt(3));
        assertWrong(with(proof, List.of(proof.evidence().reports().getFirst(), invited)), "key of an invitation");
    }

    @PlantedBug(
            in = EvidenceVerification.class,
            rule = "a proof is of the genesis' cluster",
            replace = "proof.cluster().equals(genesis.cluster()),",
            with = "proof.cluster().length() == genesis.cluster().length(),")
    @Test
    void aProofIsForItsClusterAlone() {
        done(node(0), corrupt(3));
        done(node(1), corrupt(3));
        EvidenceProof proof = proof(1);
        Bytes elsewhere = MetadataFixture.filled(GenesisKeys.CLUSTER_BYTES, 0xC2);
        assertWrong(new GenesisKeys(elsewhere, ALICE, genesis.keys()), proof, "the genesis of cluster c2");
        assertWrong(
                new EvidenceProof(elsewhere, proof.evidence(), proof.keys(), proof.volume()),
                "The file is of cluster c2");
        EvidenceProof moved = new EvidenceProof(elsewhere, proof.evidence(), proof.keys(), Optional.empty());
        Outcome outcome =
                EvidenceVerification.of(new GenesisKeys(elsewhere, ALICE, genesis.keys()), moved, OptionalInt.of(1));
        assertThat(outcome.steps().getLast().text()).contains("The signature of the report of node-0 is wrong");
        assertWrong(GenesisKeys.NONE, proof, "The genesis has no keys");
        TreeMap<PrincipalId, PrincipalKey> others = new TreeMap<>(genesis.keys());
        others.put(node(0), Signer.fresh().key());
        assertWrong(
                new GenesisKeys(CLUSTER, ALICE, others), proof, "Nothing shows that the key in the report of node-0");
    }

    @PlantedBug(
            in = EvidenceVerification.class,
            rule = "a reporter counts once",
            replace = "require(reporters.add(reporter),",
            with = "require(reporters.add(reporter) || reporters.contains(reporter),")
    @PlantedBug(
            in = EvidenceVerification.class,
            rule = "nobody accuses itself for others",
            replace = "require(!reporter.equals(evidence.about()),",
            with = "require(reporters.size() < 99,")
    @PlantedBug(
            in = EvidenceVerification.class,
            rule = "the signature of each report is checked",
            replace = "report.isSigned(genesis.cluster()),",
            with = "report.approval().isPresent(),")
    @PlantedBug(
            in = EvidenceVerification.class,
            rule = "f + 1 reports are needed",
            replace = "reports > mayBeFaulty,",
            with = "reports >= mayBeFaulty,")
    @PlantedBug(
            in = EvidenceVerification.class,
            rule = "reporters are nodes",
            replace = "require(reporter.kind() == PrincipalKind.NODE,",
            with = "require(reporter.kind() != PrincipalKind.NONE,")
    @PlantedBug(
            in = EvidenceVerification.class,
            rule = "reports about a node name one block",
            replace = "|| report.content().block().equals(evidence.block()),",
            with = "|| report.content().block().volume() == evidence.block().volume(),")
    @Test
    void reportsThatDoNotCountAreFound() {
        done(node(0), corrupt(3));
        done(node(1), corrupt(3));
        EvidenceProof proof = proof(1);
        NodeReport first = proof.evidence().reports().getFirst();
        NodeReport second = proof.evidence().reports().getLast();
        assertWrong(with(proof, List.of(first)), "so 2 must report the same. There is 1 report.");
        assertWrong(with(proof, List.of(first, first)), "node-0 reports twice");
        assertWrong(with(proof, List.of(first, forged(node(0), signer(node(0)), corrupt(3)))), "node-0 reports twice");
        assertWrong(with(proof, List.of(first, forged(node(3), signer(node(3)), corrupt(3)))), "node-3 reports itself");
        assertWrong(with(proof, List.of(first, forged(ALICE, signer(ALICE), corrupt(3)))), "client-1 is no node");
        assertWrong(
                with(proof, List.of(first, forged(node(2), signer(node(1)), corrupt(3)))),
                "Nothing shows that the key in the report of node-2");
        Command.Report other = new Command.ReportEvidence(3, block(8), Verdict.CORRUPT, "slot 2");
        assertWrong(with(proof, List.of(first, forged(node(1), signer(node(1)), other))), "another block");
        NodeReport unsigned = new NodeReport(
                node(1), 1, second.session(), second.sessionNumber(), second.content(), Optional.empty());
        assertWrong(with(proof, List.of(first, unsigned)), "is not signed");
        assertThat(EvidenceProof.of(
                        genesis, with(proof, List.of(first, unsigned)).evidence(), log()))
                .isEmpty();
        NodeReport moved = new NodeReport(
                node(1), 1, second.session(), second.sessionNumber() + 1, second.content(), second.approval());
        assertWrong(with(proof, List.of(first, moved)), "The signature of the report of node-1 is wrong");
        Command.Report worse = new Command.ReportEvidence(3, block(7), Verdict.CORRUPT, "slot 3");
        NodeReport changed =
                new NodeReport(node(1), 1, second.session(), second.sessionNumber(), worse, second.approval());
        assertWrong(with(proof, List.of(first, changed)), "The signature of the report of node-1 is wrong");
    }

    @Test
    void reportsOfDifferentFaultsAreNoEvidence() {
        NodeReport one = forged(node(0), signer(node(0)), corrupt(3));
        for (Command.Report other : List.of(
                corrupt(2),
                new Command.ReportEvidence(3, block(7), Verdict.DAMAGED, "slot 2"),
                new Command.ReportEvidence(3, BlockId.register(9, 7), Verdict.CORRUPT, "slot 2"))) {
            assertThatThrownBy(() -> new Evidence(1, 1, List.of(one, forged(node(1), signer(node(1)), other))))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> new Evidence(1, 1, List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Evidence(1, 1, Collections.nCopies(Evidence.REPORTS_MAX + 1, one)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void onlyAnOperatorSaysHowManyNodesMayBeFaulty() {
        done(node(0), corrupt(3));
        done(node(1), corrupt(3));
        EvidenceProof proof = proof(1);
        Signer mallory = signer(CAROL);
        Bytes signed = AuditEntry.signed(
                CLUSTER, CAROL, Optional.empty(), 1, 1, proof.volumeCommand().orElseThrow());
        AuditEntry forged = new AuditEntry(
                9,
                1,
                CAROL,
                1,
                1,
                proof.volumeCommand().orElseThrow(),
                Optional.of(new AuditEntry.Approval(mallory.key(), mallory.sign(signed))));
        assertWrong(
                new EvidenceProof(CLUSTER, proof.evidence(), List.of(), Optional.of(forged)),
                "made the volume and is not signed by an operator");
        EvidenceProof without =
                EvidenceProof.of(genesis, recorded(1), List.of()).orElseThrow();
        assertThat(without.volume()).isEmpty();
        assertThat(without.faulty()).isEmpty();
        assertWrong(without, "The file does not show how many nodes of a placement group may be faulty");
        assertThat(EvidenceVerification.of(genesis, without, OptionalInt.of(1)).isValid())
                .isTrue();
        assertThat(EvidenceVerification.of(genesis, without, OptionalInt.of(2)).isValid())
                .isFalse();
        assertThat(EvidenceVerification.of(genesis, proof, OptionalInt.of(2)).isValid())
                .as("the reader knows better")
                .isFalse();
    }

    @PlantedBug(
            in = EvidenceVerification.class,
            rule = "a command on behalf of a person shows no policy",
            replace = "entry.onBehalfOf().isEmpty() && rules.counts(entry, known),",
            with = "rules.counts(entry, known),")
    @Test
    void aVolumeThatADoorMadeForAPersonShowsNoPolicy() {
        done(node(0), corrupt(3));
        done(node(1), corrupt(3));
        EvidenceProof proof = proof(1);
        Command.CreateVolume create = proof.volumeCommand().orElseThrow();
        Optional<PrincipalId> person = Optional.of(CAROL);
        Bytes signed = AuditEntry.signed(CLUSTER, ALICE, person, 1, 99, create);
        AuditEntry made = new AuditEntry(
                9,
                1,
                ALICE,
                person,
                1,
                99,
                create,
                Optional.of(new AuditEntry.Approval(
                        signer(ALICE).key(), signer(ALICE).sign(signed))));
        assertWrong(
                new EvidenceProof(CLUSTER, proof.evidence(), List.of(), Optional.of(made)),
                "is not signed by an operator");
        List<AuditEntry> log = new ArrayList<>(log());
        log.replaceAll(entry -> entry.command().equals(create) ? made : entry);
        assertThat(EvidenceProof.of(genesis, recorded(1), log).orElseThrow().volume())
                .isEmpty();
    }

    @Test
    void nodesWithoutKeysSignNothingAndTheirReportsCount() {
        MetadataFixture plain = MetadataFixture.ready();
        Volume volume = plain.mainVolume();
        long counter = 0;
        while (volume.groupIndex(new BlockId(plain.volume, ALICE, 7, counter)) != 0) {
            counter++;
        }
        Command report =
                new Command.ReportEvidence(3, new BlockId(plain.volume, ALICE, 7, counter), Verdict.CORRUPT, "slot 2");
        plain.user(node(0), 0).done(report);
        plain.user(node(1), 0).done(report);
        Evidence evidence = ((Reply.EvidenceFound) plain.ask(ALICE, new Query.FindEvidence(1)))
                .evidence()
                .orElseThrow();
        assertThat(evidence.reports()).hasSize(2);
        assertThat(EvidenceProof.of(GenesisKeys.NONE, evidence, List.of())).isEmpty();
    }

    /** Nothing throws but what says that these bytes are none; no changed proof that matters is valid. */
    @Test
    void hostileBytesAreNoProof() {
        done(node(0), corrupt(3));
        done(node(1), corrupt(3));
        EvidenceProof right = proof(1);
        byte[] bytes = right.encoded().toByteArray();
        for (int length = 0; length < bytes.length; length++) {
            Bytes cut = Bytes.of(bytes, 0, length);
            assertThatThrownBy(() -> EvidenceProof.decode(cut)).isInstanceOf(MalformedException.class);
        }
        Bytes tooLong = Bytes.of(new byte[EvidenceProof.BYTES_MAX + 1]);
        assertThatThrownBy(() -> EvidenceProof.decode(tooLong)).isInstanceOf(MalformedException.class);
        long seed = Long.getLong("bulwark.seed", System.nanoTime());
        System.out.println("-Dbulwark.seed=" + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 150; i++) {
            byte[] changed = bytes.clone();
            changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
            EvidenceProof proof;
            try {
                proof = EvidenceProof.decode(Bytes.of(changed));
            } catch (MalformedException e) {
                continue;
            }
            if (EvidenceVerification.of(genesis, proof).isValid()) {
                assertThat(signedPart(proof)).isEqualTo(signedPart(right));
            }
        }
    }

    /** Numbers and times are the cluster's word: nobody has signed them. */
    private static List<Object> signedPart(EvidenceProof proof) {
        List<Object> part = new ArrayList<>(List.of(proof.cluster(), proof.volumeCommand()));
        for (NodeReport report : proof.evidence().reports()) {
            assertThat(report.reporter().kind()).isEqualTo(PrincipalKind.NODE);
            part.addAll(List.of(
                    report.reporter(),
                    report.session(),
                    report.sessionNumber(),
                    report.content(),
                    report.approval().orElseThrow().key()));
        }
        return part;
    }
}
