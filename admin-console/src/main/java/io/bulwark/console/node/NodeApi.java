package io.bulwark.console.node;

import io.bulwark.client.error.BulwarkException;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.http.Page;
import io.bulwark.console.job.Job;
import io.bulwark.console.live.Outages;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/nodes}. The entity tag of a node is the version of the cluster map. */
@RestController
@RequestMapping("/api/v1/nodes")
class NodeApi {
    private static final int LIMIT_MAX = 1000;

    private final NodeInventory inventory;
    private final NodeChanges changes;
    private final Outages outages;

    NodeApi(NodeInventory inventory, NodeChanges changes, Outages outages) {
        this.inventory = inventory;
        this.changes = changes;
        this.outages = outages;
    }

    /**
     * Node to add.
     *
     * @param node such as {@code node-5}; it has joined
     * @param address {@code HOST:PORT}; null if the cluster map names it already
     * @param spare whether it gets no slots yet
     * @param volume the volume whose slots move; null for all
     * @param untilRebuilt whether the job waits for the rebuild; null for yes
     */
    record Addition(
            @Nullable String node,
            @Nullable String address,
            @Nullable Boolean spare,
            @Nullable String volume,
            @Nullable Boolean untilRebuilt) {}

    /**
     * Node that takes the slots of another.
     *
     * @param by such as {@code node-5}
     */
    record Replacement(
            @Nullable String by,
            @Nullable String volume,
            @Nullable Boolean untilRebuilt) {}

    /** Node to drain. */
    record Drain(@Nullable String volume, @Nullable Boolean untilRebuilt) {}

    @GetMapping
    @Operation(summary = "Storage nodes: their own reports, their slots, and the faults on record")
    @ApiResponse(responseCode = "200", description = "A part of the nodes, by number")
    @ApiResponse(responseCode = "400", description = "A limit or cursor that cannot be")
    @ApiResponse(responseCode = "503", description = "The cluster does not answer since `since`")
    Page<NodeView> list(
            @RequestParam(defaultValue = "100") int limit, @RequestParam(defaultValue = "-1") String cursor) {
        if (limit < 1 || limit > LIMIT_MAX) {
            throw ApiException.badField("limit", "1 to " + LIMIT_MAX + " is wanted");
        }
        if (!cursor.matches("-1|[0-9]{1,9}")) {
            throw ApiException.badField("cursor", "this cursor was not given by this list");
        }
        int after = Integer.parseInt(cursor);
        List<NodeView> rest = inventory.now().nodes().stream()
                .filter(node -> node.status().number() > after)
                .toList();
        List<NodeView> part = rest.stream().limit(limit).toList();
        return new Page<>(
                part,
                part.size() == rest.size()
                        ? null
                        : Integer.toString(part.getLast().status().number()));
    }

    @GetMapping("/{node}")
    @Operation(summary = "One storage node")
    @ApiResponse(responseCode = "200", description = "The node; its `ETag` is for `If-Match` of the actions")
    @ApiResponse(responseCode = "404", description = "The cluster map does not name it")
    @ApiResponse(responseCode = "503", description = "The cluster does not answer since `since`")
    ResponseEntity<NodeView> find(@PathVariable String node) {
        NodeInventory.Inventory now = inventory.now();
        return ResponseEntity.ok().eTag(Long.toString(now.version())).body(now.node(Inputs.node("node", node)));
    }

    @GetMapping("/{node}/plan")
    @Operation(summary = "Consequences of adding, replacing or draining a node; nothing changes")
    @ApiResponse(responseCode = "200", description = "The plan; its `ETag` is for `If-Match` of the action")
    @ApiResponse(responseCode = "400", description = "An action, node or volume that cannot be")
    @ApiResponse(responseCode = "404", description = "The cluster map does not name the node")
    @ApiResponse(responseCode = "409", description = "The present map forbids it; the detail says why")
    ResponseEntity<PlanView> plan(
            @PathVariable String node,
            @RequestParam String action,
            @RequestParam(required = false) @Nullable String by,
            @RequestParam(required = false) @Nullable String volume) {
        PlanView plan = changes.plan(request(action, Inputs.node("node", node), by, volume));
        return ResponseEntity.ok().eTag(Long.toString(plan.version())).body(plan);
    }

