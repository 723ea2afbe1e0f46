package io.bulwark.console.fault;

import io.bulwark.console.access.SignedIn;
import io.bulwark.console.http.ApiException;
import io.bulwark.protocol.metadata.FaultPolicy;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/faulty-nodes}. */
@RestController
@RequestMapping("/api/v1/faulty-nodes")
class NodeFaultApi {
    private final SignedIn signedIn;

    NodeFaultApi(SignedIn signedIn) {
        this.signedIn = signedIn;
    }

    /**
     * Treatment of faulty nodes.
     *
     * @param removes whether their slots move to other nodes
     * @param windowSeconds time for which nodes count before they report
     */
    record PolicyView(boolean removes, int windowSeconds, int removalsPerDay) {}

    @GetMapping
    @Operation(summary = "Nodes that f + 1 holders of a group find faulty, and the counts of single nodes")
    NodeFaultView.Report list() {
        return NodeFaultView.Report.of(signedIn.client().faultyNodes().report());
    }

    @DeleteMapping("/{node}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @Operation(summary = "Forgive a node: announced changes of its slots are given up, others stay")
    @ApiResponse(responseCode = "204", description = "It is forgiven")
    @ApiResponse(responseCode = "400", description = "Nobody suspects it")
    void forgive(@PathVariable int node) {
        signedIn.client().faultyNodes().forgive(node);
    }

    @GetMapping("/policy")
    @Operation(summary = "Treatment of faulty nodes")
    PolicyView policy() {
        FaultPolicy policy = signedIn.client().faultyNodes().report().policy();
        return new PolicyView(policy.removes(), policy.windowSeconds(), policy.removalsPerDay());
    }

    @PutMapping("/policy")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @Operation(summary = "Set whether the replicas remove faulty nodes")
    @ApiResponse(responseCode = "204", description = "It is set")
    @ApiResponse(responseCode = "400", description = "A number is out of its bounds")
    void set(@RequestBody PolicyView policy) {
        try {
            signedIn.client()
                    .faultyNodes()
                    .set(new FaultPolicy(policy.removes(), policy.windowSeconds(), policy.removalsPerDay()));
        } catch (IllegalArgumentException e) {
            throw ApiException.badField("policy", String.valueOf(e.getMessage()));
        }
    }
}
