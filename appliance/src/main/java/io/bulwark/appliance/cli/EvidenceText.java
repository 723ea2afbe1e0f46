package io.bulwark.appliance.cli;

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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

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

    static Map<String, Object> json(Faults.Fault fault) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("number", fault.number());
        json.put("time", fault.at().toString());
        json.put("about", fault.about().toString());
        json.put("verdict", fault.verdict().name());
        json.put("block", fault.block().toString());
        json.put("reporters", fault.reporters().stream().map(Object::toString).toList());
        json.put("detail", fault.detail());
        return json;
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

    static Map<String, Object> json(EvidenceProof proof, EvidenceVerification.Outcome outcome) {
        Map<String, Object> json = base(proof.evidence());
        json.put("valid", outcome.isValid());
        json.put("cluster", proof.cluster().toHex());
        proof.faulty().ifPresent(faulty -> json.put("faulty", faulty));
        List<Map<String, Object>> steps = new ArrayList<>();
        for (Step step : outcome.steps()) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("holds", step.holds());
            one.put("text", step.text());
            steps.add(one);
        }
        json.put("steps", steps);
        json.put("proven", outcome.isValid() ? outcome.proven() : "");
        json.put("open", outcome.open());
        return json;
    }

    /** Returns a fault of a cluster whose nodes have no keys. */
    static String unsigned(Evidence evidence) {
        StringBuilder text = new StringBuilder(heading(evidence));
        for (NodeReport report : evidence.reports()) {
            text.append(wrapped(
                    "-",
                    report.reporter() + " reported it at " + time(report.agreedMillis()) + ", block "
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

    static Map<String, Object> unsignedJson(Evidence evidence) {
        return base(evidence);
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

    private static Map<String, Object> base(Evidence evidence) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("number", evidence.number());
        json.put("claim", EvidenceVerification.claim(evidence));
        json.put("time", time(evidence.agreedMillis()));
        json.put("about", evidence.about().toString());
        json.put("verdict", evidence.verdict().name());
        json.put("block", evidence.block().toString());
        json.put("reports", evidence.reports().stream().map(EvidenceText::json).toList());
        return json;
    }

    private static Map<String, Object> json(NodeReport report) {
        Optional<AuditEntry.Approval> approval = report.approval();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("node", report.reporter().toString());
        json.put("time", time(report.agreedMillis()));
        json.put("session", report.session());
        json.put("command", report.sessionNumber());
        json.put("block", report.content().block().toString());
        json.put("detail", report.content().detail());
        json.put("key", approval.map(made -> made.key().text()).orElse(""));
        json.put("signature", approval.map(made -> made.signature().toHex()).orElse(""));
        return json;
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

    private static String time(long agreedMillis) {
        return Instant.ofEpochMilli(agreedMillis).toString();
    }
}