    @PostMapping
    @Operation(summary = "Add a joined node, or set its new address, and move its share of slots to it")
    @ApiResponse(responseCode = "202", description = "A job moves the slots; `Location` names it")
    @ApiResponse(responseCode = "204", description = "The node can hold slots now; a spare gets none")
    @ApiResponse(responseCode = "400", description = "A field is wrong; `field` names it")
    @ApiResponse(responseCode = "412", description = "The cluster map has changed since `If-Match`")
    @ApiResponse(responseCode = "404", description = "The cluster map does not name the node")
    ResponseEntity<Job.View> add(
            @RequestBody Addition addition,
            @RequestHeader(value = "If-Match", required = false) @Nullable String ifMatch) {
        int node = Inputs.node("node", addition.node());
        Optional<Long> version = Inputs.version(ifMatch);
        boolean spare = Boolean.TRUE.equals(addition.spare());
        if (addition.address() != null) {
            changes.setAddress(Inputs.address(node, addition.address()), version);
            version = Optional.empty();
        } else if (spare) {
            throw ApiException.badField("address", "a spare node needs its address");
        }
        return spare
                ? ResponseEntity.noContent().build()
                : accepted(changes.start(
                        new NodeRequest(NodeRequest.Kind.ADD, node, Optional.empty(), Inputs.volume(addition.volume())),
                        version,
                        !Boolean.FALSE.equals(addition.untilRebuilt())));
    }

    @PostMapping("/{node}/replace")
    @Operation(summary = "Move all slots of a node, which may be down, to another node")
    @ApiResponse(responseCode = "202", description = "A job moves the slots; `Location` names it")
    @ApiResponse(responseCode = "400", description = "A field is wrong; `field` names it")
    @ApiResponse(responseCode = "404", description = "The cluster map does not name the node")
    @ApiResponse(responseCode = "409", description = "The present map forbids it; the detail says why")
    @ApiResponse(responseCode = "412", description = "The cluster map has changed since `If-Match`")
    ResponseEntity<Job.View> replace(
            @PathVariable String node,
            @RequestBody Replacement body,
            @RequestHeader(value = "If-Match", required = false) @Nullable String ifMatch) {
        return accepted(changes.start(
                new NodeRequest(
                        NodeRequest.Kind.REPLACE,
                        Inputs.node("node", node),
                        Optional.of(Inputs.node("by", body.by())),
                        Inputs.volume(body.volume())),
                Inputs.version(ifMatch),
                !Boolean.FALSE.equals(body.untilRebuilt())));
    }

    @PostMapping("/{node}/drain")
    @Operation(summary = "Move all slots of a node to the others, before its removal")
    @ApiResponse(responseCode = "202", description = "A job moves the slots; `Location` names it")
    @ApiResponse(responseCode = "404", description = "The cluster map does not name the node")
    @ApiResponse(responseCode = "409", description = "Too few nodes would remain; the detail says why")
    @ApiResponse(responseCode = "412", description = "The cluster map has changed since `If-Match`")
    ResponseEntity<Job.View> drain(
            @PathVariable String node,
            @RequestBody(required = false) @Nullable Drain body,
            @RequestHeader(value = "If-Match", required = false) @Nullable String ifMatch) {
        return accepted(changes.start(
                new NodeRequest(
                        NodeRequest.Kind.DRAIN,
                        Inputs.node("node", node),
                        Optional.empty(),
                        Inputs.volume(body == null ? null : body.volume())),
                Inputs.version(ifMatch),
                body == null || !Boolean.FALSE.equals(body.untilRebuilt())));
    }

    @DeleteMapping("/{node}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @Operation(summary = "Remove a node without slots for good; its key is revoked")
    @ApiResponse(responseCode = "204", description = "It is removed")
    @ApiResponse(responseCode = "404", description = "The cluster map does not name it")
    @ApiResponse(responseCode = "409", description = "It holds slots; drain or replace it first")
    @ApiResponse(responseCode = "412", description = "The cluster map has changed since `If-Match`")
    void remove(
            @PathVariable String node, @RequestHeader(value = "If-Match", required = false) @Nullable String ifMatch) {
        changes.remove(Inputs.node("node", node), Inputs.version(ifMatch));
    }

    @ExceptionHandler
    ProblemDetail failed(BulwarkException failure) {
        return outages.problem(failure);
    }

    static NodeRequest request(String action, int node, @Nullable String by, @Nullable String volume) {
        NodeRequest.Kind kind = switch (action) {
            case "add" -> NodeRequest.Kind.ADD;
            case "replace" -> NodeRequest.Kind.REPLACE;
            case "drain" -> NodeRequest.Kind.DRAIN;
            default -> throw ApiException.badField("action", "add, replace or drain is wanted");
        };
        Optional<Integer> other =
                kind == NodeRequest.Kind.REPLACE ? Optional.of(Inputs.node("by", by)) : Optional.empty();
        return new NodeRequest(kind, node, other, Inputs.volume(volume));
    }

    private static ResponseEntity<Job.View> accepted(Job job) {
        return ResponseEntity.accepted()
                .location(URI.create("/api/v1/jobs/" + job.id()))
                .body(job.view());
    }
}
