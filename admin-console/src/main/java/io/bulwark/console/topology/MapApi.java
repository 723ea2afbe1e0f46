package io.bulwark.console.topology;

import io.bulwark.client.error.BulwarkException;
import io.bulwark.console.PlacementView;
import io.bulwark.console.live.ClusterWatch;
import io.bulwark.console.live.Outages;
import io.bulwark.protocol.cluster.ClusterMap;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.util.List;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /api/v1/map} and {@code /api/v1/configuration}. */
@RestController
class MapApi {
    private final ClusterWatch watch;
    private final ConfigurationInForce configuration;
    private final Outages outages;

    MapApi(ClusterWatch watch, ConfigurationInForce configuration, Outages outages) {
        this.watch = watch;
        this.configuration = configuration;
        this.outages = outages;
    }

    /** The cluster map as the replicas agree. */
    record MapView(long version, List<NodePlace> nodes, List<PlacementView> groups) {}

    /** Address of a node. */
    record NodePlace(int node, String host, int port) {}

    @GetMapping("/api/v1/map")
    @Operation(summary = "The cluster map: nodes, and placement groups with their epochs, as 2f+1 replicas agree")
    @ApiResponse(responseCode = "200", description = "The map; its `ETag` is its version")
    @ApiResponse(responseCode = "503", description = "The cluster does not answer since `since`")
    ResponseEntity<MapView> map() {
        ClusterMap map = watch.map().map();
        return ResponseEntity.ok()
                .eTag(Long.toString(map.version()))
                .body(new MapView(
                        map.version(),
                        map.nodes().stream()
                                .map(node -> new NodePlace(node.node(), node.host(), node.port()))
                                .toList(),
                        PlacementView.of(map)));
    }

    @GetMapping("/api/v1/configuration")
    @Operation(summary = "Configuration in force: the cluster's as the replicas agree, and this console's; no secrets")
    @ApiResponse(responseCode = "200", description = "The configuration")
    @ApiResponse(responseCode = "503", description = "The cluster does not answer since `since`")
    ConfigurationInForce.ConfigurationView configuration() {
        return configuration.view();
    }

    @ExceptionHandler
    ProblemDetail failed(BulwarkException failure) {
        return outages.problem(failure);
    }
}
