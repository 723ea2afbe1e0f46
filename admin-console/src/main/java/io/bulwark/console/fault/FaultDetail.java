package io.bulwark.console.fault;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fault with its reports and its proof.
 *
 * @param next what an operator does now
 * @param proof null if there is none
 * @param unproven why there is none; null if there is one
 */
record FaultDetail(
        FaultView fault,
        List<ReportView> reports,
        String next,
        @Nullable ProofView proof,
        @Nullable String unproven) {
    /**
     * A node's report, as the replicas executed it.
     *
     * @param signed whether the node has signed it
     */
    record ReportView(String node, Instant at, String block, String detail, boolean signed) {}

    /**
     * The proof, checked against the genesis.
     *
     * @param claim the observation that the reporters signed
     * @param valid whether all steps hold
     * @param proven what the steps show together
     * @param limits what they do not show
     */
    record ProofView(String claim, boolean valid, List<StepView> steps, String proven, List<String> limits) {}

    record StepView(boolean holds, String text) {}
}
