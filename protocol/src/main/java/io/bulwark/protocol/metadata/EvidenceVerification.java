package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.OperatorAuthorization.Fact;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Verification of a proof, which trusts the genesis alone and needs no connection. It goes step by step from the
 * genesis to the reports, and explains each step. The first wrong step is the last.
 */
public final class EvidenceVerification {
    private static final Comparator<Fact> ORDER = Comparator.comparing(Fact::principal)
            .thenComparing(fact -> fact instanceof Fact.Key has ? has.key().encoded() : Bytes.EMPTY);

    private final GenesisKeys genesis;
    private final EvidenceProof proof;
    private final Evidence evidence;
    private final OptionalInt faulty;
    private final OperatorAuthorization rules;
    private final SortedMap<Fact, AuditEntry> known = new TreeMap<>(ORDER);
    private final List<Step> steps = new ArrayList<>();

    /**
     * One step.
     *
     * @param holds whether it was as it must be
     * @param text one or two sentences for people
     */
    public record Step(boolean holds, String text) {}

    /**
     * Outcome of a verification.
     *
     * @param claim the observation that the reporters signed
     * @param steps all that hold, or up to the first that does not
     * @param proven what a valid proof shows
     * @param open what it does not show, one limit each
     */
    public record Outcome(String claim, List<Step> steps, String proven, List<String> open) {
        public Outcome {
            steps = List.copyOf(steps);
            open = List.copyOf(open);
        }

        public boolean isValid() {
            return steps.stream().allMatch(Step::holds);
        }
    }

    /** Reason why a proof is none. */
    private static final class WrongStepException extends Exception {
        private static final long serialVersionUID = 1L;

        WrongStepException(String reason) {
            super(reason, null, false, false);
        }
    }

    private EvidenceVerification(GenesisKeys genesis, EvidenceProof proof, OptionalInt faulty) {
        this.genesis = genesis;
        this.proof = proof;
        this.evidence = proof.evidence();
        this.faulty = faulty;
        this.rules = OperatorAuthorization.withInvitations(genesis);
    }

    /** Checks a proof; as many nodes must report the same as the policy in the proof demands. */
    public static Outcome of(GenesisKeys genesis, EvidenceProof proof) {
        return of(genesis, proof, OptionalInt.empty());
    }

    /**
     * Checks a proof.
     *
     * @param faulty how many nodes of a placement group may be faulty, for a reader who knows better than the proof;
     *     empty if the policy in the proof says it
     */
    public static Outcome of(GenesisKeys genesis, EvidenceProof proof, OptionalInt faulty) {
        EvidenceVerification verification = new EvidenceVerification(genesis, proof, faulty);
        try {
            verification.checkCluster();
            verification.checkKeys();
            verification.checkVolume();
            verification.checkReports();
        } catch (WrongStepException wrong) {
            verification.steps.add(new Step(false, String.valueOf(wrong.getMessage())));
        }
        return new Outcome(claim(proof.evidence()), verification.steps, verification.proven(), verification.open());
    }

    /** Returns the observation in words. */
    public static String claim(Evidence evidence) {
        PrincipalId about = evidence.about();
        return switch (evidence.verdict()) {
            case CORRUPT -> about + " sent bytes for block " + evidence.block() + " that do not belong there (corrupt)";
            case DAMAGED -> about + " said that its own copy of block " + evidence.block() + " is damaged";
            case POISONOUS ->
                about + " wrote fragments to volume " + evidence.block().volume()
                        + " that form no one block (poisonous)";
            default ->
                about + " at block " + evidence.block() + ": "
                        + evidence.verdict().text();
        };
    }

    private void checkCluster() throws WrongStepException {
        require(genesis.mustSign(), "The genesis has no keys: nothing can be checked against it.");
        require(
                proof.cluster().equals(genesis.cluster()),
                "The file is of cluster " + proof.cluster().toHex() + ", the genesis of cluster "
                        + genesis.cluster().toHex() + ".");
        hold("The file is of cluster " + genesis.cluster().toHex() + ", as is the genesis, whose first operator is "
                + genesis.operator() + ".");
    }

    private void checkKeys() throws WrongStepException {
        for (AuditEntry entry : proof.keys()) {
            require(
                    rules.counts(entry, known),
                    entryOf(entry) + " is not signed by somebody who the steps before show to be allowed this: "
                            + wordsOf(entry) + ".");
            rules.shownBy(entry).forEach(fact -> known.putIfAbsent(fact, entry));
            hold(entryOf(entry) + ", signed by " + entry.by() + ": " + wordsOf(entry) + ".");
        }
    }

    private void checkVolume() throws WrongStepException {
        if (faulty.isPresent()) {
            hold("It was given that " + counted(faulty.getAsInt()) + " of a placement group may be faulty. "
                    + enough(faulty.getAsInt()));
            return;
        }
        int number = evidence.block().volume();
        if (proof.volume().isEmpty()) {
            throw new WrongStepException("The file does not show how many nodes of a placement group may be faulty: no "
                    + "entry is signed by the operator who made volume " + number + ". If you know that number, give "
                    + "it to the verification.");
        }
        AuditEntry entry = proof.volume().get();
        Command.CreateVolume create = proof.volumeCommand().orElseThrow();
        // Nothing here shows what a person on whose behalf a door gave the command was allowed.
        require(
                entry.onBehalfOf().isEmpty() && rules.counts(entry, known),
                entryOf(entry) + " made the volume and is not signed by an operator.");
        hold(entryOf(entry) + ", signed by " + entry.by() + ": in volume \"" + create.name() + "\", number " + number
                + ", " + counted(create.policy().f()) + " of a placement group may be faulty ("
                + create.policy().text() + "). " + enough(create.policy().f()));
    }

