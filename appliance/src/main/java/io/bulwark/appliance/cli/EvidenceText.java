package io.bulwark.appliance.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.bulwark.client.Faults;
import io.bulwark.protocol.metadata.AuditEntry;
import io.bulwark.protocol.metadata.Evidence;
import io.bulwark.protocol.metadata.EvidenceProof;
import io.bulwark.protocol.metadata.EvidenceVerification;
import io.bulwark.protocol.metadata.EvidenceVerification.Step;
import io.bulwark.protocol.metadata.NodeReport;
import io.bulwark.protocol.wire.MalformedException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Formats recorded faults and their proofs. Files and reports may come from anybody: no text is printed as it is. */
final class EvidenceText {
    private static final int WIDTH = 100;

    private EvidenceText() {}

    static String table(List<Faults.Fault> faults) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("FAULT", "TIME", "OF", "VERDICT", "BLOCK", "REPORTED BY", "DETAIL"));
        for (Faults.Fault fault : faults) {
            rows.add(List.of(
                    Long.toString(fault.number()),
                    fault.at().toString(),
                    fault.about().toString(),
                    fault.verdict().text(),
                    fault.block().toString(),
                    fault.reporters().stream().map(Object::toString).collect(Collectors.joining(", ")),
                    Text.printable(fault.detail())));
        }
        return Text.table(rows);
    }

    /** Returns the steps, the outcome, and the limits of the proof. */
    static String of(EvidenceProof proof, EvidenceVerification.Outcome outcome) {
        StringBuilder text = new StringBuilder(heading(proof.evidence()));
        int number = 1;
        for (Step step : outcome.steps()) {
            String mark = String.format("%2d. %-6s", number++, step.holds() ? "OK" : "WRONG");
            text.append(wrapped(mark, step.text()));
        }
        text.append(System.lineSeparator());
        if (!outcome.isValid()) {
            return text.append("NOT VALID: step ")
                    .append(outcome.steps().size())
                    .append(" is wrong, so the file proves nothing.")
                    .toString();
        }
        text.append(wrapped("", "VALID. " + outcome.proven()));
        text.append(System.lineSeparator()).append("The proof does not show:").append(System.lineSeparator());
        outcome.open().forEach(limit -> text.append(wrapped("-", limit)));
        return text.toString().stripTrailing();
    }

    /** Returns a fault of a cluster whose nodes have no keys. */
    static String unsigned(Evidence evidence) {
        StringBuilder text = new StringBuilder(heading(evidence));
        for (NodeReport report : evidence.reports()) {
            text.append(wrapped(
                    "-",
                    report.reporter() + " reported it at " + instant(report.agreedMillis()) + ", block "
                            + report.content().block() + ": " + report.content().detail()));
        }
        text.append(System.lineSeparator());
        return text.append(wrapped(
                        "",
                        "The reports are not signed, since the nodes of insecure-loopback have no keys. The replicas "
                                + "alone attest them, and nothing can be exported."))
                .toString()
                .stripTrailing();
    }

    /** Returns the reason why bytes are malformed. */
    static String problem(MalformedException malformed) {
        Throwable cause = malformed.getCause();
        String message = cause == null ? malformed.getMessage() : cause.getMessage();
        return Text.printable(String.valueOf(message));
    }

    private static String heading(Evidence evidence) {
        return wrapped("", "Fault " + evidence.number() + ": " + EvidenceVerification.claim(evidence) + ".")
                + System.lineSeparator();
    }

    /** Returns lines of at most {@link #WIDTH} characters, where words allow; later ones are indented as the first. */
    private static String wrapped(String mark, String content) {
        String indent = mark.isEmpty() ? "" : " ".repeat(mark.length() + 1);
        StringBuilder text = new StringBuilder(mark.isEmpty() ? "" : mark + " ");
        int column = text.length();
        for (String word : Text.printable(content).split(" ", -1)) {
            if (column > indent.length() && column + 1 + word.length() > WIDTH) {
                text.append(System.lineSeparator()).append(indent);
                column = indent.length();
            }
            if (column > indent.length()) {
                text.append(' ');
                column++;
            }
            text.append(word);
            column += word.length();
        }
        return text.append(System.lineSeparator()).toString();
    }

    private static String instant(long agreedMillis) {
        return Instant.ofEpochMilli(agreedMillis).toString();
    }

    /** A recorded fault for scripts. */
    record FaultView(
            long number,
            String time,
            String about,
            String verdict,
            String block,
            List<String> reporters,
            String detail) {
        static FaultView of(Faults.Fault fault) {
            return new FaultView(
                    fault.number(),
                    fault.at().toString(),
                    fault.about().toString(),
                    fault.verdict().name(),
                    fault.block().toString(),
                    fault.reporters().stream().map(Object::toString).toList(),
                    fault.detail());
        }
    }

    /** A recorded fault with its reports. */
    record EvidenceView(
            long number,
            String claim,
            String time,
            String about,
            String verdict,
            String block,
            List<ReportView> reports) {
        static EvidenceView of(Evidence evidence) {
            return new EvidenceView(
                    evidence.number(),
                    EvidenceVerification.claim(evidence),
                    instant(evidence.agreedMillis()),
                    evidence.about().toString(),
                    evidence.verdict().name(),
                    evidence.block().toString(),
                    evidence.reports().stream().map(ReportView::of).toList());
        }
    }

    record ReportView(
            String node,
            String time,
            long session,
            long command,
            String block,
            String detail,
            String key,
            String signature) {
        static ReportView of(NodeReport report) {
            Optional<AuditEntry.Approval> approval = report.approval();
            return new ReportView(
                    report.reporter().toString(),
                    instant(report.agreedMillis()),
                    report.session(),
                    report.sessionNumber(),
                    report.content().block().toString(),
                    report.content().detail(),
                    approval.map(made -> made.key().text()).orElse(""),
                    approval.map(made -> made.signature().toHex()).orElse(""));
        }
    }

    /**
     * A proof with the outcome of its verification.
     *
     * @param faulty the nodes that may be faulty; null where the file does not tell
     */
    record ProofView(
            @JsonUnwrapped EvidenceView evidence,
            boolean valid,
            String cluster,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            Integer faulty,

            List<StepView> steps,
            String proven,
            List<String> open) {
        static ProofView of(EvidenceProof proof, EvidenceVerification.Outcome outcome) {
            return new ProofView(
                    EvidenceView.of(proof.evidence()),
                    outcome.isValid(),
                    proof.cluster().toHex(),
                    proof.faulty().isPresent() ? proof.faulty().getAsInt() : null,
                    outcome.steps().stream()
                            .map(step -> new StepView(step.holds(), step.text()))
                            .toList(),
                    outcome.isValid() ? outcome.proven() : "",
                    outcome.open());
        }
    }

    record StepView(boolean holds, String text) {}
}
