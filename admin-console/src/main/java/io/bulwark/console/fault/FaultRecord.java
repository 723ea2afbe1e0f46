package io.bulwark.console.fault;

import io.bulwark.client.ClusterStatus;
import io.bulwark.client.Faults;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.NotPermittedException;
import io.bulwark.console.access.SignedIn;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.live.ClusterWatch;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Evidence;
import io.bulwark.protocol.metadata.EvidenceVerification;
import io.bulwark.protocol.metadata.NodeReport;
import io.bulwark.protocol.metadata.Query;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.stereotype.Component;

/** The recorded faults of nodes and clients with their proofs, and the hints that have not become a record. */
@Component
class FaultRecord {
    private final SignedIn signedIn;
    private final ClusterWatch watch;

    FaultRecord(SignedIn signedIn, ClusterWatch watch) {
        this.signedIn = signedIn;
        this.watch = watch;
    }

    /** Lists the recorded faults that the person may see, the newest first. */
    List<FaultView> list() {
        Faults faults = faults();
        List<FaultView> all = new ArrayList<>();
        Faults.Page page = faults.list(0, Query.PAGE_MAX);
        page.faults().forEach(fault -> all.add(FaultView.of(fault)));
        while (page.more() && !page.faults().isEmpty()) {
            page = faults.list(page.faults().getLast().number(), Query.PAGE_MAX);
            page.faults().forEach(fault -> all.add(FaultView.of(fault)));
        }
        return all.reversed();
    }

    /**
     * Verdicts that single parties have met about a node: hints, since one party may be faulty itself.
     *
     * @param seen how often each verdict was met
     */
    record Hint(String node, Map<String, Long> seen) {}

    List<Hint> hints() {
        List<Hint> hints = new ArrayList<>();
        for (ClusterStatus.NodeStatus node : watch.now().status().nodes()) {
            Map<String, Long> seen = new TreeMap<>();
            node.seen().forEach((verdict, count) -> {
                if (count > 0) {
                    seen.put(verdict.text(), count);
                }
            });
            if (!seen.isEmpty()) {
                hints.add(new Hint("node-" + node.node(), seen));
            }
        }
        return hints;
    }

    /**
     * Finds a fault with its reports and its proof.
     *
     * @throws ApiException if there is none of this number, or no longer
     */
    FaultDetail find(long number) {
        Faults faults = faults();
        Evidence evidence = faults.find(number).orElseThrow(() -> unknown(number));
        FaultDetail.ProofView proof = null;
        String unproven = null;
        try {
            proof = view(faults.check(number));
        } catch (InvalidRequestException | NotPermittedException e) {
            unproven = String.valueOf(e.getMessage());
        }
        return new FaultDetail(
                view(evidence),
                evidence.reports().stream().map(FaultRecord::view).toList(),
                VerdictText.next(evidence.verdict()),
                proof,
                unproven);
    }

    /**
     * Returns the file with the proof, which {@code bulwark evidence verify} checks without the cluster.
     *
     * @throws ApiException if there is no such fault
     */
    byte[] file(long number) {
        Faults faults = faults();
        if (faults.find(number).isEmpty()) {
            throw unknown(number);
        }
        try {
            return faults.export(number);
        } catch (InvalidRequestException e) {
            throw ApiException.conflict(String.valueOf(e.getMessage()));
        }
    }

    private static ApiException unknown(long number) {
        return ApiException.notFound("there is no recorded fault " + number + ", or no longer");
    }

    private static FaultView view(Evidence evidence) {
        return FaultView.of(new Faults.Fault(
                evidence.number(),
                evidence.about(),
                evidence.block(),
                evidence.verdict(),
                Instant.ofEpochMilli(evidence.agreedMillis()),
                reporters(evidence),
                evidence.reports().getFirst().content().detail()));
    }

    private static List<PrincipalId> reporters(Evidence evidence) {
        return evidence.reports().stream().map(NodeReport::reporter).toList();
    }

    private static FaultDetail.ReportView view(NodeReport report) {
        return new FaultDetail.ReportView(
                report.reporter().toString(),
                Instant.ofEpochMilli(report.agreedMillis()),
                report.content().block().toString(),
                report.content().detail(),
                report.approval().isPresent());
    }

    private static FaultDetail.ProofView view(EvidenceVerification.Outcome outcome) {
        return new FaultDetail.ProofView(
                outcome.claim(),
                outcome.isValid(),
                outcome.steps().stream()
                        .map(step -> new FaultDetail.StepView(step.holds(), step.text()))
                        .toList(),
                outcome.proven(),
                outcome.open());
    }

    private Faults faults() {
        return signedIn.client().faults();
    }
}
