package io.bulwark.console.node;

import io.bulwark.console.FaultPanel.Drill;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/nodes/{node}/drills}: faults for the nodes of an embedded appliance. */
@RestController
@RequestMapping("/api/v1/nodes/{node}/drills")
class DrillApi {
    private final Drills drills;

    DrillApi(Drills drills) {
        this.drills = drills;
    }

    /** Drill that a node can be given. */
    record DrillView(String drill, String title, String effect, boolean fault) {
        static DrillView of(Drill drill) {
            return new DrillView(drill.name().toLowerCase(Locale.ROOT), drill.title(), drill.effect(), drill.isFault());
        }
    }

    /** Drill to give. */
    record Order(@Nullable String drill) {}

    /** Result of a drill. */
    record Outcome(String message) {}

    @GetMapping
    @Operation(summary = "Drills that a node of the embedded appliance can be given; none for nodes elsewhere")
    @ApiResponse(responseCode = "200", description = "The drills")
    @ApiResponse(responseCode = "400", description = "This is no node")
    List<DrillView> list(@PathVariable String node) {
        return drills.of(Inputs.node("node", node)).stream().map(DrillView::of).toList();
    }

    @PostMapping
    @Operation(summary = "Give a node of the embedded appliance a fault, or end it")
    @ApiResponse(responseCode = "200", description = "It is done")
    @ApiResponse(responseCode = "400", description = "There is no such drill")
    @ApiResponse(responseCode = "404", description = "The node does not run in an embedded appliance")
    @ApiResponse(responseCode = "409", description = "The node cannot be given this drill now")
    Outcome give(@PathVariable String node, @RequestBody Order order, HttpServletRequest request) {
        return new Outcome(drills.apply(Inputs.node("node", node), order.drill(), request.getRemoteAddr()));
    }
}