    /** Returns a sentence about the number of reports, which is checked. */
    private String enough(int mayBeFaulty) throws WrongStepException {
        int reports = evidence.reports().size();
        require(
                reports > mayBeFaulty,
                counted(mayBeFaulty) + " of a placement group may be faulty, so " + (mayBeFaulty + 1)
                        + " must report the same. There "
                        + (reports == 1 ? "is 1 report." : "are " + reports + " reports."));
        return "So " + (mayBeFaulty + 1) + " nodes must report the same.";
    }

    private static String counted(int nodes) {
        return nodes == 1 ? "1 node" : nodes + " nodes";
    }

    private void checkReports() throws WrongStepException {
        Set<PrincipalId> reporters = new HashSet<>();
        Set<PrincipalKey> keys = new HashSet<>();
        for (NodeReport report : evidence.reports()) {
            PrincipalId reporter = report.reporter();
            require(reporter.kind() == PrincipalKind.NODE, reporter + " is no node, and cannot report.");
            require(!reporter.equals(evidence.about()), reporter + " reports itself.");
            require(reporters.add(reporter), reporter + " reports twice; only different nodes count.");
            require(
                    evidence.about().kind() != PrincipalKind.NODE
                            || report.content().block().equals(evidence.block()),
                    reporter + " reports another block than the others.");
            require(report.approval().isPresent(), "The report of " + reporter + " is not signed.");
            PrincipalKey key = report.approval().orElseThrow().key();
            require(keys.add(key), "The key of " + reporter + " is that of another reporter, too.");
            String origin = originOf(new Fact.Key(reporter, key));
            require(
                    report.isSigned(genesis.cluster()),
                    "The signature of the report of " + reporter + " is wrong: the report was changed, or not made by "
                            + reporter + ".");
            hold(reporter + " has signed: " + wordsOf(report.content()) + ". " + origin);
        }
        hold(reporters.size() + " different nodes, not the accused, have signed the same.");
    }

    /** Returns in words why a reporter's key is believed. */
    private String originOf(Fact.Key fact) throws WrongStepException {
        if (rules.isOfGenesis(fact)) {
            return "Its key stands in the genesis.";
        }
        AuditEntry entry = known.get(fact);
        if (entry == null) {
            throw new WrongStepException("Nothing shows that the key in the report of " + fact.principal()
                    + " is a key of " + fact.principal() + ".");
        }
        require(
                !(entry.command() instanceof Command.InvitePrincipal),
                "The report of " + fact.principal() + " is signed with the key of an invitation, which reports "
                        + "nothing.");
        if (!entry.by().equals(fact.principal())) {
            return "Its key is from audit entry " + entry.number() + ".";
        }
        return "It gave itself its key, in audit entry " + entry.number() + ".";
    }

    private String proven() {
        List<String> names = evidence.reports().stream()
                .map(report -> report.reporter().toString())
                .toList();
        return (names.size() == 1 ? names.getFirst() : "At least one of " + String.join(", ", names))
                + " saw this itself and told the truth, unless " + (names.size() == 1 ? "it is" : "all of them are")
                + " faulty or have lost their keys.";
    }

    private List<String> open() {
        List<String> open = new ArrayList<>();
        open.add("Intent: a failing disk, a bug or a stolen key of " + evidence.about() + " looks the same.");
        open.add("The bytes themselves: the file has what nodes report, not what they received.");
        open.add("Times, the fault's number, and which volume has number "
                + evidence.block().volume() + ": these are the cluster's word, not signed by the nodes.");
        open.add("That the reporters held slots of the block's placement group and were not revoked: the cluster "
                + "checked this when it recorded the fault, a file cannot show it.");
        String invited = proof.keys().stream()
                .filter(entry -> entry.command() instanceof Command.InvitePrincipal)
                .map(entry ->
                        ((Command.InvitePrincipal) entry.command()).principal().toString())
                .distinct()
                .collect(Collectors.joining(", "));
        if (!invited.isEmpty()) {
            open.add("That nobody else had the invitation of " + invited + ": whoever has it can sign a key for "
                    + "that name.");
        }
        return open;
    }

    private static String entryOf(AuditEntry entry) {
        return "Audit entry " + entry.number();
    }

    private static String wordsOf(AuditEntry entry) {
        return switch (entry.command()) {
            case Command.AddPrincipal add -> add.principal() + " has the key " + shown(add.key());
            case Command.InvitePrincipal invite ->
                invite.principal() + " is invited, and chooses its key with the key " + shown(invite.key());
            case Command.RotateKey rotate ->
                rotate.principal() + " has the key "
                        + rotate.keys().stream()
                                .map(EvidenceVerification::shown)
                                .collect(Collectors.joining(" and the key "));
            case Command.SetGrant grant ->
                grant.client()
                        + (grant.scope() instanceof Scope.All && grant.rights().administer()
                                ? " is an operator"
                                : " has other rights");
            default -> "another command";
        };
    }

    private static String wordsOf(Command.Report report) {
        String detail = report.detail().isEmpty() ? "" : ", \"" + report.detail() + "\"";
        return report.about() + " " + report.verdict().text() + ", block " + report.block() + detail;
    }

    /** Returns the end of a key, as {@code bulwark principal list} shows it. */
    private static String shown(PrincipalKey key) {
        String text = key.text();
        return "..." + text.substring(text.length() - 16);
    }

    private void hold(String text) {
        steps.add(new Step(true, text));
    }

    private static void require(boolean holds, String problem) throws WrongStepException {
        if (!holds) {
            throw new WrongStepException(problem);
        }
    }
}
